"""A conversation through our own client, both ways, against a hub over real HTTP."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest

from tenants.access.provisioning import issue_key
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.plugin import ROOT

sys.path.insert(0, str(ROOT / "sdk" / "src"))

from memoryhub_sdk import AsyncMemoryHub, MemoryHub, NotFound
from tests.threads import run_async


@pytest.fixture
def key(tenant: Tenant) -> str:
    with acting_as(operator_actor(tenant.id)):
        return str(issue_key(tenant, name="agent").text)


@pytest.mark.slow
def test_a_conversation_by_the_client(address: str, key: str) -> None:
    with MemoryHub(address, key) as hub:
        session = hub.sessions.create("u1", channel="web", ttl_seconds=600)
        assert session.context == ()
        added = hub.sessions.add_message(session.session_id, "user", "我对花生过敏，请记住")
        assert added.short_term is not None
        assert added.short_term.stored
        skipped = hub.sessions.add_message(session.session_id, "user", "哈哈")
        assert skipped.short_term.reason == "chatter"  # type: ignore[union-attr]
        assert hub.sessions.update(session.session_id, state={"step": 1}).state == {"step": 1}
        assert len(hub.sessions.get(session.session_id).context) == 2
        found = hub.sessions.recall(session.session_id, "过敏")
        assert [item.id for item in found.items] == [added.short_term.memory_id]
        promoted = hub.sessions.promote(session.session_id).promoted
        assert promoted
        assert promoted[0].sources
        context = hub.context("点菜", session_id=session.session_id, budget_tokens=200)
        assert "花生" in context.prompt
        assert context.timings_ms is not None
        hub.send_feedback(str(found.search_id), used=[found.items[0].id], helpful=True)
        assert hub.report_event("o1", "order.completed", "2026-01-31T08:00:00Z", subject="u1") >= 1
        hub.sessions.delete(session.session_id)
        with pytest.raises(NotFound):
            hub.sessions.get(session.session_id)


@pytest.mark.slow
def test_the_async_client_does_the_same(address: str, key: str) -> None:
    async def converse() -> Any:
        async with AsyncMemoryHub(address, key) as hub:
            session = await hub.sessions.create("u2")
            await asyncio.gather(*(
                hub.sessions.add_message(session.session_id, "user", f"帮我预订第 {n} 张去上海的票")
                for n in range(4)
            ))  # fmt: skip
            recalled = await hub.sessions.recall(session.session_id, "上海", limit=3)
            context = await hub.context("上海", session_id=session.session_id)
            await hub.sessions.delete(session.session_id)
            return recalled, context

    recalled, context = run_async(converse())
    assert len(recalled.items) == 3
    assert len(context.items) == 4
