"""The erasure attacks itself: what it finds reopens the request, and others' words are no hit."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import transaction

from erasure import erasing
from erasure.probing import Memento, probe
from erasure.stores import STORES, Person
from memories.embedding.catching_up import embed_pending
from memories.models import Finding
from memories.naming import is_named, pattern_of, without_name
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller
from tests.erasure.asking import Asking


@pytest.mark.slow
def test_the_scope_finds_leftovers_by_text_and_what_was_made_of_them(
    agent: Caller, asking: Asking
) -> None:
    source = agent.put(["crm"], "a", {"text": "likes tea"}, subjects=["c-1"]).json()["id"]
    agent.put(["crm"], "b", {"text": "call c-1 tomorrow"})
    agent.put(["notes", "c-1"], "c", {"text": "nothing said here"})
    agent.put(["crm"], "c-12", {"text": "c-12 is somebody else"})
    agent.put(["crm"], "sum", {"text": "all in all"}, kind="summary", derived_from=[source])
    request = asking.open("c-1")
    asking.verify(request)
    scope = asking.scope(request)
    assert (scope["by_index"], scope["by_probe"], scope["derived"]) == (1, 2, 1)
    listed = asking.officer.call("GET", f"/subject-requests/{request}/memories?count=true").json()
    assert listed["total"] == 4
    assert {one["found_by"] for one in listed["items"]} == {"index", "probe", "derived"}
    assert all(one["retention"]["state"] == "RESTRICTED" for one in listed["items"])


@pytest.mark.slow
def test_a_memory_that_named_them_once_keeps_its_value_and_loses_the_old_one(
    agent: Caller, asking: Asking
) -> None:
    other = agent.put(["crm"], "desk", {"text": "the desk of c-1"}).json()["id"]
    agent.put(["crm"], "desk", {"text": "the desk of Bob"})
    agent.put(["crm"], "a", {"text": "likes tea"}, subjects=["c-1"])
    done = asking.erase("c-1")
    assert done["outcome"] == "erased"
    assert asking.store(done, "versions_of_others")["removed"] == 1
    assert agent.get(["crm"], "desk").json()["value"]["text"] == "the desk of Bob"
    versions = asking.officer.call("GET", f"/memories/{other}/versions").json()["items"]
    assert [one["version"] for one in versions] == [2]


@pytest.mark.slow
def test_a_hit_reopens_the_step_with_a_finding_and_a_second_round_ends_it(
    agent: Caller, asking: Asking, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.put(["crm"], "a", {"text": "the badger collects old stamps"}, subjects=["c-1"])
    request = asking.ready("c-1")
    stray = agent.put(["x"], "s", {"text": "the badger collects old stamps"}).json()["id"]
    done = asking.carry_out(request)
    assert (done["state"], done["approval"], done["decision"]) == ("scope", None, None)
    assert done["result"]["probe"]["hits"] >= 1
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        assert Finding.objects.filter(kind="erasure_incomplete").exists()
    items = asking.officer.call("GET", f"/subject-requests/{request}/memories").json()["items"]
    assert [one["id"] for one in items] == [stray]
    assert asking.decide(request).status_code == 200
    done = asking.carry_out(request)
    assert (done["outcome"], done["result"]["probe"]["hits"]) == ("erased", 0)
    assert asking.officer.call("GET", f"/memories/{stray}").status_code == 410


@pytest.mark.slow
def test_that_somebody_else_says_the_same_is_no_hit(agent: Caller, asking: Asking) -> None:
    agent.put(["crm"], "a", {"text": "the badger collects old stamps"}, subjects=["c-1"])
    agent.put(["crm"], "b", {"text": "the badger collects old stamps"}, subjects=["bob"])
    done = asking.erase("c-1")
    assert (done["outcome"], done["result"]["probe"]["hits"]) == ("erased", 0)
    assert agent.get(["crm"], "b").status_code == 200


def test_each_way_of_the_probe_finds_by_itself(agent: Caller, tenant: Tenant) -> None:
    """Reworded and without a name: only the former vector and the words lead there."""
    text = "prefers a window seat on night trains"
    kept = agent.put(["x"], "k", {"text": f"{text} always"}).json()["id"]
    gone = agent.put(["x"], "g", {"text": text}, subjects=["c-1"]).json()["id"]
    with acting_as(operator_actor(tenant.id)):
        embed_pending()
        memento = Memento()
        with transaction.atomic():
            memento.take(list(erasing.find_by_ids([gone]).values()))
        assert memento.vectors
        by_vector = Memento(vectors=memento.vectors, texts=memento.texts)
        person = Person(f"nobody-{uuid4().hex}", frozenset())
        with transaction.atomic():
            found = probe(person, by_vector, kept=[gone])
        assert str(kept) in {str(one) for one in found.memories}
        assert found.queries >= len(STORES) + len(memento.vectors)


def test_names_are_words_of_their_own() -> None:
    assert is_named("u1", "users/u1/")
    assert is_named("u1", "ask u1's friend")
    assert not is_named("u1", "u12 and xu1")
    assert is_named("张三", "客户张三的电话")
    assert is_named("a.b", "mail a.b now")
    assert not is_named("a.b", "mail axb now")
    assert pattern_of("x") == ""
    assert without_name("users/u1/chat/", "u1") == "users/…/chat/"
