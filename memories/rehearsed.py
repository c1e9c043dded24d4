"""The memories behind the numbers of a simulation, as long as its dates are staged."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from memories.namespaces import narrow
from memories.statements.moving import Effect, Moved, list_moved
from policies.versions import find_version
from tenants.authorising import require
from tenants.context import now
from tenants.ids import PLATFORM_TENANT
from tenants.roles import Action
from tenants.snapshots import tenant_settings


@dataclass(frozen=True, slots=True)
class MovedPage:
    """`is_staged` is False when another version's dates stand beside the current ones now."""

    is_staged: bool
    at: datetime
    rows: list[Moved]
    next: UUID | None


def list_rehearsed(
    n: int, effect: Effect, *, namespace: str = "", kind: str = "", after: UUID | None = None,
    limit: int = 50,
) -> MovedPage:  # fmt: skip
    """Whom the version would move in this way, below a stored prefix, by id. Raises Missing."""
    actor = require(Action.SEE_FIGURES)
    with transaction.atomic():
        version, at = find_version(n), now()
        if tenant_settings().staged_ruleset != n or version.simulation is None:
            return MovedPage(False, at, [], None)
        rows = list_moved(
            effect, ruleset=n, prefixes=narrow(actor.prefixes, namespace), kind=kind, at=at,
            after=after or PLATFORM_TENANT, limit=limit + 1,
        )  # fmt: skip
    return MovedPage(True, at, rows[:limit], rows[limit - 1].id if len(rows) > limit else None)
