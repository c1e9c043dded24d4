"""One memory in full, for a page: whoever may not read values gets the same without them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction

from audit.recording import Facts, Target, record
from memories.inspecting import Inspected, find_memory, inspect_row
from memories.models import MemoryVersion
from memories.namespaces import covers
from memories.rows import StoredMemory
from memories.statements.lookup import find_by_ids
from tenants.authorising import require
from tenants.roles import Action, allows


@dataclass(frozen=True, slots=True)
class Examined:
    """A memory, its older versions (newest first) and what it was made from."""

    inspected: Inspected
    versions: list[Any]
    sources: list[StoredMemory]
    with_values: bool

    @property
    def row(self) -> StoredMemory:
        """The memory's row."""
        return self.inspected.row


def examine_memory(memory_id: UUID) -> Examined:
    """The memory as it stands, in any state; a look at values is an event. Missing, Gone."""
    actor = require(Action.SEE_FIGURES)
    with_values = allows(actor, Action.READ_VALUES)
    with transaction.atomic():
        row = find_memory(memory_id, hidden_too=True)
        versions: list[Any] = []
        if with_values:
            versions = list(MemoryVersion.objects.all().of_memory(row.id).with_text())
            record(
                "memory.get",
                Target("memory", str(row.id), row.namespace),
                Facts(subjects=None, ruleset=row.ruleset, counts={"version": row.version}),
            )
        found = find_by_ids(row.derived_from) if row.derived_from else {}
        sources = [one for one in found.values() if covers(actor.prefixes, one.namespace)]
        return Examined(inspect_row(row), versions, sources, with_values)
