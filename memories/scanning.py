"""Scans for personal data of what is stored: after a change of detectors or rules, and on time.

The invariant. What is not looked at by the newest detectors is masked on every read (`scanned_at`
is null) until it is; what was not looked at within 24 hours is quarantined. So a scan that stands
still shows nothing.

Each chunk is one transaction under row locks (`SKIP LOCKED`), safe to run twice at once and to
kill. Kept versions are looked at together with their memory. A detector that does not answer stops
the scan, and the next one goes on; what is overdue meanwhile is quarantined all the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction

from audit.recording import Facts, Target, append, draft, record
from memories.dating import Regime, regime_to_destroy_by
from memories.filter_sql import to_json
from memories.keeping_originals import keep_if_protected
from memories.protecting import guard_of_now, keep_protected, protect_content, seal_value
from memories.rewriting import Rewritten, rewrite, with_content
from memories.rows import SCAN_WITHIN, StoredMemory
from memories.statements import scans, upsert
from memories.statements.together import Together
from memories.strict_json import read_exactly
from memories.writing import content_hash_of
from memoryhub.errors import Unavailable
from privacy.acting import HARD, Guard, Protected, protect_value
from privacy.choosing import Scope
from privacy.models import PiiFinding
from privacy.querysets import drop_shown_findings_of, drop_unused, orphans
from tenants.authorising import require
from tenants.context import now
from tenants.roles import Action
from tenants.snapshots import tenant_settings

log = structlog.get_logger(__name__)

ORPHANED_FOR = timedelta(hours=1)
Place = tuple[str, str]
"""An entity and a path."""


def scan_pending() -> Counter[str]:
    """Queue what is outdated, look at what waits, quarantine what is overdue; counts."""
    counts: Counter[str] = Counter()
    while marked := _mark_chunk():
        counts["queued"] += marked
    try:
        while chunk := _scan_chunk():
            counts += chunk
    except Unavailable as error:
        log.warning("scan_stopped", code=error.code)
        counts["stopped"] = 1
    while overdue := _quarantine_chunk():
        counts["overdue"] += overdue
    return counts


def _mark_chunk() -> int:
    with transaction.atomic():
        tag = guard_of_now().regime.tag
        return scans.mark_outdated(tag, due=now() + SCAN_WITHIN, limit=settings.PII_SCAN_CHUNK * 5)


def _scan_chunk() -> Counter[str] | None:
    """One chunk; None when nothing waits."""
    with transaction.atomic():
        at, guard = now(), replace(guard_of_now(), refuses=False)
        rows = scans.lock_waiting(limit=settings.PII_SCAN_CHUNK)
        if not rows:
            return None
        by_id = {row.id: row for row in rows}
        regime = regime_to_destroy_by(tenant_settings(), at)
        released = _released_in(rows)
        screened = [_screen(row, guard, regime, at, released[row.id]) for row in rows]
        changed = [one for one in screened if one.protected.found]
        clean = [one for one in screened if not one.protected.found]
        rewrite(changed, at=at, dropping=drop_shown_findings_of)
        scans.mark_scanned([one.row.id for one in clean], guard.regime.tag, at=at)
        versions = _scan_versions(by_id, guard, regime, at)
        sealed = [
            (one.row.id, seal_value(read_exactly(by_id[one.row.id].value), one.row.id))
            for one in changed
            if one.row.quarantined_at is not None
        ]
        upsert.seal_originals(sealed)
        fresh = [identifier for identifier, _ in sealed if not by_id[identifier].quarantined_at]
        _record_quarantined(fresh, because="detected")
        counts = Counter(
            scanned=len(rows), found=len(changed), versions=versions, quarantined=len(sealed)
        )
        record("privacy.scan", Target("scan"), Facts(counts={"n": len(rows), **counts}))
    return counts


def _released_in(rows: Sequence[StoredMemory]) -> dict[UUID, Counter[Place]]:
    """What officers said is no secret in the current versions: how often each stands where."""
    released: dict[UUID, Counter[Place]] = {row.id: Counter() for row in rows}
    versions = {row.id: row.version for row in rows}
    for one in PiiFinding.objects.all().released_in(versions):
        if one.version == versions[one.memory_id]:
            released[one.memory_id][one.entity, one.path] += one.count
    return released


def _screen(
    row: StoredMemory, guard: Guard, regime: Regime, at: datetime, released: Counter[Place]
) -> Rewritten:
    source = None if row.source is None else read_exactly(row.source)
    scope = Scope(row.namespace, row.kind, keeps_originals=True)
    value = read_exactly(row.value)
    protected, shown_source = protect_content(value, source, guard, scope)
    if protected.is_quarantined and _hard_in(protected) <= released:
        # the content is the same and so is what is found: the officer's decision stands
        lifted = replace(guard, lifted=HARD)
        protected, shown_source = protect_content(value, source, lifted, scope)
    source = shown_source
    if not protected.found:
        return Rewritten(row, protected)
    row, protected = keep_if_protected(row, protected, regime, at)
    row = with_content(row, protected.value)
    row = replace(row, source=None if source is None else to_json(source))
    row = replace(row, scanned_at=at, detector=guard.regime.tag)
    if protected.is_quarantined:
        row = replace(row, quarantined_at=at, trashed_at=row.trashed_at or at)
    return Rewritten(row, protected)


def _hard_in(protected: Protected) -> Counter[Place]:
    hard: Counter[Place] = Counter()
    for one in protected.found:
        if one.action in HARD:
            hard[one.entity, one.path] += one.count
    return hard


def _scan_versions(
    rows: dict[UUID, StoredMemory], guard: Guard, regime: Regime, at: datetime
) -> int:
    """The kept versions of these memories; how many changed."""
    kept: list[tuple[StoredMemory, Protected]] = []
    marked: set[UUID] = set()
    for identifier, memory_id, version, text in scans.versions_of(list(rows)):
        row = rows[memory_id]
        scope = Scope(row.namespace, row.kind, keeps_originals=True)
        protected = replace(protect_value(read_exactly(text), guard, scope), is_quarantined=False)
        if protected.found:
            _, protected = keep_if_protected(row, protected, regime, at)
            marked |= {row.id} if protected.keeps_lost else set()
            shown = to_json(protected.value)
            scans.rewrite_version(identifier, shown, content_hash_of(protected.value))
            kept.append((replace(row, version=version, value=shown), protected))
    if kept:
        together = Together()
        together.add(*drop_shown_findings_of((row.id, row.version) for row, _ in kept))
        keep_protected(together, kept, at=at)
        together.run()
    scans.mark_kept(sorted(marked), at=at)
    return len(kept)


def _quarantine_chunk() -> int:
    with transaction.atomic():
        ids = scans.quarantine_overdue(at=now(), limit=settings.PII_SCAN_CHUNK)
        _record_quarantined(ids, because="overdue")
        return len(ids)


def _record_quarantined(ids: Sequence[UUID], *, because: str) -> None:
    append(
        draft(
            "privacy.quarantine",
            Target("memory", str(identifier)),
            Facts(subjects=None, links={"because": because}),
        )
        for identifier in ids
    )


def drop_orphans() -> int:
    """Destroy originals that no kept version needs; how many."""
    dropped = 0
    while True:
        with transaction.atomic():
            found = orphans(before=now() - ORPHANED_FOR, limit=settings.PII_SCAN_CHUNK)
            gone = drop_unused(found)
            if gone:
                record("privacy.drop", Target("vault"), Facts(counts={"n": gone}))
        dropped += gone
        if not gone:
            return dropped


def read_clock() -> dict[str, Any]:
    """The share looked at within 24 hours, p95 and worst in seconds, and how many are overdue.

    Reads every memory of the tenant.
    """
    require(Action.SEE_FIGURES)
    with transaction.atomic():
        in_time, total, p95, worst, overdue = scans.clock(at=now(), within=SCAN_WITHIN)
    return {
        "within_24h": in_time / total if total else 1.0,
        "p95_seconds": p95, "worst_seconds": worst, "overdue": overdue,
    }  # fmt: skip


def count_found() -> list[tuple[str, str, int, int]]:
    """(entity, action, memories, places) of what was found in current values, most first."""
    actor = require(Action.SEE_FIGURES)
    with transaction.atomic():
        return scans.count_found(actor.prefixes)
