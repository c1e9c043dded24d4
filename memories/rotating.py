"""Rotating a tenant's key: a new version, everything sealed again, the old version gone.

Nothing is ever unreadable in between: new seals use the new version at once, old ones open with the
old. A writer that sealed just before and commits just after the pass leaves a seal under the old
version; so an old version is destroyed only when no seal names it *and* it was retired for an hour,
which is longer than any transaction may last. Each chunk is a transaction; killed, the next run
goes on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction

from audit.jobs import Step, begin_job, job_kind
from audit.models import Job
from audit.recording import Facts, Target, record
from memories.protecting import PURPOSE as ORIGINALS
from memories.protecting import place_of as place_of_memory
from memories.statements import reseal
from privacy.vault import PURPOSE as VAULT
from privacy.vault import place_of as place_of_token
from sealing.originals import key_id_of, open_sealed, seal
from sealing.ring import KeyRefused
from sealing.rotating import (
    GRACE_SECONDS,
    add_tenant_key,
    destroy_version,
    list_keys,
    retired_for,
)
from tenants.authorising import require
from tenants.context import current_tenant_id
from tenants.roles import Action

CHUNK = 500
JOB = "keys.rotate"
_UNDER_WAY = (Job.State.QUEUED, Job.State.RUNNING)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a rotation is."""

    version: int
    done: int
    total: int


def rotate_if_due() -> list[Progress]:
    """Rotate when the current key has served long enough; else only finish what was begun."""
    try:
        current = list_keys(current_tenant_id())[-1]
    except KeyRefused:
        return []  # the tenant was closed
    if current.is_due(time.time()):
        return list(rotate_tenant_key())
    return list(finish_rotation())


def rotate_tenant_key() -> Iterator[Progress]:
    """A new version for the acting tenant, and everything sealed again under it."""
    with transaction.atomic():
        _begin()
    yield from finish_rotation()


def ask_for_rotation() -> Job:
    """The job that rotates the acting tenant's key, or the one that is doing so. Admins only."""
    require(Action.ADMINISTER)
    with transaction.atomic():
        running = Job.objects.all().filter(kind=JOB, state__in=_UNDER_WAY).first()
        if running is not None:
            return running
        return begin_job(JOB, action=Action.ADMINISTER, params={}, total=None)


def find_rotation() -> Job | None:
    """The rotation that is under way, for those who may see figures."""
    require(Action.SEE_FIGURES)
    with transaction.atomic():
        job: Job | None = Job.objects.all().filter(kind=JOB, state__in=_UNDER_WAY).first()
    return job


def count_sealed() -> int:
    """How many originals are sealed with the acting tenant's keys."""
    require(Action.SEE_FIGURES)
    newest = list_keys(current_tenant_id())[-1].version
    with transaction.atomic():
        return reseal.count_older(newest + 1)


@job_kind(JOB)
def _rotate_step(job: Job) -> Step:
    """First the new version, then a chunk a step.

    The file of a version appears before its transaction ends: a job killed in between makes one
    more, which harms nothing.
    """
    if not job.cursor:
        version = _begin()
        return Step(False, total=reseal.count_older(version), cursor={"version": version})
    version = job.cursor["version"]
    count = _reseal_chunk(version)
    done = job.done + count
    if count:
        total = max(job.total or 0, done)
        return Step(False, done=done, total=total, cursor=job.cursor, rests=True)
    older = [one.version for one in list_keys(current_tenant_id()) if one.version < version]
    _destroy_unused(older)
    return Step(True, done=done, total=done, cursor=job.cursor, result={"version": version})


def _begin() -> int:
    """The new version, and its event in the current transaction."""
    version = add_tenant_key(current_tenant_id())
    target = Target("tenant", str(current_tenant_id()))
    record("keys.rotate", target, Facts(counts={"version": version}))
    return version


def finish_rotation() -> Iterator[Progress]:
    """Seal again what names an older version; destroy versions that nothing needs."""
    tenant_id = current_tenant_id()
    versions = [one.version for one in list_keys(tenant_id)]
    newest = versions[-1]
    if len(versions) > 1:
        with transaction.atomic():
            total = reseal.count_older(newest)
        done = 0
        while count := _reseal_chunk(newest):
            done += count
            yield Progress(newest, done, max(total, done))
        _destroy_unused(versions[:-1])


def _reseal_chunk(version: int) -> int:
    """One chunk under the newest key; how many."""
    tenant_id = current_tenant_id()
    with transaction.atomic():
        entries = reseal.lock_vault_entries(version, limit=CHUNK)
        for identifier, token_id, sealed in entries:
            place = place_of_token(tenant_id, token_id)
            again = seal(open_sealed(sealed, place, purpose=VAULT), place, purpose=VAULT)
            reseal.store_vault_entry(identifier, again, key_id_of(again))
        own = reseal.lock_quarantined(version, limit=CHUNK)
        for identifier, _, sealed in own:
            place = place_of_memory(identifier)
            again = seal(open_sealed(sealed, place, purpose=ORIGINALS), place, purpose=ORIGINALS)
            reseal.store_quarantined(identifier, again)
    return len(entries) + len(own)


def _destroy_unused(versions: list[int]) -> None:
    for version in versions:
        if retired_for(current_tenant_id(), version) < GRACE_SECONDS:
            continue
        with transaction.atomic():
            if reseal.count_older(version + 1):
                continue
            target = Target("tenant", str(current_tenant_id()))
            record("keys.destroy", target, Facts(counts={"n": version}))
            destroy_version(current_tenant_id(), version)
