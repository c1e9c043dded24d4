"""Masking the personal data of a memory in place: value, source and kept versions.

Everything that the detectors find is masked, whatever the tenant does with it as it is written, and
what stands behind tokens and masks is destroyed. While a hold or a floor protects the memory the
originals stay in the vault instead, sealed, and open for a reveal; they go when the last of these
ends (`unseal_rows`). The text follows into search at once, and its vectors are made anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from re import Match
from typing import Any
from uuid import UUID

from memories.dating import Regime
from memories.filter_sql import to_json
from memories.preventing import note_kept
from memories.protecting import guard_of_now, keep_protected, protect_content
from memories.rewriting import Rewritten, rewrite
from memories.rows import StoredMemory
from memories.statements import scans, upsert
from memories.statements.anonymise import free_originals, kept_findings
from memories.statements.lookup import find_by_ids
from memories.statements.together import Together
from memories.strict_json import read_exactly
from memories.writing import content_hash_of
from policies.outcomes import Evaluation
from privacy.acting import Found, Guard, Protected, protect_value
from privacy.choosing import Scope
from privacy.detecting.negatives import TOKEN
from privacy.masking import Action, redaction
from privacy.querysets import drop_findings_of, drop_unused, tokens_of

Place = tuple[UUID, int]
"""A memory and a version of it."""


class _Always(Mapping[str, Action]):
    """Mask, whatever is found."""

    def __getitem__(self, entity: str) -> Action:
        return Action.MASK

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class Anonymised:
    """By memory: whether originals of it stay sealed; and what could not be masked, and why."""

    kept: dict[UUID, bool] = field(default_factory=dict)
    failed: dict[UUID, Exception] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Work:
    """One memory under way. `kept` are the findings of it whose originals are in the vault."""

    row: StoredMemory
    scope: Scope
    kept: Mapping[Place, list[Found]]

    def of_version(self, version: int) -> list[Found]:
        """What is kept of one version; of what nothing protects, nothing is."""
        return self.kept.get((self.row.id, version), []) if self.scope.keeps_originals else []


def anonymise_rows(
    judged: Sequence[tuple[StoredMemory, Evaluation]], regime: Regime, *, at: datetime
) -> Anonymised:
    """Mask these locked rows (they come without values) in the current transaction."""
    done = Anonymised()
    if not judged:
        return done
    ids = [row.id for row, _ in judged]
    rows, known, guard = find_by_ids(ids), _known_findings(ids), _masking_guard()
    works = {}
    for row, found in judged:
        scope = Scope(row.namespace, row.kind, keeps_originals=found.protects_original)
        works[row.id] = _Work(rows[row.id], scope, known)
    bare = [one for one, work in works.items() if not work.scope.keeps_originals]
    freed = tokens_of(bare)
    versions: defaultdict[UUID, list[tuple[UUID, int, str]]] = defaultdict(list)
    for identifier, memory_id, version, text in scans.versions_of(ids):
        versions[memory_id].append((identifier, version, text))
    changed: list[Rewritten] = []
    others: list[tuple[UUID, StoredMemory, Protected]] = []
    for memory_id, work in works.items():
        try:
            current = _mask_current(work, guard)
            older = [_mask_version(work, one, guard) for one in versions[memory_id]]
        except Exception as error:  # the others are masked all the same
            done.failed[memory_id] = error
            continue
        changed += [current] if current is not None else []
        others += older
        every = [protected for _, _, protected in older]
        every += [current.protected] if current is not None else []
        done.kept[memory_id] = any(one.token_id for each in every for one in each.found)
    rewrite(changed, at=at)
    _rewrite_versions(others, at)
    drop_unused(freed)
    held = [row for row, found in judged if done.kept.get(row.id) and found.kept_by == "held"]
    note_kept(held, "anonymise", regime, at)
    return done


def unseal_rows(rows: Sequence[StoredMemory]) -> None:
    """Nothing protects what was masked or redacted any more: its originals are destroyed."""
    if rows:
        drop_unused(free_originals(rows))
        upsert.seal_originals([(row.id, None) for row in rows if row.quarantined_at is None])


def _masking_guard() -> Guard:
    guard = guard_of_now()
    return replace(guard, regime=replace(guard.regime, base=_Always(), rules=()), refuses=False)


def _known_findings(ids: Sequence[UUID]) -> dict[Place, list[Found]]:
    known: defaultdict[Place, list[Found]] = defaultdict(list)
    for memory_id, version, entity, path, action, token_id, count in kept_findings(ids):
        known[memory_id, version].append(Found(entity, path, Action(action), token_id, count))
    return known


def _mask_current(work: _Work, guard: Guard) -> Rewritten | None:
    """The row with its value and source masked; None when there was nothing to mask."""
    row = work.row
    source = None if row.source is None else read_exactly(row.source)
    protected, source = protect_content(read_exactly(row.value), source, guard, work.scope)
    value = _without_tokens(to_json(protected.value))
    shown_source = None if source is None else _without_tokens(to_json(source))
    known = work.kept.get((row.id, row.version), [])
    if not protected.found and not known and TOKEN.search(row.value + (row.source or "")) is None:
        return None
    content_hash = content_hash_of(read_exactly(value))
    row = replace(row, value=value, source=shown_source, content_hash=content_hash)
    return Rewritten(row, protected.with_found(work.of_version(row.version)))


def _mask_version(
    work: _Work, version: tuple[UUID, int, str], guard: Guard
) -> tuple[UUID, StoredMemory, Protected]:
    identifier, number, text = version
    protected = protect_value(read_exactly(text), guard, work.scope)
    shown = _without_tokens(to_json(protected.value))
    row = replace(work.row, version=number, value=shown)
    return identifier, row, protected.with_found(work.of_version(number))


def _rewrite_versions(others: Sequence[tuple[UUID, StoredMemory, Protected]], at: datetime) -> None:
    if not others:
        return
    for identifier, row, _ in others:
        scans.rewrite_version(identifier, row.value, content_hash_of(read_exactly(row.value)))
    together = Together()
    together.add(*drop_findings_of((row.id, row.version) for _, row, _ in others))
    keep_protected(together, [(row, protected) for _, row, protected in others], at=at)
    together.run()


def _without_tokens(text: str) -> str:
    """JSON text with each token replaced by what kind of thing it stood for."""
    return TOKEN.sub(_as_redaction, text)


def _as_redaction(match: Match[Any]) -> str:
    return redaction(match[0][1:-1].partition(":")[0])
