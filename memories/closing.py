"""The end of a tenant: closed, dropped, its keys destroyed, and a certificate that says so.

The order. Nothing is touched while a hold or a statutory floor keeps a memory. Then the tenant is
closed, which ends every key, session and job of it; its rows are dropped in chunks; last its keys
are destroyed, and with them what older backups hold sealed (crypto-shredding). The append-only log
of events stays: it holds no content and no clear personal data, and its keyed hashes lead nowhere
without the keys. Killed anywhere, run again it goes on; the certificate is made at the end.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.db import transaction

from audit.recording import Facts, Target, record
from memories.dating import evaluate_row, regime_of
from memories.rows import StoredMemory
from memories.statements.closing import drop_chunk, droppable_tables
from memories.statements.sweep import list_rows_after
from memoryhub.errors import Conflict, Denied, Missing
from policies.standing import guarded_holds
from sealing.rotating import destroy_tenant
from tenants.actors import ActorKind, operator_actor
from tenants.context import acting_as, current_actor, now
from tenants.ids import PLATFORM_TENANT
from tenants.models import ApiKey, Membership, Schedule, Tenant
from tenants.snapshots import tenant_settings

CHUNK = 1000
BLOCKING = frozenset({"held", "statutory_floor"})


def close_tenant(slug: str) -> dict[str, Any]:
    """Close, drop, destroy; the certificate. Operators only.

    Raises Denied, Missing, Conflict `kept` (with counts by reason) while something must be kept.
    """
    if current_actor().kind is not ActorKind.OPERATOR:
        raise Denied("Only the operator closes a tenant.", code="operators_only")
    tenant = Tenant.objects.filter(slug=slug).exclude(id=PLATFORM_TENANT).first()
    if tenant is None:
        raise Missing(f"There is no tenant {slug}.")
    with acting_as(operator_actor(tenant.id)):
        if tenant.closed_at is None:
            _require_nothing_kept()
            with transaction.atomic():
                _require_no_hold(tenant.id)
                tenant.closed_at = now()
                tenant.save(update_fields=["closed_at"])
        dropped = _drop_rows(tenant)
        versions = destroy_tenant(tenant.id)
        return _certify(tenant, dropped, versions)


def _require_nothing_kept() -> None:
    kept: Counter[str] = Counter()
    after: UUID | None = None
    while True:
        with transaction.atomic():
            at, regime = now(), regime_of(tenant_settings())
            rows: list[StoredMemory] = list_rows_after(after, limit=CHUNK)
            for row in rows:
                end = evaluate_row(replace(row, deleted_at=row.deleted_at or at), regime, at)
                kept[end.kept_by or ""] += 1
        if len(rows) < CHUNK:
            break
        after = rows[-1].id
    found = {reason: kept[reason] for reason in sorted(BLOCKING) if kept[reason]}
    if found:
        said = ", ".join(f"{count} {reason}" for reason, count in found.items())
        raise Conflict(f"Memories must be kept: {said}.", code="kept", kept=found)


def _require_no_hold(tenant_id: UUID) -> None:
    """No hold stands, and none is placed before this transaction ends: then nobody can any more.

    A hold over what is still to be written stands as well, though it keeps nothing yet.
    """
    count = sum(hold.is_open for hold in guarded_holds(tenant_id))
    if count:
        raise Conflict(f"Legal holds stand: {count}.", code="kept", kept={"holds": count})


def _drop_rows(tenant: Tenant) -> dict[str, int]:
    """Every row that may go, and who could come in; how many of each table."""
    dropped: Counter[str] = Counter()
    with transaction.atomic():
        tables = droppable_tables()
    for table in tables:
        while True:
            with transaction.atomic():
                count = drop_chunk(table, limit=CHUNK)
            dropped[table] += count
            if count < CHUNK:
                break
    with transaction.atomic():
        for model in (ApiKey, Membership, Schedule):
            count, _ = model.objects.filter(tenant=tenant).delete()
            dropped[model._meta.db_table] += count
    return {table: count for table, count in sorted(dropped.items()) if count}


def _certify(tenant: Tenant, dropped: dict[str, int], versions: list[int]) -> dict[str, Any]:
    """The certificate, its hash in the logs of the tenant and of the platform."""
    closed_at = tenant.closed_at
    document = {
        "kind": "tenant exit", "tenant": str(tenant.id), "slug": tenant.slug,
        "closed_at": None if closed_at is None else closed_at.isoformat(),
        "dropped": dropped, "keys_destroyed": versions,
        "kept": "the append-only log of events, which holds no content",
        "meaning": "what copies of the database hold sealed for this tenant opens nowhere any more",
    }  # fmt: skip
    text = json.dumps(document, sort_keys=True, ensure_ascii=False)
    document["sha256"] = sha256(text.encode()).hexdigest()
    facts = Facts(
        counts={"rows": sum(dropped.values()), "keys": len(versions)},
        links={"slug": tenant.slug, "certificate": document["sha256"]},
    )
    target = Target("tenant", str(tenant.id))
    with transaction.atomic():
        document["event"] = str(record("tenant.close", target, facts))
    return document
