"""`dedup`: what says the same is one memory; what only looks alike stays two."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from memories.likeness import say_the_same
from tests.callers import Caller

PLACE = ["facts"]


def test_the_same_fact_in_other_words_becomes_the_next_version(agent: Caller) -> None:
    first = agent.put(PLACE, "a", {"text": "The user lives in Berlin"}).json()
    merged = agent.put(PLACE, "b", {"text": "Berlin is where the user lives"}, dedup=True).json()
    assert merged["outcome"] == "merged"
    assert merged["merged_into"] == merged["id"] == first["id"]
    assert (merged["key"], merged["version"]) == ("a", 2)
    assert merged["value"] == {"text": "Berlin is where the user lives"}
    assert agent.get(PLACE, "b").status_code == 404


@pytest.mark.parametrize(
    "other",
    ["The user lives in Hamburg", "The user no longer lives in Berlin", "The user lives in flat 4"],
)
def test_another_fact_of_the_same_shape_stays_apart(agent: Caller, other: str) -> None:
    agent.put(PLACE, "a", {"text": "The user lives in Berlin"})
    assert agent.put(PLACE, "b", {"text": other}, dedup=True).json()["outcome"] == "created"


def test_a_threshold_of_ones_own_stands_for_itself(agent: Caller) -> None:
    agent.put(PLACE, "a", {"text": "喝咖啡不加糖"})
    kept = agent.put(PLACE, "b", {"text": "咖啡里不放糖"}, dedup={"threshold": 0.999}).json()
    assert kept["outcome"] == "created"
    merged = agent.put(PLACE, "c", {"text": "咖啡里不放糖吧"}, dedup={"threshold": 0.9}).json()
    assert merged["outcome"] == "merged"


def test_only_the_same_namespace_and_kind_are_looked_at(agent: Caller) -> None:
    value = {"text": "The user lives in Berlin"}
    agent.put(PLACE, "a", value)
    assert agent.put(["other"], "b", value, dedup=True).json()["outcome"] == "created"
    apart = agent.put(PLACE, "c", value, dedup=True, kind="episode").json()
    assert apart["outcome"] == "created"


def test_the_same_text_stored_thirty_times_is_one_memory(agent: Caller) -> None:
    value = {"text": "默认用顺丰发货"}
    outcomes = [agent.put(PLACE, f"k{n}", value, dedup=True).json()["outcome"] for n in range(30)]
    assert outcomes == ["created"] + ["merged"] * 29
    assert len(agent.search(PLACE).json()["items"]) == 1


def test_thirty_in_one_batch_are_one_memory(agent: Caller) -> None:
    value = {"text": "默认用顺丰发货"}
    ops = [
        {"op": "put", "namespace": PLACE, "key": f"k{n}", "value": value, "dedup": True}
        for n in range(30)
    ]
    results = agent.batch(*ops).json()["results"]
    assert len({result["id"] for result in results}) == 1


def test_eight_at_once_are_one_memory(agent: Caller) -> None:
    value = {"text": "The parcel is at the door"}

    def put(number: int) -> str:
        caller = Caller(agent.key)
        try:
            return str(caller.put(PLACE, f"k{number}", value, dedup=True).json()["outcome"])
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(put, range(8)))
    assert sorted(outcomes) == ["created"] + ["merged"] * 7


def test_without_dedup_the_same_text_is_two_memories(agent: Caller) -> None:
    agent.put(PLACE, "a", {"text": "twice"})
    assert agent.put(PLACE, "b", {"text": "twice"}).json()["outcome"] == "created"


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("Orders above 50 euros ship for free", "Shipping is free for orders over 50 euros", True),
        ("Orders above 50 euros ship for free", "Orders above 80 euros ship for free", False),
        ("默认用顺丰发货", "发货默认走顺丰", True),
        ("默认用顺丰发货", "发货默认用顺丰", True),
        ("她吃素", "她不吃素", False),
        ("I like tea", "I don't like tea", False),
        ("He can't swim", "He can swim", False),
        ("A build takes about ten minutes", "Roughly, a build takes ten minutes", True),
        ("The lift holds no more than six", "At most six, the lift holds", True),
        ("The lift holds no more than six", "At most nine, the lift holds", False),
        ("Anna is allergic to nuts", "Anna has a nut allergy", True),
        ("The user lives in Berlin", "The user's sister lives in Berlin", False),
        ("小王对花生过敏", "小王的妈妈对花生过敏", False),
        ("Paul lives in Rome", "Paula lives in Rome", False),
        ("Tom reports to Sarah", "Sarah reports to Tom", False),
        ("小李的上级是张经理", "张经理的上级是小李", False),
        ("构建大约要十分钟", "构建要十分钟左右", True),
        ("下午一点开会", "下午开会", False),
    ],
)
def test_what_says_the_same(one: str, two: str, *, same: bool) -> None:
    assert say_the_same(one, two) is same
