"""Pages of lists for people: continued by an opaque cursor in the URL. Pure.

The API pages querysets by its own cursors (`api.paging`); this serves lists that are read by
written SQL, or in an order that a person chose.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from memoryhub.errors import Invalid

T = TypeVar("T")
USUAL = 50


@dataclass(frozen=True, slots=True)
class Mark:
    """The last row of a page: what the list is sorted by, and the id."""

    at: datetime
    id: UUID


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Rows of one page; `next` is the cursor of the one that follows."""

    items: list[T]
    next: str | None


def make_cursor(mark: Mark) -> str:
    """The mark as text for a URL."""
    return base64.urlsafe_b64encode(f"{mark.at.isoformat()}|{mark.id}".encode()).decode()


def read_cursor(cursor: str | None) -> Mark | None:
    """The mark in a cursor; None for none. Raises Invalid for what is not one of ours."""
    if not cursor:
        return None
    try:
        at, _, identifier = base64.urlsafe_b64decode(cursor.encode()).decode().partition("|")
        mark = Mark(datetime.fromisoformat(at), UUID(identifier))
    except (ValueError, binascii.Error):
        mark = None
    if mark is None or mark.at.tzinfo is None:
        raise Invalid.at("cursor", "invalid_cursor", "That is not a cursor of this list.")
    return mark


def cut_page(rows: Sequence[T], *, limit: int, mark: Callable[[T], Mark]) -> Page[T]:
    """A page from up to `limit + 1` rows: the one too many says that there is more."""
    items = list(rows[:limit])
    return Page(items, make_cursor(mark(items[-1])) if len(rows) > limit and items else None)
