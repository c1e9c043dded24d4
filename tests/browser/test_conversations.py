"""Sessions and recall quality in Chromium, with something on them: axe, both languages, 360 px."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from audit.jobs import run_job
from conversations.measuring import measure_nightly
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.browser.conftest import Visit
from tests.browser.test_pages import _findings
from tests.callers import Caller
from tests.conversations.conftest import Talk

pytestmark = pytest.mark.browser

WORDS = {
    "en": ("Nobody is talking", "Live sessions", "chatter 1", "1 of 2 not found"),
    "zh-hans": ("目前没有对话", "进行中的会话", "闲聊 1", "2 条中有 1 条未找到"),
}
LOOKS = [("light", "en"), ("dark", "zh-hans"), ("light", "zh-hans"), ("dark", "en")]


def _measure(tenant: Tenant) -> None:
    with acting_as(job_actor("run", tenant.id)):
        job = measure_nightly()
        assert job is not None
        run_job(job.id)


def _is_wide(visit: Visit) -> bool:
    wide: bool = visit.page.evaluate("document.documentElement.scrollWidth > innerWidth")
    return wide


def _talk(agent: Caller) -> None:
    talk = Talk(agent, "u1", channel="web")
    talk.say("我要订明天下午 3 点去机场的车")
    talk.say("今天天气不错")
    talk.patch({"task": "订车"})


def _ask_golden(agent: Caller, tenant: Tenant) -> None:
    ids = [
        agent.put(["users"], key, {"text": text}, index=["text"]).json()["id"]
        for key, text in (("ship", "默认用顺丰发货"), ("tea", "我喜欢喝龙井茶"))
    ]
    body = {"question": "快递怎么寄？", "namespace_prefix": ["users"], "expected": ids}
    assert agent.call("POST", "/golden-questions", body).status_code == 201
    _measure(tenant)
    agent.delete(["users"], "ship")
    _measure(tenant)


def test_sessions_and_recall_in_every_look_and_on_a_phone(
    tenant: Tenant, agent: Caller, make_person: Callable[..., User], visit: Callable[..., Visit]
) -> None:
    officer = make_person(tenant, "officer")
    windows = {
        look: visit(officer, theme=look[0], language=look[1], width=360 if n % 2 else 1280)
        for n, look in enumerate(LOOKS)
    }
    found: dict[str, list[str]] = {}

    def look_at(path: str, *shown: int) -> None:
        for look, window in windows.items():
            page = window.open(path)
            for summary in page.locator("details.more > summary").all():
                summary.click()
            text = page.inner_text("main")
            lacks = [WORDS[look[1]][n] for n in shown if WORDS[look[1]][n] not in text]
            faults = [*_findings(window), *window.complaints, *lacks]
            window.complaints.clear()
            if faults or _is_wide(window):
                found[f"{path} {look}"] = faults

    look_at("/memories/sessions", 0)
    _talk(agent)
    look_at("/memories/sessions", 1, 2)
    look_at("/memories/recall")
    _ask_golden(agent, tenant)
    look_at("/memories/recall", 3)
    assert found == {}
