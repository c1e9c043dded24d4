"""Deleting: out of use now, restorable while in the trash, destroyed by a later sweep.

A delete frees the key at once: the row goes to the trash, so the next put makes a new memory with
a new id, and the old one keeps its id and history. What is hidden already is not touched.

Below a prefix up to `AT_ONCE` memories are deleted in one transaction; more become a job, which
deletes what was there when it was asked for, a chunk a transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from audit.jobs import Step, begin_job, job_kind
from audit.models import Job
from audit.recording import Facts, Target, append, draft, record
from memories.dating import evaluate_row, regime_of, with_dates
from memories.inspecting import find_memory
from memories.namespaces import covers, encode, narrow
from memories.ops import DeleteNamespaceOp, DeleteOp
from memories.reasons import check_reason
from memories.rows import StoredMemory
from memories.statements import upsert
from memories.statements.lookup import count_visible_below, lock_by_keys, lock_visible_below
from memories.statements.together import Together
from memoryhub.errors import Conflict, Denied
from tenants.actors import Actor
from tenants.authorising import require
from tenants.context import fixed_plans, now
from tenants.roles import Action
from tenants.snapshots import tenant_settings

CHUNK = 500
AT_ONCE = 2000
JOB = "namespace.delete"


@dataclass(frozen=True, slots=True)
class DeletedNamespace:
    """Matched: visible to the caller; deleted: hidden now; kept: bytes that outlive the trash."""

    matched: int = 0
    deleted: int = 0
    kept: dict[str, int] = field(default_factory=dict)


def delete_memory(op: DeleteOp) -> None:
    """Take one item out of use; missing is no error. Raises Denied `outside_prefix`, Invalid."""
    reason = check_delete(encode(op.namespace), op.reason)
    with fixed_plans(), transaction.atomic():
        rows = lock_by_keys([(encode(op.namespace), op.key)]).values()
        delete_rows(list(rows), reason=reason)


def delete_by_id(identifier: UUID, *, reason: str) -> None:
    """Take this very memory out of use. Raises Missing, Gone, Conflict `not_visible`."""
    require(Action.DELETE)
    reason = check_reason(reason)
    with transaction.atomic():
        seen = find_memory(identifier)
        row = lock_by_keys([(seen.namespace, seen.key)]).get((seen.namespace, seen.key))
        if row is None or row.id != identifier or not delete_rows([row], reason=reason):
            raise Conflict("It is out of use already.", code="not_visible")


def check_delete(path: str, reason: str | None) -> str | None:
    """The reason to record. A delete outside the caller's prefixes is denied, whether or not the
    item exists."""
    actor = require(Action.DELETE)
    if not covers(actor.prefixes, path):
        raise Denied("The key may not delete there.", code="outside_prefix")
    return _reason_of(actor, reason)


def _reason_of(actor: Actor, given: str | None) -> str | None:
    """People say why; keys may."""
    return check_reason(given) if actor.is_person or given is not None else None


def delete_rows(rows: Sequence[StoredMemory], *, reason: str | None = None) -> list[UUID]:
    """Trash those of these locked rows that are visible; their ids."""
    visible = [row for row in rows if row.is_visible(now())]
    for start in range(0, len(visible), CHUNK):
        _trash(visible[start : start + CHUNK], reason)
    return [row.id for row in visible]


def _trash(rows: Sequence[StoredMemory], reason: str | None) -> None:
    if not rows:
        return
    at, regime = now(), regime_of(tenant_settings())
    trashed = [with_dates(replace(row, deleted_at=at, trashed_at=at), regime, at) for row in rows]
    together = Together()
    upsert.update_dates(together, trashed)
    together.run()
    links = {} if reason is None else {"reason": reason}
    append(
        draft(
            "memory.delete",
            Target("memory", str(row.id), row.namespace),
            Facts(subjects=None, ruleset=row.ruleset, counts={"version": row.version}, links=links),
        )
        for row in trashed
    )


# --- below a prefix -------------------------------------------------------------------------------


def delete_namespace(op: DeleteNamespaceOp) -> DeletedNamespace | Job:
    """Everything the caller can see below a prefix, or the job that does it; a dry run counts."""
    actor = require(Action.DELETE)
    asked = encode(op.namespace_prefix)
    prefixes = narrow(actor.prefixes, asked)
    if not prefixes:
        raise Denied("The key may not delete there.", code="outside_prefix")
    reason = None if op.dry_run else _reason_of(actor, op.reason)
    with transaction.atomic():
        found = count_visible_below(prefixes, at=now(), most=AT_ONCE + 1)
        if found > AT_ONCE:
            params = {"asked": asked, "prefixes": prefixes, "dry_run": op.dry_run, "reason": reason}
            total = count_visible_below(prefixes, at=now(), most=None)
            return begin_job(JOB, action=Action.DELETE, params=params, total=total)
        sweep = _Sweep(prefixes, now(), op.dry_run, reason)
        while sweep.take_chunk():
            pass
        _record(asked, sweep.done, op.dry_run)
        return sweep.done


@job_kind(JOB)
def _delete_chunk(job: Job) -> Step:
    """One chunk of a delete by prefix."""
    params, cursor = job.params, job.cursor
    done = DeletedNamespace(**cursor["done"]) if cursor else DeletedNamespace()
    after = (cursor["namespace"], cursor["key"]) if cursor else None
    prefixes, dry_run = tuple(params["prefixes"]), params["dry_run"]
    sweep = _Sweep(prefixes, job.created_at, dry_run, params["reason"], done, after)
    more = sweep.take_chunk()
    result = present_deleted(sweep.done)
    if not more or sweep.after is None:
        _record(params["asked"], sweep.done, dry_run)
        return Step(finished=True, done=sweep.done.matched, result=result)
    namespace, key = sweep.after
    so_far = {"matched": sweep.done.matched, "deleted": sweep.done.deleted, "kept": sweep.done.kept}
    cursor = {"done": so_far, "namespace": namespace, "key": key}
    return Step(finished=False, done=sweep.done.matched, cursor=cursor, result=result)


@dataclass(slots=True)
class _Sweep:
    """A delete by prefix on its way, in the order of keys. What came after `since` stays."""

    prefixes: tuple[str, ...]
    since: datetime
    dry_run: bool
    reason: str | None
    done: DeletedNamespace = field(default_factory=DeletedNamespace)
    after: tuple[str, str] | None = None

    def take_chunk(self) -> bool:
        """Delete (or count) the next chunk; whether there may be more."""
        at, regime = now(), regime_of(tenant_settings())
        found = lock_visible_below(self.prefixes, at=at, after=self.after, limit=CHUNK)
        rows = [row for row in found if row.created_at <= self.since]
        kept = dict(self.done.kept)
        for row in rows:
            keeper = evaluate_row(replace(row, deleted_at=at), regime, at).kept_by
            if keeper in ("held", "floor", "statutory_floor"):
                kept[keeper] = kept.get(keeper, 0) + 1
        if not self.dry_run:
            _trash(rows, self.reason)
        deleted = 0 if self.dry_run else len(rows)
        self.done = DeletedNamespace(
            self.done.matched + len(rows), self.done.deleted + deleted, kept
        )
        self.after = (found[-1].namespace, found[-1].key) if found else self.after
        return len(found) == CHUNK


def _record(asked: str, done: DeletedNamespace, dry_run: bool) -> None:
    record(
        "namespace.delete",
        Target("namespace", namespace=asked),
        Facts(
            counts={"matched": done.matched, "deleted": done.deleted},
            links={"dry_run": dry_run},
        ),
    )


def present_deleted(done: DeletedNamespace) -> dict[str, Any]:
    """The answer of a delete by prefix, at once or as a job's result."""
    kept = [{"reason": reason, "count": count} for reason, count in sorted(done.kept.items())]
    return {"matched": done.matched, "deleted": done.deleted, "kept": kept}
