"""Lists by cursor: `{"items", "next"}`, newest first, ties by id (API.md, "Lists").

A cursor is where the last page ended: the last row's order columns. It is read again through the
same filtered queryset, so a made-up one shows nothing that the list would not.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from rest_framework.request import Request

from api.base import flag
from memoryhub.errors import Invalid

PAGE_FIELDS = ("limit", "cursor", "count")
"""Query parameters of every list; for `HubView.query_fields`."""
DEFAULT_LIMIT = 50
MOST = 200


@dataclass(frozen=True, slots=True)
class Asked:
    """A page as asked for: `after` holds the order columns of the last row seen, as text."""

    limit: int = DEFAULT_LIMIT
    after: tuple[str, ...] | None = None
    count: bool = False


def page_asked(request: Request) -> Asked:
    """What the query string asks for. Raises Invalid (`out_of_range`, `invalid_cursor`)."""
    given = request.query_params
    cursor = given.get("cursor")
    return Asked(
        limit=_limit(given.get("limit", str(DEFAULT_LIMIT))),
        after=None if cursor is None else _decode(cursor),
        count=bool(flag(request, "count")),
    )


def limit_asked(request: Request) -> int:
    """The size of a page that the query string asks for. Raises Invalid."""
    return _limit(request.query_params.get("limit", str(DEFAULT_LIMIT)))


def page_of(
    rows: QuerySet[Any, Any],
    asked: Asked,
    *,
    by: Sequence[str] = ("created_at", "id"),
    present: Callable[[Any], Any],
) -> dict[str, Any]:
    """One page of a queryset, descending by the columns `by` (the last one unique and not null).

    Opens a transaction where there is none, so it may be called from a view.
    """
    page = rows.order_by(*(f"-{name}" for name in by))
    if asked.after is not None:
        page = page.filter(_beyond(rows, by, asked.after))
    with transaction.atomic(savepoint=False):
        found = list(page[: asked.limit + 1])
        total = rows.count() if asked.count else None
        items = [present(row) for row in found[: asked.limit]]
    last = found[asked.limit - 1] if len(found) > asked.limit else None
    end = None if last is None else [getattr(last, name) for name in by]
    return page_document(items, end=end, total=total)


def page_document(
    items: list[Any], *, end: Sequence[Any] | None, total: int | None = None
) -> dict[str, Any]:
    """The answer; `end` are the order columns of the last item when more follow."""
    answer = {"items": items, "next": None if end is None else _encode(end)}
    return answer if total is None else {**answer, "total": total}


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise Invalid.at("limit", "invalid_type", "A limit is a whole number.")
    if len(text) > 9 or not 1 <= int(text) <= MOST:
        raise Invalid.at("limit", "out_of_range", f"A limit is 1 to {MOST}.")
    return int(text)


def _beyond(rows: QuerySet[Any, Any], by: Sequence[str], after: tuple[str, ...]) -> Q:
    """Rows behind that point: `a <= x AND (a < x OR (a = x AND b < y))`, which an index serves."""
    if len(after) != len(by):
        raise _no_cursor()
    try:
        point = [
            rows.model._meta.get_field(name).to_python(text)
            for name, text in zip(by, after, strict=True)
        ]
    except (ValidationError, ValueError, OverflowError):
        raise _no_cursor() from None
    behind = Q(**{f"{by[-1]}__lt": point[-1]})
    for name, value in zip(by[-2::-1], point[-2::-1], strict=True):
        behind = Q(**{f"{name}__lt": value}) | (Q(**{name: value}) & behind)
    return behind if len(by) == 1 else Q(**{f"{by[0]}__lte": point[0]}) & behind


def _encode(end: Sequence[Any]) -> str:
    text = json.dumps([_as_text(value) for value in end], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _as_text(value: Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _decode(cursor: str) -> tuple[str, ...]:
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        parts = json.loads(raw)
    except (binascii.Error, ValueError, RecursionError):
        raise _no_cursor() from None
    if not isinstance(parts, list) or not all(
        isinstance(part, str) and part and "\x00" not in part for part in parts
    ):
        raise _no_cursor()
    return tuple(parts)


def _no_cursor() -> Invalid:
    return Invalid.at("cursor", "invalid_cursor", "Take a cursor as `next` gave it.")
