"""Editing a draft rule by rule: pure changes of its content, written if nobody was faster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction

from memoryhub.errors import Conflict, Missing
from policies.drafting import write_rules
from policies.models import RuleSet
from policies.versions import find_version, lock_tenant

Wire = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Content:
    """What a version says, in the wire format."""

    rules: Sequence[Any]
    cases: Sequence[Any]
    note: str


def put_rule(content: Content, place: int, rule: Wire) -> Content:
    """The rule at that place, or at the end when the place is the number of rules. Missing."""
    if place > len(content.rules):
        raise Missing("There is no such rule.")
    rules = [*content.rules[:place], rule, *content.rules[place + 1 :]]
    return replace(content, rules=rules)


def drop_rule(content: Content, place: int) -> Content:
    """Without the rule at that place. Missing."""
    _require_place(content, place)
    return replace(content, rules=[*content.rules[:place], *content.rules[place + 1 :]])


def copy_rule(content: Content, place: int) -> Content:
    """With a copy right after the rule, under a key that is free and not locked. Missing."""
    _require_place(content, place)
    rule = content.rules[place]
    taken = {one["key"] for one in content.rules}
    stem = rule["key"][:120]
    key = next(key for number in range(2, 1000) if (key := f"{stem}-{number}") not in taken)
    copied = {name: value for name, value in rule.items() if name != "locked"} | {"key": key}
    rules = [*content.rules[: place + 1], copied, *content.rules[place + 1 :]]
    return replace(content, rules=rules)


def move_rule(content: Content, place: int, by: int) -> Content:
    """The rule so many places further down (or up, when negative), as far as there is room."""
    _require_place(content, place)
    rules = list(content.rules)
    rule = rules.pop(place)
    rules.insert(min(max(place + by, 0), len(rules)), rule)
    return replace(content, rules=rules)


def _require_place(content: Content, place: int) -> None:
    if place >= len(content.rules):
        raise Missing("There is no such rule.")


def edit_version(n: int, *, seen: str, edit: Callable[[Content], Content]) -> RuleSet:
    """Write what `edit` makes of the version whose hash the editor saw.

    Raises Conflict `rules_changed` when somebody wrote it meanwhile, and what `write_rules` raises.
    """
    with transaction.atomic():
        lock_tenant()
        version = find_version(n)
        if version.hash != seen:
            raise Conflict("Somebody changed these rules meanwhile.", code="rules_changed")
        wanted = edit(Content(version.rules, version.cases, version.note))
        return write_rules(n, rules=wanted.rules, cases=wanted.cases, note=wanted.note)
