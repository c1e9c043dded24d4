"""What was in use at an instant: the memories that a search could have returned then.

It is decided, not remembered: each row is given back the facts that it had, and judged by the rules
that were in force, for the same engine ignores what came later. That is exact for writes, deletes,
lifetimes, restores, rules, requests and versions. Two things are not kept and are taken as they are
now: settings of the tenant, and a label. Of what was destroyed since, its tombstone says whether it
was in use; its content is gone, as it must be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memories.dating import Regime, evaluate_then, regime_of
from memories.rows import StoredMemory
from memories.statements.known import list_existing, list_gone, versions_at
from policies.models import RuleSet
from policies.versions import rules_of
from tenants.snapshots import tenant_settings

PIECE = 1000
BEGINNING = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Known:
    """One memory that was in use. `version` None: its value of then is not kept any more."""

    id: UUID
    namespace: str
    kind: str
    state: str
    version: int | None
    destroyed: bool = False


def regime_at(at: datetime) -> Regime:
    """The rules in force at an instant, with today's settings. Inside `atomic`."""
    found = RuleSet.objects.filter(activated_at__lte=at).order_by("-activated_at", "-n").first()
    regime = regime_of(tenant_settings())
    number = 0 if found is None else found.n
    return replace(regime, rules=rules_of(found), ruleset=number, coming=None)


def list_known(
    prefixes: Sequence[str], *, at: datetime, after: UUID | None, limit: int
) -> list[Known]:
    """Up to `limit` memories in use at the instant below these prefixes, by id. Inside `atomic`."""
    regime = regime_at(at)
    found: list[Known] = []
    place: UUID | None = after or BEGINNING
    while place is not None and len(found) < limit:
        piece, place = _look(prefixes, regime, at=at, after=place)
        found += piece
    return found[:limit]


def _look(
    prefixes: Sequence[str], regime: Regime, *, at: datetime, after: UUID
) -> tuple[list[Known], UUID | None]:
    """One piece of what existed, and where the next begins (None: there is no more)."""
    rows = list_existing(prefixes, at=at, after=after, limit=PIECE)
    gone = list_gone(prefixes, at=at, after=after, limit=PIECE)
    ends = [piece[-1].id for piece in (rows, gone) if len(piece) == PIECE]
    end = min(ends, default=None)
    versions = versions_at([row.id for row in rows if row.updated_at > at], at)
    known = []
    for row in rows:
        number, written = versions.get(row.id, (None, None))
        state = _state_at(row, regime, at, written)
        if state in ("ACTIVE", "ARCHIVED"):
            current = row.version if row.updated_at <= at else number
            known.append(Known(row.id, row.namespace, row.kind, state, current))
    known += [Known(one.id, one.namespace, one.kind, "ACTIVE", None, True) for one in gone]
    known.sort(key=lambda one: one.id)
    return [one for one in known if end is None or one.id <= end], end


def _state_at(row: StoredMemory, regime: Regime, at: datetime, written: datetime | None) -> str:
    """The state that the engine gave it then.

    What was read or written after the instant was in use until that moment, for hidden rows are
    never revived by either: so its lifetime of now stands for the one of then.
    """
    then = replace(
        row,
        updated_at=row.updated_at if row.updated_at <= at else written or row.created_at,
        quarantined_at=None if (row.quarantined_at or at) > at else row.quarantined_at,
    )
    return str(evaluate_then(then, regime, at).state)
