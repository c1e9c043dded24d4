"""From signals to an order: `score = ((1 − r) · relevance + r · freshness) · weight`. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from memories.statements.candidates import Candidate

IMPORTANCE_SWAY = 0.2
"""How much importance moves a score: a factor from 0.9 (importance 0) to 1.1 (importance 1)."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score and what it is made of (`explain`)."""

    candidate: Candidate
    score: float
    vector: float | None
    text: float | None
    freshness: float


def relevance_of(signal: float, distance: str) -> float:
    """A raw similarity (higher is better) on the scale 0 to 1."""
    if distance == "cosine":
        return (1 + max(-1.0, min(1.0, signal))) / 2
    if distance == "l2":
        return 1 / (1 - signal)  # the signal is the negative distance
    return 1 / (1 + math.exp(-max(-500.0, min(500.0, signal))))


def freshness_of(candidate: Candidate, now: datetime) -> float:
    """`decay ** days since the last update`; 1 for what never ages."""
    days = max(0.0, (now - candidate.updated_at).total_seconds() / 86_400)
    return float(candidate.decay**days)


def factor_of(candidate: Candidate) -> float:
    """Weight (lowered by *degrade*) and, mildly, importance; 1 for an ordinary memory."""
    return candidate.weight * (1 + IMPORTANCE_SWAY * (candidate.importance - 0.5))


def rank_by_vector(
    candidates: Iterable[Candidate], *, distance: str, recency: float, now: datetime
) -> list[Ranked]:
    """Best first, ties by id. With recency 0 and factor 1 the score is the raw metric."""
    ranked = []
    for candidate in candidates:
        factor, freshness = factor_of(candidate), freshness_of(candidate, now)
        if candidate.weight <= 0:
            continue  # degraded to nothing: out of semantic search
        if recency == 0 and factor == 1:
            score = candidate.signal
        else:
            relevance = relevance_of(candidate.signal, distance)
            score = ((1 - recency) * relevance + recency * freshness) * factor
        ranked.append(Ranked(candidate, score, candidate.signal, None, freshness))
    return sorted(ranked, key=lambda one: (-one.score, str(one.candidate.id)))
