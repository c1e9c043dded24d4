"""The engine room: which processes act by which rules, and how far a staging is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.conf import settings

from memoryhub.celery import app
from tenants.clock import wall_clock
from tenants.ids import uuid7
from tenants.processes import PROCESSES, own_identity, report_process
from tests.callers import Caller
from tests.rules.governing import BASE, Governed, expire


def _ours(caller: Caller) -> dict[str, object]:
    found = caller.call("GET", "/engine").json()["processes"]
    return next(one for one in found if one["id"] == own_identity())


@pytest.mark.slow
def test_a_process_says_by_which_rules_it_acted_last(
    governed: Governed, agent: Caller, outsider: Caller
) -> None:
    agent.put(["a"], "k", {"n": 1}, index=False)
    report_process("web")
    assert _ours(agent)["ruleset"] == 0
    n = governed.enforce(expire())
    assert _ours(agent)["ruleset"] == 0, "as it said last"
    report_process("web")
    seen = agent.call("GET", "/engine").json()
    assert (seen["ruleset"], _ours(agent)["ruleset"], _ours(agent)["kind"]) == (n, n, "web")
    assert _ours(outsider)["ruleset"] in (0, None), "nothing of another tenant's"


def test_who_is_silent_is_gone_from_the_list(agent: Caller) -> None:
    server = redis.Redis.from_url(settings.REDIS_URL)
    at = (wall_clock() - timedelta(minutes=1)).isoformat()
    server.hset(PROCESSES, "elsewhere:1", f'{{"kind": "worker", "at": "{at}"}}')
    found = agent.call("GET", "/engine").json()["processes"]
    assert "elsewhere:1" not in {one["id"] for one in found}
    assert server.hget(PROCESSES, "elsewhere:1") is None


def test_messages_that_wait_are_counted(agent: Caller, settings: Any) -> None:
    settings.CELERY_TASK_DEFAULT_QUEUE = queue = f"of-this-test-{uuid7()}"
    assert agent.call("GET", "/engine").json()["queues"] == {queue: 0}
    app.send_task("memories.tasks.sweep_all", queue=queue)
    assert agent.call("GET", "/engine").json()["queues"] == {queue: 1}
    redis.Redis.from_url(settings.REDIS_URL).delete(queue)


def test_lateness_and_staging_are_told(governed: Governed, agent: Caller) -> None:
    assert agent.call("GET", "/engine").json()["sweep_lag_seconds"] == 0
    agent.put(["a"], "k", {"n": 1}, index=False, ttl=0.0001)
    seen = agent.call("GET", "/engine").json()
    assert seen["scan_oldest_seconds"] >= 0
    assert seen["staging"] is None
    n = governed.draft(expire())
    job = governed.author.call("POST", f"{BASE}/{n}/simulate").json()
    assert agent.call("GET", "/engine").json()["staging"] == {"done": 0, "total": 1}
    governed.run(job["id"])
    late = agent.call("GET", "/engine").json()
    assert late["staging"] is None
    assert late["sweep_lag_seconds"] > 0


def test_engine_is_for_those_who_see_figures(
    governed: Governed, make_caller: Callable[..., Caller]
) -> None:
    narrow = make_caller(governed.tenant, scopes=["memory:read"])
    assert narrow.call("GET", "/engine").status_code == 403


def test_shares_and_backups_are_settings(governed: Governed) -> None:
    before = governed.author.call("GET", "/settings").json()
    assert (before["activation_share"], before["data_share"]) == (0.01, 0.1)
    wanted = {"activation_share": 0.2, "data_share": 0.5, "backup_retention_days": 90}
    after = governed.author.call("PATCH", "/settings", wanted).json()
    assert {name: after[name] for name in wanted} == wanted
    for wrong in ({"activation_share": 1.5}, {"backup_retention_days": -1}):
        assert governed.author.call("PATCH", "/settings", wrong).status_code == 422
