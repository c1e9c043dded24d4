"""From signals to an order: `score = ((1 − r) · relevance + r · freshness) · weight`. Pure.

Hybrid relevance is reciprocal rank fusion over all signals, each field apart, as a share of the
best possible. The constants were chosen on the two conversations of LoCoMo (`python -m bench
retrieval`; docs/benchmarks.md), by the recall of the turns that hold the answer, at 5 / 10 / 25:

    vector alone                                                44 / 50 / 61
    text alone (BM25)                                           58 / 65 / 71
    both, ranks fused (k = 20)                                  57 / 67 / 74
    text counted double                                         61 / 67 / 74
    and a turn's text score with half of its neighbours'        62 / 73 / 81
    and text counting by how much of the question it covers     64 / 73 / 81

What stands around a turn thus counts as a field `context` of it would, without copies of other
memories' words that would have to be kept, updated and destroyed with them (docs/adr/0013).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.indexing import path_of
from memories.statements.at_once import Weighing
from memories.statements.candidates import Candidate, Sighting

IMPORTANCE_SWAY = 0.1
"""How much importance moves a score: a factor from 0.95 (importance 0) to 1.05 (importance 1)."""

RANK_CONSTANT = 20
VECTOR_WEIGHT, TEXT_WEIGHT = 1.0, 2.0
COVERED = 0.35
"""Share of a question's rarity at which a text match counts in full; a stray word counts less."""

WEIGHING = Weighing(
    IMPORTANCE_SWAY, RANK_CONSTANT, near_weight=VECTOR_WEIGHT, text_weight=TEXT_WEIGHT,
    covered=COVERED,
)  # fmt: skip
"""All of these, for the statement that ranks by itself."""

DEPTHS = (100, 1_000, 5_000, 20_000)
"""How many of each signal are fused. A later depth only appends to the order of the one before, so
that all pages of a query are pages of one order."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score and what it is made of (`explain`)."""

    candidate: Candidate
    score: float
    vector: float | None
    text: float | None
    freshness: float
    factor: float


@dataclass(frozen=True, slots=True)
class Ageing:
    """How the order leans to what is fresh: r, and the instant at which it is judged."""

    recency: float
    now: datetime


def depth_for(end: int) -> int:
    """How many of each signal to fetch for a page that ends at `end`: over-fetched."""
    return next((depth for depth in DEPTHS if depth >= 2 * end), DEPTHS[-1])


def relevance_of(signal: float, distance: str) -> float:
    """A raw similarity (higher is better) on the scale 0 to 1."""
    if distance == "cosine":
        return (1 + max(-1.0, min(1.0, signal))) / 2
    if distance == "l2":
        return 1 / (1 - signal)  # the signal is the negative distance
    return 1 / (1 + math.exp(-max(-500.0, min(500.0, signal))))


def _raw_of(relevance: float, distance: str) -> float:
    """The similarity that has this relevance: `relevance_of` backwards."""
    if distance == "cosine":
        return 2 * relevance - 1
    if distance == "l2":
        return 1 - 1 / max(relevance, 1e-9)
    inside = min(max(relevance, 1e-12), 1 - 1e-12)
    return math.log(inside / (1 - inside))


def freshness_of(candidate: Candidate, now: datetime) -> float:
    """`decay ** days since the last update`; 1 for what never ages."""
    if candidate.decay == 1:
        return 1.0
    days = max(0.0, (now - candidate.updated_at).total_seconds() / 86_400)
    return float(candidate.decay**days)


def factor_of(candidate: Candidate) -> float:
    """Weight (lowered by *degrade*) and, mildly, importance; 1 for an ordinary memory."""
    return candidate.weight * (1 + IMPORTANCE_SWAY * (candidate.importance - 0.5))


def rank_by_vector(sightings: Iterable[Sighting], *, distance: str, ageing: Ageing) -> list[Ranked]:
    """Best first, ties by id. With recency 0 scores are on the metric's own scale, and that of an
    ordinary memory is the metric itself."""
    ordered = sorted(sightings, key=lambda one: (-one.score, one.candidate.id))
    return _in_blocks([ordered], lambda part: _rank_vectors(part, distance, ageing))


def _rank_vectors(
    parts: Sequence[Sequence[Sighting]], distance: str, ageing: Ageing
) -> list[Ranked]:
    ranked = []
    for one in parts[0]:
        factor, freshness = factor_of(one.candidate), freshness_of(one.candidate, ageing.now)
        if ageing.recency > 0:
            relevance = relevance_of(one.score, distance)
            score = _blend(relevance, freshness, ageing.recency) * factor
        elif factor == 1:
            score = one.score
        else:
            score = _raw_of(relevance_of(one.score, distance) * factor, distance)
        ranked.append(Ranked(one.candidate, score, one.score, None, freshness, factor))
    return sorted(ranked, key=_best_first)


def rank_by_fusion(sightings: Iterable[Sighting], *, ageing: Ageing) -> list[Ranked]:
    """Best first, ties by id, from the ranks of every signal; scores within 0 and 1."""
    lists: dict[tuple[str, str], dict[UUID, Sighting]] = defaultdict(dict)
    for one in sightings:
        found = lists[one.signal, path_of(one.field)]
        best = found.get(one.candidate.id)
        if best is None or one.score > best.score:
            found[one.candidate.id] = one
    ordered = [
        sorted(found.values(), key=lambda one: (-one.score, one.candidate.id))
        for found in lists.values()
    ]
    return _in_blocks(ordered, lambda parts: _fuse(parts, ageing))


def _fuse(lists: Sequence[Sequence[Sighting]], ageing: Ageing) -> list[Ranked]:
    fused: dict[UUID, float] = defaultdict(float)
    seen: dict[UUID, dict[str, Sighting]] = defaultdict(dict)
    best = 0.0
    for signal in lists:
        if not signal:
            continue
        is_text = signal[0].signal == "text"
        weight = TEXT_WEIGHT if is_text else VECTOR_WEIGHT
        best += weight / (RANK_CONSTANT + 1)
        for rank, one in enumerate(signal, start=1):
            counts = min(1.0, one.score / COVERED) if is_text else 1.0
            fused[one.candidate.id] += weight * counts / (RANK_CONSTANT + rank)
            kept = seen[one.candidate.id].get(one.signal)
            if kept is None or one.score > kept.score:
                seen[one.candidate.id][one.signal] = one
    ranked = []
    for identifier, by_signal in seen.items():
        candidate = next(iter(by_signal.values())).candidate
        freshness, factor = freshness_of(candidate, ageing.now), factor_of(candidate)
        score = min(1.0, _blend(fused[identifier] / best, freshness, ageing.recency) * factor)
        scores = {signal: one.score for signal, one in by_signal.items()}
        ranked.append(
            Ranked(candidate, score, scores.get("vector"), scores.get("text"), freshness, factor)
        )
    return sorted(ranked, key=_best_first)


def _blend(relevance: float, freshness: float, recency: float) -> float:
    return (1 - recency) * relevance + recency * freshness


def _best_first(one: Ranked) -> tuple[float, UUID]:
    return -one.score, one.candidate.id


def _in_blocks(
    lists: Sequence[Sequence[Sighting]],
    rank: Callable[[Sequence[Sequence[Sighting]]], list[Ranked]],
) -> list[Ranked]:
    """The order at each depth in turn, without what an earlier depth has placed."""
    placed: dict[UUID, Ranked] = {}
    for depth in DEPTHS:
        for one in rank([each[:depth] for each in lists]):
            placed.setdefault(one.candidate.id, one)
        if all(len(each) <= depth for each in lists):
            break
    return list(placed.values())
