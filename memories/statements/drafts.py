"""An event that a statement records by itself: it is drafted before, and something in it (the ids
of what was found) only the statement finds.

Where that belongs the draft holds a mark, and SQL takes its place.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from audit.querysets import COLUMNS, PLACEHOLDERS
from audit.recording import Draft

Marks = tuple[tuple[str, str], ...]
"""Each mark with the SQL expression (of text) that takes its place."""

_NAMES = tuple(f"e{number}" for number in range(len(COLUMNS)))
_SUBJECTS = COLUMNS.index("subjects")


def values_of(event: Draft) -> dict[str, Any]:
    """The parameters of an event, by the names in `placeholders_of`."""
    return dict(zip(_NAMES, event.row, strict=True))


def placeholders_of(event: Draft, marks: Marks, *, nobody: str = "") -> str:
    """What to select for an event, in the order of `audit.querysets.COLUMNS`. The same text each
    time for events of one kind, so that the statement is prepared once.

    `nobody` is a condition in SQL: what the event names has no subjects. Where it holds, the
    trigger need not look for those of an event that is drafted without.
    """
    holding = [
        (name, *mark)
        for name, value in zip(_NAMES, event.row, strict=True)
        if isinstance(value, str)
        for mark in marks
        if mark[0] in value
    ]
    return _fill(tuple(holding), nobody if event.row[_SUBJECTS] is None else "")


@lru_cache(maxsize=64)
def _fill(holding: tuple[tuple[str, str, str], ...], nobody: str) -> str:
    """`holding`: each parameter that holds a mark, the mark, and what takes its place."""
    slots = {name: f"%({name})s" for name in _NAMES}
    if nobody:
        of_subjects = _NAMES[_SUBJECTS]
        slots[of_subjects] = f"CASE WHEN {nobody} THEN '{{}}' ELSE {slots[of_subjects]} END"
    for name, mark, found in holding:
        slots[name] = f"replace({slots[name]}, '{mark}', {found})"
    text = PLACEHOLDERS
    for slot in slots.values():
        text = text.replace("%s", slot, 1)
    return text
