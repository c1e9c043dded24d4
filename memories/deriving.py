"""What a memory that is made of others takes over: subjects, classes, caps, holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from memories.dating import Regime, holds_matching
from memories.deciding import Prepared, Sources
from memories.namespaces import covers
from memories.ops import PutOp
from memories.rows import StoredMemory
from memories.statements.lookup import find_by_ids
from memoryhub.errors import Invalid
from policies.holding import kept_holds
from tenants.context import current_actor, now


def find_sources(
    prepared: Sequence[Prepared], existing: Mapping[tuple[str, str], StoredMemory]
) -> dict[UUID, StoredMemory]:
    """The sources of any of the puts that this caller may see; `existing` are the keys' rows."""
    wanted = {
        identifier
        for put in prepared
        for identifier in _named_by(put.op, existing.get((put.namespace, put.op.key)))
    }
    if not wanted:
        return {}
    actor, at = current_actor(), now()
    return {
        row.id: row
        for row in find_by_ids(list(wanted)).values()
        if row.is_visible(at) and covers(actor.prefixes, row.namespace)
    }


def _named_by(op: PutOp, current: StoredMemory | None) -> Sequence[UUID]:
    """The sources whose inheritance this put settles: those that it names, and those it keeps where
    it says whom the memory is about, for it does not say so for them."""
    keeps = op.gives("subjects") and not op.gives("derived_from")
    if keeps and current is not None and current.is_visible(now()):
        return current.derived_from
    return op.derived_from


def sources_of(
    op: PutOp, found: Mapping[UUID, StoredMemory], regime: Regime, current: StoredMemory | None
) -> Sources:
    """What a derived memory takes over; a source not to be seen is 422 `unknown_source`.

    `current` is the row under the key: what it is derived from already may be named again.
    """
    before = set() if current is None or not current.is_visible(now()) else {*current.derived_from}
    rows, has_gone = [], False
    for number, identifier in enumerate(_named_by(op, current)):
        if identifier not in found and identifier in before:
            has_gone = True
            continue
        if identifier not in found:
            detail = "There is no such memory for you."
            raise Invalid.at(f"derived_from[{number}]", "unknown_source", detail)
        rows.append(found[identifier])
    return Sources(
        subjects=list(dict.fromkeys(subject for row in rows for subject in row.subjects)),
        classes=list(dict.fromkeys(name for row in rows for name in row.classes)),
        caps=sorted({cap for row in rows for cap in row.source_caps}),
        holds=list(
            dict.fromkeys(
                one for row in rows for one in kept_holds(holds_matching(row, regime), row.hold_ids)
            )
        ),
        has_gone=has_gone,
    )
