"""The end of a tenant: closed, dropped, its keys destroyed, and a certificate that says so.

The order. Nothing is touched while a hold or a statutory floor keeps a memory. Then its memories
are exported, unless the operator says that nobody wants them. What was written since the export
began would be lost, so the closing is refused, and the export made again. Then the tenant is
closed, which ends every key, session and job of it; its rows are dropped in chunks; last its keys
are destroyed, and with them what older backups hold sealed (crypto-shredding). The append-only log
of events stays: it holds no content and no clear personal data, and its keyed hashes lead nowhere
without the keys. Killed anywhere, run again it goes on; the certificate is made at the end, and
signed by the installation's key, which outlives the tenant's.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime
from hashlib import file_digest
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import transaction

from audit.documents import sign_document
from audit.models import Event
from audit.recording import Facts, Target, record
from memories.dating import evaluate_row, regime_of
from memories.models import Memory
from memories.moving.taking_out import Told, export_memories
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
ORIGIN = "memoryhub/tenant-exit"


def close_tenant(
    slug: str, *, export: Path | None, on_chunk: Told = lambda state: None
) -> dict[str, Any]:
    """Export to the file (None: to none), close, drop, destroy; the certificate. Operators only.

    Raises Denied, Missing, Conflict `kept` (with counts by reason) while something must be kept,
    `changed_meanwhile` when somebody wrote after the export began.
    """
    if current_actor().kind is not ActorKind.OPERATOR:
        raise Denied("Only the operator closes a tenant.", code="operators_only")
    tenant = Tenant.objects.filter(slug=slug).exclude(id=PLATFORM_TENANT).first()
    if tenant is None:
        raise Missing(f"There is no tenant {slug}.")
    with acting_as(operator_actor(tenant.id)):
        if tenant.closed_at is None:
            _close(tenant, export, on_chunk)
        exported = _exported(tenant.id)
        dropped = _drop_rows(tenant)
        versions = destroy_tenant(tenant.id)
        return _certify(tenant, exported, dropped, versions)


def _close(tenant: Tenant, export: Path | None, on_chunk: Told) -> None:
    """Nobody comes in any more; what was exported stands in the event of it."""
    _require_nothing_kept()
    with transaction.atomic():
        began = now()
    links: dict[str, Any] = {"slug": tenant.slug}
    counts = {}
    if export is not None:
        counts["exported"] = export_memories(export, on_chunk=on_chunk).done
        export.chmod(0o600)
        with export.open("rb") as file:
            links["export"] = file_digest(file, "sha256").hexdigest()
    with transaction.atomic():
        _require_no_hold(tenant.id)
        if export is not None:
            _require_unchanged(began)
        tenant.closed_at = now()
        tenant.save(update_fields=["closed_at"])
        record("tenant.close", Target("tenant", str(tenant.id)), Facts(counts=counts, links=links))


def _require_unchanged(began: datetime) -> None:
    """What was written since the export began may not be in its file."""
    count = Memory.objects.all().filter(updated_at__gte=began).count()
    if count:
        raise Conflict(
            f"{count} memories were written since the export began: stop the agents, then run it "
            "again.",
            code="changed_meanwhile", count=count,
        )  # fmt: skip


def _exported(tenant_id: UUID) -> dict[str, Any] | None:
    """What the first run exported, by its event; None when nothing was wanted."""
    with transaction.atomic():
        events = Event.objects.all().filter(action="tenant.close", target_id=str(tenant_id))
        first = events.order_by("at", "id").first()
    if first is None or "export" not in first.links:
        return None
    return {"sha256": first.links["export"], "memories": first.counts["exported"]}


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


def _certify(
    tenant: Tenant, exported: dict[str, Any] | None, dropped: dict[str, int], versions: list[int]
) -> dict[str, Any]:
    """The signed certificate, its hash in the logs of the tenant and of the platform."""
    closed_at = tenant.closed_at
    document = {
        "kind": "tenant exit", "tenant": str(tenant.id), "slug": tenant.slug,
        "closed_at": None if closed_at is None else closed_at.isoformat(),
        "exported": exported, "dropped": dropped, "keys_destroyed": versions,
        "kept": "the append-only log of events, which holds no content",
        "meaning": "what copies of the database hold sealed for this tenant opens nowhere any more",
    }  # fmt: skip
    signed = sign_document(document, ORIGIN)
    facts = Facts(
        counts={"rows": sum(dropped.values()), "keys": len(versions)},
        links={"slug": tenant.slug, "certificate": signed["sha256"]},
    )
    with transaction.atomic():
        record("tenant.close", Target("tenant", str(tenant.id)), facts)
    return signed
