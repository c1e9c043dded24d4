"""Extraction by rules: conservative, in Chinese and English, of what people say about themselves.

A rule is anchored at the beginning of a clause, so that neither what others are told to have said
nor what is asked or supposed counts. What no rule knows is not extracted: a fact missed can be said
again, a wrong one would be believed. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from conversations.extracting import chinese, english
from conversations.extracting.sentences import Sentence, split_sentences
from conversations.extracting.statements import TEXT_CHARACTERS, Statement

EXTRACTOR = "rules-1"
CLAUSE_CHARACTERS = 200
"""A clause longer than this is no statement of a person; patterns are never tried on it."""

MOST = 12
"""Statements of one message; who pastes a novel is not describing a person."""

_HAN = re.compile(r"[\u4e00-\u9fff]")
_SHORT_KINDS = frozenset({"profile"})
_BIRTHDAY_TODAY = re.compile(
    r"(?:今天是我的?生日|my birthday is today|today is my birthday)", re.IGNORECASE
)
_CHATTER = re.compile(
    r"^(?:谢谢|感谢|多谢|很高兴认识|再见|明天见|拜拜|晚安|thank|thanks|bye|see you"
    r"|nice to meet)", re.IGNORECASE
)  # fmt: skip


def extract_by_rules(text: str, *, said_on: date | None = None) -> list[Statement]:
    """The statements of one message of the user, each once, in order.

    `said_on` is the person's date, for what is said of today.
    """
    found: dict[tuple[str, str], Statement] = {}
    for sentence in split_sentences(text):
        for statement in _read(sentence, said_on):
            found.setdefault((statement.attribute, statement.value.casefold()), statement)
            if len(found) >= MOST:
                return list(found.values())
    return list(found.values())


def _read(sentence: Sentence, said_on: date | None) -> Iterator[Statement]:
    clauses, asks = sentence.clauses, sentence.asks
    whole = "，".join(clauses)
    confirmed = chinese.asks_to_remember(whole) or english.asks_to_remember(", ".join(clauses))
    if said_on is not None and _BIRTHDAY_TODAY.search(whole):
        yield _birthday(whole, said_on)
    place = 0
    while place < len(clauses):
        taken = 1
        if not asks[place] and len(clauses[place]) <= CLAUSE_CHARACTERS:
            if _HAN.search(clauses[place]):
                statement = chinese.read_clause(clauses, place)
            else:
                reading = english.read_clause(_up_to_question(clauses, asks), place)
                statement, taken = reading if reading is not None else (None, 1)
            if statement is not None:
                text = _text_of(statement, sentence, place, taken)
                yield replace(statement, text=text, is_confirmed=confirmed)
                taken = max(taken, 1 if statement.kind in _SHORT_KINDS else taken)
        place += taken


def _up_to_question(clauses: tuple[str, ...], asks: tuple[bool, ...]) -> tuple[str, ...]:
    """The clauses before the first question that ends the sentence."""
    end = len(clauses)
    while end > 0 and asks[end - 1]:
        end -= 1
    return clauses[:end]


def _text_of(statement: Statement, sentence: Sentence, place: int, taken: int) -> str:
    """The words to keep: of a person's nature the clause alone, else with what goes on about it."""
    clauses, asks = sentence.clauses, sentence.asks
    is_han = _HAN.search(clauses[place]) is not None
    end = place + taken
    if statement.kind not in _SHORT_KINDS:
        while end < len(clauses) and not asks[end] and not _CHATTER.match(clauses[end]):
            end += 1
    return ("，" if is_han else ", ").join(clauses[place:end])[:TEXT_CHARACTERS]


def _birthday(whole: str, said_on: date) -> Statement:
    if _HAN.search(whole):
        day = f"{said_on.month}月{said_on.day}日"
        return Statement("birthday", day, "profile", f"我的生日是{day}")
    day = f"{said_on:%B} {said_on.day}"
    return Statement("birthday", day, "profile", f"My birthday is {day}")
