"""Lists by cursor: every item once, newest first, and cursors that were made up."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from django.db import transaction
from django.test import RequestFactory
from rest_framework.request import Request

from api.paging import Asked, page_asked, page_of
from memories.models import Finding
from memoryhub.errors import Invalid
from tenants.context import now
from tenants.models import Tenant


def make_findings(number: int) -> list[str]:
    with transaction.atomic():
        at = now()
        rows = [
            Finding.objects.create(kind="test", detail=str(n), found_at=at) for n in range(number)
        ]
    return [str(row.id) for row in rows]


def walk(limit: int) -> list[str]:
    seen: list[str] = []
    asked = Asked(limit=limit)
    while True:
        page = page_of(
            Finding.objects.all(), asked, by=("found_at", "id"), present=lambda row: str(row.id)
        )
        seen += page["items"]
        if page["next"] is None:
            return seen
        asked = page_asked(request_with(limit=str(limit), cursor=page["next"]))


def request_with(**query: str) -> Request:
    return Request(RequestFactory().get("/", query))


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 200])
def test_pages_hold_every_item_once_also_where_instants_tie(acting: Tenant, limit: int) -> None:
    made = make_findings(4) + make_findings(3)
    assert walk(limit) == sorted(made, reverse=True)


def test_a_total_comes_when_asked_for(acting: Tenant) -> None:
    make_findings(3)
    page = page_of(
        Finding.objects.all(), Asked(limit=2, count=True), by=("found_at", "id"), present=str
    )
    assert page["total"] == 3
    assert len(page["items"]) == 2


def test_an_item_added_meanwhile_moves_nothing(acting: Tenant) -> None:
    made = sorted(make_findings(4), reverse=True)
    first = page_of(
        Finding.objects.all(), Asked(limit=2), by=("found_at", "id"), present=lambda r: str(r.id)
    )
    make_findings(2)
    asked = page_asked(request_with(cursor=first["next"]))
    second = page_of(
        Finding.objects.all(), asked, by=("found_at", "id"), present=lambda row: str(row.id)
    )
    assert first["items"] + second["items"] == made


def encoded(thing: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(thing).encode()).decode()


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "%%%", "é", encoded({}), encoded([]), encoded([1, 2]), encoded(["a", "b"]),
     encoded(["2026-01-01T00:00:00+00:00"]), encoded(["2026-01-01T00:00:00+00:00", "x"]),
     encoded(["2026-01-01T00:00:00+00:00", "\x00"]), encoded("a" * 9)],
)  # fmt: skip
def test_a_cursor_that_was_made_up_is_refused(acting: Tenant, cursor: str) -> None:
    def ask() -> None:
        asked = page_asked(request_with(cursor=cursor))
        page_of(Finding.objects.all(), asked, by=("found_at", "id"), present=str)

    with pytest.raises(Invalid, match="cursor"):
        ask()


@pytest.mark.parametrize("limit", ["0", "201", "-1", "1.5", "x", "", "²", "9" * 30])
def test_a_limit_outside_1_to_200_is_refused(limit: str) -> None:
    with pytest.raises(Invalid):
        page_asked(request_with(limit=limit))
