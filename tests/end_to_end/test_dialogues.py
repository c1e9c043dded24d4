"""Thirty people's dialogues of ten days as memories: asked for, and a part of them forgotten.

Reads ../shared/data (MemoryBank, MIT) and copies nothing from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from memories.sweeping import sweep_now
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.ageing import count_rows, let_pass

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ASKED = [
    # language, person, which of the person's questions, a word of the memory that answers it
    ("zh", "张曼婷", 3, "樱花"),
    ("zh", "张曼婷", 4, "出租车司机"),
    ("zh", "李雪", 1, "周杰伦"),
    ("zh", "李雪", 3, "川菜"),
    ("zh", "王峰", 6, "文明"),
    ("en", "Emily", 3, "Green"),
    ("en", "Emily", 4, "Taxi Driver"),
    ("en", "Lucy", 3, "Sichuan"),
    ("en", "Frank", 6, "Civilization"),
]
BATCH = 100


@pytest.fixture(scope="module")
def dialogues(shared: Path) -> dict[str, Any]:
    """{language: {person: {"history": ..}}} with names stripped, and the questions."""
    found: dict[str, Any] = {}
    for language in ("zh", "en"):
        source = shared / "data" / f"memorybank-{language}.json"
        people = json.loads(source.read_text(encoding="utf-8"))
        lines = (shared / "data" / f"memorybank-{language}-questions.jsonl").read_text("utf-8")
        questions: dict[str, list[str]] = {}
        for line in lines.splitlines():
            questions.update(json.loads(line))
        found[language] = {
            name.strip(): {
                "history": person["history"],
                "questions": questions.get(name, questions.get(name.strip(), [])),
            }
            for name, person in people.items()
        }
    return found


def puts(dialogues: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One memory a turn; what was said on the first day expires."""
    for language, people in dialogues.items():
        for name, person in people.items():
            days = sorted(person["history"])
            for day in days:
                for number, turn in enumerate(person["history"][day]):
                    put = {
                        "op": "put", "namespace": [language, name], "key": f"{day}-{number}",
                        "value": {"day": day, "said": turn["query"], "answer": turn["response"]},
                        "kind": "episode",
                    }  # fmt: skip
                    yield put | ({"ttl": 60} if day == days[0] else {})


def test_thirty_peoples_dialogues_are_stored_found_and_partly_forgotten(
    dialogues: dict[str, Any], client: httpx.Client, tenant: Tenant, owner_url: str
) -> None:
    every = list(puts(dialogues))
    assert len(every) > 1_000
    for start in range(0, len(every), BATCH):
        answer = client.post("/store/batch", json={"ops": every[start : start + BATCH]})
        assert answer.status_code == 200, answer.text[:500]
    listed = client.post("/store/namespaces", json={"limit": 1000}).json()["namespaces"]
    assert len(listed) == 30

    answered = []
    for language, person, number, word in ASKED:
        question = dialogues[language][person]["questions"][number]
        asked = {"namespace_prefix": [language, person], "query": question, "limit": 5}
        items = client.post("/store/items/search", json=asked).json()["items"]
        assert {tuple(item["namespace"]) for item in items} == {(language, person)}
        if any(word in json.dumps(item["value"], ensure_ascii=False) for item in items):
            answered.append(question)
    assert len(answered) >= len(ASKED) - 2, answered

    let_pass(owner_url, tenant, minutes=61)
    expired = [put for put in every if "ttl" in put]
    for put in expired[::10]:
        query = {"namespace": ".".join(put["namespace"]), "key": put["key"]}
        assert client.get("/store/items", params=query).status_code == 404
    for language, people in dialogues.items():
        for name in list(people)[:5]:
            first = min(people[name]["history"])
            asked = {"namespace_prefix": [language, name], "query": "hello 你好", "limit": 100}
            items = client.post("/store/items/search", json=asked).json()["items"]
            assert items
            assert first not in {item["value"]["day"] for item in items}

    let_pass(owner_url, tenant, hours=3)
    before = count_rows(owner_url, tenant, "memories_memoryvector")
    with acting_as(operator_actor(tenant.id)):
        counts = sweep_now().counts
    assert counts["purged"] == len(expired)
    assert count_rows(owner_url, tenant, "memories_memory") == len(every) - len(expired)
    assert count_rows(owner_url, tenant, "memories_tombstone") == len(expired)
    assert count_rows(owner_url, tenant, "memories_memoryvector") <= before - len(expired)
