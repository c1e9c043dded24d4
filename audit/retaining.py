"""The log's own retention: whole sealed months leave the database, after they were exported.

A month may go when it is older than the retention (72 months unless said otherwise, never less than
6), every event of it is sealed, and a bundle of it, for every tenant that has events in it, was
written and verified. Its leaves and checkpoints stay: the tree is as before, older bundles and
checkpoints verify, and the verifier says of such leaves that their month was dropped. It believes
that only of months under a note signed by the hub's key, so nobody who can write to the database
can pass a deletion off as a retention.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import transaction

from audit.partitions import (
    ORIGIN,
    count_sealed,
    drop_partition,
    forget_unused_labels,
    partition_names,
)
from audit.recording import Facts, Target, record
from audit.verifying.bundling import write_bundle
from audit.verifying.offline import check_bundle
from audit.verifying.running import Span
from memoryhub.errors import Conflict, Invalid
from sealing.signing import public_key, sign_note
from tenants.actors import operator_actor
from tenants.context import acting_as, now
from tenants.ids import PLATFORM_TENANT
from tenants.models import Tenant

USUAL_MONTHS, LEAST_MONTHS = 72, 6


@dataclass(frozen=True, slots=True)
class Month:
    """A month of the log in UTC, half open."""

    begins: datetime
    ends: datetime

    @property
    def name(self) -> str:
        return f"{self.begins:%Y-%m}"

    @property
    def partition(self) -> str:
        return f"audit_event_{self.begins:%Y_%m}"


def list_due(keep_months: int) -> list[Month]:
    """Months whose retention is over, the oldest first. Raises Invalid below the least."""
    if keep_months < LEAST_MONTHS:
        detail = f"The log is kept for {LEAST_MONTHS} months at least."
        raise Invalid.at("keep_months", "out_of_range", detail)
    with transaction.atomic():
        months = [_month_of(name) for name in partition_names()]
        limit = _shifted(now(), -keep_months)
    return [month for month in months if month.ends <= limit]


def _month_of(partition: str) -> Month:
    begins = datetime(int(partition[-7:-3]), int(partition[-2:]), 1, tzinfo=UTC)
    return Month(begins, _shifted(begins, 1))


def _shifted(at: datetime, months: int) -> datetime:
    """The first of the month so many months later."""
    count = at.year * 12 + at.month - 1 + months
    return datetime(count // 12, count % 12 + 1, 1, tzinfo=UTC)


def drop_month(month: Month, folder: Path) -> dict[str, Any]:
    """Export a month into `folder`, verify what was written, then drop it. Raises Conflict."""
    bundles = {}
    for tenant_id, slug in _logs():
        with acting_as(operator_actor(tenant_id)):
            found = _export(month, folder / f"{slug}-{month.name}.zip")
        if found is not None:
            bundles[slug] = found
    note = sign_note(f"{ORIGIN}\n{month.begins.isoformat()}\n{month.ends.isoformat()}\n")
    with acting_as(operator_actor()), transaction.atomic():
        record(
            "audit.drop", Target("log", month.name),
            Facts(counts={"n": sum(bundles.values())}, links={"bundles": sorted(bundles)}),
        )  # fmt: skip
    with transaction.atomic(using="owner"):
        drop_partition(month.partition, month.begins, month.ends, note)
    for tenant_id, _ in _logs():
        with acting_as(operator_actor(tenant_id)), transaction.atomic():
            forget_unused_labels()
    return {"month": month.name, "events": sum(bundles.values()), "bundles": sorted(bundles)}


def _logs() -> list[tuple[UUID, str]]:
    with transaction.atomic():
        rows = list(Tenant.objects.order_by("slug").values_list("id", "slug"))
    return [(one, "platform" if one == PLATFORM_TENANT else slug) for one, slug in rows]


def _export(month: Month, path: Path) -> int | None:
    """How many events of the acting tenant are now in the bundle; None when it had none."""
    with transaction.atomic():
        events, sealed = count_sealed(month.begins, month.ends)
    if not events:
        return None
    if sealed < events:
        raise Conflict(
            f"{events - sealed} events of {month.name} are not sealed.", state="unsealed"
        )
    write_bundle(Span(month.begins, month.ends), path)
    answer = check_bundle(path, key=public_key().text)
    if answer["code"]:
        detail = f"The bundle {path.name} does not verify: {answer['detail']}."
        raise Conflict(detail, state="not_verified")
    return events
