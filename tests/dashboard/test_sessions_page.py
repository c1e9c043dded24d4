"""The page of live sessions: figures for every role, content for none."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client

from conversations import keeping
from tests.callers import Caller
from tests.conversations.conftest import Talk


def page_of(client: Client) -> str:
    answer = client.get("/memories/sessions")
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.slow
def test_everybody_sees_figures_and_nobody_content(
    people: dict[str, Client], agent: Caller, outsider: Caller
) -> None:
    assert "Nobody is talking" in page_of(people["viewer"])
    talk = Talk(agent, "zhang.san@example.com", channel="web")
    talk.say("我要订明天下午 3 点去机场的车")
    talk.say("今天天气不错")
    talk.say("你好")
    talk.patch({"task": "订车", "phone": "13912345678"})
    Talk(outsider, "u9", channel="theirs")
    for role in ("admin", "officer", "auditor", "viewer"):
        shown = page_of(people[role])
        assert "s_" in shown
        assert "chatter 2" in shown
        assert "open" in shown
        for hidden in ("zhang.san", "机场", "订车", "13912345678", "theirs"):
            assert hidden not in shown
    talk.end()
    assert "Nobody is talking" in page_of(people["viewer"])


def test_without_redis_the_page_says_so(officer: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "REDIS_URL", "unix:///nowhere/valkey.sock")
    keeping.client.cache_clear()
    try:
        answer = officer.get("/memories/sessions")
    finally:
        keeping.client.cache_clear()
    assert answer.status_code == 503
    assert "Redis does not answer" in answer.content.decode()
