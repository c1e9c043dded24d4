"""Rules as sentences, as the design mock words them."""

from __future__ import annotations

from typing import Any

import pytest

from policies.parsing import parse_rule
from policies.rendering import Part, render_rule, say_rule

SENTENCES: list[tuple[dict[str, Any], str, str]] = [
    (
        {
            "kind": "keep",
            "after": {"months": 72},
            "anchor": "event:claim.closed",
            "fallback": {"months": 84},
            "namespace": ["claims"],
            "statutory": True,
            "citation": "HGB § 257 (1) no. 2–3, (4).",
        },
        "Memories under claims/ are kept at least 72 months after the event claim.closed; if it "
        "never comes, 84 months after creation. Ground: HGB § 257 (1) no. 2–3, (4).",
        "命名空间 claims/ 下的记忆，自事件 claim.closed 发生起至少保留 72 个月；"
        "事件一直未发生的，自创建起按 84 个月计算。依据：HGB § 257 (1) no. 2–3, (4)。",
    ),
    (
        {"kind": "cap", "after": {"months": 36}, "class": "personal"},
        "Memories of class personal end no later than 36 months after creation.",
        "类别为“个人信息”的记忆，自创建起最长保留 36 个月。",
    ),
    (
        {
            "kind": "expire",
            "after": {"days": 120},
            "anchor": "updated",
            "namespace": ["support", "tickets"],
        },
        "Memories under support/tickets/ leave use 120 days after their content last changed, "
        "then stay 30 days in the trash.",
        "命名空间 support/tickets/ 下的记忆，自内容最后一次变更起满 120 天停止使用，"
        "随后在回收站保留 30 天。",
    ),
    (
        {
            "kind": "expire",
            "after": {"months": 24},
            "namespace": ["claims", "fraud"],
            "end": "review",
        },
        "Memories under claims/fraud/ are hidden 24 months after creation and wait for a person "
        "to decide.",
        "命名空间 claims/fraud/ 下的记忆，自创建起满 24 个月隐藏，等待人工复核。",
    ),
    (
        {"kind": "expire", "after": {"days": 30}, "anchor": "accessed", "unless_accessed": 3},
        "All memories leave use 30 days after they were last read, unless read at least 3 times, "
        "then stay 30 days in the trash.",
        "所有记忆，自最后一次读取起满 30 天停止使用，随后在回收站保留 30 天；"
        "已读取 3 次及以上的除外。",
    ),
    (
        {
            "kind": "archive",
            "after": {"days": 90},
            "anchor": "event:subject.active",
            "memory_kind": "profile",
        },
        "Memories of kind profile leave ordinary search 90 days after the event subject.active; "
        "a read brings them back.",
        "种类为“画像”的记忆，自事件 subject.active 发生起满 90 天移出常规搜索，读取后恢复。",
    ),
    (
        {
            "kind": "anonymise",
            "after": {"days": 30},
            "anchor": "event:ticket.closed",
            "namespace": ["support", "tickets"],
        },
        "In memories under support/tickets/ personal data is masked in place 30 days after the "
        "event ticket.closed.",
        "命名空间 support/tickets/ 下的记忆，自事件 ticket.closed 发生起满 30 天，"
        "就地脱敏其中的个人信息。",
    ),
    (
        {
            "kind": "degrade",
            "after": {"days": 180},
            "anchor": "updated",
            "memory_kind": "procedure",
            "weight": 0.4,
        },
        "Memories of kind procedure rank lower, weight 0.4, 180 days after their content last "
        "changed.",
        "种类为“流程”的记忆，自内容最后一次变更起满 180 天降权，权重 0.4。",
    ),
    (
        {"kind": "expire", "strength_below": 0.05, "anchor": "accessed", "end": "archive"},
        "All memories leave ordinary search when their strength falls below 0.05, counted from "
        "their last read; a read brings them back.",
        "所有记忆，自最后一次读取起，强度低于 0.05 时移出常规搜索，读取后恢复。",
    ),
    (
        {"kind": "keep", "after": {"days": 1, "hours": 12}, "label": "contract"},
        "Memories labelled contract are kept at least 1 day and 12 hours after creation.",
        "标签为“contract”的记忆，自创建起至少保留 1 天 12 小时。",
    ),
]


@pytest.mark.parametrize(("raw", "english", "chinese"), SENTENCES)
def test_a_rule_is_a_sentence(raw: dict[str, Any], english: str, chinese: str) -> None:
    rule = parse_rule({"key": "r", **raw})
    assert say_rule(rule, "en", trash_days=30) == english
    assert say_rule(rule, "zh", trash_days=30) == chinese


def test_the_trash_is_said_as_it_is() -> None:
    rule = parse_rule({"key": "r", "kind": "expire", "after": {"days": 1}})
    assert (
        say_rule(rule, "en")
        == "All memories leave use 1 day after creation, then stay in the trash."
    )
    assert say_rule(rule, "en", trash_days=0) == "All memories leave use 1 day after creation."
    assert say_rule(rule, "en", trash_days=1).endswith("then stay 1 day in the trash.")
    assert say_rule(rule, "zh", trash_days=0) == "所有记忆，自创建起满 1 天停止使用。"


def test_parts_are_marked_for_the_page() -> None:
    raw = {"key": "r", "kind": "keep", "after": {"days": 3}, "namespace": ["50%", "a/b"]}
    assert render_rule(parse_rule(raw), "en")[:3] == (
        Part("Memories"),
        Part(" under "),
        Part("50%25/a%2Fb/", "code"),
    )
    assert Part("3 days", "strong") in render_rule(parse_rule(raw), "en")
