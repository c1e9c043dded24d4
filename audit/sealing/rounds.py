"""One round of the sealer: gather what is final, grow the trees, write, sign, anchor.

Everything of a round is one transaction under one advisory lock, so a round that dies leaves
nothing, and two sealers never meet. The statements' number does not depend on how many tenants or
events there are.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Max, Sum

from audit.models import Anchor, Epoch, Head, Position
from audit.recording import Facts, Target, record
from audit.sealing import anchors
from audit.sealing.checkpoints import Checkpoint, encode
from audit.sealing.epochs import Anchored, NewEpoch, Standing, break_of
from audit.sealing.merkle import HASH, Grown, StoredNode, grow
from audit.sealing.statements import (
    Place,
    Sealable,
    list_nodes,
    lock_and_look,
    move_heads,
    take_sealable,
    write_checkpoints,
    write_leaves,
    write_nodes,
)
from sealing.signing import sign_note
from tenants.actors import job_actor
from tenants.context import acting_as, now
from tenants.ids import PLATFORM_TENANT

log = structlog.get_logger(__name__)

NOTHING = UUID(int=0)
BACK = timedelta(days=1)
"""How far behind the last pass an event's instant may lie: far more than a transaction lives."""
EVER = timedelta(days=365 * 200)


@dataclass(frozen=True, slots=True)
class Round:
    """What a round did; `more` says that the next one finds work at once."""

    sealed: int
    more: bool
    epoch: int


def seal(*, seconds: float = 20.0) -> int:
    """Seal what is final, round by round, for so long at the most; how many events it were."""
    end, sealed = time.monotonic() + seconds, 0
    with acting_as(job_actor("seal_audit", PLATFORM_TENANT)):
        while (done := seal_round()) is not None:
            sealed += done.sealed
            if not done.more or time.monotonic() > end:
                break
    return sealed


def seal_round() -> Round | None:
    """One round; None when another sealer is at it."""
    with transaction.atomic():
        locked, node, next_xid = lock_and_look()
        if not locked:
            return None
        epoch = _go_on_or_break(_stand(node, next_xid))
        places = _places(node)
        sealed, more = 0, False
        for place in places:
            found = take_sealable(place, most=settings.SEAL_BATCH)
            if found:
                _append(epoch, found, after=_passed(places, node))
            is_full = len(found) == settings.SEAL_BATCH
            _move(place, found, passed=not is_full and place.node == node)
            sealed, more = sealed + len(found), more or is_full
        anchored = _anchor_if_due(epoch, node)
    if anchored:
        anchors.append_lines(_missing_lines())
    return Round(sealed, more, epoch)


# --- epochs ---------------------------------------------------------------------------------------


def _stand(node: int, next_xid: int) -> Standing:
    """How log and anchors stand."""
    epoch = Epoch.objects.order_by("-n").first()
    inside = Anchor.objects.defer("line").order_by("-epoch", "-n").first()
    position = Position.objects.filter(node=node).first()
    return Standing(
        node=node,
        next_xid=next_xid,
        epoch=epoch.n if epoch else 0,
        epoch_node=epoch.node if epoch else None,
        sealed_xid=position.xid if position else 0,
        events=0,
        inside=_anchored(inside) if inside else None,
        outside=anchors.last_line(),
    )


def _anchored(anchor: Anchor) -> Anchored:
    return Anchored(anchor.epoch, anchor.n, anchor.events, encode(bytes(anchor.root)))


def _go_on_or_break(standing: Standing) -> int:
    """The epoch to seal in: the current one, or a new one that names the gap."""
    found = break_of(standing)
    if found is None:
        return standing.epoch
    gap = dict(found.gap)
    if standing.epoch:
        heads = Head.objects.filter(epoch=standing.epoch)
        gap["sealed"] = heads.aggregate(n=Sum("size"))["n"] or 0
    _open_epoch(NewEpoch(found.n, found.reason, gap), standing)
    return found.n


def _open_epoch(new: NewEpoch, standing: Standing) -> None:
    """Open it, and let sealing begin behind what the log itself knows to be sealed."""
    Epoch.objects.create(
        n=new.n, node=standing.node, began_at=now(), reason=new.reason, gap=new.gap
    )
    for node in {*list_nodes(), standing.node}:
        Position.objects.get_or_create(node=node, defaults={"xid": 0, "event_id": NOTHING})
    if new.reason == "transactions_went_back":
        Position.objects.filter(node=standing.node).update(xid=0, event_id=NOTHING)
    Position.objects.update(passed_at=None)
    record(
        "audit.epoch",
        Target("epoch", str(new.n)),
        Facts(links={"reason": new.reason, "gap": new.gap}),
    )
    log.warning("audit_epoch_opened", epoch=new.n, reason=new.reason, gap=new.gap)


# --- taking and growing ---------------------------------------------------------------------------


def _places(node: int) -> list[Place]:
    """Where each server's rows go on; the own server's last, its order is the live one."""
    at = now()
    rows = sorted(Position.objects.all(), key=lambda row: row.node == node)
    return [
        Place(
            row.node, row.xid, row.event_id, (row.passed_at - BACK) if row.passed_at else at - EVER
        )
        for row in rows
    ]


def _passed(places: Sequence[Place], node: int) -> datetime | None:
    """When all that was final had been sealed; None at the beginning of an epoch."""
    own = next(place for place in places if place.node == node)
    earliest = now() - EVER
    return None if own.since <= earliest else own.since + BACK


def _append(epoch: int, found: Sequence[Sealable], *, after: datetime | None) -> None:
    """Grow each tenant's tree, in order, and sign its new root."""
    of_tenant: dict[UUID, list[Sealable]] = {}
    for event in found:
        of_tenant.setdefault(event.tenant_id, []).append(event)
    heads = {
        head.tenant_id: head
        for head in Head.objects.filter(epoch=epoch, tenant_id__in=list(of_tenant))
    }
    leaves: list[tuple[int, Sealable]] = []
    nodes: list[tuple[UUID, StoredNode]] = []
    grown: list[tuple[Checkpoint, tuple[bytes, ...]]] = []
    for tenant_id, events in of_tenant.items():
        tree = _tree_of(heads.get(tenant_id))
        leaves += enumerate(events, start=tree.size)
        tree = grow(tree.size, tree.frontier, [event.leaf for event in events])
        nodes += [(tenant_id, node) for node in tree.nodes]
        checkpoint = Checkpoint(tenant_id, epoch, tree.size, tree.root, now(), after)
        grown.append((checkpoint, tree.frontier))
    if write_leaves(epoch, leaves) < len(leaves):
        log.error("audit_places_taken", epoch=epoch)  # somebody wrote leaves behind our back
    write_nodes(epoch, nodes)
    move_heads(epoch, now(), grown)
    signed = [(checkpoint, sign_note(checkpoint.text)) for checkpoint, _ in grown]
    write_checkpoints(epoch, now(), signed)


def _tree_of(head: Head | None) -> Grown:
    if head is None:
        return Grown(0, ())
    row = bytes(head.frontier)
    return Grown(head.size, tuple(row[place : place + HASH] for place in range(0, len(row), HASH)))


def _move(place: Place, found: Sequence[Sealable], *, passed: bool) -> None:
    """Note how far it went, and when all had been taken (at most every few seconds for nothing)."""
    changes: dict[str, object] = {}
    if found:
        changes |= {"xid": found[-1].xid, "event_id": found[-1].id}
    is_stale = place.since + BACK < now() - timedelta(seconds=5)
    if passed and (found or is_stale):
        changes["passed_at"] = now()
    if changes:
        Position.objects.filter(node=place.node).update(**changes)


# --- anchors --------------------------------------------------------------------------------------


def _anchor_if_due(epoch: int, node: int) -> bool:
    """Anchor all roots, once a minute and only when one of them moved."""
    last = Anchor.objects.filter(epoch=epoch).defer("line").order_by("-n").first()
    if last is not None and last.at > now() - timedelta(seconds=settings.ANCHOR_SECONDS):
        return False
    newest = Head.objects.filter(epoch=epoch).aggregate(at=Max("at"))["at"]
    if newest is None or (last is not None and newest <= last.at):
        return False
    heads = [
        anchors.HeadNow(
            head.tenant_id, head.size, bytes(head.root), last is None or head.at > last.at
        )
        for head in Head.objects.filter(epoch=epoch).defer("frontier")
    ]
    n = 1 if last is None else last.n + 1
    made = anchors.make_line((epoch, n), now(), heads, node=node)
    Anchor.objects.create(
        epoch=epoch, n=n, at=now(), tenants=made.tenants, events=made.events, root=made.root,
        line=made.line,
    )  # fmt: skip
    return True


def _missing_lines() -> list[str]:
    """Lines that the file does not have yet, oldest first."""
    last = anchors.last_line()
    rows = Anchor.objects.order_by("epoch", "n")
    if last is not None:
        rows = rows.filter(epoch__gte=last.epoch).exclude(epoch=last.epoch, n__lte=last.n)
    return list(rows.values_list("line", flat=True))
