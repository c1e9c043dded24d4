"""Recorded backups: so that a certificate can say when the last copy of what was erased ends."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from audit.recording import Facts, Target, record
from erasure.models import RecordedBackup
from memoryhub.errors import Denied, Invalid
from tenants.actors import ActorKind
from tenants.clock import instant_as_wire
from tenants.context import current_actor, now


def record_backup(*, taken_at: datetime, expires_at: datetime) -> RecordedBackup:
    """Note that a copy was taken and when it will be destroyed. Operators only."""
    if current_actor().kind is not ActorKind.OPERATOR:
        raise Denied("Only the operator records backups.", code="operators_only")
    if expires_at <= taken_at:
        raise Invalid.at("expires_at", "out_of_range", "A copy ends after it was taken.")
    with transaction.atomic():
        if taken_at > now():
            raise Invalid.at("taken_at", "out_of_range", "That is later than now.")
        backup = RecordedBackup.objects.create(
            taken_at=taken_at, expires_at=expires_at, recorded_at=now()
        )
        span = {"taken_at": instant_as_wire(taken_at), "expires_at": instant_as_wire(expires_at)}
        record("backup.record", Target("backup", str(backup.id)), Facts(links=span))
    return backup


def copies_until(at: datetime) -> dict[str, Any]:
    """Of the recorded copies that may hold what was erased at this instant: the last one's end."""
    with transaction.atomic(savepoint=False):
        copies = RecordedBackup.objects.filter(taken_at__lte=at, expires_at__gt=at)
        last = copies.order_by("-expires_at").first()
        return {
            "copies": copies.count(),
            "last_expires_at": None if last is None else instant_as_wire(last.expires_at),
        }
