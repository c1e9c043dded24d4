"""What hypothesis draws for the engine: valid rules, memories, settings, and instants that meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from policies.facts import Duration, Hold, MemoryFacts, Rule, Settings
from policies.outcomes import Evaluation

START = datetime(2026, 1, 1, tzinfo=UTC)
FAR = datetime.max.replace(tzinfo=UTC)
ZONES = ("UTC", "Europe/Berlin", "Asia/Shanghai", "America/St_Johns", "Pacific/Apia")
QUICK = settings(
    max_examples=20,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
THOROUGH = settings(QUICK, max_examples=500)

# Few distinct days, so that dates meet: most faults live where two dates are equal.
days = st.integers(0, 40).map(lambda n: START + timedelta(days=5 * n))
instants = days | days | st.integers(0, 200 * 86_400).map(lambda n: START + timedelta(seconds=n))
durations = st.builds(
    Duration,
    months=st.sampled_from([0, 0, 0, 1, 12]),
    days=st.sampled_from([0, 5, 10, 30, 90, 180]),
    minutes=st.sampled_from([0, 0, 1]),
)
EVENTS = ("event:done", "event:closed")
SPANS = st.none() | durations


@st.composite
def rules(draw: Any, kinds: Any = None) -> Rule:
    """One valid rule of any kind, or of the kinds given."""
    kinds = kinds or ("keep", "expire", "cap", "archive", "anonymise", "degrade")
    kind = draw(st.sampled_from(kinds))
    anchors = ("created", *EVENTS) if kind == "cap" else ("created", "updated", "accessed", *EVENTS)
    anchor = draw(st.sampled_from(anchors))
    fades = draw(st.integers(0, 5)) == 0
    is_event = anchor in EVENTS
    return Rule(
        key=draw(st.sampled_from("abcdefgh")),
        kind=kind,
        after=None if fades else draw(durations),
        strength_below=draw(st.sampled_from([0.05, 0.5])) if fades else None,
        anchor=anchor,
        fallback=draw(durations if kind == "cap" else SPANS) if is_event else None,
        namespace=draw(st.sampled_from([(), (), ("a",), ("a", "b"), ("z",)])),
        memory_kind=draw(st.sampled_from([None, None, "episode", "fact"])),
        data_class=draw(st.sampled_from([None, None, "personal"])),
        label=draw(st.sampled_from([None, None, None, "contract"])),
        unless_accessed=draw(st.sampled_from([None, 2]))
        if kind in ("expire", "archive", "degrade")
        else None,
        end=draw(st.sampled_from(["trash", "review", "archive"])) if kind == "expire" else "trash",
        weight=draw(st.sampled_from([0, 0.5])) if kind == "degrade" else 0,
        statutory=kind == "keep" and draw(st.booleans()),
        active_since=draw(st.none() | instants),
    )


@st.composite
def rule_lists(draw: Any, kinds: Any = None) -> tuple[Rule, ...]:
    """Up to six rules with keys of their own."""
    drawn = draw(st.lists(rules(kinds), max_size=6))
    return tuple(replace(rule, key=f"{rule.key}{n}") for n, rule in enumerate(drawn))


holds = st.builds(
    lambda placed, length: Hold(placed, None if length is None else placed + length),
    instants,
    st.none() | st.integers(0, 60).map(lambda n: timedelta(days=n)),
)
rarely = st.none() | st.none() | days
memories = st.builds(
    MemoryFacts,
    namespace=st.sampled_from([("a",), ("a", "b"), ("a", "b", "c"), ("q",)]),
    created_at=days,
    kind=st.sampled_from(["fact", "episode"]),
    updated_at=rarely,
    accessed_at=rarely,
    access_count=st.integers(0, 3),
    decay=st.sampled_from([1, 0.95, 0.5]),
    classes=st.sampled_from([frozenset(), frozenset({"personal"})]),
    label=st.sampled_from([None, None, "contract"]),
    ttl_expires_at=rarely,
    deleted_at=rarely,
    restored_at=rarely,
    reviewed_at=rarely,
    quarantined=st.integers(0, 9).map(lambda n: n == 0),
    erasure_verified_at=rarely,
    erasure_approved_at=rarely,
    restricted_at=rarely,
    source_erased_at=rarely,
    source_caps=st.lists(instants, max_size=2).map(tuple),
    holds=st.lists(holds, max_size=2).map(tuple),
    events=st.dictionaries(st.sampled_from(["done", "closed"]), instants, max_size=2),
    dates_moved_at=rarely,
)
tenants = st.builds(
    Settings,
    trash_days=st.sampled_from([0, 1, 30]),
    notice_days=st.sampled_from([1, 7]),
    timezone=st.sampled_from(ZONES),
)
worlds = st.tuples(rule_lists(), memories, tenants, instants)


def purge_of(evaluation: Evaluation) -> datetime:
    """The purge date, with "none" as the end of time."""
    return evaluation.purge_at or FAR


def due_of(evaluation: Evaluation) -> datetime:
    """The same without the suspensions."""
    return evaluation.due_at or FAR


def end_of(evaluation: Evaluation) -> datetime:
    """The end of use, with "none" as the end of time."""
    return evaluation.visible_until or FAR


def is_ahead(rule: Rule, at: datetime) -> bool:
    """Whether the rule becomes active only after that instant."""
    return rule.active_since is not None and rule.active_since > at


def holding_for(
    *drawn: Any, register: list[Callable[[], None]]
) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """A property with few examples; `register` gets the same one with many (`make test-all`)."""

    def decorate(test: Callable[..., None]) -> Callable[[], None]:
        many: Callable[[], None] = THOROUGH(given(*drawn)(test))
        register.append(many)
        few: Callable[[], None] = QUICK(given(*drawn)(test))
        return few

    return decorate
