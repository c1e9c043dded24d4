"""What a put destroys: the oldest values, beyond the number of versions that a tenant keeps.

Versions share the dates of their memory, so under a hold or a floor none of them goes; the next
put after it ended prunes them all. The holds asked are those of this very moment, over the memory
as it was and as it will be: a put that takes a subject off must not outrun a hold over it.
"""

from __future__ import annotations

from collections.abc import Sequence

from memories.dating import Regime, evaluate_row, regime_of, regime_to_destroy_by
from memories.ops import PutOp
from memories.preventing import note_kept
from memories.rows import StoredMemory
from memories.statements import upsert
from memories.statements.together import Together
from privacy.querysets import drop_findings_before
from tenants.context import now
from tenants.snapshots import TenantSettings

Replacement = tuple[StoredMemory, StoredMemory]
"""A row as it will be, and as it was."""


def regime_to_write_by(
    tenant: TenantSettings, ops: Sequence[tuple[PutOp, StoredMemory | None]]
) -> Regime:
    """The regime for puts with the rows under their keys, locked.

    Where a put hands holds on (it names sources) or takes a subject off, a hold that was placed
    since the transaction began must not be missed: then the holds of this very moment count.
    """
    if any(_moves_holds(op, row) for op, row in ops):
        return regime_to_destroy_by(tenant, now())
    return regime_of(tenant)


def _moves_holds(op: PutOp, row: StoredMemory | None) -> bool:
    takes_off = row is not None and op.gives("subjects") and not set(row.subjects) <= {*op.subjects}
    return takes_off or bool(op.derived_from)


def prune_versions(
    together: Together, replaced: Sequence[Replacement], tenant: TenantSettings
) -> None:
    """Add the pruning of these memories to the statement that writes their new values."""
    oldest = {row.id: row.version - tenant.versions_kept for row, _ in replaced}
    full = [(row, old) for row, old in replaced if oldest[row.id] > 1]
    if not full:
        return
    at = now()
    regime = regime_to_destroy_by(tenant, at)
    found = {row.id: [evaluate_row(one, regime, at) for one in (row, old)] for row, old in full}
    going = [row for row, _ in full if not any(one.protects_original for one in found[row.id])]
    upsert.delete_old_versions(together, going, kept=tenant.versions_kept)
    if going:
        together.add(*drop_findings_before([(row.id, oldest[row.id]) for row in going]))
    held = [
        row if new.found.history.is_held else old
        for row, old in full
        for new, before in [found[row.id]]
        if new.found.history.is_held or before.found.history.is_held
    ]
    note_kept(held, "versions", regime, at)
