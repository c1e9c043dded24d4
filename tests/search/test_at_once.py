"""The one statement of a vector search in a small scope: it answers as the steps do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction

from audit.models import Event
from memories import searching
from memories.models import Memory
from memories.planning import forget_populations
from privacy.subjects import pseudonyms_of
from tenants.actors import operator_actor
from tenants.context import acting_as, now
from tenants.models import Tenant
from tests.callers import Caller

PLACE = ["small"]


@pytest.fixture
def varied(agent: Caller) -> Caller:
    """Memories of every weight and age that a put can give."""
    ops = [
        {
            "op": "put", "namespace": [*PLACE, f"u{n % 2}"], "key": f"k{n:02}",
            "value": {"text": f"tea number {n}"}, "importance": (n % 5) / 4,
            "decay": 1.0 if n % 3 else 0.5, "tags": ["even", f"t{n % 3}"] if n % 2 == 0 else [],
            **({"kind": "episode"} if n % 4 == 0 else {}),
        }
        for n in range(12)
    ]  # fmt: skip
    assert agent.batch(*ops).status_code == 200
    return agent


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The stored prefixes that were searched at once from here on."""
    forget_populations()
    places: list[str] = []
    search = searching._search_at_once

    def noting(question: searching.Question, place: str) -> searching.Found:
        places.append(place)
        return search(question, place)

    monkeypatch.setattr(searching, "_search_at_once", noting)
    yield places
    forget_populations()


def _answer(caller: Caller, options: dict[str, Any]) -> tuple[list[Any], list[float]]:
    """What was found, and what it scored by; a moment later all is a little less fresh."""
    asked = {"query": "a cup of tea", "mode": "vector", "explain": True, **options}
    answer = caller.search(PLACE, **asked).json()
    assert (answer["plan"], answer["degraded"]) == ("exact", None)
    named, numbers = [], []
    for item in answer["items"]:
        why = item["explain"]
        named.append((item["key"], item["value"], why["rank"], why["text"] is None))
        numbers += [item["score"], why["vector"] or 0, why["text"] or 0]
        numbers += [why["recency"], why["weight"]]
    return named, numbers


@pytest.mark.parametrize(
    "options",
    [
        {"recency": 0},
        {"recency": 0.7, "limit": 5, "offset": 3},
        {"recency": 0.2, "min_score": 0.85},
        {"min_score": 1.5},
        {"tags": ["even"]},
    ],
)
def test_the_second_search_of_a_small_scope_answers_as_the_first(
    varied: Caller, taken: list[str], options: dict[str, Any]
) -> None:
    named, numbers = _answer(varied, options)
    assert not taken
    again, close = _answer(varied, options)
    assert again == named
    assert close == pytest.approx(numbers, abs=1e-3)
    assert taken == ["small/"]


@pytest.fixture
def talk(varied: Caller) -> Caller:
    """Beside them turns of two sessions, some with what stood around them, in several fields."""
    words = ["tea", "coffee", "garden", "river", "number", "cup"]
    for n in range(14):
        text = " ".join(words[(n * step) % 6] for step in (1, 2, 5)[: n % 3 + 1])
        value = {"content": text, "context": words[n % 5]} if n % 2 else {"text": text}
        varied.put([*PLACE, "talk"], f"t{n:02}", value, session_id=f"s{n % 4 // 3}")
    return varied


@pytest.mark.parametrize(
    "options",
    [
        {"recency": 0, "limit": 50},
        {"query": "number five tea", "limit": 4, "offset": 2},
        {"query": "river", "recency": 0.6, "min_score": 0.2},
        {"query": "the and of"},
        {"query": "number five tea", "kinds": ["episode"]},
        {"tags": ["even", "t1"]},
    ],
)
def test_words_and_meanings_are_fused_as_by_the_steps(
    talk: Caller, taken: list[str], options: dict[str, Any]
) -> None:
    named, numbers = _answer(talk, {"mode": "hybrid", **options})
    assert named
    assert not taken
    again, close = _answer(talk, {"mode": "hybrid", **options})
    assert again == named
    assert close == pytest.approx(numbers, abs=1e-3)
    assert taken == ["small/"]


def test_what_is_archived_lends_words_and_is_not_found(
    agent: Caller, taken: list[str], tenant: Tenant
) -> None:
    for number, text in enumerate(("one two", "zanzibar", "three four")):
        agent.put(PLACE, f"t{number}", {"text": text}, session_id="s")
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        Memory.objects.filter(key="t2").update(archived_at=now())
    asked = {"query": "zanzibar", "explain": True, "recency": 0}
    first, again = (agent.search(PLACE, **asked).json()["items"] for _ in range(2))
    assert taken == ["small/"]
    texts = {item["key"]: item["explain"]["text"] for item in again}
    assert texts == {item["key"]: item["explain"]["text"] for item in first}
    assert set(texts) == {"t0", "t1"}
    assert texts["t0"] == pytest.approx(texts["t1"] / 2)


def test_its_event_names_what_it_returned_and_it_counts_the_reads(
    varied: Caller, taken: list[str], tenant: Tenant
) -> None:
    asked = {"query": "a cup of tea", "mode": "vector", "limit": 3}
    varied.search([*PLACE, "u1"], **asked)
    found = varied.search([*PLACE, "u1"], **asked).json()
    assert taken == ["small/u1/"]
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        event = Event.objects.get(id=found["search_id"])
        told = json.loads(event.payload)
    ids = [item["id"] for item in found["items"]]
    for links, counts in ((event.links, event.counts), (told["links"], told["counts"])):
        assert links["ids"] == ids
        assert counts["returned"] == 3
    assert all(item["access_count"] for item in found["items"])


def test_its_event_names_whom_the_results_are_about(
    agent: Caller, taken: list[str], tenant: Tenant
) -> None:
    for key, subjects in (("k1", []), ("k2", ["ann"]), ("k3", ["ben", "ann"])):
        agent.put([*PLACE, key], key, {"text": f"tea {key}"}, subjects=subjects)
    asked = {"query": "a cup of tea", "mode": "vector"}
    for place in (PLACE, [*PLACE, "k1"]):
        agent.search(place, **asked)
        agent.search(place, **asked)
    assert taken == ["small/", "small/k1/"]
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        told = [event.subjects for event in Event.objects.filter(action="memory.search")]
        both = sorted(pseudonyms_of(["ann", "ben"]).values())
    assert sorted(told) == [[], [], both, both]


def test_what_waits_for_its_vector_is_said_here_too(agent: Caller, taken: list[str]) -> None:
    agent.put(PLACE, "pending", {"text": "walrus"}, wait=False)
    asked = {"query": "walrus", "mode": "vector"}
    for _ in range(2):
        found = agent.search(PLACE, **asked).json()
        assert (found["items"], found["degraded"]) == ([], "embedding_pending")
    assert taken == ["small/"]
