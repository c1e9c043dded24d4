"""Worked examples: the case format of RETENTION.md, and running a case against the engine.

Used by `manage.py policy_test`, by the examples inside a rule set, and by `/policies/evaluate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, get_args

from policies.engine import evaluate
from policies.facts import INSTANTS, Hold, MemoryFacts, Rule, Settings
from policies.outcomes import Evaluation, State
from policies.parsing import read_rules, rule_as_wire
from policies.reading import EARLIEST, Faults, Fields, parse_instant, parse_list
from tenants.clock import instant_as_wire

_DATES: Final = ("visible_until", "purge_at", "archive_at", "anonymise_at", "degrade_at")
_STATES: Final[tuple[State, ...]] = get_args(State)
_TOLERANCE: Final = timedelta(milliseconds=1)
_MOST: Final = 1_000_000_000
_MOST_DAYS: Final = 36_525
_MEMORY_INSTANTS: Final = tuple(name for name in INSTANTS if name != "created_at")


@dataclass(frozen=True, slots=True)
class Case:
    """One worked example. `rules` is None when the rules come from elsewhere (a rule set).

    `expect` maps some of state, visible, flags and the five dates (instants or None) to what they
    should be; it is empty for a what-if.
    """

    memory: MemoryFacts
    at: datetime
    rules: tuple[Rule, ...] | None = None
    settings: Settings = field(default_factory=Settings)
    expect: Mapping[str, object] = field(default_factory=dict)
    name: str = ""
    because: str = ""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What running a case showed, as JSON; `differs` names the fields that are not as expected."""

    name: str
    because: str
    expected: dict[str, Any]
    got: dict[str, Any]
    differs: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether everything is as expected."""
        return not self.differs


def run_case(case: Case) -> CaseResult:
    """Evaluate the case and compare what it expects; instants agree within a millisecond."""
    evaluation = evaluate_case(case)
    got = {name: getattr(evaluation, name) for name in case.expect}
    differs = tuple(name for name, value in case.expect.items() if not _agree(value, got[name]))
    return CaseResult(case.name, case.because, _as_json(case.expect), _as_json(got), differs)


def run_examples(cases: Iterable[Case], rules: Sequence[Rule]) -> list[CaseResult]:
    """The examples of a rule set, against the rules of the set whatever rules a case carries.

    A rule counts as active since ever, unless the case gives the same key an `active_since`.
    """
    results = []
    for case in cases:
        since = {rule.key: rule.active_since for rule in case.rules or ()}
        dated = tuple(replace(rule, active_since=since.get(rule.key)) for rule in rules)
        results.append(run_case(replace(case, rules=dated)))
    return results


def evaluate_case(case: Case) -> Evaluation:
    """The engine's answer; a case without rules of its own is evaluated under none."""
    return evaluate(case.rules or (), case.memory, case.settings, case.at)


def parse_case(raw: object, path: str = "") -> Case:
    """One case; only `memory` and `at` are required. Invalid (422) names each fault."""
    faults = Faults()
    case = _read_case(raw, path, faults)
    faults.raise_if_any()
    return case


def parse_cases(raw: object, path: str = "cases") -> tuple[Case, ...]:
    """The examples of a rule set or of a file: each has a name and expects something."""
    faults = Faults()
    cases = parse_list(raw, path, faults, each=_read_case)
    for index, case in enumerate(cases):
        for name in ("name", "expect"):
            if not getattr(case, name):
                faults.note(f"{path}[{index}].{name}", "required", f"`{name}` is missing")
    faults.raise_if_any()
    return cases


def _read_case(raw: object, path: str, faults: Faults) -> Case:
    fields = Fields(raw, path, faults)
    fields.require("memory", "at")
    rules = fields.take("rules")
    memory, settings, expect = (fields.take(name) for name in ("memory", "settings", "expect"))
    case = Case(
        memory=_read_memory(memory or {}, fields.at("memory"), faults),
        at=fields.instant("at") or EARLIEST,
        rules=None if rules is None else read_rules(rules, fields.at("rules"), faults),
        settings=_read_settings(settings or {}, fields.at("settings"), faults),
        expect=_read_expect(expect or {}, fields.at("expect"), faults),
        name=fields.text("name") or "",
        because=fields.text("because") or "",
    )
    fields.refuse_others()
    return case


def _read_settings(raw: object, path: str, faults: Faults) -> Settings:
    fields = Fields(raw, path, faults)
    trash_days = fields.whole("trash_days", (0, _MOST_DAYS))
    notice_days = fields.whole("notice_days", (1, _MOST_DAYS))
    timezone = fields.text("timezone") or "UTC"
    fields.refuse_others()
    settings = Settings(
        trash_days=30 if trash_days is None else trash_days, notice_days=notice_days or 7
    )
    try:
        return replace(settings, timezone=timezone)
    except (KeyError, ValueError, OSError):  # zoneinfo: unknown, not a key, a folder
        fields.note("timezone", "unknown_timezone", "give a zone as in Asia/Shanghai")
        return settings


def _read_memory(raw: object, path: str, faults: Faults) -> MemoryFacts:
    fields = Fields(raw, path, faults)
    fields.require("namespace", "created_at")
    decay = fields.number("decay", (0, 1))
    if decay == 0:
        fields.note("decay", "out_of_range", "give a decay above 0")
    events = Fields(fields.take("events") or {}, fields.at("events"), faults)
    instants = {name: fields.instant(name) for name in _MEMORY_INSTANTS}
    memory = MemoryFacts(
        namespace=fields.texts("namespace"),
        created_at=fields.instant("created_at") or EARLIEST,
        kind=fields.text("kind") or "fact",
        access_count=fields.whole("access_count", (0, _MOST)) or 0,
        decay=decay or 1,
        classes=frozenset(fields.texts("classes")),
        label=fields.text("label"),
        quarantined=fields.flag("quarantined"),
        source_caps=fields.listed("source_caps", parse_instant),
        holds=fields.listed("holds", _read_hold),
        events={name: events.instant(name) or EARLIEST for name in events.names()},
        **instants,
    )
    fields.refuse_others()
    return memory


def _read_hold(raw: object, path: str, faults: Faults) -> Hold:
    fields = Fields(raw, path, faults)
    fields.require("placed_at")
    hold = Hold(fields.instant("placed_at") or EARLIEST, fields.instant("released_at"))
    fields.refuse_others()
    return hold


def _read_expect(raw: object, path: str, faults: Faults) -> dict[str, object]:
    fields = Fields(raw, path, faults)
    expect: dict[str, object] = {}
    if fields.mentions("state"):
        expect["state"] = fields.one_of("state", _STATES)
    if fields.mentions("visible"):
        expect["visible"] = fields.flag("visible")
    for name in _DATES:
        if fields.mentions(name):
            expect[name] = fields.instant(name)
    if fields.mentions("flags"):
        expect["flags"] = tuple(sorted(fields.texts("flags")))
    fields.refuse_others()
    return expect


def case_as_wire(case: Case) -> dict[str, Any]:
    """The case as JSON, with what is not a default."""
    settings = case.settings
    wire = {
        "name": case.name or None,
        "settings": {
            "trash_days": settings.trash_days,
            "notice_days": settings.notice_days,
            "timezone": settings.timezone,
        },
        "rules": None if case.rules is None else [rule_as_wire(rule) for rule in case.rules],
        "memory": memory_as_wire(case.memory),
        "at": instant_as_wire(case.at),
        "expect": _as_json(case.expect) or None,
        "because": case.because or None,
    }
    return {name: value for name, value in wire.items() if value is not None}


def memory_as_wire(memory: MemoryFacts) -> dict[str, Any]:
    """The facts of a memory as JSON, with what is not a default."""
    holds = [
        _as_json({"placed_at": hold.placed_at, "released_at": hold.released_at})
        for hold in memory.holds
    ]
    wire: dict[str, Any] = {
        "namespace": list(memory.namespace),
        "kind": memory.kind,
        "created_at": instant_as_wire(memory.created_at),
        "access_count": memory.access_count,
        "decay": memory.decay,
        "classes": sorted(memory.classes),
        "label": memory.label,
        "quarantined": memory.quarantined or None,
        "source_caps": [instant_as_wire(cap) for cap in memory.source_caps] or None,
        "holds": holds or None,
        "events": _as_json(memory.events) or None,
        **_as_json({name: getattr(memory, name) for name in _MEMORY_INSTANTS}),
    }
    return {name: value for name, value in wire.items() if value is not None}


def _as_json(values: Mapping[str, object]) -> dict[str, Any]:
    return {name: _value_as_json(value) for name, value in values.items()}


def _value_as_json(value: object) -> object:
    if isinstance(value, datetime):
        return instant_as_wire(value)
    return list(value) if isinstance(value, tuple) else value


def _agree(expected: object, got: object) -> bool:
    if isinstance(expected, datetime) and isinstance(got, datetime):
        return abs(expected - got) <= _TOLERANCE
    return expected == got
