"""What differs between two versions of the rules. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

Wire = Mapping[str, Any]


class Change(TypedDict):
    """One rule that both versions have, with other content."""

    key: str
    before: Wire
    after: Wire


class Difference(TypedDict):
    """Rules in the wire format: those only the new version has, those only the old one had."""

    added: list[Wire]
    removed: list[Wire]
    changed: list[Change]


def compare_rules(before: Iterable[Wire], after: Iterable[Wire]) -> Difference:
    """The difference by key, in the order of each version."""
    old = {rule["key"]: rule for rule in before}
    new = {rule["key"]: rule for rule in after}
    return Difference(
        added=[rule for key, rule in new.items() if key not in old],
        removed=[rule for key, rule in old.items() if key not in new],
        changed=[
            Change(key=key, before=old[key], after=rule)
            for key, rule in new.items()
            if key in old and old[key] != rule
        ],
    )
