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
    return _fill(
        marks,
        tuple(
            tuple(mark in value for mark, _ in marks) if isinstance(value, str) else ()
            for value in event.row
        ),
        nobody if event.row[_SUBJECTS] is None else "",
    )


@lru_cache(maxsize=64)
def _fill(marks: Marks, holding: tuple[tuple[bool, ...], ...], nobody: str) -> str:
    text = PLACEHOLDERS
    for name, held in zip(_NAMES, holding, strict=True):
        slot = f"%({name})s"
        if nobody and name == _NAMES[_SUBJECTS]:
            slot = f"CASE WHEN {nobody} THEN '{{}}' ELSE {slot} END"
        for (mark, found), is_there in zip(marks, held or (False,) * len(marks), strict=True):
            if is_there:
                slot = f"replace({slot}, '{mark}', {found})"
        text = text.replace("%s", slot, 1)
    return text
