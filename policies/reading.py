"""Reading untrusted JSON objects field by field, collecting every fault with its path.

A reader never raises: it notes a FieldError and answers with a harmless value, so that one answer
names all that is wrong. `raise_faults` ends the reading. Null means absent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from math import isfinite
from typing import Final, TypeVar

from memoryhub.errors import FieldError, Invalid

T = TypeVar("T")
S = TypeVar("S", bound=str)

_INSTANT: Final = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?([Zz]|[+-]\d\d:\d\d)?", re.ASCII
)
EARLIEST: Final = datetime.min.replace(tzinfo=UTC)


def join_path(path: str, name: str) -> str:
    """`rules[3]` and `after` are `rules[3].after`."""
    return f"{path}.{name}" if path else name


class Faults(list[FieldError]):
    """What was wrong, in the order it was found."""

    def note(self, path: str, code: str, detail: str) -> None:
        """Add one fault."""
        self.append(FieldError(path, code, detail))

    def raise_if_any(self) -> None:
        """Raise Invalid with all faults (422), if there are any."""
        if self:
            raise Invalid(self)


def parse_instant(raw: object, path: str, faults: Faults) -> datetime:
    """An RFC 3339 instant in UTC; `EARLIEST` beside a fault."""
    instant = raw
    if isinstance(raw, str):
        match = _INSTANT.fullmatch(raw)
        try:
            instant = datetime.fromisoformat(raw.upper()) if match else None
        except ValueError:
            instant = None
    if not isinstance(instant, datetime):
        faults.note(path, "bad_instant", "give an instant as in 2026-03-24T12:06:00Z")
        return EARLIEST
    if instant.utcoffset() is None:
        faults.note(path, "naive_instant", "the instant has no offset; add Z or +08:00")
        return EARLIEST
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        faults.note(path, "bad_instant", "the instant lies outside the years 1 to 9999")
        return EARLIEST


def parse_list(
    raw: object, path: str, faults: Faults, *, each: Callable[[object, str, Faults], T]
) -> tuple[T, ...]:
    """A list whose elements are read by `each`, under `path[0]`, `path[1]`, …"""
    if not isinstance(raw, Sequence) or isinstance(raw, str | bytes):
        faults.note(path, "invalid_type", "give a list")
        return ()
    return tuple(each(element, f"{path}[{index}]", faults) for index, element in enumerate(raw))


def parse_text(raw: object, path: str, faults: Faults) -> str:
    """A non-empty text of at most 512 characters."""
    if not isinstance(raw, str):
        faults.note(path, "invalid_type", "give a text")
    elif not raw:
        faults.note(path, "too_short", "give at least one character")
    elif len(raw) > 512:
        faults.note(path, "too_long", "give at most 512 characters")
    else:
        return raw
    return ""


class Fields:
    """The fields of one JSON object; each is taken once, the rest is unknown."""

    def __init__(self, raw: object, path: str, faults: Faults) -> None:
        self.path, self.faults = path, faults
        self._left: dict[str, object] = {}
        if isinstance(raw, Mapping):
            self._left = {str(name): value for name, value in raw.items()}
        else:
            faults.note(path, "invalid_type", "give an object")

    def at(self, name: str) -> str:
        """The path of a field of this object."""
        return join_path(self.path, name)

    def note(self, name: str, code: str, detail: str) -> None:
        """Add a fault of one field."""
        self.faults.note(self.at(name), code, detail)

    def take(self, name: str) -> object:
        """The raw value, None when absent."""
        return self._left.pop(name, None)

    def require(self, *names: str) -> None:
        """A fault for each of these fields that is absent."""
        for name in names:
            if self._left.get(name) is None:
                self.note(name, "required", f"`{name}` is missing")

    def has(self, name: str) -> bool:
        """Whether the field is there, not null, and not taken yet."""
        return self._left.get(name) is not None

    def names(self) -> tuple[str, ...]:
        """The fields not taken yet."""
        return tuple(self._left)

    def mentions(self, name: str) -> bool:
        """Whether the field is there, be it null, and not taken yet."""
        return name in self._left

    def refuse_others(self) -> None:
        """Every field not taken is a fault."""
        for name in self._left:
            self.note(name, "unknown_field", f"there is no field `{name}` here")

    def text(self, name: str) -> str | None:
        """A non-empty text, or None."""
        raw = self.take(name)
        return None if raw is None else parse_text(raw, self.at(name), self.faults)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of non-empty texts; absent is empty."""
        return self.listed(name, parse_text)

    def listed(self, name: str, each: Callable[[object, str, Faults], T]) -> tuple[T, ...]:
        """A list read by `each`; absent is empty."""
        raw = self.take(name)
        return () if raw is None else parse_list(raw, self.at(name), self.faults, each=each)

    def one_of(self, name: str, allowed: Sequence[S]) -> S | None:
        """One of the allowed words, or None."""
        raw = self.take(name)
        for word in allowed:
            if raw == word:
                return word
        if raw is not None:
            self.note(name, "unknown_value", "give one of " + ", ".join(allowed))
        return None

    def flag(self, name: str) -> bool:
        """True or false; absent is false."""
        raw = self.take(name)
        if raw is not None and not isinstance(raw, bool):
            self.note(name, "invalid_type", "give true or false")
        return raw is True

    def number(self, name: str, within: tuple[float, float]) -> float | None:
        """A finite number within closed limits, or None."""
        raw = self.take(name)
        if raw is None:
            return None
        if isinstance(raw, bool) or not isinstance(raw, int | float | Decimal):
            self.note(name, "invalid_type", "give a number")
        elif not (within[0] <= raw <= within[1] and isfinite(raw)):
            self.note(name, "out_of_range", f"give a number from {within[0]} to {within[1]}")
        else:  # the wire spells 0.30 and the like as a Decimal
            return float(raw) if isinstance(raw, Decimal) else raw
        return None

    def whole(self, name: str, within: tuple[int, int]) -> int | None:
        """A whole number within closed limits, or None."""
        number = self.number(name, within)
        if number is None or number == int(number):
            return None if number is None else int(number)
        self.note(name, "invalid_type", "give a whole number")
        return None

    def instant(self, name: str) -> datetime | None:
        """An instant in UTC, or None."""
        raw = self.take(name)
        return None if raw is None else parse_instant(raw, self.at(name), self.faults)

    def day(self, name: str) -> date | None:
        """A calendar day as in 2027-01-31 (also of an instant, in UTC), or None."""
        raw = self.take(name)
        if raw is None or (isinstance(raw, date) and not isinstance(raw, datetime)):
            return raw
        try:
            return date.fromisoformat(raw if isinstance(raw, str) and len(raw) == 10 else "")
        except ValueError:
            return parse_instant(raw, self.at(name), self.faults).date()
