"""POST /store/items/search by words: every script, whole identifiers, what a put replaces."""

from __future__ import annotations

import pytest

from tests.callers import Caller

PLACE = ["users", "u1"]
FACTS = {
    "model": "我们最近配置的重排模型",
    "order": "The parcel of order ORD-2024-001 was lost on its way.",
    "other-order": "Order ORD-2024-002 arrived.",
    "city": "Urodziła się w mieście Łódź.",
    "ship": "默认用顺丰发货",
    "tea": "喜欢喝乌龙茶，不加糖",
    "meeting": "每周三下午三点开例会",
    "language": "平时用 Python 写后端",
}


@pytest.fixture
def reader(agent: Caller) -> Caller:
    for key, text in FACTS.items():
        agent.put(PLACE, key, {"text": text})
    return agent


@pytest.mark.parametrize(
    ("query", "key"),
    [("重排", "model"), ("ORD-2024-001", "order"), ("łódź", "city"), ("lodz", "city")],
)
def test_a_word_finds_the_memory_that_holds_it(reader: Caller, query: str, key: str) -> None:
    assert reader.keys(PLACE, query=query, mode="text") == [key]
    assert reader.keys(PLACE, query=query)[0] == key


def test_a_question_finds_its_answer_without_sharing_a_word(reader: Caller) -> None:
    assert reader.keys(PLACE, query="快递怎么寄")[0] == "ship"


@pytest.mark.slow
def test_rare_words_count_more_than_common_ones(agent: Caller) -> None:
    for number in range(12):
        agent.put(PLACE, f"n{number}", {"text": f"the project meeting number {number}"})
    agent.put(PLACE, "rare", {"text": "an aardvark in the project"})
    assert agent.keys(PLACE, query="project meeting aardvark", mode="text")[0] == "rare"


def test_a_put_takes_the_old_words_out_of_the_index(agent: Caller) -> None:
    agent.put(PLACE, "k", {"text": "zanzibar"})
    assert agent.keys(PLACE, query="zanzibar", mode="text") == ["k"]
    agent.put(PLACE, "k", {"text": "quokka"})
    assert agent.keys(PLACE, query="zanzibar", mode="text") == []
    assert agent.keys(PLACE, query="quokka", mode="text") == ["k"]
    agent.put(PLACE, "k", {"text": "quokka"}, index=False)
    assert agent.keys(PLACE, query="quokka", mode="text") == []


def test_a_deleted_memory_is_found_by_no_word(agent: Caller) -> None:
    agent.put(PLACE, "k", {"text": "zanzibar"})
    agent.delete(PLACE, "k")
    assert agent.keys(PLACE, query="zanzibar") == []


def test_a_prefix_bounds_the_words(agent: Caller) -> None:
    agent.put(["a"], "k", {"text": "zanzibar"})
    agent.put(["ab"], "k2", {"text": "zanzibar"})
    assert agent.keys(["a"], query="zanzibar", mode="text") == ["k"]
    assert sorted(agent.keys([], query="zanzibar", mode="text")) == ["k", "k2"]


def test_a_query_of_stop_words_is_answered_by_meaning_alone(reader: Caller) -> None:
    assert reader.keys(PLACE, query="of the", mode="text") == []
    assert len(reader.keys(PLACE, query="of the")) == len(FACTS)
