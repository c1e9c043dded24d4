"""Whom a rule speaks about: counted live, for the list of rules and for the editor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from memories.statements.reaching import count_reach
from policies.facts import Rule
from tenants.authorising import require
from tenants.context import now
from tenants.roles import Action
from tenants.snapshots import tenant_settings


@dataclass(frozen=True, slots=True)
class Reach:
    """Memories in use that a rule speaks about, and of these the ones past its date already."""

    covers: int
    past: int


@dataclass(frozen=True, slots=True)
class Counted:
    """All memories in use that the caller may count, and the reach of each rule in order."""

    in_use: int
    reaches: list[Reach]


def measure_reach(rules: Sequence[Rule]) -> Counted:
    """Counts for these rules, each as if it stood alone. Holds, floors and caps are not known."""
    actor = require(Action.SEE_FIGURES)
    with transaction.atomic():
        in_use, pairs = count_reach(
            rules, prefixes=actor.prefixes, zone=tenant_settings().timezone, at=now()
        )
    return Counted(in_use, [Reach(*pair) for pair in pairs])
