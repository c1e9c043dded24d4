"""How the log stands, for people: what was signed last, anchored last, verified last."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

from django.db import transaction

from audit.files import path_of
from audit.jobs import OVER, Step, begin_job, job_kind
from audit.models import Anchor, Checkpoint, Epoch, Event, Job
from audit.sealing.lagging import Lag, read_lag
from audit.sealing.merkle import hash_leaf
from audit.verifying.bundling import write_bundle
from audit.verifying.offline import Fault, open_checkpoint, root_by_inclusion
from audit.verifying.proving import Proof, find_checkpoints, prove_event
from audit.verifying.running import KIND, Span, read_span
from sealing.signing import public_key
from tenants.authorising import require, require_whole_tenant
from tenants.context import current_tenant_id
from tenants.roles import Action

BUNDLE = "audit.bundle"


@dataclass(frozen=True, slots=True)
class Standing:
    """`verified` is the newest verification that ended, `running` one that has not."""

    newest: Checkpoint | None
    anchor: Anchor | None
    lag: Lag
    verified: Job | None
    running: Job | None

    @property
    def code(self) -> int | None:
        """What the newest verification found; None when there was none."""
        if self.verified is None or self.verified.result is None:
            return None
        return int(self.verified.result["code"])


def read_standing() -> Standing:
    """Of the acting tenant's log."""
    require(Action.READ_EVENTS)
    with transaction.atomic(savepoint=False):
        jobs = Job.objects.filter(kind=KIND).order_by("-created_at", "-id")
        return Standing(
            newest=find_checkpoints().order_by("-epoch", "-size").first(),
            anchor=Anchor.objects.defer("line").order_by("-epoch", "-n").first(),
            lag=read_lag(),
            verified=jobs.filter(state=Job.State.DONE).first(),
            running=jobs.exclude(state__in=OVER).first(),
        )


def read_chain() -> Standing:
    """The same in few look-ups, for a tile: without the anchor and what runs."""
    require(Action.READ_EVENTS)
    with transaction.atomic(savepoint=False):
        done = Job.objects.filter(kind=KIND, state=Job.State.DONE)
        return Standing(
            newest=find_checkpoints().order_by("-epoch", "-size").first(),
            anchor=None, lag=read_lag(), verified=done.order_by("-created_at", "-id").first(),
            running=None,
        )  # fmt: skip


def list_anchors(*, limit: int) -> list[Anchor]:
    """The newest anchors over all tenants; without their lines, which name the others."""
    require(Action.READ_EVENTS)
    return list(Anchor.objects.defer("line").order_by("-epoch", "-n")[:limit])


def list_epochs() -> list[Epoch]:
    """The unbroken stretches of the log, newest first."""
    require(Action.READ_EVENTS)
    return list(Epoch.objects.order_by("-n"))


@dataclass(frozen=True, slots=True)
class Checked:
    """An event's proof as it was checked just now: each step with its side, and the root."""

    proof: Proof
    steps: tuple[tuple[str, str], ...]
    root: str
    is_good: bool

    @property
    def number(self) -> int:
        """Its place, counted from one."""
        return self.proof.index + 1

    @property
    def leaf(self) -> str:
        """The leaf as it was sealed, in hex."""
        return self.proof.leaf.hex()


def check_event(event: Event) -> Checked | None:
    """Check an event against the newest checkpoint; None while it is not sealed."""
    proof = prove_event(event)
    if proof is None:
        return None
    leaf = hash_leaf(event.payload.encode())
    root = root_by_inclusion(leaf, proof.index, proof.size, proof.path) or b""
    origin = f"memoryhub/{current_tenant_id()}/{proof.epoch}"
    try:
        signed = open_checkpoint(proof.checkpoint, public_key().text, origin)
    except Fault:
        return Checked(proof, _steps(proof), root.hex(), is_good=False)
    is_good = signed.root == root and leaf == proof.leaf
    return Checked(proof, _steps(proof), root.hex(), is_good)


def _steps(proof: Proof) -> tuple[tuple[str, str], ...]:
    """On which side of the path each hash stands."""
    place, last, steps = proof.index, proof.size - 1, []
    for node in proof.path:
        is_left = bool(place & 1) or place == last
        if is_left:
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        steps.append(("left" if is_left else "right", node.hex()))
        place, last = place >> 1, last >> 1
    return tuple(steps)


def ask_for_bundle(span: Span) -> Job:
    """A job that writes a bundle of the acting tenant's log to a file."""
    require_whole_tenant(Action.EXPORT_EVENTS)
    with transaction.atomic(savepoint=False):
        job = begin_job(BUNDLE, action=Action.EXPORT_EVENTS, params=span.words(), total=None)
        job.file_type, job.file_name = "application/zip", f"audit-{job.id}.zip"
        job.save()
    return job


def newest_bundle() -> Job | None:
    """The bundle that was asked for last."""
    with transaction.atomic(savepoint=False):
        found: Job | None = Job.objects.filter(kind=BUNDLE).order_by("-created_at", "-id").first()
    return found


def _write(job: Job) -> int:
    """The bundle beside its place, then in its place: a reader never sees half of one."""
    target = path_of(UUID(str(job.id)))
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    beside = Path(f"{target}.{uuid4().hex}")
    try:
        events = int(write_bundle(read_span(job.params), beside)["events"])
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)
    return events


@job_kind(BUNDLE, prepare=_write)
def bundle_step(job: Job, events: int) -> Step:
    """The only step: the file is there."""
    return Step(finished=True, done=events, total=events, result={"events": events})
