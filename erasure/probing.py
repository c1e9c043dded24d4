"""The erasure attacks itself: what was there is looked for again, in every way that finds things.

Before the removal a `Memento` of what is about to go is taken: strings from the values, the keys,
vectors. It lives in the memory of the process that carries the erasure out, for that run only, and
is written nowhere. Killed in between, the run that goes on looks by the identifier alone.

A hit is a memory that names the person, or that says what a removed one said and is about nobody
else. That somebody else likes tea too is no hit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from erasure.stores import STORES, Person
from memories.lexing import query_terms
from memories.likeness import say_the_same
from memories.naming import pattern_of
from memories.rows import StoredMemory
from memories.statements.requested import (
    FormerVector,
    Traces,
    found_by_words,
    ids_derived_from,
    ids_of_subject,
    ids_with_traces,
    neighbours_of,
    vectors_of,
    versions_with_traces,
)

SAMPLES = 200
SHORTEST_SAMPLE = 12
"""Characters of a string that is looked for: shorter ones are anybody's."""
VECTORS = 50
NEIGHBOURS = 5
NEAR = 0.9
WORDS = 6


@dataclass(slots=True)
class Memento:
    """What was there, in this process only."""

    texts: dict[str, None] = field(default_factory=dict)
    vectors: list[FormerVector] = field(default_factory=list)

    def take(self, rows: Sequence[StoredMemory]) -> None:
        """Remember samples of these rows, which are about to be destroyed."""
        for row in rows:
            for text in (row.key, *strings_in(json.loads(row.value))):
                if len(text) >= SHORTEST_SAMPLE and len(self.texts) < SAMPLES:
                    self.texts[text] = None
        room = VECTORS - len(self.vectors)
        if room > 0 and rows:
            self.vectors += vectors_of([row.id for row in rows], limit=room)


@dataclass(slots=True)
class Probed:
    """How often was asked, and what was found: memories, and places of other stores."""

    queries: int = 0
    memories: set[UUID] = field(default_factory=set)
    places: list[str] = field(default_factory=list)

    @property
    def hits(self) -> int:
        return len(self.memories) + len(self.places)


def strings_in(value: Any) -> Iterator[str]:
    """The strings of a JSON value, keys of objects left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings_in(part)


def probe(person: Person, memento: Memento, *, kept: Iterable[UUID]) -> Probed:
    """Look for what is left of a person; memories that are kept on a ground are no hits."""
    found, stays = Probed(), set(kept)
    _ask_exactly(person, memento, found)
    _ask_neighbours(person, memento, found)
    _ask_words(person, memento, found)
    found.memories -= stays
    for store in STORES:
        found.queries += 1
        if store.name != "query_cache" and store.find(person):
            found.places.append(store.name)
    return found


def _ask_exactly(person: Person, memento: Memento, found: Probed) -> None:
    """By the index, by provenance, and by the texts of rows in every state and of old versions."""
    found.memories.update(ids_of_subject(person.subject))
    found.memories.update(ids_derived_from(sorted(person.ids)))
    traces = Traces(pattern_of(person.subject), tuple(map(_as_json, memento.texts)))
    found.memories.update(ids_with_traces(traces, subject=person.subject))
    found.memories.update(memory for _, memory in versions_with_traces(traces))
    found.queries += 4 + len(memento.texts)


def _as_json(text: str) -> str:
    """As the text stands inside a JSON value."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _ask_neighbours(person: Person, memento: Memento, found: Probed) -> None:
    for vector in memento.vectors:
        found.queries += 1
        for memory, subjects, value, cosine in neighbours_of(vector, limit=NEIGHBOURS):
            if cosine >= NEAR and _is_theirs(person, memento, subjects, value):
                found.memories.add(memory)


def _ask_words(person: Person, memento: Memento, found: Probed) -> None:
    asked = {tuple(query_terms(text)[:WORDS]) for text in memento.texts}
    for words in sorted(asked - {()}):
        found.queries += 1
        for memory, subjects, value in found_by_words(words, limit=NEIGHBOURS):
            if _is_theirs(person, memento, subjects, value):
                found.memories.add(memory)


def _is_theirs(person: Person, memento: Memento, subjects: Sequence[str], value: str) -> bool:
    """Whether it is about nobody else, and says what one of the removed texts said."""
    if set(subjects) - {person.subject}:
        return False
    texts = [text for text in strings_in(json.loads(value)) if len(text) >= SHORTEST_SAMPLE]
    return any(say_the_same(one, other) for one in texts for other in memento.texts)
