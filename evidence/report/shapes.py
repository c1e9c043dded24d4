"""What a report is made of. Every number and table is one SQL statement over the tenant's rows.

Parameters of each: `tenant`, `since`, `until` (half open). The statements are printed in the report
(section Method), so that anybody with the database gets the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Lang = Literal["en", "zh"]
LANGS: tuple[Lang, ...] = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Words:
    """A text in both languages."""

    en: str
    zh: str

    def say(self, lang: Lang) -> str:
        return self.zh if lang == "zh" else self.en


@dataclass(frozen=True, slots=True)
class Figure:
    """One number."""

    key: str
    words: Words
    sql: str


@dataclass(frozen=True, slots=True)
class Table:
    """A population: rows shown in the report (the first ones) and whole in a CSV and JSONL file."""

    key: str
    words: Words
    columns: tuple[str, ...]
    sql: str


@dataclass(frozen=True, slots=True)
class Section:
    """A chapter."""

    key: str
    words: Words
    intro: Words
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
