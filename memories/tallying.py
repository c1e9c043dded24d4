"""What a simulation adds up, memory by memory: who leaves use, who is destroyed sooner. Pure.

A tally travels as JSON from one step of the job to the next, so it stays small: of the samples it
holds the ids, and they are explained once, at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any, Self

from memories.dating import is_earlier
from policies.outcomes import Evaluation

SAMPLES = 20
MOST_GROUPS = 300
MOST_ALIKE = 3
"""So many samples of one root, kind and effect, as long as there are others."""
DUE_DAYS = (7, 30, 90)
_DUE = tuple((str(days), timedelta(days=days)) for days in DUE_DAYS)
SOON = timedelta(days=30)
COUNTED = ("newly_hidden", "newly_destroyed_30d", "kept_longer", "conflicts", "uncovered", "bytes")


@dataclass(slots=True)
class Tally:
    """Counts so far. `groups` are [namespace, kind, counts in the order of COUNTED]; `samples` and
    `spare` are ids of memories whose dates move, `alike` counts those taken of each sort."""

    memories: int = 0
    visible: int = 0
    newly_hidden: int = 0
    covered_before: int = 0
    covered_after: int = 0
    held: int = 0
    due: dict[str, int] = field(default_factory=lambda: {str(days): 0 for days in DUE_DAYS})
    groups: list[list[Any]] = field(default_factory=list)
    samples: list[str] = field(default_factory=list)
    spare: list[str] = field(default_factory=list)
    alike: dict[str, int] = field(default_factory=dict)

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Self:
        """A tally as `as_json` wrote it."""
        return cls(**document)

    def as_json(self) -> dict[str, Any]:
        """For the job's cursor."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @property
    def newly_uncovered(self) -> int:
        """How many more no rule and no lifetime will speak about."""
        return max(self.covered_before - self.covered_after, 0)

    @property
    def sampled(self) -> list[str]:
        """Ids of the samples, of as many sorts as there are."""
        return [*self.samples, *self.spare][:SAMPLES]


@dataclass(frozen=True, slots=True)
class Visited:
    """One memory under the rules in force and under those to come, at one instant."""

    memory_id: str
    namespace: tuple[str, ...]
    kind: str
    size: int
    before: Evaluation
    after: Evaluation


def add_up(tally: Tally, visits: list[Visited]) -> None:
    """Add these memories to the tally."""
    groups = {(tuple(one[0]), one[1]): one for one in tally.groups}
    for visit in visits:
        key = (visit.namespace, visit.kind)
        group = groups.get(key)
        if group is None:
            group = groups[key] = [list(visit.namespace), visit.kind, *([0] * len(COUNTED))]
        _add(tally, group, visit)
    tally.groups = list(groups.values())
    if len(tally.groups) > MOST_GROUPS:
        tally.groups = _by_root(tally.groups)


def _add(tally: Tally, group: list[Any], visit: Visited) -> None:
    before, after, at = visit.before, visit.after, visit.after.at
    hidden = before.visible and not after.visible
    destroyed = _within(after, at + SOON) and not _within(before, at + SOON)
    longer = is_earlier(before.purge_at, after.purge_at)
    tally.memories += 1
    tally.visible += before.visible
    tally.newly_hidden += hidden
    tally.covered_before += not before.uncovered
    tally.covered_after += not after.uncovered
    tally.held += "held" in after.flags and (hidden or is_earlier(after.due_at, before.due_at))
    if after.purge_at is not None:
        for name, length in _DUE:
            tally.due[name] += after.purge_at < at + length
    counts = (
        hidden, destroyed, longer, "policy_conflict" in after.flags, after.uncovered,
        visit.size if hidden or destroyed else 0,
    )  # fmt: skip
    for place, count in enumerate(counts, start=2):
        group[place] += int(count)
    if (before.visible_until, before.purge_at) != (after.visible_until, after.purge_at):
        effect = (
            "hidden" if hidden else "destroyed" if destroyed else "later" if longer else "other"
        )
        _sample(tally, visit, f"{visit.namespace[0]} {visit.kind} {effect}")


def _within(found: Evaluation, end: datetime) -> bool:
    return found.purge_at is not None and found.purge_at < end


def _sample(tally: Tally, visit: Visited, sort: str) -> None:
    """A few of each sort; what comes first of one sort fills up where there are no others."""
    taken = tally.alike.get(sort, 0)
    if taken < MOST_ALIKE and len(tally.samples) < SAMPLES:
        tally.alike[sort] = taken + 1
        tally.samples.append(visit.memory_id)
    elif len(tally.spare) < SAMPLES:
        tally.spare.append(visit.memory_id)


def _by_root(groups: list[list[Any]]) -> list[list[Any]]:
    """Too many namespaces to list: by their first label."""
    folded: dict[tuple[str, str], list[Any]] = {}
    for namespace, kind, *counts in groups:
        root = folded.setdefault((namespace[0], kind), [namespace[:1], kind, *([0] * len(COUNTED))])
        for place, count in enumerate(counts, start=2):
            root[place] += count
    return list(folded.values())


def present_tally(tally: Tally) -> dict[str, Any]:
    """The counts as a simulation's result has them (API.md), without the samples."""
    return {
        "memories": tally.memories,
        "by": [
            {"namespace": namespace, "kind": kind, **dict(zip(COUNTED, counts, strict=True))}
            for namespace, kind, *counts in sorted(tally.groups, key=lambda one: (one[0], one[1]))
        ],
        "due": tally.due,
        "held": tally.held,
    }
