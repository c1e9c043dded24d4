"""Context: everything known in one block, within the budget, most useful first, nothing twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from conversations.blocks import Line, build_block
from conversations.budgeting import estimate_tokens
from tenants.models import Tenant
from tests.callers import Caller
from tests.conversations.conftest import Talk

CAR = "我要订明天下午 3 点去机场的车"


def texts(answer: Any) -> list[str]:
    return [one["text"] for one in answer.json()["items"]]


def test_all_tiers_come_together_in_the_subjects_language(talk: Talk) -> None:
    agent = talk.caller
    agent.put(["users", "u1"], "home", {"text": "住在杭州"}, kind="profile")
    agent.put(["users", "u1"], "ship", {"text": "默认用顺丰发货"})
    agent.put(["crm"], "vip", {"text": "快递要送到公司前台"}, subjects=["u1"])
    agent.put(["crm"], "else", {"text": "别人的快递地址"}, subjects=["u2"])
    agent.put(["users", "u2"], "home", {"text": "住在上海"}, kind="profile")
    talk.say(CAR, message_id="m1")
    talk.patch({"task": "寄快递"})
    answer = talk.context("快递怎么寄")
    assert answer.status_code == 200
    body = answer.json()
    tiers = {one["text"]: one["tier"] for one in body["items"]}
    assert tiers["默认用顺丰发货"] == tiers["快递要送到公司前台"] == tiers["住在杭州"] == "long"
    assert tiers[CAR] == "session"
    assert [one["memory_id"] is None for one in body["items"]].index(True) == 0
    assert body["items"][1]["text"] == "住在杭州"
    assert not {"住在上海", "别人的快递地址"} & set(tiers)
    assert body["prompt"].startswith("已知用户信息：\n- 住在杭州")
    assert "寄快递" in body["prompt"]
    assert set(body["timings_ms"]) == {"session", "short_term", "long_term", "total"}
    assert body["timings_ms"]["total"] >= body["timings_ms"]["long_term"] > 0
    english = agent.call("POST", "/context", {"subject": "u2", "query": "Where do they live?"})
    assert english.json()["prompt"].startswith("Known about the user:\n- ")
    assert english.json()["items"][0]["text"] == "住在上海"


def test_numbers_keep_their_digits_in_the_state_and_in_the_block(talk: Talk) -> None:
    numbers = ["98765432109876543210987", "1e400", "0.1234567890123456789", "-7"]
    given = f'{{"seat": [{", ".join(numbers)}]}}'
    raw = f'{{"namespace": ["users", "u1"], "key": "k", "value": {given}, "index": false}}'
    assert talk.caller.call("PUT", "/store/items", raw=raw.encode()).status_code == 200
    changed = talk.caller.call("PATCH", talk.path, raw=f'{{"state": {given}}}'.encode())
    for answer in (changed, talk.get()):
        assert answer.status_code == 200, answer.content
        state = json.loads(answer.content, parse_float=Decimal, parse_int=Decimal)["state"]
        assert state == {"seat": [Decimal(number) for number in numbers]}
    answer = talk.context("which seat?")
    assert answer.status_code == 200, answer.content
    assert numbers[0] in texts(answer)[0]
    assert numbers[2] in texts(answer)[0]


def test_without_anything_known_the_block_is_empty(talk: Talk) -> None:
    body = talk.context("快递怎么寄").json()
    assert (body["prompt"], body["items"], body["tokens"]) == ("", [], 0)


@pytest.mark.slow
def test_a_budget_is_kept_and_spent_on_what_is_most_useful(talk: Talk) -> None:
    for number in range(30):
        text = f"第 {number} 条：每周{number}在公司附近的咖啡馆开例会，讨论项目进展"
        talk.caller.put(["users", "u1"], f"k{number}", {"text": text})
    talk.caller.put(["users", "u1"], "home", {"text": "住在杭州"}, kind="profile")
    for budget in (40, 120, 400):
        body = talk.context("例会", budget_tokens=budget).json()
        assert 0 < body["tokens"] <= budget
        assert estimate_tokens(body["prompt"]) == body["tokens"]
        assert body["items"][0]["text"] == "住在杭州"
        scores = [one["score"] for one in body["items"][1:]]
        assert scores == sorted(scores, reverse=True)


def test_what_two_tiers_say_comes_once(talk: Talk) -> None:
    made = talk.say("我对花生过敏，请记住").json()["short_term"]["memory_id"]
    talk.caller.put(["users", "u1"], "allergy", {"text": "对花生过敏"}, derived_from=[made])
    talk.caller.put(["users", "u1"], "same", {"text": "对花生过敏。"})
    assert len([one for one in texts(talk.context("花生")) if "花生" in one]) == 1


def test_a_narrow_key_gets_what_lies_inside_its_prefixes(
    talk: Talk, tenant: Tenant, make_caller: Callable[..., Caller]
) -> None:
    talk.caller.put(["users", "u1"], "home", {"text": "住在杭州"})
    talk.caller.put(["secret"], "k", {"text": "住在秘密基地"}, subjects=["u1"])
    assert set(texts(talk.context("住在哪"))) == {"住在杭州", "住在秘密基地"}
    inside = make_caller(tenant, prefixes=["users/u1/"])
    body = {"subject": "u1", "query": "住在哪"}
    assert texts(inside.call("POST", "/context", body)) == ["住在杭州"]
    outside = make_caller(tenant, prefixes=["other/"])
    assert texts(outside.call("POST", "/context", body)) == []


def test_what_is_out_of_use_is_in_no_context(talk: Talk) -> None:
    talk.caller.put(["users", "u1"], "home", {"text": "住在杭州"}, kind="profile")
    talk.caller.put(["users", "u1"], "ship", {"text": "默认用顺丰发货"})
    assert len(texts(talk.context("杭州"))) == 2
    talk.caller.delete(["users", "u1"], "home")
    assert texts(talk.context("杭州")) == ["默认用顺丰发货"]


def test_without_vectors_both_tiers_answer_by_words(
    make_tenant: Callable[..., Tenant], make_caller: Callable[..., Caller]
) -> None:
    talk = Talk(make_caller(make_tenant(embedding_profile="none")))
    talk.say(CAR)
    talk.caller.put(["users", "u1"], "ship", {"text": "默认用顺丰发快递"})
    found = talk.recall("机场").json()
    assert (found["degraded"], len(found["items"])) == ("no_profile", 1)
    assert "默认用顺丰发快递" in texts(talk.context("快递"))


def test_personal_data_in_the_state_never_reaches_the_session(talk: Talk) -> None:
    answer = talk.patch({"task": "visa", "number": "11010519491231002X"}).json()
    assert "11010519491231002X" not in str(answer)
    assert "11010519491231002X" not in talk.context("visa").json()["prompt"]


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [("", 0, 0), ("你好，世界", 4, 7), ("Known about the user: lives in Hangzhou", 8, 14),
     ("13912345678", 4, 4), ("internationalization", 3, 5)],
)  # fmt: skip
def test_tokens_are_estimated(text: str, least: int, most: int) -> None:
    assert least <= estimate_tokens(text) <= most


def test_a_block_is_chosen_in_the_order_of_use() -> None:
    lines = [
        Line("long", "a", "likes tea", 0.9),
        Line("short", "b", "wants a taxi to the airport", 0.95),
        Line("long", "c", "lives in Hangzhou", 0.1, is_profile=True),
        Line("session", None, '{"task": "taxi"}', None),
        Line("long", "d", "Likes tea!", 0.8),
        Line("long", "e", "made from b", 0.7, sources=frozenset({"b"})),
    ]
    block = build_block(lines, budget=200, language="en")
    assert [line.memory_id for line in block.lines] == [None, "c", "b", "a"]
    assert block.prompt == (
        "Known about the user:\n- lives in Hangzhou\n- likes tea\n\n"
        "Said in this conversation:\n- wants a taxi to the airport\n\n"
        'Open task:\n- {"task": "taxi"}'
    )
    assert build_block(lines, budget=3, language="en").lines == ()
