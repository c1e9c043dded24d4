"""A short proof that a memory is due, where no rule, hold or request says a word about it. Pure.

The engine decides what is destroyed. But for most rows of a large sweep the answer follows from
two dates of the row alone: the TTL (or the delete) and the trash after it. `proven_cause` gives
the engine's answer for exactly those, and says nothing of any other; a property test holds the two
to each other.
"""

from __future__ import annotations

from datetime import UTC, datetime

from memories.dating import Regime, facts_of, holds_matching
from memories.rows import StoredMemory
from policies.matching import why_not

_LATEST = datetime.max.replace(tzinfo=UTC)
_OUT_OF_SCOPE = frozenset({"other_namespace", "other_kind", "other_class", "other_label"})


class Prover:
    """For one chunk: which namespaces, kinds, classes and labels no rule speaks of."""

    def __init__(self, regime: Regime, at: datetime) -> None:
        self._regime, self._at = regime, at
        self._spoken_of: dict[tuple[object, ...], bool] = {}

    def proven_cause(self, row: StoredMemory) -> str | None:
        """`ttl` or `delete` when the row is surely due; None: ask the engine."""
        if self._is_special(row) or self._is_spoken_of(row):
            return None
        expiry, cause = row.ttl_expires_at, "ttl"
        deleted = row.deleted_at
        if deleted is not None and deleted <= self._at and (expiry is None or deleted < expiry):
            expiry, cause = deleted, "delete"
        if expiry is None or expiry > self._at:
            return None
        lived = max(expiry - row.created_at, expiry - expiry)
        trash = min(self._regime.settings.trash, lived)
        return cause if self._at - expiry >= trash else None

    def _is_special(self, row: StoredMemory) -> bool:
        """Something other than a TTL and a delete has to do with it."""
        return bool(
            row.source_caps or row.restored_at or row.dates_moved_at or row.reviewed_at
            or row.quarantined_at or row.erasure_verified_at or row.erasure_approved_at
            or row.restricted_at or row.source_erased_at or holds_matching(row, self._regime)
        )  # fmt: skip

    def _is_spoken_of(self, row: StoredMemory) -> bool:
        rules = self._regime.rules
        if not rules:
            return False
        group = (row.namespace, row.kind, tuple(row.classes), row.label)
        known = self._spoken_of.get(group)
        if known is None:
            facts = facts_of(row)
            known = any(why_not(rule, facts, _LATEST) not in _OUT_OF_SCOPE for rule in rules)
            self._spoken_of[group] = known
        return known
