"""Taking over memories with the dates they had elsewhere: by the operator, and said in the log.

A put knows one instant, the database's. An import brings the instant of each value along: it is
decided as if it had been put then, so that lifetimes and versions are counted from there. The
events say when it was really written and by whom; the import's own event says how many values came
with dates of their own, and how old the oldest is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from audit.recording import Facts, Target, record
from memories.namespaces import encode
from memories.ops import PutOp
from memories.writing import apply_puts, prepare_puts, retry_when_taken
from memoryhub.errors import Denied, Invalid
from tenants.actors import ActorKind
from tenants.context import current_actor, now

CHUNK = 32


@dataclass(frozen=True, slots=True)
class DatedPut:
    """A put with the instant at which it was made elsewhere."""

    op: PutOp
    at: datetime


def import_memories(puts: Sequence[DatedPut]) -> int:
    """Write all of them, the oldest first; how many. Only the operator may date what is written.

    Raises Denied for anybody else, Invalid for an instant that has not come yet.
    """
    if current_actor().kind is not ActorKind.OPERATOR:
        raise Denied("Only the operator brings dates along.", code="operators_only")
    with transaction.atomic():
        present = now()
    for number, put in enumerate(puts):
        if put.at > present:
            raise Invalid.at(f"[{number}].at", "in_future", "That instant has not come yet.")
    for chunk in _in_rounds(sorted(puts, key=lambda put: put.at)):
        prepared = prepare_puts([put.op for put in chunk])
        instants = [put.at for put in chunk]
        retry_when_taken(lambda: apply_puts(prepared, instants=instants))  # noqa: B023 - run at once
    if puts:
        oldest = min(put.at for put in puts)
        with transaction.atomic():
            record(
                "memory.import",
                Target("tenant", str(current_actor().tenant_id)),
                Facts(counts={"n": len(puts)}, links={"oldest": oldest.isoformat()}),
            )
    return len(puts)


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
