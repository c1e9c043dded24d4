"""Taking over memories with the dates they had elsewhere: by the operator, and said in the log.

A put knows one instant, the database's. An import brings the instant of each value along: it is
decided as if it had been put then, so that lifetimes and versions are counted from there. The
events say when it was really written and by whom; the import's own event says how many values came
with dates of their own, and how old the oldest is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from django.db import transaction

from audit.recording import Facts, Target, record
from memories.dating import regime_of, with_dates
from memories.deciding import Prepared
from memories.namespaces import encode
from memories.ops import PutOp
from memories.retrying import retry_when_taken, with_newest_rules
from memories.statements import upsert
from memories.writing import apply_puts, prepare_puts
from memoryhub.errors import Denied, Invalid
from tenants.actors import ActorKind
from tenants.context import current_actor, now
from tenants.snapshots import tenant_settings

CHUNK = 256


@dataclass(frozen=True, slots=True)
class DatedPut:
    """A put with the instant at which it was made elsewhere."""

    op: PutOp
    at: datetime
    created_at: datetime | None = None
    """When its first value was put, where that is known to be earlier."""
    expires_at: datetime | None = None
    """When its TTL runs out, where reads have moved that on."""


def import_memories(puts: Sequence[DatedPut]) -> int:
    """Write all of them, the oldest first; how many are new or changed. Only the operator dates.

    Raises Denied for anybody else, Invalid for an instant that has not come yet.
    """
    if current_actor().kind is not ActorKind.OPERATOR:
        raise Denied("Only the operator brings dates along.", code="operators_only")
    with transaction.atomic():
        present = now()
    for number, put in enumerate(puts):
        if put.at > present:
            raise Invalid.at(f"[{number}].at", "in_future", "That instant has not come yet.")
    added = 0
    for chunk in _in_rounds(sorted(puts, key=lambda put: put.at)):
        added += with_newest_rules(partial(_write, chunk))
    if puts:
        oldest = min(put.at for put in puts)
        with transaction.atomic():
            record(
                "memory.import",
                Target("tenant", str(current_actor().tenant_id)),
                Facts(counts={"n": len(puts)}, links={"oldest": oldest.isoformat()}),
            )
    return added


def _write(puts: Sequence[DatedPut]) -> int:
    prepared = prepare_puts([put.op for put in puts])
    return retry_when_taken(partial(_apply, puts, prepared))


def _apply(puts: Sequence[DatedPut], prepared: Sequence[Prepared]) -> int:
    """One round in its transaction; how many were not there before as they are now."""
    written = apply_puts(prepared, instants=[put.at for put in puts])
    regime, at = regime_of(tenant_settings()), now()
    dated = []
    for put, one in zip(puts, written, strict=True):
        if one.outcome == "unchanged" or (put.created_at is None and put.expires_at is None):
            continue
        created = put.created_at if one.outcome == "created" else None
        changed = replace(
            one.row,
            created_at=created or one.row.created_at,
            ttl_expires_at=put.expires_at or one.row.ttl_expires_at,
        )
        dated.append(with_dates(changed, regime, at))
    if dated:
        upsert.update_imported(dated)
    return sum(one.outcome != "unchanged" for one in written)


def _in_rounds(puts: Sequence[DatedPut]) -> Iterator[list[DatedPut]]:
    """Chunks in which no key comes twice: the second put of a key is a newer version."""
    chunk: list[DatedPut] = []
    keys: set[tuple[str, str]] = set()
    for put in puts:
        key = (encode(put.op.namespace), put.op.key)
        if key in keys or len(chunk) == CHUNK:
            yield chunk
            chunk, keys = [], set()
        chunk.append(put)
        keys.add(key)
    if chunk:
        yield chunk
