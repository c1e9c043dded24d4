"""Under a hold or a floor masking loses nothing: what a mask or a redaction hides stays sealed.

Whoever protects a value keeps the originals of all that it hides; here those are let go of again
that nothing protects. A row whose originals stay says so (`original_kept_at`), and the sweep that
finds the last hold or floor ended destroys them (`anonymising.unseal_rows`). What is quarantined
has its whole original sealed beside it and needs no other.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from memories.dating import Regime, evaluate_row, with_dates
from memories.deciding import Decision
from memories.rows import StoredMemory
from privacy.acting import Protected


def keep_if_protected(
    row: StoredMemory, protected: Protected, regime: Regime, at: datetime
) -> tuple[StoredMemory, Protected]:
    """The row and what was found in it, with the originals only where something protects them."""
    if not protected.keeps_lost:
        return row, protected
    if protected.is_quarantined or not evaluate_row(row, regime, at).protects_original:
        return row, protected.without_lost()
    return with_dates(replace(row, original_kept_at=at), regime, at), protected


def settle_originals(decision: Decision, regime: Regime, at: datetime) -> Decision:
    """The same for what a put makes of a key."""
    screened = decision.prepared.screened
    row, protected = keep_if_protected(decision.row, screened.protected, regime, at)
    if protected is screened.protected and row is decision.row:
        return decision
    prepared = replace(decision.prepared, screened=replace(screened, protected=protected))
    return replace(decision, row=row, prepared=prepared)
