"""Pages of a hold: releasing a large one asks for its figures after the page has come."""

from __future__ import annotations

import pytest
from django.test import Client

from dashboard.views import holds
from tests.callers import Caller

WHY = {"matter": "Doe v. Acme", "custodian": "Legal", "reason": "the court asks for it"}


@pytest.fixture
def held(agent: Caller, officer: Client) -> str:
    """The address of a hold over three memories that a lifetime would end, and one of its own."""
    for key in range(3):
        agent.put(["a"], f"k{key}", {"n": key}, index=False, ttl=60)
    agent.put(["b"], "k", {"n": 1}, index=False, subjects=["c-1"])
    placed = officer.post("/holds/new", {**WHY, "namespaces": "a", "subjects": "c-1", "place": ""})
    assert placed.status_code == 302
    return str(placed["Location"])


def test_what_falls_due_is_counted_with_the_page(held: str, officer: Client) -> None:
    page = officer.get(f"{held}/release").content.decode()
    assert "3 memories fall due in the next 30 days" in page
    assert "<dt>Memories under it</dt><dd>4</dd>" in page
    assert "?all" not in page


def test_a_large_hold_is_counted_when_the_page_asks_for_it(
    held: str, officer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holds, "LOOKED_AT", 3)
    page = officer.get(f"{held}/release").content.decode()
    assert "Count what falls due" in page
    assert "fall due in the next" not in page
    assert 'name="reason"' in page
    whole = officer.get(f"{held}/release?all").content.decode()
    assert "3 memories fall due in the next 30 days" in whole
    assert "<dt>Memories under it</dt><dd>4</dd>" in whole


def test_a_hold_too_large_to_be_counted_says_so(
    held: str, officer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holds, "LOOKED_AT", 1)
    monkeypatch.setattr(holds, "MOST_LOOKED_AT", 2)
    page = officer.get(f"{held}/release?all").content.decode()
    assert "Only the first 2 memories were looked at" in page
    assert "<dt>Memories looked at</dt><dd>2</dd>" in page


def test_who_meets_several_parts_of_a_scope_is_one_memory(agent: Caller, officer: Client) -> None:
    one = agent.put(["a"], "k", {"n": 1}, index=False, subjects=["c-1"]).json()["id"]
    agent.put(["a"], "other", {"n": 2}, index=False)
    agent.put(["b"], "k", {"n": 3}, index=False, subjects=["c-1", "c-2"])
    scope = {"namespaces": "a", "subjects": "c-1\nc-2", "memories": one}
    placed = officer.post("/holds/new", {**WHY, **scope, "place": ""})
    page = officer.get(placed["Location"]).content.decode()
    assert "<dt>Memories under it</dt><dd>3<small>" in page
    assert page.count('class="path" href="/memories/') == 3
