"""`explain` and the order of pages."""

from __future__ import annotations

import pytest

from tests.callers import Caller

PLACE = ["notes"]


@pytest.fixture
def reader(agent: Caller) -> Caller:
    ops = [
        {
            "op": "put",
            "namespace": PLACE,
            "key": f"k{n}",
            "value": {"text": f"note {n} on topic {n % 7}"},
        }
        for n in range(60)
    ]
    assert agent.batch(*ops).status_code == 200
    return agent


def test_explain_says_why(reader: Caller) -> None:
    found = reader.search(PLACE, query="topic 3", explain=True).json()
    assert found["plan"] == "exact"
    why = found["items"][0]["explain"]
    assert why["rank"] == 1
    assert 0 < why["text"] <= 3
    assert 0 < why["vector"] <= 1
    assert why["recency"] == pytest.approx(1, abs=0.01)
    assert why["weight"] == pytest.approx(1)


def test_without_explain_there_is_none(reader: Caller) -> None:
    found = reader.search(PLACE, query="topic 3").json()
    assert "plan" not in found
    assert "explain" not in found["items"][0]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["hybrid", "vector", "text"])
def test_pages_are_pages_of_one_order(reader: Caller, mode: str) -> None:
    whole = reader.keys(PLACE, query="note on topic 3", mode=mode, limit=100)
    pages = [
        key
        for offset in range(0, 60, 7)
        for key in reader.keys(PLACE, query="note on topic 3", mode=mode, limit=7, offset=offset)
    ]
    assert pages == whole
    assert len(set(whole)) == len(whole) == 60


def test_the_rank_goes_on_over_pages(reader: Caller) -> None:
    second = reader.search(PLACE, query="note", limit=5, offset=5, explain=True).json()["items"]
    assert [item["explain"]["rank"] for item in second] == [6, 7, 8, 9, 10]


def test_scores_lie_within_0_and_1_and_min_score_cuts_them(reader: Caller) -> None:
    items = reader.search(PLACE, query="topic 3", limit=60, recency=0).json()["items"]
    scores = [item["score"] for item in items]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    cut = reader.search(PLACE, query="topic 3", limit=60, recency=0, min_score=scores[10]).json()[
        "items"
    ]
    assert len(cut) == sum(score >= scores[10] for score in scores)


def test_importance_moves_a_rank_mildly(agent: Caller) -> None:
    agent.put(["i"], "plain", {"text": "the cat sat on the mat"})
    agent.put(["i"], "weighty", {"text": "the cat sat on the mat "}, importance=1.0)
    assert agent.keys(["i"], query="cat on a mat")[0] == "weighty"


def test_vector_mode_without_recency_answers_the_metric_itself(agent: Caller) -> None:
    agent.put(["v"], "a", {"text": "the cat sat on the mat"})
    agent.put(["v"], "b", {"text": "stock prices fell"}, importance=0.6)
    found = agent.search(["v"], query="a cat", mode="vector", recency=0, explain=True).json()
    first, second = found["items"]
    assert first["key"] == "a"
    assert first["score"] == pytest.approx(first["explain"]["vector"])
    assert first["score"] > second["score"] > second["explain"]["vector"]
