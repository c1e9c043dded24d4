"""Personal data is dealt with inside the write, by every door."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tenants.models import Tenant
from tests.callers import Caller

CN_ID = "11010519491231002X"
CARD = "6222023074185296300"
SECRET = "AKIAIOSFODNN7EXAMPLE"
TOKEN = re.compile(r"⟦cn_id:[0-9A-Za-z]{4,10}⟧")


def put(agent: Caller, value: Any, key: str = "k", **options: Any) -> Any:
    answer = agent.put(["users", "u1"], key, value, **options)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_an_identity_number_becomes_a_token_and_a_mobile_number_a_mask(agent: Caller) -> None:
    made = put(agent, {"text": f"身份证{CN_ID}，电话138-0013-8000"})
    text = made["value"]["text"]
    assert CN_ID not in text
    assert TOKEN.search(text)
    assert "138****8000" in text
    assert agent.get(["users", "u1"], "k").json()["value"]["text"] == text


def test_the_same_value_has_the_same_token_whatever_its_writing(agent: Caller) -> None:
    one = put(agent, {"text": f"身份证{CN_ID}"}, "a")["value"]["text"]
    two = put(agent, {"text": "证件 110105 19491231 002x 已核验"}, "b")["value"]["text"]
    assert TOKEN.findall(one) == TOKEN.findall(two) != []


def test_another_tenant_has_another_token(agent: Caller, rival: Tenant, make_caller: Any) -> None:
    one = put(agent, {"text": f"身份证{CN_ID}"})["value"]["text"]
    two = put(make_caller(rival), {"text": f"身份证{CN_ID}"})["value"]["text"]
    assert TOKEN.findall(one) != TOKEN.findall(two)


def test_writing_it_again_is_unchanged(agent: Caller) -> None:
    value = {"text": f"身份证{CN_ID}", "tel": "13800138000", "card": CARD}
    assert put(agent, value)["outcome"] == "created"
    again = put(agent, value)
    assert (again["outcome"], again["version"]) == ("unchanged", 1)
    assert put(agent, again["value"])["outcome"] == "unchanged"


def test_keys_numbers_and_nested_lists_are_read(agent: Caller) -> None:
    made = put(agent, {"a": [{"b": [int("110105194912310000") + 0]}], CN_ID: [CN_ID]})
    assert CN_ID not in str(made["value"])
    made = put(agent, {"bank_card": int(CARD)}, "n")
    assert CARD not in str(made["value"])


def test_the_source_is_protected_too(agent: Caller) -> None:
    made = put(agent, {"a": 1}, source={"said": f"身份证{CN_ID}"})
    assert TOKEN.search(made["source"]["said"])


@pytest.mark.parametrize(
    ("field", "options", "key"),
    [
        ("key", {}, CN_ID),
        ("subjects[0]", {"subjects": [CN_ID]}, "k"),
        ("tags[0]", {"tags": [SECRET]}, "k"),
    ],
)
def test_an_identifier_that_holds_it_is_refused(
    agent: Caller, field: str, options: dict[str, Any], key: str
) -> None:
    refused = agent.put(["users", "u1"], key, {"a": 1}, **options)
    assert refused.status_code == 422
    body = refused.json()
    assert body["code"] == "pii_rejected"
    assert body["errors"][0]["path"] == field
    assert CN_ID not in refused.content.decode()
    assert agent.put(["users", CN_ID], "k", {"a": 1}).json()["code"] == "pii_rejected"


def test_an_address_as_an_identifier_is_only_flagged(agent: Caller) -> None:
    made = agent.put(["users", "u1"], "zhang@example.cn", {"a": 1})
    assert made.status_code == 200


def test_a_secret_is_quarantined(agent: Caller) -> None:
    answer = agent.put(["users", "u1"], "k", {"note": f"{SECRET} is the key id"})
    assert answer.status_code == 200
    assert set(answer.json()) == {"id", "outcome"}
    assert answer.json()["outcome"] == "quarantined"
    assert agent.get(["users", "u1"], "k").status_code == 404
    assert agent.keys(["users"]) == []
    assert agent.call("GET", f"/memories/{answer.json()['id']}").status_code == 404
    assert agent.namespaces() == []


def test_a_quarantined_put_leaves_the_key_as_it_is(agent: Caller) -> None:
    made = put(agent, {"note": "safe"})
    answer = agent.put(["users", "u1"], "k", {"note": f"{SECRET} is the key id"})
    assert answer.json()["id"] != made["id"]
    assert agent.get(["users", "u1"], "k").json()["value"] == {"note": "safe"}


def test_a_tenants_setting_rejects_with_the_entity_and_never_the_value(
    make_tenant: Any, make_caller: Any
) -> None:
    agent = make_caller(make_tenant(pii={"cn_id": "reject", "cn_mobile": "redact"}))
    refused = agent.put(["a"], "k", {"list": [{"x": f"身份证{CN_ID}"}]})
    assert refused.status_code == 422
    body = refused.json()
    assert body["code"] == "pii_rejected"
    assert body["errors"][0]["path"] == "value.list[0].x"
    assert "cn_id" in body["errors"][0]["detail"]
    assert CN_ID not in refused.content.decode()
    made = agent.put(["a"], "k", {"tel": "13800138000"}).json()
    assert made["value"] == {"tel": "[cn_mobile]"}


def test_a_batch_protects_and_names_the_op_that_is_rejected(
    make_tenant: Any, make_caller: Any
) -> None:
    agent = make_caller(make_tenant(pii={"bank_card": "reject"}))
    ops = [{"op": "put", "namespace": ["a"], "key": f"k{n}", "value": {"t": f"身份证{CN_ID}"}}
           for n in range(3)]  # fmt: skip
    answer = agent.batch(*ops)
    assert [one["outcome"] for one in answer.json()["results"]] == ["created"] * 3
    assert CN_ID not in agent.search(["a"]).content.decode()
    ops[1]["value"] = {"card": f"卡号{CARD}"}
    refused = agent.batch(*ops)
    assert refused.json()["errors"][0]["path"] == "ops[1].value.card"


def test_a_search_for_a_clear_number_finds_the_token(agent: Caller) -> None:
    put(agent, {"text": f"客户的身份证是{CN_ID}"})
    put(agent, {"text": "天气很好"}, "other")
    found = agent.search(["users"], query=f"身份证{CN_ID}", mode="text").json()
    assert found["items"][0]["key"] == "k"
    assert agent.keys(["users"], filter={"text": f"客户的身份证是{CN_ID}"}) == ["k"]
