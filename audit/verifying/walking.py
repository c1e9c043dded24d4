"""Verifying the acting tenant's log in the database, in steps of bounded memory and time.

First the leaves in their order, each with its event, and every checkpoint among them; then whether
an event is there that has no leaf; then whether an anchor outside knows of more than is here. Each
step is one transaction; between them the state is JSON, so that a job can be resumed.

What may not raise a false alarm: the sealer goes on meanwhile. Leaves and checkpoints are bounded
by one statement at the beginning, and the sealed place is read before the events are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection

from audit.models import Checkpoint, Epoch, Position
from audit.partitions import dropped_spans
from audit.sealing.anchors import digest_of, read_lines, root_hex
from audit.sealing.merkle import frontier_of
from audit.verifying.offline import (
    LAG,
    LONGEST,
    MISSING,
    ROLLBACK,
    SIGNATURE,
    Fault,
    Line,
    Walk,
    feed,
    open_checkpoint,
    open_note,
)
from audit.verifying.proving import Tree
from memoryhub.errors import Missing
from sealing.signing import public_key
from tenants.context import current_tenant_id, now

CHUNK = 1000
SCANNED = 5000

_LINES = (
    "SELECT l.index, l.event_id::text, l.hash, e.payload, (to_jsonb(e) - 'payload')::text, "
    "l.event_at "
    "FROM audit_leaf l LEFT JOIN audit_event e ON e.tenant_id = l.tenant_id AND e.at = l.event_at "
    "AND e.id = l.event_id WHERE l.tenant_id = %s AND l.epoch = %s AND l.index >= %s "
    "AND l.index < %s ORDER BY l.index"
)
_MOVED = (
    "SELECT e.id::text, e.payload, (to_jsonb(e) - 'payload')::text FROM audit_event e "
    "WHERE e.tenant_id = %s AND e.id = ANY(%s::uuid[])"
)
_SIZES = (
    "SELECT n.epoch, (SELECT max(c.size) FROM audit_checkpoint c "
    "WHERE c.tenant_id = %(tenant)s AND c.epoch = n.epoch), "
    "(SELECT max(l.index) + 1 FROM audit_leaf l "
    "WHERE l.tenant_id = %(tenant)s AND l.epoch = n.epoch) "
    "FROM (SELECT e.n FROM audit_epoch e) AS n (epoch) ORDER BY n.epoch"
)
_EVENTS = (
    "SELECT e.at, e.id, e.node, e.xid, l.event_id IS NOT NULL FROM ("
    "SELECT at, id, node, xid FROM audit_event WHERE tenant_id = %(tenant)s "
    "AND at >= %(at)s AND (at, id) > (%(at)s, %(id)s) AND at < %(until)s "
    "ORDER BY at, id LIMIT %(most)s) AS e "
    "LEFT JOIN audit_leaf l ON l.tenant_id = %(tenant)s AND l.event_id = e.id ORDER BY e.at, e.id"
)
FIRST = "0001-01-01T00:00:00+00:00"
LAST = "9999-12-31T00:00:00+00:00"


@dataclass
class Verification:
    """A verification under way; every field is JSON."""

    walk: dict[str, Any]
    parts: list[dict[str, Any]]
    """Of each epoch: `epoch`, `from`, `to` (leaves), `newest` (size of the last checkpoint)."""
    witnesses: list[tuple[int, int, str]]
    """Roots that somebody else keeps: (epoch, size, root in hex)."""
    since: str = FIRST
    until: str = LAST
    part: int = 0
    stage: str = "walk"
    cursor: tuple[str, str] = (FIRST, str(UUID(int=0)))
    late: str | None = None
    answer: dict[str, Any] | None = field(default=None)

    @property
    def start(self) -> tuple[str, str]:
        """Before the first event of the span."""
        return self.since, str(UUID(int=0))

    @property
    def total(self) -> int:
        return sum(int(part["to"]) - int(part["from"]) for part in self.parts)

    @property
    def done(self) -> int:
        passed = self.parts[: self.part]
        walked = sum(int(part["to"]) - int(part["from"]) for part in passed)
        if self.part == len(self.parts) or self.walk["epoch"] != self.parts[self.part]["epoch"]:
            return walked
        return walked + int(self.walk["index"] - self.parts[self.part]["from"])


def begin_verification(
    *, since: datetime | None = None, until: datetime | None = None, witness: str | None = None
) -> Verification:
    """What is to be walked; in a transaction of the tenant. `witness`: a note that was kept."""
    sizes = log_sizes()
    walk = Walk(tenant=str(current_tenant_id()), key=public_key().text)
    found = Verification(
        walk=walk.save(),
        parts=[part for part in (bounds(size, since, until) for size in sizes) if part],
        witnesses=[],
        since=FIRST if since is None else since.isoformat(),
        until=LAST if until is None else until.isoformat(),
    )
    try:
        found.witnesses = [*_anchored(walk, since), *_kept(walk, witness)]
        _require_no_rollback(found, {epoch: leaves for epoch, _, leaves in sizes})
    except Fault as fault:
        # Said at the end, after what the walk may find first: the first bad event tells more.
        found.answer = {"pending": [fault.code, fault.detail]}
    return found


def advance(state: Verification) -> bool:
    """One step; whether that was the last. In a transaction of the tenant."""
    walk = Walk.load(state.walk)
    try:
        if state.stage == "walk":
            _walk_step(state, walk)
        elif _scan_step(state):
            _finish(state)
            state.answer = walk.answer()
    except Fault as fault:
        state.answer = walk.answer(fault)
    state.walk = walk.save()
    return state.answer is not None and "code" in state.answer


def _finish(state: Verification) -> None:
    """What counts when everything else is whole."""
    if state.answer is not None:
        code, detail = state.answer["pending"]
        raise Fault(code, detail)
    if state.late is not None:
        raise Fault(
            LAG, f"an event waits for longer than {settings.SEAL_LAG_SECONDS:g} s", state.late
        )


# --- what is walked -------------------------------------------------------------------------------


def log_sizes() -> list[tuple[int, int, int]]:
    """Of each epoch: (number, size of the newest checkpoint, leaves), of one instant."""
    with connection.cursor() as cursor:
        cursor.execute(_SIZES, {"tenant": current_tenant_id()})
        return [(epoch, size or 0, leaves or 0) for epoch, size, leaves in cursor.fetchall()]


def bounds(
    size: tuple[int, int, int], since: datetime | None, until: datetime | None
) -> dict[str, Any] | None:
    """The leaves of an epoch that can hold events of the span, from checkpoint to checkpoint."""
    epoch, newest, leaves = size
    rows = Checkpoint.objects.filter(epoch=epoch).order_by("size").values_list("size", flat=True)
    low = (rows.filter(at__lt=since).last() or 0) if since else 0
    above = rows.filter(at__gte=until + LONGEST).first() if until else None
    high = max(newest, leaves) if above is None else above
    if high <= low and low == 0 and high == 0:
        return None
    return {"epoch": epoch, "from": low, "to": high, "newest": newest}


def _walk_step(state: Verification, walk: Walk) -> None:
    if state.part >= len(state.parts):
        state.stage = "scan"
        state.cursor = state.start
        return
    part = state.parts[state.part]
    epoch = part["epoch"]
    if walk.epoch != epoch:
        _begin_part(walk, part)
    low, high = walk.index, min(walk.index + CHUNK, part["to"])
    feed(
        walk, read_lines_of(epoch, low, high), checkpoints_of(epoch, low, high),
        {size: bytes.fromhex(root) for at, size, root in state.witnesses if at == epoch},
    )  # fmt: skip
    if walk.index < high:
        raise Fault(
            MISSING, f"the leaves of epoch {epoch} end at {walk.index}, not at {part['to']}"
        )
    if walk.index >= part["to"]:
        if walk.index > part["newest"]:
            detail = f"leaves of epoch {epoch} are newer than its last checkpoint {part['newest']}"
            raise Fault(ROLLBACK, detail, walk.disorder or walk.first)
        state.part += 1


def _begin_part(walk: Walk, part: dict[str, Any]) -> None:
    try:
        left = frontier_of(part["from"], Tree(part["epoch"]).complete)
    except Missing:
        raise Fault(MISSING, f"leaves of epoch {part['epoch']} are gone") from None
    walk.begin(part["epoch"], part["from"], left)


def read_lines_of(epoch: int, low: int, high: int) -> list[Line]:
    """The leaves [low, high) of an epoch, each with its event wherever that now stands."""
    with connection.cursor() as cursor:
        cursor.execute(_LINES, [current_tenant_id(), epoch, low, high])
        rows = cursor.fetchall()
        missing = [row[1] for row in rows if row[3] is None]
        moved, spans = {}, dropped_spans() if missing else []
        if missing:
            cursor.execute(_MOVED, [current_tenant_id(), missing])
            moved = {event: (payload, columns) for event, payload, columns in cursor.fetchall()}
    return [
        _line(
            index,
            event,
            bytes(leaf),
            *((payload, text) if payload is not None else moved.get(event, (None, None))),
            dropped=any(begins <= at < ends for begins, ends in spans),
        )
        for index, event, leaf, payload, text, at in rows
    ]


def _line(
    index: int, event: str, leaf: bytes, payload: str | None, text: str | None, *, dropped: bool
) -> Line:
    if payload is None or text is None:
        return Line(index, event, leaf, None, dropped=dropped)
    columns = json.loads(text)
    order = None
    if columns["xid"] is not None and columns["node"] is not None:
        order = (columns["node"], columns["xid"], event)
    return Line(index, event, leaf, payload, columns, order)


def checkpoints_of(epoch: int, low: int, high: int) -> Iterator[tuple[int, str]]:
    """The checkpoints at the sizes [low, high] of an epoch, ascending."""
    rows = Checkpoint.objects.filter(epoch=epoch, size__gte=low, size__lte=high, size__gt=0)
    yield from rows.order_by("size").values_list("size", "note").iterator(chunk_size=CHUNK)


# --- what has no leaf, and what others know -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scanned:
    """A stretch of events: those that were never sealed, the first that waits too long, the end."""

    extra: list[str]
    late: str | None
    place: tuple[str, str]
    finished: bool


def scan(place: tuple[str, str], until: str) -> Scanned:
    """The next stretch behind `place` (at, id) of events whose leaf is looked for."""
    sealed = {row.node: (row.xid, row.event_id) for row in Position.objects.all()}
    values: dict[str, Any] = {
        "tenant": current_tenant_id(), "at": place[0], "id": place[1], "until": until,
        "most": SCANNED,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_EVENTS, values)
        rows = cursor.fetchall()
    due = now() - timedelta(seconds=settings.SEAL_LAG_SECONDS)
    extra, late = [], None
    for begun, event, node, xid, is_sealed in rows:
        if is_sealed:
            continue
        if xid is None or (node in sealed and (xid, event) <= sealed[node]):
            extra.append(str(event))
        elif begun < due:
            late = late or str(event)
    end = (rows[-1][0].isoformat(), str(rows[-1][1])) if rows else place
    return Scanned(extra, late, end, finished=len(rows) < SCANNED)


def _scan_step(state: Verification) -> bool:
    """One stretch; whether that was the last."""
    seen = scan(state.cursor, state.until)
    if seen.extra:
        raise Fault(MISSING, "an event is there that was never sealed", seen.extra[0])
    state.cursor, state.late = seen.place, state.late or seen.late
    return seen.finished


def _anchored(walk: Walk, since: datetime | None) -> list[tuple[int, int, str]]:
    """The newest size and root of this tenant in each epoch that the anchor file knows."""
    newest: dict[int, tuple[str, dict[str, Any]]] = {}
    for line in read_lines():
        if walk.tenant in line:
            facts = json.loads(line)
            newest[facts["epoch"]] = (line, facts)
    found = []
    for epoch, (_, facts) in sorted(newest.items()):
        lines = open_note(facts["note"], walk.key).splitlines()
        if lines[0] != f"memoryhub/anchors/{epoch}" or f"facts {digest_of(facts)}" not in lines:
            raise Fault(SIGNATURE, f"anchor {epoch}/{facts['n']} is not what was signed")
        if since is not None and datetime.fromisoformat(facts["at"]) < since:
            continue
        size, root = facts["heads"][walk.tenant]
        found.append((epoch, size, root_hex(root)))
    return found


def _kept(walk: Walk, note: str | None) -> list[tuple[int, int, str]]:
    if note is None:
        return []
    origin = note.split("\n", 1)[0]
    epoch = origin.rpartition("/")[2]
    if not epoch.isdecimal():
        raise Fault(SIGNATURE, "the file holds no checkpoint of this log")
    signed = open_checkpoint(note, walk.key, f"memoryhub/{walk.tenant}/{epoch}")
    return [(int(epoch), signed.size, signed.root.hex())]


def _require_no_rollback(state: Verification, leaves: dict[int, int]) -> None:
    for epoch, size, _ in state.witnesses:
        if size > leaves.get(epoch, 0):
            detail = f"epoch {epoch} once had {size} events and now has {leaves.get(epoch, 0)}"
            raise Fault(ROLLBACK, detail)


def list_epochs() -> list[Epoch]:
    """The stretches of the log, and what is missing between them."""
    return list(Epoch.objects.order_by("n"))
