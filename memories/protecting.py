"""Personal data on the way into a memory: protected before anything else, kept beside its row.

The findings and the sealed originals stand in the same statement as the value they belong to. Only
what is quarantined costs a statement more: its whole original, sealed into its own row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from memories.filter_sql import to_json
from memories.ops import PutOp, SearchOp
from memories.rows import StoredMemory
from memories.statements.together import Together
from memoryhub.errors import Unavailable
from privacy.acting import (
    RETRY_AFTER,
    Found,
    Guard,
    Protected,
    check_identifiers,
    copied_tokens,
    protect_value,
    shield_query,
)
from privacy.choosing import Scope
from privacy.querysets import KEEP_FINDINGS, KEEP_ORIGINALS
from privacy.regimes import privacy_regime
from sealing.originals import Place, SealRefused, open_sealed, seal
from tenants.clock import wall_clock
from tenants.context import current_tenant_id
from tenants.ids import uuid7

PURPOSE = "originals"


@dataclass(frozen=True, slots=True)
class Screened:
    """What of a put may be stored: its op with protected parts, findings, and by which rules."""

    op: PutOp
    protected: Protected
    detector: str
    sealed: bytes | None = None

    @property
    def is_quarantined(self) -> bool:
        return self.protected.is_quarantined


def guard_of_now() -> Guard:
    """The acting tenant's rules, today."""
    return Guard(privacy_regime(), current_tenant_id(), wall_clock().date())


def screen_put(op: PutOp, namespace: str, identifier: UUID, *, guard: Guard) -> Screened:
    """Protect the value and the source, check the identifiers. Raises Invalid `pii_rejected`.

    Originals of all that is hidden are kept for now (`keeping_originals`): whether a hold or a
    floor protects the memory is known in the transaction only.
    """
    scope = Scope(namespace, op.kind, keeps_originals=True)
    flagged = check_identifiers(_identifiers(op), guard, scope)
    protected, source = protect_content(op.value or {}, op.source, guard, scope)
    sealed = seal_value(op.value or {}, identifier) if protected.is_quarantined else None
    if protected.found:
        op = op.model_copy(update={"value": protected.value, "source": source})
    return Screened(op, protected.with_found(flagged), guard.regime.tag, sealed)


def protect_content(value: Any, source: Any, guard: Guard, scope: Scope) -> tuple[Protected, Any]:
    """The value protected, with what was found in the source too; and the protected source."""
    protected = protect_value(value, guard, scope)
    if source is None:
        return protected, None
    held = protect_value(source, guard, scope, root="source")
    if not held.found:
        return protected, source
    originals = {one.token_id: one for one in (*protected.originals, *held.originals)}
    both = Protected(
        protected.value,
        (*protected.found, *(replace(one, path=f"source:{one.path}") for one in held.found)),
        tuple(originals[name] for name in sorted(originals)),
        protected.is_quarantined or held.is_quarantined,
    )
    return both, held.value


def _identifiers(op: PutOp) -> Iterable[tuple[str, str]]:
    yield "key", op.key
    for number, label in enumerate(op.namespace):
        yield f"namespace[{number}]", str(label)
    for name in ("subjects", "tags"):
        for number, word in enumerate(getattr(op, name)):
            yield f"{name}[{number}]", word
    if op.session_id:
        yield "session_id", op.session_id


def shield_search(op: SearchOp) -> SearchOp:
    """The search with query and filter as stored values are: no clear value is embedded or kept."""
    guard = guard_of_now()
    changes: dict[str, Any] = {}
    for name in ("query", "filter"):
        given = getattr(op, name)
        if given:
            shielded = shield_query(given, guard)
            if shielded is not given:
                changes[name] = shielded
    return op.model_copy(update=changes) if changes else op


# --- beside the row -------------------------------------------------------------------------------


def place_of(memory_id: UUID) -> Place:
    """Where the whole original of a quarantined value stands."""
    return Place(current_tenant_id(), "memories_memory", str(memory_id), "sealed")


def seal_value(value: Any, memory_id: UUID) -> bytes:
    """A whole value, sealed. Raises Unavailable `key_gone`."""
    try:
        return seal(to_json(value), place_of(memory_id), purpose=PURPOSE)
    except SealRefused:
        raise Unavailable(
            "The tenant's key is not here.", code="key_gone", retry_after=RETRY_AFTER
        ) from None


def open_value(sealed: bytes, memory_id: UUID) -> str:
    """The JSON text of a sealed value. Raises SealRefused."""
    return open_sealed(bytes(sealed), place_of(memory_id), purpose=PURPOSE)


def keep_protected(
    together: Together, kept: Sequence[tuple[StoredMemory, Protected]], *, at: datetime
) -> None:
    """The originals and findings of these rows, into the statement that writes them."""
    originals = {one.equality_hash: one for _, protected in kept for one in protected.originals}
    if originals:
        records = [originals[name].as_record() for name in sorted(originals)]
        together.add(KEEP_ORIGINALS, [current_tenant_id(), at, orjson.dumps(records).decode()])
    rows = [
        _finding(row, one)
        for row, protected in kept
        for one in (*protected.found, *copied_tokens(row.value, protected.originals))
    ]
    if rows:
        tenant_id = current_tenant_id()
        together.add(KEEP_FINDINGS, [tenant_id, at, orjson.dumps(rows).decode(), tenant_id])


def _finding(row: StoredMemory, one: Found) -> dict[str, Any]:
    return {
        "id": uuid7(), "memory_id": row.id, "version": row.version, "entity": one.entity,
        "path": one.path, "action": one.action, "count": one.count, "token_id": one.token_id,
        "released": one.released, "copied": one.copied,
    }  # fmt: skip
