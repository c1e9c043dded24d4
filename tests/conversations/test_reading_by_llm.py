"""Facts by an LLM: a real endpoint on loopback that answers well, badly, late or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.db import transaction

from conversations.extracting.calling import forget_failures
from conversations.models import OpenCandidate, UnreadMessage
from conversations.promoting import promote_pending
from conversations.reading import read_pending
from memories.models import Finding, Memory
from tenants.actors import job_actor
from tenants.context import acting_as, now
from tenants.models import Tenant
from tests.callers import Caller
from tests.conversations.llm import ChatEndpoint, Fact, serving_chat

HANGZHOU = "我的地址在杭州西湖边"
"""No rule knows this wording."""


def residence(text: str) -> list[Fact]:
    if "杭州" not in text:
        return []
    return [{"attribute": "residence", "value": "杭州", "text": text}]


@pytest.fixture
def endpoint(settings: LazySettings) -> Iterator[ChatEndpoint]:
    """The configured LLM."""
    with serving_chat() as served:
        served.facts_of = residence
        settings.LLM_BASE_URL, settings.LLM_MODEL = served.url, "test-model"
        settings.LLM_TIMEOUT = 5.0
        forget_failures()
        yield served
    forget_failures()


def say(agent: Caller, *texts: str) -> None:
    opened = agent.call("POST", "/sessions", {"subject": "u1", "channel": "web"}).json()
    for text in texts:
        body = {"role": "user", "content": text}
        answer = agent.call("POST", f"/sessions/{opened['session_id']}/messages", body)
        assert answer.json()["short_term"]["stored"], answer.content


def read(tenant: Tenant) -> int:
    with acting_as(job_actor("read", tenant.id)):
        return read_pending()


def waiting(tenant: Tenant) -> int:
    with acting_as(job_actor("read", tenant.id)), transaction.atomic():
        return UnreadMessage.objects.count()


def make_due(tenant: Tenant) -> None:
    with acting_as(job_actor("read", tenant.id)), transaction.atomic():
        UnreadMessage.objects.update(due_at=now() - timedelta(seconds=1))


def candidates(tenant: Tenant) -> int:
    with acting_as(job_actor("read", tenant.id)), transaction.atomic():
        return OpenCandidate.objects.count()


def findings(tenant: Tenant) -> list[tuple[str, bool]]:
    """(detail, still open) of what was reported."""
    with acting_as(job_actor("read", tenant.id)), transaction.atomic():
        rows = Finding.objects.filter(kind="extraction_failed").order_by("found_at")
        return [(row.detail, row.closed_at is None) for row in rows]


@pytest.mark.slow
def test_an_answer_makes_candidates_and_says_by_which_prompt(
    tenant: Tenant, agent: Caller, endpoint: ChatEndpoint
) -> None:
    say(agent, HANGZHOU, "我要订明天下午 3 点去机场的车")
    assert (candidates(tenant), waiting(tenant)) == (0, 2)  # nobody waits for the LLM
    assert read(tenant) == 1
    assert (candidates(tenant), waiting(tenant)) == (1, 0)
    assert len(endpoint.asked) == 1
    assert endpoint.asked[0]["model"] == "test-model"
    say(agent, HANGZHOU)
    assert read(tenant) == 1
    with acting_as(job_actor("promote", tenant.id)):
        assert promote_pending() == 1
        with transaction.atomic():
            found = Memory.objects.get(kind="profile")
            (source, *_) = Memory.objects.filter(kind="candidate")
    assert found.value["value"] == "杭州"
    assert source.source["extractor"] == "llm:facts-1:test-model"


def test_personal_data_is_masked_before_it_is_sent(
    agent: Caller, tenant: Tenant, endpoint: ChatEndpoint
) -> None:
    say(agent, "我的手机号是13812345678，地址在杭州西湖边")
    read(tenant)
    assert len(endpoint.texts) == 1
    assert "杭州" in endpoint.texts[0]
    assert "13812345678" not in endpoint.texts[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    [
        "",
        "Sure! Here are the facts:",
        '{"facts": [{"message": 1}]}',
        '{"facts": [{"message": 9, "attribute": "residence", "value": "x", "text": "x",'
        ' "confirmed": false}]}',
        '{"facts": "none"}',
    ],
)
def test_an_answer_that_does_not_fit_changes_nothing_and_is_a_finding(
    tenant: Tenant, agent: Caller, endpoint: ChatEndpoint, content: str
) -> None:
    endpoint.content = content
    say(agent, HANGZHOU)
    assert read(tenant) == 0
    assert (candidates(tenant), waiting(tenant)) == (0, 1)
    ((detail, is_open),) = findings(tenant)
    assert is_open
    assert "杭州" not in detail
    assert read(tenant) == 0  # not due yet
    assert len(endpoint.asked) == 1
    endpoint.content = None
    make_due(tenant)
    assert read(tenant) == 1
    assert [is_open for _, is_open in findings(tenant)] == [False]


@pytest.mark.slow
def test_an_endpoint_that_fails_changes_nothing_and_is_a_finding(
    tenant: Tenant, agent: Caller, endpoint: ChatEndpoint
) -> None:
    endpoint.status = 500
    say(agent, HANGZHOU)
    assert read(tenant) == 0
    assert (candidates(tenant), waiting(tenant)) == (0, 1)
    assert [is_open for _, is_open in findings(tenant)] == [True]
    endpoint.status = 200
    make_due(tenant)
    assert read(tenant) == 1
    assert [is_open for _, is_open in findings(tenant)] == [False]


@pytest.mark.slow
def test_an_endpoint_that_does_not_answer_in_time_is_given_up_on(
    tenant: Tenant, agent: Caller, endpoint: ChatEndpoint, settings: LazySettings
) -> None:
    settings.LLM_TIMEOUT = 0.2
    forget_failures()
    endpoint.gate.clear()
    say(agent, HANGZHOU)
    assert read(tenant) == 0
    assert (candidates(tenant), waiting(tenant)) == (0, 1)
    ((detail, is_open),) = findings(tenant)
    assert is_open
    assert "Timeout" in detail


@pytest.mark.slow
def test_an_endpoint_that_is_down_is_left_alone_after_some_tries(
    tenant: Tenant, agent: Caller, settings: LazySettings
) -> None:
    with serving_chat() as gone:
        settings.LLM_BASE_URL, settings.LLM_MODEL = gone.url, "test-model"
    forget_failures()
    say(agent, HANGZHOU)
    for _ in range(4):
        make_due(tenant)
        assert read(tenant) == 0
    assert (candidates(tenant), waiting(tenant)) == (0, 1)
    ((detail, is_open),) = findings(tenant)
    assert is_open
    assert "left alone" in detail
    forget_failures()


def test_a_message_that_left_use_is_not_read(
    tenant: Tenant, agent: Caller, endpoint: ChatEndpoint
) -> None:
    say(agent, HANGZHOU)
    agent.call("DELETE", "/store/namespaces", {"namespace_prefix": ["users"], "dry_run": False})
    assert read(tenant) == 0
    assert (endpoint.asked, waiting(tenant)) == ([], 0)
