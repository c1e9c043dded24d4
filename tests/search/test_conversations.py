"""A turn of a conversation is found by its neighbours too; a value may bring its own context."""

from __future__ import annotations

import pytest

from tests.callers import Caller

PLACE = ["talks"]
TURNS = ["Have you adopted the axolotl yet?", "Yes, last Sunday.", "Great.", "Bye."]


def _put_turns(agent: Caller, session: str) -> None:
    for number, text in enumerate(TURNS):
        agent.put(PLACE, f"{session}-{number}", {"text": text}, session_id=session)


@pytest.mark.slow
def test_an_answer_is_found_by_the_question_before_it(agent: Caller) -> None:
    _put_turns(agent, "s1")
    assert agent.keys(PLACE, query="axolotl", mode="text") == ["s1-0", "s1-1", "s1-2"]


@pytest.mark.slow
def test_neighbours_are_of_one_session_and_namespace(agent: Caller) -> None:
    agent.put(PLACE, "a", {"text": "axolotl"}, session_id="s1")
    agent.put(PLACE, "b", {"text": "other talk"}, session_id="s2")
    agent.put(["elsewhere"], "c", {"text": "elsewhere"}, session_id="s1")
    agent.put(PLACE, "d", {"text": "no session"})
    assert agent.keys([], query="axolotl", mode="text") == ["a"]


def test_the_turns_of_a_batch_stand_in_its_order(agent: Caller) -> None:
    keys = ["z", "m", "a", "q"]
    agent.batch(*[
        {"op": "put", "namespace": PLACE, "key": key, "value": {"text": text}, "session_id": "s"}
        for key, text in zip(keys, TURNS, strict=True)
    ])  # fmt: skip
    assert agent.keys(PLACE, query="axolotl", mode="text") == ["z", "m", "a"]


def test_a_deleted_turn_lends_its_words_to_nobody(agent: Caller) -> None:
    _put_turns(agent, "s1")
    agent.delete(PLACE, "s1-0")
    assert agent.keys(PLACE, query="axolotl", mode="text") == []


@pytest.mark.slow
def test_a_context_beside_the_content_is_a_field_of_its_own(agent: Caller) -> None:
    agent.put(PLACE, "a", {"content": "Yes, last Sunday.", "context": "Did you adopt the axolotl?"})
    agent.put(PLACE, "b", {"content": "The axolotl is ill.", "context": "What happened?"})
    assert sorted(agent.keys(PLACE, query="axolotl", mode="text")) == ["a", "b"]


def test_each_indexed_field_is_a_signal_apart(agent: Caller) -> None:
    paths = ["title", "body"]
    agent.put(PLACE, "both", {"title": "axolotl", "body": "axolotl"}, index=paths)
    agent.put(PLACE, "one", {"title": "axolotl", "body": "newt"}, index=paths)
    assert agent.keys(PLACE, query="axolotl", mode="text") == ["both", "one"]
