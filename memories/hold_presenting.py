"""Holds as callers get them (API.md, Governance). For people what looks personal is masked."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memories.holding import Held, HeldMemory, Preview
from memories.masking import mask_text
from memories.namespaces import decode
from memories.presenting import state_of
from memories.rows import StoredMemory
from policies.models import Hold, Prevention
from tenants.clock import wall_clock
from tenants.context import current_actor


def present_hold(held: Held) -> dict[str, Any]:
    """One hold with its scope and counts."""
    row = held.row
    return {
        "id": row.id, "matter": row.matter, "reason": row.reason, "custodian": row.custodian,
        "scope": {
            "subjects": show_subjects(row.subjects),
            "namespaces": [list(decode(prefix)) for prefix in row.namespaces],
            "ids": held.ids,
        },
        "state": row.state, "placed_at": row.placed_at, "placed_by": row.placed_by_name,
        "release": _release_of(row), "released_at": row.released_at,
        "counts": {"memories": held.memories, "prevented": held.prevented},
    }  # fmt: skip


def show_subjects(subjects: list[str]) -> list[str]:
    """Subjects as this caller may see them."""
    if not current_actor().is_person:
        return subjects
    today = wall_clock().date()
    return [mask_text(subject, today=today) for subject in subjects]


def _release_of(row: Hold) -> dict[str, Any] | None:
    if row.release_requested_at is None:
        return None
    is_released = row.released_at is not None
    return {
        "requested_at": row.release_requested_at,
        "requested_by": row.release_requested_by_name,
        "reason": row.release_reason,
        "released_by": row.released_by_name if is_released else None,
        "released_reason": row.released_reason if is_released else None,
    }


def present_under(one: HeldMemory, at: datetime) -> dict[str, Any]:
    """A memory under a hold, with what the hold prevented."""
    return {**present_line(one.row, at), "prevented": _prevented(one.prevention)}


def present_line(row: StoredMemory, at: datetime) -> dict[str, Any]:
    """A memory without what it says."""
    return {
        "id": row.id, "namespace": list(decode(row.namespace)), "kind": row.kind,
        "state": state_of(row, at), "created_at": row.created_at,
        "visible_until": row.visible_until, "purge_at": row.purge_at, "due_at": row.due_at,
        "prevented": None,
    }  # fmt: skip


def _prevented(found: Prevention | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"cause": found.cause, "due_at": found.due_at, "at": found.prevented_at}


def present_preview(preview: Preview) -> dict[str, Any]:
    """What a scope covers."""
    extent = preview.extent
    return {
        "memories": extent.memories, "bytes": extent.bytes, "hidden": extent.hidden,
        "due_30d": extent.due, "held": extent.held,
        "by": [
            {"namespace": list(decode(namespace)), "kind": kind, "memories": count}
            for namespace, kind, count in preview.groups
        ],
        "samples": [present_line(row, preview.at) for row in preview.samples],
    }  # fmt: skip
