"""Which legal holds a memory is under. Pure.

A hold covers the union of its subjects, its namespaces and its ids, and what is written later into
the first two. Some holds stay with a memory whatever becomes of its subjects: those that it took
over from its sources as it was written, and those whose subject a later put took off it. A row
names them by their ids. All values of a memory (its versions) share its holds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Self
from uuid import UUID

from policies.facts import Hold


@dataclass(frozen=True, slots=True)
class StandingHold:
    """One hold with its scope; `namespaces` are stored prefixes, each ending in `/`."""

    id: UUID
    placed_at: datetime
    released_at: datetime | None = None
    matter: str = ""
    subjects: frozenset[str] = frozenset()
    namespaces: tuple[str, ...] = ()
    memories: frozenset[UUID] = frozenset()

    @property
    def is_open(self) -> bool:
        """Not released."""
        return self.released_at is None

    def as_fact(self) -> Hold:
        """As the engine takes it."""
        return Hold(self.placed_at, self.released_at, self.matter)


class Holdings:
    """A tenant's standing holds, arranged so that finding those over a memory takes no scan."""

    __slots__ = ("_all", "_by_memory", "_by_namespace", "_by_subject")

    def __init__(self, holds: Iterable[StandingHold] = ()) -> None:
        self._all = {hold.id: hold for hold in holds}
        self._by_subject: dict[str, list[UUID]] = {}
        self._by_namespace: dict[str, list[UUID]] = {}
        self._by_memory: dict[UUID, list[UUID]] = {}
        for hold in self._all.values():
            for subject in hold.subjects:
                self._by_subject.setdefault(subject, []).append(hold.id)
            for prefix in hold.namespaces:
                self._by_namespace.setdefault(prefix, []).append(hold.id)
            for memory in hold.memories:
                self._by_memory.setdefault(memory, []).append(hold.id)

    def __bool__(self) -> bool:
        return bool(self._all)

    def __iter__(self) -> Iterator[StandingHold]:
        return iter(self._all.values())

    def matching(
        self, memory: UUID, namespace: str, subjects: Sequence[str], kept: Collection[UUID] = ()
    ) -> list[StandingHold]:
        """The holds over a memory at this stored path, in the order of placing."""
        found = {one for one in kept if one in self._all}
        found.update(self._by_memory.get(memory, ()))
        if self._by_subject:
            for subject in subjects:
                found.update(self._by_subject.get(subject, ()))
        if self._by_namespace:
            for prefix in prefixes_of(namespace):
                found.update(self._by_namespace.get(prefix, ()))
        holds = (self._all[one] for one in found)
        return sorted(holds, key=lambda hold: (hold.placed_at, hold.id))

    def as_seen_at(self, at: datetime) -> Self:
        """Holds placed later than `at` count as placed then: what is destroyed must ask all."""
        if not self._all:
            return self
        seen = (replace(one, placed_at=min(one.placed_at, at)) for one in self)
        return type(self)(seen)

    def without(self, hold: UUID, *, released_at: datetime | None = None) -> Self:
        """As it would be without this hold, or with it released at an instant."""
        changed = (
            replace(one, released_at=released_at) if one.id == hold else one
            for one in self
            if one.id != hold or released_at is not None
        )  # fmt: skip
        return type(self)(changed)


NO_HOLDS: Final = Holdings()


def prefixes_of(namespace: str) -> list[str]:
    """The stored prefixes that a stored path lies below: "", which is everything, to itself."""
    prefixes, end = [""], namespace.find("/")
    while end >= 0:
        prefixes.append(namespace[: end + 1])
        end = namespace.find("/", end + 1)
    return prefixes


def kept_holds(holds: Iterable[StandingHold], kept: Sequence[UUID]) -> list[UUID]:
    """The open ones of these beside those that a memory keeps already."""
    return list(dict.fromkeys([*kept, *(hold.id for hold in holds if hold.is_open)]))
