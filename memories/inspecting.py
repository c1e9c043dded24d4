"""A memory by its id: as it is, its versions, and why its dates are what they are.

A key sees what is in use inside its prefixes, and its read counts like any other. People see every
state; of what was purged they are shown the tombstone. What somebody may not see is Missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast
from uuid import UUID

from django.db import transaction

from audit.models import Event
from audit.querysets import EventQuerySet
from audit.recording import Facts, Target, draft, record
from memories.dating import evaluate_row, regime_of
from memories.masking import mask_json_text
from memories.models import Memory, MemoryVersion, Tombstone
from memories.namespaces import covers, decode
from memories.reading import reading_of, with_touches
from memories.rows import StoredMemory
from memories.statements.lookup import find_by_ids, read_page
from memoryhub.errors import Gone, Missing
from policies.explaining import Explanation, explain
from policies.outcomes import Evaluation
from policies.wording import Lang
from tenants.actors import Actor
from tenants.authorising import require
from tenants.context import current_actor, now, relaxed_commit
from tenants.roles import Action
from tenants.snapshots import tenant_settings


@dataclass(frozen=True, slots=True)
class Inspected:
    """A memory with the engine's word on it; `restorable` says whether a restore would succeed."""

    row: StoredMemory
    at: datetime
    evaluation: Evaluation
    restorable: bool

    @property
    def state(self) -> str:
        """The engine's state, where the stored dates do not say that it is out of use already."""
        if not self.row.is_visible(self.at) and self.evaluation.state in ("ACTIVE", "ARCHIVED"):
            return "TRASH"
        return self.evaluation.state


@dataclass(frozen=True, slots=True)
class Version:
    """One value that a memory had; who wrote it and the event of that, where they are known."""

    version: int
    value: str
    written_at: datetime
    actor: str | None = None
    event_id: UUID | None = None


def inspect_memory(identifier: UUID) -> Inspected:
    """The memory, as it is after this read. Raises Missing, Gone (with the tombstone)."""
    actor = require(Action.READ_VALUES)
    with relaxed_commit(when=not actor.is_person), transaction.atomic():
        row = find_memory(identifier)
        target, facts = Target("memory", str(row.id), row.namespace), Facts(subjects=None)
        event = draft("memory.get", target, facts)
        reading = reading_of(None)
        found = read_page([row.id], reading, event).get(row.id)
        if found is not None:  # of what is hidden, people read the row as it was found
            (row,) = with_touches([found], reading, restores=True)
        else:
            record("memory.get", target, facts)
        return inspect_row(row)


def explain_memory(identifier: UUID, *, lang: Lang) -> Explanation:
    """Why it is in use or not, until when, and what comes next."""
    require(Action.SEE_FIGURES)
    with transaction.atomic():
        row = find_memory(identifier, hidden_too=True)
        regime = regime_of(tenant_settings())
        evaluation = evaluate_row(row, regime, now())
        return explain(evaluation, lang, memory_id=str(row.id), ruleset=regime.ruleset)


def list_versions(identifier: UUID, *, before: int | None, limit: int) -> list[Version]:
    """Values newest first, the current one included, at most `limit + 1` of them."""
    require(Action.READ_VALUES)
    with transaction.atomic():
        row = find_memory(identifier)
        below = row.version + 1 if before is None else before
        kept = MemoryVersion.objects.all().with_text().of_memory(row.id)
        older = list(kept.filter(version__lt=below)[: limit + 2])
        versions = [Version(one.version, one.text, one.written_at) for one in older]
        if row.version < below:
            versions.insert(0, Version(row.version, row.value, row.updated_at))
        if row.scanned_at is None:  # until the scan is done (fail closed)
            today = now().date()
            versions = [replace(one, value=mask_json_text(one.value, today)) for one in versions]
        record(
            "memory.versions",
            Target("memory", str(row.id), row.namespace),
            Facts(subjects=None, counts={"returned": min(len(versions), limit)}),
        )
    return _with_writers(versions, older)[: limit + 1]


def count_versions(identifier: UUID) -> int:
    """How many values of it there are, the current one included."""
    require(Action.READ_VALUES)
    with transaction.atomic():
        row = find_memory(identifier)
        return 1 + MemoryVersion.objects.all().of_memory(row.id).count()


def events_of_memory(identifier: UUID) -> EventQuerySet:
    """What happened to it, for whoever may read events. Missing, unless there is or was one."""
    actor = require(Action.READ_EVENTS)
    with transaction.atomic(), suppress(Gone):  # the events of what was purged are there still
        find_memory(identifier, hidden_too=True)
    rows = cast("EventQuerySet", Event.objects.all())
    rows = rows.about(str(identifier)).within(actor.prefixes)
    return rows.without_payload().with_places().with_seals()


def _with_writers(versions: list[Version], older: Sequence[MemoryVersion]) -> list[Version]:
    """Who replaced one version wrote the next."""
    writers = {one.version + 1: (one.replaced_by, one.event_id) for one in older}
    return [
        Version(one.version, one.value, one.written_at, *writers.get(one.version, (None, None)))
        for one in versions
    ]


def find_memory(identifier: UUID, *, hidden_too: bool = False) -> StoredMemory:
    """The row, in the current transaction, if the caller may know of it.

    `hidden_too`: show a key also what is out of use (states and dates are no content).
    """
    actor = current_actor()
    row = find_by_ids([identifier]).get(identifier)
    if row is None:
        raise _gone_or_missing(identifier, actor)
    may_see = actor.is_person or hidden_too or row.is_visible(now())
    if not covers(actor.prefixes, row.namespace) or not may_see:
        raise Missing("There is no such memory.")
    return row


def _gone_or_missing(identifier: UUID, actor: Actor) -> Gone | Missing:
    """People are told of a purge; to a key what is gone was never there."""
    stone = Tombstone.objects.all().with_id(identifier).first() if actor.is_person else None
    if stone is None or not covers(actor.prefixes, stone.namespace):
        return Missing("There is no such memory.")
    return Gone(
        "The memory was purged; this is what is left.",
        id=stone.id, namespace=list(decode(stone.namespace)), kind=stone.kind,
        classes=stone.classes, purged_at=stone.purged_at, rule=stone.rule, ruleset=stone.ruleset,
        reason=stone.reason, event_id=stone.event_id,
    )  # fmt: skip


def inspect_row(row: StoredMemory) -> Inspected:
    """The row with the engine's word on it, in the current transaction."""
    at = now()
    evaluation = evaluate_row(row, regime_of(tenant_settings()), at)
    restorable = evaluation.restore_refusal is None and row.quarantined_at is None
    if restorable:
        others = Memory.objects.all().visible(at).filter(namespace=row.namespace, key=row.key)
        restorable = not others.exclude(id=row.id).exists()
    return Inspected(row, at, evaluation, restorable)
