"""What a sweep covers: a memory belongs to its deepest sweep scope only, enabled or not.

A scope that is not enabled pauses what cannot be undone (destroying, anonymising) and whatever else
a sweep does there; hiding goes on, everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memories.models import SweepScope
from memories.statements.sweep import Area
from tenants.context import now


@dataclass(frozen=True, slots=True)
class Plan:
    """What one sweep covers: where it hides, and where it acts and destroys (pauses left out)."""

    prefix: str
    hides: Area
    acts: tuple[Area, ...]
    at: datetime | None = None

    def instant(self) -> datetime:
        """The instant it is judged by: the transaction's, unless a forecast names another."""
        return self.at or now()


def plan_scope(prefix: str) -> Plan | None:
    """What this scope is the deepest of; None when there is no such scope."""
    scopes = _scopes()
    if prefix and prefix not in scopes:
        return None
    deeper = tuple(other for other in scopes if other != prefix and other.startswith(prefix))
    area = Area(prefix, deeper)
    return Plan(prefix, area, (area,) if scopes.get(prefix, True) else ())


def plan_everything(prefix: str, *, at: datetime | None = None) -> Plan:
    """Hides everywhere below; destroys where the deepest scope is not paused."""
    scopes = _scopes()
    outer = max((one for one in scopes if prefix.startswith(one)), key=len, default="")
    inner = [one for one in scopes if one.startswith(prefix) and one != prefix]
    areas = [Area(prefix, tuple(inner))] if scopes.get(outer, True) else []
    for one in inner:
        if scopes[one]:
            deeper = tuple(other for other in inner if other != one and other.startswith(one))
            areas.append(Area(one, deeper))
    return Plan(prefix, Area(prefix), tuple(areas), at)


def _scopes() -> dict[str, bool]:
    return {scope.namespace_prefix: scope.enabled for scope in SweepScope.objects.all()}
