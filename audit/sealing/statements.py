"""SQL of the sealer: what it takes, and what it writes, for all tenants in one statement each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from audit.sealing.checkpoints import Checkpoint
from audit.sealing.merkle import StoredNode

LOCK = 0x6875622D5345414C  # "hub-SEAL"

_SERVER = (
    "SELECT pg_try_advisory_xact_lock(%s), (SELECT system_identifier FROM pg_control_system()), "
    "pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
)
_SEALABLE = "SELECT tenant_id, at, id, xid, leaf FROM hub_sealable(%s, %s, %s, %s, %s::int)"
_WAITING = (
    "SELECT min(hub_first_unsealed(p.node, p.xid, p.event_id, "
    "coalesce(p.passed_at - interval '1 day', '0001-01-02T00:00:00Z'))), statement_timestamp() "
    "FROM audit_position p"
)
_SEAL_LEAVES = (
    "SELECT hub_seal_leaves(%s::int, %s::uuid[], %s::bigint[], %s::uuid[], %s::timestamptz[], "
    "%s::bytea[])"
)
_SEAL_NODES = "SELECT hub_seal_nodes(%s::int, %s::uuid[], %s::int[], %s::bigint[], %s::bytea[])"
_SEAL_CHECKPOINTS = (
    "SELECT hub_seal_checkpoints(%s::int, %s::uuid[], %s::bigint[], %s, %s::bytea[], %s::text[])"
)
_MOVE_HEADS = (
    "INSERT INTO audit_head (tenant_id, epoch, size, frontier, root, at) "
    "SELECT t, %s::int, s, f, r, %s FROM "
    "unnest(%s::uuid[], %s::bigint[], %s::bytea[], %s::bytea[]) AS rows (t, s, f, r) "
    "ON CONFLICT (tenant_id, epoch) DO UPDATE SET size = excluded.size, "
    "frontier = excluded.frontier, root = excluded.root, at = excluded.at"
)


@dataclass(frozen=True, slots=True)
class Sealable:
    """An event whose order is final: whose, when, which, and the hash of its payload."""

    tenant_id: UUID
    at: datetime
    id: UUID
    xid: int
    leaf: bytes


@dataclass(frozen=True, slots=True)
class Place:
    """How far one server's rows are sealed; `since` bounds which months are looked at."""

    node: int
    xid: int
    event_id: UUID
    since: datetime


def lock_and_look() -> tuple[bool, int, int]:
    """(whether the lock is ours for this transaction, the server, its first free xid)."""
    locked, node, next_xid = _one(_SERVER, [LOCK])
    return bool(locked), int(node), int(next_xid)


def take_sealable(place: Place, *, most: int) -> list[Sealable]:
    """Events behind the place in their final order, `most` at the most."""
    with connection.cursor() as cursor:
        cursor.execute(_SEALABLE, [place.node, place.xid, place.event_id, place.since, most])
        return [
            Sealable(tenant_id, at, identifier, xid, bytes(leaf))
            for tenant_id, at, identifier, xid, leaf in cursor.fetchall()
        ]


def list_nodes() -> list[int]:
    """The servers whose rows are in the log."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT node FROM hub_event_nodes() AS nodes (node)")
        return [node for (node,) in cursor.fetchall()]


def first_unsealed() -> tuple[datetime | None, datetime]:
    """When the first unsealed event was begun (None: there is none), and the database's now."""
    begun, at = _one(_WAITING, [])
    return begun, at


def oldest_writer() -> dict[str, Any] | None:
    """The session whose transaction holds sealing back: pid, role, application, began_at."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid, role, application, began_at FROM hub_oldest_writer()")
        row = cursor.fetchone()
    names = ("pid", "role", "application", "began_at")
    return None if row is None else dict(zip(names, row, strict=True))


def write_leaves(epoch: int, leaves: Sequence[tuple[int, Sealable]]) -> int:
    """Leaves with their places in their tenants' trees; how many found their place free."""
    events = [event for _, event in leaves]
    (written,) = _one(_SEAL_LEAVES, [
        epoch, [one.tenant_id for one in events], [place for place, _ in leaves],
        [one.id for one in events], [one.at for one in events], [one.leaf for one in events],
    ])  # fmt: skip
    return int(written)


def write_nodes(epoch: int, nodes: Sequence[tuple[UUID, StoredNode]]) -> None:
    """Complete subtrees of the stored levels."""
    if nodes:
        _run(_SEAL_NODES, [
            epoch, [tenant for tenant, _ in nodes], [node.level for _, node in nodes],
            [node.number for _, node in nodes], [node.hash for _, node in nodes],
        ])  # fmt: skip


def write_checkpoints(epoch: int, at: datetime, signed: Sequence[tuple[Checkpoint, str]]) -> None:
    """Checkpoints with their notes."""
    checkpoints = [checkpoint for checkpoint, _ in signed]
    _run(_SEAL_CHECKPOINTS, [
        epoch, [one.tenant_id for one in checkpoints], [one.size for one in checkpoints], at,
        [one.root for one in checkpoints], [note for _, note in signed],
    ])  # fmt: skip


def move_heads(
    epoch: int, at: datetime, heads: Sequence[tuple[Checkpoint, tuple[bytes, ...]]]
) -> None:
    """What the trees grow from the next time."""
    _run(_MOVE_HEADS, [
        epoch, at, [one.tenant_id for one, _ in heads], [one.size for one, _ in heads],
        [b"".join(frontier) for _, frontier in heads], [one.root for one, _ in heads],
    ])  # fmt: skip


def _one(sql: str, values: Sequence[Any]) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        row: tuple[Any, ...] = cursor.fetchone()
        return row


def _run(sql: str, values: Sequence[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
