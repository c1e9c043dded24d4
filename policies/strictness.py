"""Locked rules: whether a replacement is only stricter than the rule it replaces.

Stricter is what the rule is for: a keep protects longer, a cap ends sooner, an expire, archive,
anonymise or degrade acts sooner and harder. It must hold for every memory and every date, so what
cannot be compared (another anchor, months against days without a clear margin) counts as looser.
A keep or cap may widen its scope; the other kinds choose by level, so their scope must stay.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from memoryhub.errors import Conflict
from policies.facts import ENDS, Duration, Rule

_MONTH: Final = 146_097 / 4_800  # days, over the 400 years in which the calendar repeats
_MARGIN: Final = 4  # days: how far some months differ from the average, and a change of zone


def refuse_loosening(before: Iterable[Rule], after: Iterable[Rule]) -> None:
    """Raise Conflict `rule_locked` for the first locked rule that goes or gets looser."""
    successors = {rule.key: rule for rule in after}
    for rule in before:
        if rule.locked:
            looser = list_loosenings(rule, successors.get(rule.key))
            if looser:
                detail = f"the locked rule “{rule.key}” may only get stricter"
                raise Conflict(detail, code="rule_locked", key=rule.key, looser=list(looser))


def list_loosenings(old: Rule, new: Rule | None) -> tuple[str, ...]:
    """The fields in which `new` is not at least as strict as `old`; `("key",)`: it is gone."""
    if new is None:
        return ("key",)
    if old.kind != new.kind:
        return ("kind",)
    checks = {
        "after": _is_time_strict(old, new),
        "anchor": old.anchor == new.anchor,
        "fallback": _is_fallback_strict(old, new),
        "namespace": _is_scope_strict(old, new),
        "unless_accessed": (new.unless_accessed or _NEVER) >= (old.unless_accessed or _NEVER),
        "end": ENDS.index(new.end) <= ENDS.index(old.end),
        "weight": new.weight <= old.weight,
        "statutory": new.statutory or not old.statutory,
        "locked": new.locked,
    }
    return tuple(name for name, holds in checks.items() if not holds)


_NEVER: Final = 1_000_000_001


def _is_time_strict(old: Rule, new: Rule) -> bool:
    if old.after is not None and new.after is not None:
        return _is_ordered(old.kind, old.after, new.after)
    if old.strength_below is None or new.strength_below is None:
        return False
    if old.kind == "keep":
        return new.strength_below <= old.strength_below
    return new.strength_below >= old.strength_below


def _is_fallback_strict(old: Rule, new: Rule) -> bool:
    """Without a fallback a keep stays open, and an expire rule never ends anything."""
    if new.fallback is None or old.fallback is None:
        is_open_stricter = old.kind == "keep"
        return new.fallback is old.fallback or (new.fallback is None) is is_open_stricter
    return _is_ordered(old.kind, old.fallback, new.fallback)


def _is_ordered(kind: str, old: Duration, new: Duration) -> bool:
    return is_no_longer(old, new) if kind == "keep" else is_no_longer(new, old)


def is_no_longer(one: Duration, other: Duration) -> bool:
    """Whether `one` ends no later than `other` from every anchor, in every zone."""
    months = other.months - one.months
    rest = other.exact - one.exact
    if not months:
        return rest >= timedelta()
    return rest + timedelta(days=months * _MONTH - _MARGIN) >= timedelta()


def _is_scope_strict(old: Rule, new: Rule) -> bool:
    conditions = ("memory_kind", "data_class", "label")
    if old.kind not in ("keep", "cap"):
        return old.namespace == new.namespace and all(
            getattr(old, name) == getattr(new, name) for name in conditions
        )
    is_wider = new.namespace == old.namespace[: new.depth]
    return is_wider and all(getattr(new, name) in (None, getattr(old, name)) for name in conditions)
