"""The quarterly review of access: an admin looks at each person and each key, and says it is right.

Who confirmed what and when stands with the membership or key, and each confirmation is an event.
What nobody looked at for ninety days (or since it was made) is overdue. Removing and revoking are
what they always are; the review only shows what they would apply to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from audit.recording import Facts, Target, record
from memoryhub.errors import Missing
from tenants.access.members import find_members
from tenants.authorising import require
from tenants.context import current_actor, current_tenant_id, now
from tenants.models import ApiKey, Membership
from tenants.roles import Action

EVERY = timedelta(days=90)
Kind = Literal["member", "key"]


@dataclass(frozen=True, slots=True)
class Access:
    """One way in: a person's membership or a key, when it was used last and confirmed last."""

    kind: Kind
    row: Any
    used_at: datetime | None
    second_factor: bool
    due_at: datetime
    is_overdue: bool


@dataclass(frozen=True, slots=True)
class Review:
    """How many ways in there are, and how many of them are overdue."""

    total: int
    overdue: int


def due_at(reviewed_at: datetime | None, made_at: datetime) -> datetime:
    """When a way in is to be looked at again. Pure."""
    return (reviewed_at or made_at) + EVERY


def list_access() -> list[Access]:
    """Every person and every key that opens something, the most urgent first."""
    require(Action.ADMINISTER)
    with transaction.atomic():
        at = now()
        people: Sequence[Any] = list(find_members())
        keys = list(_live_keys(at))
    found = [
        _access("member", row, row.user.last_login, at, second_factor=row.second_factor)
        for row in people
    ] + [_access("key", row, row.last_used_at, at) for row in keys]
    return sorted(found, key=lambda one: one.due_at)


def _access(
    kind: Kind, row: Any, used_at: datetime | None, at: datetime, *, second_factor: bool = False
) -> Access:
    due = due_at(row.reviewed_at, row.created_at)
    return Access(kind, row, used_at, second_factor, due, due <= at)


def read_review() -> Review:
    """For the overview."""
    require(Action.ADMINISTER)
    with transaction.atomic():
        at = now()
        rows = (Membership.objects.filter(tenant_id=current_tenant_id()), _live_keys(at))
        dates = [
            date
            for one in rows
            for date in one.values_list(Coalesce("reviewed_at", "created_at"), flat=True)
        ]
    return Review(len(dates), sum(date + EVERY <= at for date in dates))


def confirm_access(kind: Kind, identifier: str) -> None:
    """This person or key is to stay as it is. Raises Missing. Again only moves the date."""
    require(Action.ADMINISTER)
    with transaction.atomic():
        at = now()
        rows: QuerySet[Any] = (
            _live_keys(at)
            if kind == "key"
            else Membership.objects.filter(tenant_id=current_tenant_id())
        )
        row = rows.filter(id=_identifier(kind, identifier)).select_for_update().first()
        if row is None:
            raise Missing("There is no such person or key.")
        before = row.reviewed_at
        # not `save`: that would tell the two columns as a change of configuration, once more
        rows.filter(id=row.id).update(reviewed_at=at, reviewed_by=current_actor().name[:254])
        target = Target("key", row.id) if kind == "key" else Target("user", str(row.user_id))
        links = {
            "before": None if before is None else before.isoformat(),
            "prefixes": row.prefixes,
            **({"scopes": row.scopes} if kind == "key" else {"role": row.role}),
        }
        record("access.review", target, Facts(links=links))


def _identifier(kind: Kind, text: str) -> Any:
    if kind == "key":
        return text
    try:
        return UUID(text)
    except ValueError:
        raise Missing("There is no such person or key.") from None


def _live_keys(at: datetime) -> QuerySet[ApiKey]:
    """Keys that open something still."""
    return ApiKey.objects.filter(tenant_id=current_tenant_id(), revoked_at=None).filter(
        Q(expires_at=None) | Q(expires_at__gt=at)
    )
