"""A memory as callers get it (API.md, "A memory"). Pure; the value stays JSON text throughout."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from orjson import Fragment

from memories.masking import mask_json_text, mask_text
from memories.namespaces import decode
from memories.rows import StoredMemory
from tenants.actors import Actor

MINUTE = timedelta(minutes=1)


def present_memory(row: StoredMemory, at: datetime) -> dict[str, Any]:
    """The whole memory, as its state is at `at`; masked until its scan is done (fail closed)."""
    if row.scanned_at is None:
        row = _masked(row, at)
    return {
        "id": row.id,
        "namespace": decode(row.namespace),
        "key": row.key,
        "value": Fragment(row.value),
        "kind": row.kind,
        "tier": row.tier,
        "subjects": row.subjects,
        "tags": row.tags,
        "label": row.label,
        "classes": row.classes,
        "source": None if row.source is None else Fragment(row.source),
        "derived_from": row.derived_from,
        "importance": row.importance,
        "decay": row.decay,
        "version": row.version,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "accessed_at": row.accessed_at,
        "access_count": row.access_count,
        "embedding": row.embedding,
        "retention": present_retention(row, at),
    }


def present_retention(row: StoredMemory, at: datetime) -> dict[str, Any]:
    """State, the two dates, and what decides them."""
    return {
        "state": state_of(row, at),
        "visible_until": row.visible_until,
        "purge_at": row.purge_at,
        "ttl_minutes": None if row.ttl is None else row.ttl / MINUTE,
        "rule": row.rule,
        "flags": row.flags,
    }


def state_of(row: StoredMemory, at: datetime) -> str:
    """The state by what is stored, as `statements.browse.STATE` says it in SQL."""
    if row.is_visible(at) and row.quarantined_at is None:
        return "ARCHIVED" if row.is_archived(at) else "ACTIVE"
    if row.hidden_as == "HELD" or row.quarantined_at is None:
        return row.hidden_as or "TRASH"
    return "QUARANTINED"


def _masked(row: StoredMemory, at: datetime) -> StoredMemory:
    """The row with all that may be personal masked."""
    source = row.source and mask_json_text(row.source, at.date())
    return replace(row, value=mask_json_text(row.value, at.date()), source=source)


def present_to(actor: Actor, row: StoredMemory, at: datetime) -> dict[str, Any]:
    """The memory as this caller may see it: for people, what looks like personal data is masked."""
    shown = present_memory(row, at)
    if not actor.is_person:
        return shown
    today = at.date()
    shown["key"] = mask_text(row.key, today=today)
    shown["value"] = Fragment(mask_json_text(row.value, today))
    shown["subjects"] = [mask_text(subject, today=today) for subject in row.subjects]
    shown["tags"] = [mask_text(tag, today=today) for tag in row.tags]
    if row.source is not None:
        shown["source"] = Fragment(mask_json_text(row.source, today))
    return shown
