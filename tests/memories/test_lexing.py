"""Lexing: what finds what in which script, and that Postgres takes every result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.lexing import (
    LAST_POSITION,
    LEXEME_BYTES,
    POSITIONS_EACH,
    QUERY_TERMS,
    TSVECTOR_BYTES,
    lex,
    query_terms,
    to_tsquery_literal,
    to_tsvector_literal,
)


@pytest.fixture(scope="module")
def connection(database_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database_url, autocommit=True) as opened:
        yield opened


def finds(query: str, document: str) -> bool:
    return any(term in lex(document).terms for term in query_terms(query))


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("重排", "我们最近配置的重排模型"),
        ("型", "我们最近配置的重排模型"),
        ("猫", "我有一只猫"),
        ("編程", "我喜歡Python編程"),
        ("python", "我喜歡Python編程"),
        ("1月", "2026年1月31日，用户完成了一次检索"),
        ("ガギ", "ｶﾞｷﾞ"),
        ("도서관", "학교 도서관에서 공부했다"),
        ("ภาษา", "ฉันเรียนภาษาไทย"),
        ("محمد", "قال مُحَمَّد"),
        ("احمد", "أحمد"),
        ("2024", "عام ٢٠٢٤"),
        ("ёлка", "Ёлка и елка"),
        ("ОДОС", "одос"),
        ("οδος", "ΟΔΌΣ"),
        ("हिन्दी", "मुझे हिन्दी आती है"),
        ("łódź", "Z Łodzi do: łódź"),
        ("LODZ", "łódź"),
        ("cafe", "Cafe\u0301 Müller"),
        ("duong", "đường"),
        ("ABC123", "ＡＢＣ１２３"),
        ("financial", "ﬁnancial"),
        ("run", "She was running"),
        ("Anna", "That is Anna’s book"),
        ("ORD-2024-001", "Order ORD-2024-001."),
        ("ord-2024", "Order ORD-2024-001."),
        ("2024-001", "Order ORD-2024-001."),
        ("ORD", "Order ORD-2024-001."),
        ("gpt 4", "We use GPT-4"),
        ("GPT-4", "We use GPT 4"),
        ("alice@example.com", "write to <Alice@Example.com>!"),
        ("example.com", "write to alice@example.com"),
        ("example.com", "see https://www.example.com/a/b?x=1"),
        ("2026-01-31", "at 2026-01-31T10:00:00Z"),
        ("1000000", "It costs 1,000,000 euros"),
        ("C++", "written in C++."),
        ("C#", "C# and Java"),
        ("👍", "fine 👍🏽"),
        ("🇨🇳", "🇩🇪🇨🇳"),
        ("user_name", "the field user_name"),
        ("name", "the field user_name"),
    ],
)
def test_a_query_finds_what_its_reader_expects(query: str, document: str) -> None:
    assert finds(query, document)


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("ORD-2024-001", "ORD-2024-002 and ORD-2023-001, 2024 001"),
        ("3.14", "3 or 14"),
        ("alice@example.com", "bob@example.com"),
        ("C++", "vitamin C"),
        ("йод", "иод"),
        ("かき", "がき"),
        ("the of and", "the of and"),
        ("模排", "重排模型"),
        ("", "anything"),
        ("?!", "what?!"),
    ],
)
def test_a_query_does_not_find_what_differs(query: str, document: str) -> None:
    assert not finds(query, document)


def test_a_document_is_read_as_documented() -> None:
    lexed = lex("The ORD-1-2 runs 重排模")
    assert lexed.terms == {
        **{"ord-1-2": [2], "ord-1": [2], "1-2": [2], "ord": [2], "1": [3], "2": [4], "run": [5]},
        **{"重": [6], "重排": [6], "排": [7], "排模": [7], "模": [8]},
    }
    assert (lexed.length, lexed.end) == (6, 9)
    assert query_terms("The ORD-1-2 runs 重排模 runs") == ["ord-1-2", "run", "重排", "排模"]


def test_a_second_text_follows_the_first() -> None:
    first = lex("one fish")
    assert lex("fish", start=first.end).terms == {"fish": [3]}


texts = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from(
            [
                *(
                    "the",
                    "Don't",
                    "łódź",
                    "ORD-2024-001",
                    "a",
                    "'",
                    "\\",
                    "重排",
                    "猫",
                    "-",
                    ".",
                    ",",
                ),
                *(
                    "1,000",
                    "ß",
                    "İ",
                    "\u0301",
                    "ก",
                    "\u0e34",
                    "👍",
                    "🇨",
                    "@",
                    " ",
                    "\n",
                    "é",
                    "C++",
                ),
                *(
                    "が",
                    "ﷺ",
                    "х",
                    "й",
                    "\u200d",
                    "٣",
                    "x" * 70,
                    "中" * 90,
                    "a_b",
                    "٣T10:00",
                    "ⅷ",
                    "\x01",
                ),
            ]
        ),
        max_size=12,
    ).map("".join),
)


@pytest.mark.slow
@given(texts)
def test_every_text_is_found_by_itself(text: str) -> None:
    terms = lex(text).terms
    assert set(query_terms(text)) <= set(terms)
    assert all(0 < len(term.encode()) <= LEXEME_BYTES for term in terms)


@given(texts, texts)
def test_a_text_is_found_inside_another(inner: str, outer: str) -> None:
    inside = lex(f"{outer} . {inner} . {outer}").terms
    assert set(query_terms(inner)) <= set(inside)


@pytest.mark.slow
@given(texts)
def test_postgres_holds_exactly_what_was_read(connection: psycopg.Connection, text: str) -> None:
    lexed = lex(text)
    rows: list[Any] = connection.execute(
        "SELECT lexeme, positions FROM unnest(%s::tsvector)", [to_tsvector_literal(lexed)]
    ).fetchall()
    assert dict(rows) == lexed.terms
    asked = query_terms(text)
    answer = connection.execute(
        "SELECT %s::tsvector @@ %s::tsquery",
        [to_tsvector_literal(lexed), to_tsquery_literal(asked)],
    ).fetchone()
    assert answer == (bool(asked),)


HOSTILE = {
    "marks": "a" + "\u0301\u0323" * 250_000,
    "han": "".join(chr(0x4E00 + number * 7919 % 20_900) for number in range(350_000)),
    "words": " ".join(f"{number:x}q" for number in range(180_000)),
    "one word": "a" * 1_048_576,
    "one han": "中" * 350_000,
    "chain": "a-1-" * 260_000,
    "quotes": "it's " * 200_000,
    "groups": "1,000," * 170_000,
    "expanding": "\ufdfa" * 350_000,
}


@pytest.mark.parametrize(
    "name",
    [
        name if name in ("marks", "words") else pytest.param(name, marks=pytest.mark.slow)
        for name in HOSTILE
    ],
)
@pytest.mark.slow
def test_a_mebibyte_of_anything_fits(connection: psycopg.Connection, name: str) -> None:
    lexed = lex(HOSTILE[name])
    assert lexed.size <= TSVECTOR_BYTES
    for positions in lexed.terms.values():
        assert len(positions) <= POSITIONS_EACH
        assert positions[-1] <= LAST_POSITION
    answer = connection.execute(
        "SELECT length(%s::tsvector)", [to_tsvector_literal(lexed)]
    ).fetchone()
    assert answer == (len(lexed.terms),)
    assert len(query_terms(HOSTILE[name])) <= QUERY_TERMS


@pytest.mark.slow
def test_two_texts_share_the_room(connection: psycopg.Connection) -> None:
    first = lex(HOSTILE["words"], room=TSVECTOR_BYTES // 2)
    second = lex(HOSTILE["words"][::-1], room=TSVECTOR_BYTES - first.size)
    literals = [to_tsvector_literal(first), to_tsvector_literal(second)]
    answer = connection.execute("SELECT length(%s::tsvector || %s::tsvector)", literals).fetchone()
    assert answer is not None
    assert answer[0] >= len(first.terms)
