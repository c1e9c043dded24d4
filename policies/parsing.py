"""The wire format of rules (RETENTION.md, API.md) to dataclasses and back.

Refused with Invalid (422): unknown fields, and what makes no sense together. What only a rule set
needs, and a worked example does not (the citation of a statutory rule; that no rule ends a memory
at its very creation), is checked by `parse_rules` alone.

Stable codes: required, invalid_type, unknown_field, unknown_value, out_of_range, too_short,
too_long, naive_instant, bad_instant, not_together, duplicate_key, citation_required,
ends_at_creation.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, NamedTuple

from policies.facts import ENDS, EVENT, KINDS, Duration, Kind, Rule
from policies.reading import Faults, Fields, parse_list
from tenants.clock import instant_as_wire

_MILLENNIUM: Final = {"months": 12_000, "days": 365_250, "hours": 8_766_000, "minutes": 525_960_000}
_MOST: Final = 1_000_000_000
_ANCHORS: Final = ("created", "updated", "accessed")
_FORMS: Final[dict[str, tuple[Kind, ...]]] = {  # fields that only some kinds have
    "end": ("expire",),
    "weight": ("degrade",),
    "unless_accessed": ("expire", "archive", "degrade"),
}
_UNREADABLE: Final = Rule(key="", kind="keep", after=Duration(days=1))


class _Timing(NamedTuple):
    after: Duration | None
    strength_below: float | None
    anchor: str
    fallback: Duration | None


def parse_rules(raw: object, path: str = "rules") -> tuple[Rule, ...]:
    """The rules of a rule set. `active_since` is read-only: given or not, it is dropped."""
    faults = Faults()
    rules = read_rules(raw, path, faults)
    for index, rule in enumerate(rules):
        _check_publishable(rule, f"{path}[{index}]", faults)
    faults.raise_if_any()
    return tuple(replace(rule, active_since=None) for rule in rules)


def parse_rule(raw: object, path: str = "") -> Rule:
    """One rule as a worked example gives it, with its `active_since`."""
    faults = Faults()
    rule = read_rule(raw, path, faults)
    faults.raise_if_any()
    return rule


def read_rules(raw: object, path: str, faults: Faults) -> tuple[Rule, ...]:
    """A list of rules with unique keys; faults are noted."""
    rules = parse_list(raw, path, faults, each=read_rule)
    seen: set[str] = set()
    for index, rule in enumerate(rules):
        if rule.key in seen:
            faults.note(f"{path}[{index}].key", "duplicate_key", f"`{rule.key}` is taken")
        if rule is not _UNREADABLE:
            seen.add(rule.key)
    return rules


def read_rule(raw: object, path: str, faults: Faults) -> Rule:
    """One rule; faults are noted, and the answer means nothing then."""
    before = len(faults)
    fields = Fields(raw, path, faults)
    fields.require("key", "kind")
    key, kind = fields.text("key"), fields.one_of("kind", KINDS) or "keep"
    _check_form(fields, kind)
    timing = _read_timing(fields, kind)
    if key is not None and (len(key) > 128 or not key.isprintable() or key != key.strip()):
        fields.note("key", "out_of_range", "give a key of at most 128 printable characters")
    rule: dict[str, Any] = {
        "namespace": fields.texts("namespace"),
        "memory_kind": fields.text("memory_kind"),
        "data_class": fields.text("class"),
        "label": fields.text("label"),
        "unless_accessed": fields.whole("unless_accessed", (1, _MOST)),
        "end": fields.one_of("end", ENDS) or "trash",
        "weight": fields.number("weight", (0, 1)) or 0,
        "statutory": fields.flag("statutory"),
        "citation": fields.text("citation"),
        "locked": fields.flag("locked"),
        "owner": fields.text("owner"),
        "review_by": fields.day("review_by"),
        "active_since": fields.instant("active_since"),
    }
    if rule["statutory"] and kind != "keep":
        fields.note("statutory", "not_together", "only a keep rule can be statutory")
    fields.refuse_others()
    if len(faults) > before:
        return _UNREADABLE
    return Rule(key=key or "", kind=kind, **timing._asdict(), **rule)


def read_duration(raw: object, path: str, faults: Faults) -> Duration:
    """`{"days": 90}`: months, days, hours, minutes, at least one of them; months are whole."""
    fields = Fields(raw, path, faults)
    is_given = any(fields.has(unit) for unit in _MILLENNIUM)
    months = fields.whole("months", (0, _MILLENNIUM["months"])) or 0
    exact = {
        unit: fields.number(unit, (0, _MILLENNIUM[unit])) or 0
        for unit in ("days", "hours", "minutes")
    }
    fields.refuse_others()
    if isinstance(raw, dict) and not is_given:
        faults.note(path, "required", "give months, days, hours or minutes")
    return Duration(months=months, **exact)


def _check_form(fields: Fields, kind: Kind) -> None:
    for name, kinds in _FORMS.items():
        if fields.has(name) and kind not in kinds:
            fields.note(name, "not_together", f"`{name}` belongs to {', '.join(kinds)} only")


def _read_timing(fields: Fields, kind: Kind) -> _Timing:
    if fields.has("after") and fields.has("strength_below"):
        fields.note("after", "not_together", "give either `after` or `strength_below`")
    elif not fields.has("strength_below"):
        fields.require("after")
    after = _read_period(fields, "after")
    strength = fields.number("strength_below", (0, 1))
    if strength in (0, 1):
        fields.note("strength_below", "out_of_range", "give a strength between 0 and 1")
    anchor = fields.text("anchor") or "created"
    fallback = _read_period(fields, "fallback")
    is_event = anchor.startswith(EVENT) and len(anchor) > len(EVENT)
    if not is_event and anchor not in _ANCHORS:
        fields.note("anchor", "unknown_value", "give created, updated, accessed or event:<type>")
    elif fallback is not None and not is_event:
        fields.note("fallback", "not_together", "only a rule counted from an event has a fallback")
    elif kind == "cap" and anchor in ("updated", "accessed"):
        fields.note("anchor", "not_together", "a cap counts from the creation or from an event")
    elif kind == "cap" and is_event and fallback is None:
        fields.note("fallback", "required", "a cap counted from an event needs a fallback")
    return _Timing(after, strength, anchor, fallback)


def _read_period(fields: Fields, name: str) -> Duration | None:
    raw = fields.take(name)
    return None if raw is None else read_duration(raw, fields.at(name), fields.faults)


def _check_publishable(rule: Rule, path: str, faults: Faults) -> None:
    if rule.statutory and not rule.citation:
        faults.note(f"{path}.citation", "citation_required", "a statutory rule cites its law")
    if rule.kind not in ("expire", "cap"):
        return
    detail = "the rule would end every memory at its creation"
    if rule.after is not None and rule.after.is_zero and rule.event is None:
        faults.note(f"{path}.after", "ends_at_creation", detail)
    if rule.fallback is not None and rule.fallback.is_zero:
        faults.note(f"{path}.fallback", "ends_at_creation", detail)


def rule_as_wire(rule: Rule) -> dict[str, Any]:
    """The rule as JSON: what is set, and always the anchor and the namespace."""
    wire: dict[str, Any] = {"key": rule.key, "kind": rule.kind}
    if rule.after is not None:
        wire["after"] = duration_as_wire(rule.after)
    wire["strength_below"] = rule.strength_below
    wire["anchor"] = rule.anchor
    wire["fallback"] = duration_as_wire(rule.fallback) if rule.fallback is not None else None
    wire["namespace"] = list(rule.namespace)
    wire["memory_kind"] = rule.memory_kind
    wire["class"] = rule.data_class
    wire["label"] = rule.label
    wire["unless_accessed"] = rule.unless_accessed
    wire["end"] = rule.end if rule.kind == "expire" else None
    wire["weight"] = rule.weight if rule.kind == "degrade" else None
    wire["statutory"] = rule.statutory or None
    wire["citation"] = rule.citation
    wire["locked"] = rule.locked or None
    wire["owner"] = rule.owner
    wire["review_by"] = rule.review_by.isoformat() if rule.review_by is not None else None
    since = rule.active_since
    wire["active_since"] = instant_as_wire(since) if since is not None else None
    return {name: value for name, value in wire.items() if value is not None}


def duration_as_wire(duration: Duration) -> dict[str, float]:
    """The units that are not zero, or zero days."""
    units = {
        "months": duration.months,
        "days": duration.days,
        "hours": duration.hours,
        "minutes": duration.minutes,
    }
    return {unit: number for unit, number in units.items() if number} or {"days": 0}


def content_of(rule: Rule) -> Rule:
    """What a rule does: `active_since` goes on while this stays the same under one key."""
    return replace(rule, owner=None, citation=None, review_by=None, active_since=None)
