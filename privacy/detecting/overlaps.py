"""One reading for every character: which of overlapping hits stands.

A validated hit beats one that is not (a tenant's pattern, somebody's service, a name), the longer
beats the shorter, and of two alike `secret > cn_id > bank_card > rest`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from privacy.detecting.spans import Hit

_RANKS = {"secret": 3, "cn_id": 2, "bank_card": 1}


def resolve(hits: Iterable[Hit]) -> tuple[list[Hit], bool]:
    """The hits that stand, in the order of the text, none overlapping; whether a loser stuck out.

    What sticks out may hold something that was read together with the winner's end.
    """
    stuck_out = False
    starts: list[int] = []
    standing: list[Hit] = []
    for hit in sorted(hits, key=_strength, reverse=True):
        place = bisect_left(starts, hit.start)
        beside = standing[max(0, place - 1) : place + 1]
        winners = [other for other in beside if other.start < hit.end and other.end > hit.start]
        if winners:
            stuck_out |= not any(_covers(winner, hit) for winner in winners)
            continue
        starts.insert(place, hit.start)
        standing.insert(place, hit)
    return standing, stuck_out


def _covers(winner: Hit, hit: Hit) -> bool:
    return winner.start <= hit.start and winner.end >= hit.end


def _strength(hit: Hit) -> tuple[bool, int, int, float, int]:
    return hit.validated, hit.end - hit.start, _RANKS.get(hit.entity, 0), hit.score, -hit.start
