"""The intent filter: on our labelled utterances, and where rules meet."""

from __future__ import annotations

import pytest

from bench.intent import figures_of, judge_all, read_utterances
from conversations.intent.judging import has_open_task, judge, judge_by_rules


@pytest.mark.slow
def test_precision_and_recall_are_above_nine_tenths_in_each_language() -> None:
    judged = judge_all(read_utterances())
    for lang in ("zh", "en"):
        mine = [one for one in judged if one[0]["lang"] == lang]
        figures = figures_of(mine)
        assert figures["utterances"] >= 150
        assert figures["precision"] > 0.9
        assert figures["recall"] > 0.9
        held_out = figures_of([one for one in mine if one[0]["split"] == "held_out"])
        assert held_out["precision"] > 0.85
        assert held_out["recall"] > 0.85


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("我要订明天下午 3 点去机场的车", None),
        ("张三的手机号", None),
        ("谢谢你，顺便把会议改到周五", None),
        ("天气好的话提醒我带相机", None),
        ("我住在杭州", None),
        ("复印件必须盖章才有效", None),
        ("This scanner only takes letter-size paper", None),
        ("No phone calls before nine in the morning", None),
        ("今天天气不错", "chatter"),
        ("谢谢！！！", "chatter"),
        ("Hello! How are you doing?", "chatter"),
        ("天为什么是蓝色的", "question_only"),
        ("……", "too_short"),
        ("", "too_short"),
        ("👍👍", "too_short"),
    ],
)
def test_rules_alone_decide_the_plain_ones(text: str, reason: str | None) -> None:
    verdict = judge_by_rules(text)
    assert verdict is not None
    assert (verdict.kept, verdict.reason) == (reason is None, reason)


@pytest.mark.parametrize(
    "text", ["No doubt about it at all", "It must be nice to live there", "你必须承认这很好看"]
)
def test_a_duty_said_in_passing_is_none(text: str) -> None:
    assert judge_by_rules(text) is None


def test_a_megabyte_is_judged_in_bounded_time() -> None:
    assert judge("帮我订一张票，" * 100_000).kept
    assert not judge("哈" * 1_000_000).kept
    assert judge("a " * 500_000).reason is not None


def test_a_task_is_open_until_its_state_says_otherwise() -> None:
    assert has_open_task({"task": "x"})
    assert has_open_task({"task": "x", "status": "waiting"})
    assert not has_open_task({})
    assert not has_open_task({"task": "x", "status": "Done"})
