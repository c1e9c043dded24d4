"""When a log must begin a new epoch, and what it then says of the gap. Pure.

The three signs of a restored database: another server, transaction ids that went back, and an
anchor outside that is ahead of, or differs from, the anchors inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Anchored:
    """The newest anchor that somebody knows of: its epoch and number, and what it says."""

    epoch: int
    n: int
    events: int
    root: str

    @property
    def place(self) -> tuple[int, int]:
        return self.epoch, self.n


@dataclass(frozen=True, slots=True)
class Standing:
    """How the log stands: the server now, the epoch, the last sealed place, both anchors.

    `epoch` is 0 before the first. `sealed_xid` is the last sealed of this server's transactions,
    `next_xid` the first one that is not yet given.
    """

    node: int
    next_xid: int
    epoch: int = 0
    epoch_node: int | None = None
    sealed_xid: int = 0
    events: int = 0
    inside: Anchored | None = None
    outside: Anchored | None = None


@dataclass(frozen=True, slots=True)
class NewEpoch:
    """An epoch to be opened, why, and what is known of the gap."""

    n: int
    reason: str
    gap: dict[str, Any]


def break_of(standing: Standing) -> NewEpoch | None:
    """The epoch that must be opened now, None while the log goes on as it was."""
    reason = _reason(standing)
    if reason is None:
        return None
    outside = standing.outside
    highest = max(standing.epoch, outside.epoch if outside else 0)
    gap: dict[str, Any] = {}
    if standing.epoch:
        gap = {"epoch": standing.epoch, "sealed": standing.events}
    if reason == "server_changed":
        gap |= {"node_before": str(standing.epoch_node), "node": str(standing.node)}
    if reason == "transactions_went_back":
        gap |= {"sealed_xid": standing.sealed_xid, "next_xid": standing.next_xid}
    if outside is not None and _is_ahead(standing):
        gap["anchor"] = {"epoch": outside.epoch, "n": outside.n, "events": outside.events}
    return NewEpoch(highest + 1, reason, gap)


def _reason(standing: Standing) -> str | None:
    if _is_ahead(standing):
        return "anchor_ahead"
    if standing.epoch == 0:
        return "start"
    if standing.node != standing.epoch_node:
        return "server_changed"
    if standing.sealed_xid >= standing.next_xid:
        return "transactions_went_back"
    return None


def _is_ahead(standing: Standing) -> bool:
    """Whether the file knows an anchor that the log does not have, or has differently."""
    outside, inside = standing.outside, standing.inside
    if outside is None or outside.epoch < standing.epoch:
        return False
    if inside is None or outside.place > inside.place:
        return True
    return outside.place == inside.place and outside.root != inside.root
