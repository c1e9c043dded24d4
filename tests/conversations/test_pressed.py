"""A local model that more ask than it can serve: turns go on by words, and nothing said is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from django.db import transaction

from audit.models import Event
from memories.embedding.calling import forget_kept_vectors
from memories.embedding.catching_up import embed_pending
from memories.embedding.gating import gate_of
from memories.embedding.profiles import LOCAL
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.conversations.conftest import Talk

CAR = "我要订明天下午 3 点去机场的车"
TAXI = "book a taxi"  # no word in common


@pytest.fixture
def pressed() -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Somebody else's short text is with the model, and takes long."""

    @contextmanager
    def press() -> Iterator[None]:
        gate = gate_of(LOCAL, ["short"])
        assert gate._turns.take(0, usual=0)
        gate._usual = 60.0
        try:
            yield
        finally:
            gate._usual = gate._pressed_until = 0.0
            gate._turns.give()

    forget_kept_vectors()
    yield press
    forget_kept_vectors()


def test_a_message_under_pressure_is_in_the_next_context_and_gets_its_vector_later(
    talk: Talk, tenant: Tenant, pressed: Callable[[], AbstractContextManager[None]]
) -> None:
    with pressed():
        said = talk.say(CAR, message_id="m1").json()
        assert said["short_term"]["stored"] is True
        assert [one["text"] for one in talk.context(TAXI).json()["items"]] == [CAR]
        recalled = talk.recall("机场").json()
        assert recalled["degraded"] == "embedding_unavailable"
        assert [one["value"]["text"] for one in recalled["items"]] == [CAR]
    made = said["short_term"]["memory_id"]
    assert talk.caller.call("GET", f"/memories/{made}").json()["embedding"] == "pending"
    assert [one["text"] for one in talk.context("taxi, please").json()["items"]] == [CAR]
    with acting_as(operator_actor(tenant.id)):
        assert embed_pending() == 1
        with transaction.atomic():
            asked = Event.objects.filter(action="context.assemble").order_by("id")
            by_words = [event.links.get("degraded") for event in asked]
    assert by_words == ["embedding_unavailable", None]
    assert [one["id"] for one in talk.recall("taxi to the airport").json()["items"]] == [made]


def test_what_the_rules_leave_open_is_judged_by_its_content_under_pressure(
    talk: Talk, pressed: Callable[[], AbstractContextManager[None]]
) -> None:
    with pressed():
        told = talk.say("体检报告下周三才出来").json()["short_term"]
        assert talk.say("太棒了谢谢").json()["short_term"]["reason"] == "chatter"
    assert told["stored"] is True
