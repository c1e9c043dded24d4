"""The explanation: one evaluation in two languages, with roles, grounds and what comes next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from policies.cases import evaluate_case, parse_case, parse_cases
from policies.explaining import Explanation, explain
from policies.facts import Hold
from policies.wording import REASONS
from tests.shared import CASES

OWN = Path(__file__).resolve().parent / "cases_own.json"
BERLIN = {"timezone": "Europe/Berlin"}
SHANGHAI = {"timezone": "Asia/Shanghai"}
MEMORY = {"namespace": ["support", "tickets", "eu"], "kind": "episode"}


def expire(key: str, days: int, **fields: Any) -> dict[str, Any]:
    """An expire rule of so many days."""
    return {"key": key, "kind": "expire", "after": {"days": days}, **fields}


def explained(
    rules: list[Any], at: str, *, lang: Any = "en", settings: Any = None, **memory: Any
) -> Explanation:
    """The explanation of a memory of 1 January 2026, 00:00 UTC."""
    facts = {**MEMORY, "created_at": "2026-01-01T00:00:00Z", **memory}
    case = parse_case({"rules": rules, "memory": facts, "at": at, "settings": settings})
    return explain(evaluate_case(case), lang)


def roles(explanation: Explanation) -> list[tuple[str, str]]:
    """Key and role of every clause, in order."""
    return [(clause["key"], clause["role"]) for clause in explanation["clauses"]]


def because(explanation: Explanation, key: str) -> str:
    """The reason of one clause."""
    (reason,) = (c["because"] for c in explanation["clauses"] if c["key"] == key)
    return reason


def test_it_has_the_fields_of_the_contract() -> None:
    case = parse_case(json.loads(OWN.read_text("utf-8"))[0])
    explanation = explain(evaluate_case(case), memory_id="m1", ruleset=12)
    assert list(explanation) == [
        *("memory_id", "at", "ruleset", "state", "visible_until", "purge_at", "archive_at"),
        *("flags", "clauses", "next", "text"),
    ]
    assert (explanation["memory_id"], explanation["ruleset"]) == ("m1", 12)
    assert explanation["at"] == "2026-04-02T00:00:00Z"
    assert list(explanation["clauses"][0]) == ["key", "kind", "date", "role", "because"]
    assert json.loads(json.dumps(explanation)) == explanation


MOCK_RULES = [
    {"key": "cap", "kind": "cap", "after": {"months": 36}, "class": "personal"},
    {"key": "contact", "kind": "keep", "after": {"months": 3}, "namespace": ["support"]},
    expire("tickets", 180, anchor="updated", namespace=["support", "tickets"]),
    expire("episodes", 365, memory_kind="episode"),
    expire("broader", 365, namespace=["support"], memory_kind="episode"),
    {
        "key": "mask",
        "kind": "anonymise",
        "after": {"days": 30},
        "anchor": "event:ticket.closed",
    },
    expire("chat", 30, namespace=["support", "chat"]),
]
MOCK_FACTS = {
    "created_at": "2025-09-02T09:14:06Z",
    "updated_at": "2025-09-25T12:06:00Z",
    "classes": ["personal"],
    "ttl_expires_at": "2026-10-07T09:14:06Z",
}


def test_the_page_of_the_mock_in_words() -> None:
    at = "2026-03-12T08:42:17Z"
    english = explained(MOCK_RULES, at, settings=BERLIN, **MOCK_FACTS)
    assert roles(english) == [
        ("cap", "lost"),
        ("contact", "lost"),
        ("tickets", "won"),
        ("broader", "lost"),
        ("episodes", "lost"),
        ("ttl", "lost"),
        ("mask", "waiting"),
        ("chat", "not_matched"),
    ]
    assert english["text"].startswith(
        "Leaves use on 24 Mar 2026, 13:06 (12 days from now) because of the rule “tickets”; "
        "destroyed on 23 Apr 2026, 14:06, after 30 days in the trash."
    )
    assert because(english, "cap") == "would decide if nothing ended it sooner"
    assert because(english, "contact") == "earlier than the purge date"
    assert because(english, "tickets") == "deepest namespace, 2 labels"
    assert because(english, "broader") == "“tickets” is narrower"
    assert because(english, "ttl") == "longer than “tickets”; an agent may only shorten"
    assert because(english, "mask") == "the event ticket.closed has not come"
    assert because(english, "chat") == "only for memories under support/chat/"
    assert [(step["what"], step["at"]) for step in english["next"]] == [
        ("leaves_use", "2026-03-24T12:06:00Z"),
        ("destroyed", "2026-04-23T12:06:00Z"),
    ]
    chinese = explained(
        MOCK_RULES, at, lang="zh", settings={"timezone": "Asia/Shanghai"}, **MOCK_FACTS
    )
    assert chinese["text"].startswith(
        "2026年3月24日 20:06（12 天后）停止使用，依据规则“tickets”；"
        "2026年4月23日 20:06 彻底删除（在回收站保留 30 天之后）。"
    )
    assert because(chinese, "tickets") == "命名空间最深，2 级"
    assert roles(chinese) == roles(english)


def test_the_strongest_ground_stands_first() -> None:
    rules = [
        expire("wide", 90),
        {"key": "business", "kind": "keep", "after": {"days": 100}},
        {"key": "cap", "kind": "cap", "after": {"days": 400}},
        {"key": "law", "kind": "keep", "after": {"days": 200}, "statutory": True},
        expire("label", 80, label="contract"),
    ]
    explanation = explained(
        rules,
        "2026-06-01T00:00:00Z",
        label="contract",
        holds=[{"placed_at": "2026-02-01T00:00:00Z"}],
        restricted_at="2026-05-01T00:00:00Z",
        ttl_expires_at="2026-02-01T00:00:00Z",
    )
    assert [clause["key"] for clause in explanation["clauses"]] == [
        *("hold", "law", "restriction", "cap", "business", "label", "wide", "ttl"),
    ]


def test_a_hold_goes_by_its_matter_when_it_is_known() -> None:
    case = parse_case(json.loads(OWN.read_text("utf-8"))[0])
    evaluation = evaluate_case(case)
    held = evaluation.found.memory.__class__(
        namespace=("crm",),
        created_at=evaluation.found.memory.created_at,
        holds=(Hold(evaluation.found.memory.created_at, matter="H-14"),),
    )
    explanation = explain(evaluate_case(type(case)(memory=held, at=evaluation.at)))
    assert roles(explanation) == [("H-14", "won")]


@pytest.mark.parametrize(
    ("memory", "key", "role", "reason"),
    [
        ({"deleted_at": "2026-01-20T00:00:00Z"}, "delete", "won", "the agent deleted it"),
        ({"deleted_at": "2026-04-02T00:00:00Z"}, "delete", "lost", "it was out of use already"),
        (
            {"deleted_at": "2026-01-20T00:00:00Z", "restored_at": "2026-01-21T00:00:00Z"},
            "delete",
            "not_matched",
            "restored since, on 21 Jan 2026, 00:00",
        ),
        (
            {"erasure_approved_at": "2026-02-01T00:00:00Z"},
            "erasure",
            "won",
            "an approved erasure ends use and bytes",
        ),
        (
            {"source_erased_at": "2026-02-01T00:00:00Z"},
            "erasure",
            "won",
            "a source of this memory was erased",
        ),
        (
            {"source_caps": ["2026-02-01T00:00:00Z"]},
            "source_cap",
            "won",
            "the shortest cap; nothing overrides it",
        ),
        ({"quarantined": True}, "quarantine", "won", "a detector hid it"),
        (
            {"dates_moved_at": "2026-04-29T00:00:00Z"},
            "dates_moved",
            "won",
            "dates moved earlier on 29 Apr 2026, 00:00; nothing is destroyed before 6 May 2026, "
            "00:00",
        ),
    ],
)
def test_what_is_no_rule_is_a_clause_too(memory: Any, key: str, role: str, reason: str) -> None:
    explanation = explained([expire("e", 90)], "2026-05-01T00:00:00Z", **memory)
    assert (key, role) in roles(explanation)
    assert because(explanation, key) == reason


def test_a_fallback_and_a_notice_are_said() -> None:
    rule = {
        **expire("o", 30),
        "anchor": "event:done",
        "fallback": {"days": 60},
        "active_since": "2026-04-30T00:00:00Z",
    }
    explanation = explained([rule], "2026-05-01T00:00:00Z")
    assert because(explanation, "o") == (
        "the tenant-wide rule; nothing is narrower; the event done has not come, so the fallback "
        "counts; in force since 30 Apr 2026, 00:00 only, so nothing is destroyed before 7 May "
        "2026, 00:00"
    )
    assert explanation["next"][0]["because"] == "when the notice period ends"


def test_what_an_earlier_end_makes_moot_is_not_announced() -> None:
    rules = [
        {"key": "late", "kind": "archive", "after": {"days": 200}},
        {"key": "mask", "kind": "anonymise", "after": {"days": 100}},
        expire("e", 90),
    ]
    explanation = explained(rules, "2026-01-02T00:00:00Z")
    steps = [step["what"] for step in explanation["next"]]
    assert steps == ["leaves_use", "anonymised", "destroyed"]
    assert ("late", "lost") in roles(explanation)


@pytest.mark.parametrize(
    ("memory", "text"),
    [
        ({}, "Stays in use: no date ends it. No rule covers it, so it is kept."),
        (
            {"ttl_expires_at": "2026-01-02T00:00:00Z"},
            "Leaves use on 2 Jan 2026, 00:00 (12 hours from now) because of the agent’s TTL; "
            "destroyed on 3 Jan 2026, 00:00, after 1 day in the trash.",
        ),
        (
            {"holds": [{"placed_at": "2026-01-01T00:00:00Z"}]},
            "Stays in use: no date ends it; not destroyed while a legal hold is open. "
            "No rule covers it, so it is kept.",
        ),
    ],
)
def test_the_text_says_what_happens(memory: Any, text: str) -> None:
    assert explained([], "2026-01-01T12:00:00Z", **memory)["text"] == text


def test_no_sentence_of_either_language_is_missing_or_mixed() -> None:
    for english, chinese in REASONS.values():
        assert english.isascii() or set(english) - set(map(chr, range(128))) <= set("“”’")
        assert any("\u4e00" <= character <= "\u9fff" for character in chinese)
        assert set(_names(chinese)) <= set(_names(english)) | {"depth"}


def _names(template: str) -> list[str]:
    return [part.split("}")[0] for part in template.split("{")[1:]]


def test_every_example_explains_itself_in_both_languages() -> None:
    files = [file for file in (OWN, CASES / "retention.json") if file.exists()]
    for case in (c for file in files for c in parse_cases(json.loads(file.read_text("utf-8")))):
        evaluation = evaluate_case(case)
        english, chinese = explain(evaluation, "en"), explain(evaluation, "zh")
        assert "{" not in json.dumps([english, chinese])[1:].replace('{"', "")
        assert roles(english) == roles(chinese)
        assert english["clauses"] is not chinese["clauses"]
        assert "  " not in english["text"]
        assert english["text"].endswith(".")
        assert chinese["text"].endswith("。")
