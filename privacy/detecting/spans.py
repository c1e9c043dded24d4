"""What a detector says: a kind of personal data, where it stands, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol, runtime_checkable

from privacy.detecting.folding import Folded

POSSIBLE = 0.35
"""From here on it may be personal data: a number alone, of the right form. Writes act on it."""

LIKELY = 0.5
"""From here on it is: strong checks, or a word, a prefix or a grouping that says the same."""

BUILT_IN = (
    "cn_id",
    "cn_mobile",
    "bank_card",
    "secret",
    "email",
    "us_ssn",
    "iban",
    "intl_phone",
    "cn_passport",
    "ip",
)
EXTRAS = ("person", "cn_address")


@dataclass(frozen=True, slots=True)
class Span:
    """`text[start:end]` of the original; `score` is 0 to 1. The text stays out of `repr`."""

    entity: str
    start: int
    end: int
    text: str = field(repr=False)
    score: float
    detector: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A span in the places of the folded text; `validated` by a checksum, parser or format."""

    entity: str
    start: int
    end: int
    score: float
    detector: str
    validated: bool = True


@runtime_checkable
class Detector(Protocol):
    """A detector from outside the pack, such as a company's own service or Presidio.

    Spans refer to the text as given. An exception is passed on: who writes must fail closed.
    """

    @property
    def name(self) -> str: ...

    def find(self, text: str) -> Iterable[Span]: ...


class Recogniser(Protocol):
    """One of the pack's own: candidates, checks and score over the folded text."""

    def __call__(self, folded: Folded, *, today: date) -> Iterator[Hit]: ...
