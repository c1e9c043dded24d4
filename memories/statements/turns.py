"""Turns of a tenant's writers: many side by side, or one alone, until the transaction ends."""

from __future__ import annotations

from django.db import connection

from tenants.context import current_tenant_id

_TOGETHER = "SELECT pg_advisory_xact_lock_shared(hashtextextended(%s, 0))"
_ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


def take_turn(*, alone: bool) -> None:
    """Wait for the turn; the first statement of a write, before any row is locked.

    Postgres serves who waits in the order of coming, so nobody who wants to be alone is passed by
    those who come later. A statement after this one sees all that was committed before the turn.
    """
    with connection.cursor() as cursor:
        cursor.execute(_ALONE if alone else _TOGETHER, [f"writers:{current_tenant_id()}"])
