"""The demo shows every state there is, and making it again only gives new passwords."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction

from audit.models import Job
from conversations.models import RecallRun
from erasure.models import SubjectRequest
from memories.models import Finding, Memory, Tombstone
from memories.statements.browse import STATES, Selection, list_rows
from memoryhub.demonstrating.making import make_demo
from policies.models import Hold, RuleSet
from tenants.actors import operator_actor
from tenants.context import acting_as, now

pytestmark = pytest.mark.slow


def _count(tenant_id: Any) -> dict[str, int]:
    with acting_as(operator_actor(tenant_id)), transaction.atomic():
        tables = (Memory, Tombstone, Hold, SubjectRequest, RuleSet, RecallRun, Finding, Job)
        return {table.__name__: table.objects.count() for table in tables}


def test_the_demo_shows_every_state_and_is_made_once(hub: str) -> None:
    with acting_as(operator_actor()):
        demo = make_demo(lambda text: None)
    with acting_as(operator_actor(demo.tenant.id)), transaction.atomic():
        at = now()
        shown = {
            state: len(list_rows(Selection(("",), at, states=(state,)), order="created",
                                 after=None, limit=3))
            for state in STATES
        }  # fmt: skip
        assert {state for state, count in shown.items() if not count} == set()
        assert Tombstone.objects.exists(), "PURGED leaves a tombstone"
        assert set(Hold.objects.values_list("state", flat=True)) >= {"active", "release_requested"}
        requests = list(SubjectRequest.objects.all())
        assert any(one.closed_at is None and one.due_at <= at for one in requests), "past due"
        assert any(one.outcome == "erased" for one in requests), "closed, with a certificate"
        assert len({one.state for one in requests}) >= 2
        assert {"active", "simulated"} <= set(RuleSet.objects.values_list("state", flat=True))
        assert RecallRun.objects.count() == 30
        assert Finding.objects.filter(kind="recall_dropped", closed_at=None).exists()
        assert Job.objects.filter(kind="evidence.report", state="done").exists()
    before = _count(demo.tenant.id)
    with acting_as(operator_actor()):
        again = make_demo(lambda text: None)
    assert _count(demo.tenant.id) == before
    assert [one.password for one in again.logins] != [one.password for one in demo.logins]
