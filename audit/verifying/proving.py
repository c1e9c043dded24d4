"""Proofs of the acting tenant's log: that an event is in it, and that it only ever grew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from audit.models import Checkpoint, Epoch, Event, Leaf, Node
from audit.sealing.merkle import STEP, fold, prove_consistency, prove_inclusion
from memoryhub.errors import Invalid, Missing
from tenants.authorising import require
from tenants.paging import USUAL
from tenants.roles import Action


class Tree:
    """Hashes inside a tenant's tree of one epoch, from the stored levels. Inside `atomic`."""

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch
        self._known: dict[tuple[int, int], bytes] = {}

    def complete(self, level: int, number: int) -> bytes:
        """The hash of a complete subtree. Raises Missing where the log lacks a part of it."""
        found = self._known.get((level, number))
        if found is None:
            found = self._known[level, number] = self._fold(level, number)
        return found

    def _fold(self, level: int, number: int) -> bytes:
        base = level // STEP * STEP
        low, high = number << (level - base), (number + 1) << (level - base)
        if base == 0:
            rows = Leaf.objects.filter(epoch=self.epoch, index__gte=low, index__lt=high)
            hashes = list(rows.order_by("index").values_list("hash", flat=True))
        else:
            rows = Node.objects.filter(
                epoch=self.epoch, level=base, number__gte=low, number__lt=high
            )
            hashes = list(rows.order_by("number").values_list("hash", flat=True))
        if len(hashes) != high - low:
            raise Missing("A part of the tree is gone; verify the log.")
        return fold([bytes(one) for one in hashes])


@dataclass(frozen=True, slots=True)
class Proof:
    """That a leaf is the `index`th of the tree that `checkpoint` (a signed note) is about."""

    epoch: int
    index: int
    size: int
    leaf: bytes
    path: tuple[bytes, ...]
    checkpoint: str

    def document(self) -> dict[str, Any]:
        """As the API gives it; hashes in hex."""
        return {
            "epoch": self.epoch, "index": self.index, "size": self.size,
            "path": [node.hex() for node in self.path], "checkpoint": self.checkpoint,
        }  # fmt: skip


def prove_event(event: Event) -> Proof | None:
    """The proof of an event against the newest checkpoint; None while it is not sealed."""
    require(Action.READ_EVENTS)
    with transaction.atomic(savepoint=False):
        leaf = Leaf.objects.filter(event_id=event.id).first()
        if leaf is None:
            return None
        newest = Checkpoint.objects.filter(epoch=leaf.epoch).order_by("-size").first()
        if newest is None or newest.size <= leaf.index:
            return None
        try:
            path = prove_inclusion(leaf.index, newest.size, Tree(leaf.epoch).complete)
        except Missing:
            return None  # the log was tampered with; verifying says how
    return Proof(leaf.epoch, leaf.index, newest.size, bytes(leaf.hash), tuple(path), newest.note)


def find_checkpoints() -> Any:
    """The tenant's checkpoints, for a list to page through."""
    require(Action.READ_EVENTS)
    return Checkpoint.objects.all()


def list_checkpoints(*, limit: int = USUAL) -> list[Checkpoint]:
    """The newest ones."""
    with transaction.atomic(savepoint=False):
        return list(find_checkpoints().order_by("-at", "-epoch", "-size")[:limit])


def present_checkpoint(checkpoint: Checkpoint) -> dict[str, Any]:
    """A checkpoint as callers get it."""
    return {
        "epoch": checkpoint.epoch, "size": checkpoint.size, "at": checkpoint.at,
        "root": bytes(checkpoint.root).hex(), "note": checkpoint.note,
    }  # fmt: skip


def prove_growth(epoch: int, old: int, new: int) -> dict[str, Any]:
    """That the tree of `new` leaves begins with that of `old`. Raises Invalid, Missing.

    Both sizes may be any that the log had; a checkpoint is given where it was signed.
    """
    require(Action.READ_EVENTS)
    if old > new:
        raise Invalid.at("from", "out_of_range", "`from` is not above `to`.")
    with transaction.atomic(savepoint=False):
        if not Epoch.objects.filter(n=epoch).exists():
            raise Missing("There is no such epoch.")
        newest = Checkpoint.objects.filter(epoch=epoch).order_by("-size").first()
        if newest is None or new > newest.size:
            raise Missing("The log of this epoch is not that long.")
        path = prove_consistency(old, new, Tree(epoch).complete)
        notes = dict(
            Checkpoint.objects.filter(epoch=epoch, size__in=[old, new]).values_list("size", "note")
        )
    return {
        "epoch": epoch, "from": old, "to": new, "path": [node.hex() for node in path],
        "checkpoints": {"from": notes.get(old), "to": notes.get(new)},
    }  # fmt: skip
