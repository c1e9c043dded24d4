"""The main job over HTTP: written, found by meaning in two languages, forgotten on time."""

from __future__ import annotations

import httpx
import pytest

from memories.sweeping import sweep_now
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.ageing import let_pass
from tests.end_to_end.bilingual import MEMORIES, QUESTIONS


def test_the_articles_question_finds_the_right_memory_first(client: httpx.Client) -> None:
    for key, content, context in (
        ("language", "用户最喜欢的编程语言是 Python。", "在讨论技术选型时提到"),
        ("incident", "2026-01-31，用户完成了一次 RAG 检索结果为空的排查。", "工作记录"),
    ):
        body = {"namespace": ["memories", "u1"], "key": key,
                "value": {"content": content, "context": context}}  # fmt: skip
        assert client.put("/store/items", json=body).json()["embedding"] == "ready"
    asked = {"namespace_prefix": ["memories", "u1"], "query": "我一般使用哪个编程语言？"}
    items = client.post("/store/items/search", json=asked).json()["items"]
    assert [item["key"] for item in items] == ["language", "incident"]
    assert items[0]["score"] > items[1]["score"] > 0
    assert items[0]["value"]["content"] == "用户最喜欢的编程语言是 Python。"


@pytest.mark.slow
def test_questions_in_two_languages_find_their_memories(client: httpx.Client) -> None:
    ops = [
        {"op": "put", "namespace": ["people", key.split("/")[0]], "key": key.split("/")[1],
         "value": {"text": text}}
        for key, text in MEMORIES.items()
    ]  # fmt: skip
    assert len(ops) == 60
    done = client.post("/store/batch", json={"ops": ops}).json()["results"]
    assert {one["outcome"] for one in done} == {"created"}
    ranks = {}
    for question, key in QUESTIONS:
        asked = {"namespace_prefix": ["people"], "query": question, "limit": 5}
        items = client.post("/store/items/search", json=asked).json()["items"]
        found = [f"{item['namespace'][1]}/{item['key']}" for item in items]
        ranks[question] = found.index(key) if key in found else 99
        assert [item["score"] for item in items] == sorted(
            (item["score"] for item in items), reverse=True
        )
    assert all(rank < 5 for rank in ranks.values()), ranks
    firsts = sum(rank == 0 for rank in ranks.values())
    assert firsts >= 0.8 * len(QUESTIONS), ranks


def test_what_expired_is_not_found_and_a_sweep_leaves_only_a_tombstone(
    client: httpx.Client, tenant: Tenant, owner_url: str
) -> None:
    for key, ttl in (("gone", 0.1), ("kept", None)):
        body = {"namespace": ["a"], "key": key, "value": {"text": f"a note that is {key}"},
                "ttl": ttl}  # fmt: skip
        assert client.put("/store/items", json=body).status_code == 200
    let_pass(owner_url, tenant, seconds=12.5)
    assert client.get("/store/items?namespace=a&key=gone").status_code == 404
    asked = {"namespace_prefix": [], "query": "a note that is gone"}
    items = client.post("/store/items/search", json=asked).json()["items"]
    assert [item["key"] for item in items] == ["kept"]
    with acting_as(operator_actor(tenant.id)):
        sweep_now()
    usage = client.get("/usage").json()
    assert (usage["rows"], usage["vectors"], usage["by_state"]["PURGED"]) == (1, 1, 1)


def test_answers_carry_no_session_and_no_server_secrets(client: httpx.Client) -> None:
    answer = client.get("/store/items?namespace=a&key=k")
    assert answer.status_code == 404
    assert "set-cookie" not in answer.headers
    assert answer.headers["content-type"] == "application/problem+json"
