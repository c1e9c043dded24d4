"""Exporting: everything in use, in the order of keys, as lines; a chunk a transaction.

Killed anywhere, the next export of the same tenant to the same file goes on behind the last chunk
that the state beside it names. What is written meanwhile behind the present key is in the file,
what is written before it is not: an export is no snapshot, and says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from django.db import transaction

from audit.recording import Facts, Target, record
from memories.moving import states
from memories.moving.lines import as_line
from memories.moving.states import State
from memories.rows import StoredMemory
from memories.statements.lookup import list_visible_below
from tenants.authorising import require
from tenants.context import current_tenant_id, now
from tenants.roles import Action

CHUNK = 200
Told = Callable[[State], None]


def export_memories(path: Path, *, on_chunk: Told) -> State:
    """Write the file, going on where an earlier try stopped; what was done."""
    require(Action.READ_VALUES)
    place = states.beside(path, "export")
    state = states.load(place, f"export {current_tenant_id()}")
    offset, after = state.mark or (0, None)
    with path.open("r+b" if offset and path.exists() else "wb") as file:
        file.truncate(offset)
        file.seek(offset)
        while rows := _read_chunk(None if after is None else (after[0], after[1])):
            file.writelines(as_line(row) for row in rows)
            file.flush()
            os.fsync(file.fileno())
            after = [rows[-1].namespace, rows[-1].key]
            state.mark, state.done = [file.tell(), after], state.done + len(rows)
            states.save(place, state)
            on_chunk(state)
    place.unlink(missing_ok=True)
    return state


def _read_chunk(after: tuple[str, str] | None) -> Sequence[StoredMemory]:
    with transaction.atomic():
        rows = list_visible_below(("",), at=now(), after=after, limit=CHUNK)
        if rows:
            record(
                "memory.export",
                Target("tenant", str(current_tenant_id())),
                Facts(counts={"n": len(rows)}, links={"ids": [str(row.id) for row in rows]}),
            )
    return rows
