"""Importing: items of a source put with the dates they had, a chunk a transaction, resumable.

A second import of the same source adds nothing: an item whose key is in use and was written at the
same instant or later is skipped, and an item without dates that is the same already is `unchanged`.
So a chunk that was written and whose mark was lost with the process is no harm either. Items whose
lifetime is over by now are skipped: they would be hidden at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path

from django.db import transaction

from memories.importing import DatedPut, import_memories
from memories.moving import states
from memories.moving.items import Item, Source
from memories.moving.states import State
from memories.namespaces import encode
from memories.statements.lookup import find_written
from memoryhub.errors import HubError, Invalid
from tenants.context import now

CHUNK = 256
Told = Callable[[State], None]


def import_items(source: Source, *, identity: str, place: Path, on_chunk: Told) -> State:
    """Take in what the source has, from where an earlier try stopped; what was done.

    Raises Invalid naming the place in the source; what came before it is stored.
    """
    state = states.load(place, identity)
    for chunk in _chunks(source.read(state.mark)):
        added = _take_in(chunk)
        state.mark, state.done = chunk[-1].mark, state.done + len(chunk)
        state.added, state.skipped = state.added + added, state.skipped + len(chunk) - added
        states.save(place, state)
        on_chunk(state)
    place.unlink(missing_ok=True)
    return state


def _chunks(items: Iterable[Item]) -> Iterator[list[Item]]:
    """A fault while reading is raised after what was read before it."""
    iterator = iter(items)
    fault: HubError | None = None
    while fault is None:
        chunk: list[Item] = []
        try:
            for item in islice(iterator, CHUNK):
                item.parsed()
                chunk.append(item)
        except Invalid as error:
            fault = error
        if chunk:
            yield chunk
        elif fault is None:
            return
    raise fault


def _take_in(items: Sequence[Item]) -> int:
    """Put what is new; how many were added or changed."""
    keys = [(encode(item.body["namespace"]), item.body["key"]) for item in items]
    with transaction.atomic():
        present = now()
        written = find_written(keys, at=present)
    puts: list[DatedPut] = []
    for item, key in zip(items, keys, strict=True):
        if not _is_over(item, present) and not _is_known(item, written.get(key)):
            at = min(item.updated_at or present, present)
            created = None if item.created_at is None else min(item.created_at, at)
            puts.append(DatedPut(item.parsed(), at, created_at=created, expires_at=item.expires_at))
    return import_memories(puts) if puts else 0


def _is_over(item: Item, present: datetime) -> bool:
    end = item.ends_at()
    return end is not None and end <= present


def _is_known(item: Item, written_at: datetime | None) -> bool:
    """In use already, as old as the item or newer."""
    return written_at is not None and item.updated_at is not None and item.updated_at <= written_at
