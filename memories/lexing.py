"""Text to lexemes: a tsvector made by us, so that every script is found as its readers expect.

Words are folded (NFKC, case, accents of Latin, Greek and the like), English ones stemmed, stop
words dropped; `łódź` is `lodz` on both sides. Chinese, Japanese, Korean, Thai and their kind write
no spaces: their runs become overlapping pairs of characters, and each character by itself, which
only a query of one character asks for. An identifier, `ORD-2024-001`, is kept whole, with its
parts and its beginnings and ends; a query for a whole one asks for nothing less. Emoji are words.

Documents and queries go through the same reading, so what is written is found by itself. Linear
in the text, and bounded: Postgres holds 1 MB a tsvector, 255 positions a lexeme, none beyond
16,383. What is over the bounds is dropped, the count of words apart. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import Stemmer  # type: ignore[import-not-found]

from memories.folding import CONNECTORS, MARKS, UNSPACED, fold

LEXEME_BYTES = 256  # Postgres allows 2,046
LAST_POSITION = 16_383
POSITIONS_EACH = 255
TSVECTOR_BYTES = 1_000_000  # Postgres allows 1,048,575
QUERY_TERMS = 128
QUERY_CHARACTERS = 8192
KEPT_LENGTH = 24
PARTS_COMBINED = 8  # of longer chains only the parts and the whole are kept

# The list of Snowball and Postgres, and what every web address has.
_ENGLISH_STOP_WORDS = """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she
    her hers herself it its itself they them their theirs themselves what which who whom this that
    these those am is are was were be been being have has had having do does did doing a an the and
    but if or because as until while of at by for with about against between into through during
    before after above below to from up down in out on off over under again further then once here
    there when where why how all any both each few more most other some such no nor not only own
    same so than too very s t can will just don should now http https www
"""
STOP_WORDS = frozenset(_ENGLISH_STOP_WORDS.split())

_WORD = rf"(?:[^\W_{UNSPACED}]++[{MARKS}]*+)++"
_EMOJI = "\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
_TOKEN = re.compile(
    rf"(?P<run>[{UNSPACED}][{UNSPACED}{MARKS}]*)"
    rf"|(?P<sharp>(?<![^\W_])[a-z](?:\+\+|\#)(?![^\W_]))"
    rf"|(?P<word>{_WORD}(?:[{CONNECTORS}]{_WORD})*+)"
    rf"|(?P<sign>[\U0001f1e6-\U0001f1ff]{{2}}|[{_EMOJI}])"
)
_PART = re.compile(rf"[^{CONNECTORS}]+")
_CLUSTER = re.compile(rf".[{MARKS}]*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Lexed:
    """The lexemes of a text with their positions, and how many words it has (for BM25).

    `end` is the position to start the next text at; `size` the bytes that a tsvector takes.
    """

    terms: dict[str, list[int]]
    length: int
    end: int
    size: int


def lex(text: str, *, start: int = 1, room: int = TSVECTOR_BYTES) -> Lexed:
    """Read a document. `room` is what its tsvector may take; less when several are joined."""
    terms: dict[str, list[int]] = {}
    position, length, size = start, 0, 0
    for found in _read(text):
        at = min(position, LAST_POSITION)
        for term in found.terms:
            positions = terms.get(term)
            if positions is None:
                cost = len(term.encode()) + 5
                if size + cost > room:
                    continue
                terms[term] = [at]
            elif positions[-1] == at or len(positions) >= POSITIONS_EACH or size + 2 > room:
                continue
            else:
                cost = 2
                positions.append(at)
            size += cost
        length += found.counts
        position += 1
    return Lexed(terms, length, position, size)


def query_terms(text: str, *, limit: int = QUERY_TERMS) -> list[str]:
    """The lexemes that a query asks for, each once, in its order."""
    terms: dict[str, None] = {}
    for found in _read(text[:QUERY_CHARACTERS]):
        terms.update(dict.fromkeys(found.asked))
        if len(terms) >= limit:
            break
    return list(terms)[:limit]


def to_tsvector_literal(lexed: Lexed, weight: str = "") -> str:
    """The text to bind as `%s::tsvector`; `weight` (A to C) marks the positions of a field."""
    return " ".join(
        f"{_quote(term)}:{','.join(f'{position}{weight}' for position in positions)}"
        for term, positions in lexed.terms.items()
    )


def to_tsquery_literal(terms: Iterable[str]) -> str:
    """The text to bind as `%s::tsquery`: any of the terms; empty matches nothing."""
    return " | ".join(map(_quote, terms))


def _quote(term: str) -> str:
    escaped = term.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


# --- reading --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Found:
    """What stands at one position: terms to index, terms a query asks for, words it counts as."""

    terms: tuple[str, ...]
    asked: tuple[str, ...]
    counts: int


_NOTHING = _Found((), (), 0)


def _read(text: str) -> Iterator[_Found]:
    for token in _TOKEN.finditer(fold(text)):
        match token.lastgroup:
            case "run":
                yield from _read_run(token[0])
            case "word":
                yield from _read_word(token[0])
            case _:
                yield _one(token[0])


def _one(term: str) -> _Found:
    return _Found((term,), (term,), 1)


def _read_run(run: str) -> Iterator[_Found]:
    """Each character with the one after it; the last, by itself, counts only when it is alone."""
    characters = [_cut(each) for each in _CLUSTER.findall(run)]
    if len(characters) == 1:
        yield _one(characters[0])
        return
    for one, two in pairwise(characters):
        pair = _cut(one + two)
        yield _Found((one, pair), (pair,), 1)
    yield _Found((characters[-1],), (), 0)


def _read_word(token: str) -> Iterator[_Found]:
    if token.isalpha():  # no connector in it, as in most
        yield _plain(token)
        return
    parts = list(_PART.finditer(token))
    if len(parts) == 1:
        yield _plain(token)
        return
    words = [_plain(part[0]) for part in parts]
    whole = _cut(token)
    combined = [whole]
    if len(parts) <= PARTS_COMBINED:
        combined += [_cut(token[: part.end()]) for part in parts[1:-1]]
        combined += [_cut(token[part.start() :]) for part in parts[1:-1]]
    exact = _is_identifier(token, [part[0] for part in parts])
    for number, word in enumerate(words):
        terms = (*combined, *word.terms) if number == 0 else word.terms
        asked = (whole,) if number == 0 else ()
        yield _Found(terms, asked if exact else (*asked, *word.asked), word.counts)


def _plain(word: str) -> _Found:
    """One word without connectors; stop words leave their position empty."""
    if word.isascii() and word.isalpha() and len(word) < LEXEME_BYTES:
        return _english(word) if len(word) <= KEPT_LENGTH else _stemmed(word)
    return _NOTHING if word in STOP_WORDS else _one(_cut(word))


def _stemmed(word: str) -> _Found:
    if word in STOP_WORDS:
        return _NOTHING
    # one each: a stemmer is not for several threads
    return _one(Stemmer.Stemmer("english", 0).stemWord(word))


_english = lru_cache(maxsize=20_000)(_stemmed)
"""Most words of a text were met before. Only words of a dictionary's length and letters are kept,
so that no process remembers anybody's number or address."""


def _is_identifier(token: str, parts: list[str]) -> bool:
    """Whether a query means the whole only: `ORD-2024-001`, 3.14, an address; not gpt-4, and/or."""
    if "@" in token:
        return True
    wordlike = len(parts) == 2 and any(part.isalpha() for part in parts)
    return not wordlike and any(character.isdigit() for character in token)


def _cut(term: str) -> str:
    """At most LEXEME_BYTES of a term, whole characters; the same for documents and queries."""
    if len(term) * 4 <= LEXEME_BYTES:
        return term
    return term.encode()[:LEXEME_BYTES].decode(errors="ignore")
