"""Reading and appending events (one multi-row INSERT of literal VALUES); claiming requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self
from uuid import UUID

from django.apps import apps
from django.db import connection
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import JSONObject, TruncDate

from audit.events import EVENTS
from audit.labels import clear_path, is_at, is_below
from tenants.context import current_tenant_id
from tenants.ids import uuid7
from tenants.managers import TenantQuerySet

COLUMNS = (
    "tenant_id", "at", "id", "code", "action", "outcome", "actor_kind", "actor_id", "actor_name",
    "key_id", "roles", "on_behalf_of", "request_id", "client_net", "client_hash", "target_kind",
    "target_id", "namespace", "subjects", "ruleset", "counts", "links", "changes", "payload",
)  # fmt: skip
CASTS = {"roles": "::text[]", "subjects": "::text[]", "counts": "::jsonb", "links": "::jsonb",
         "changes": "::jsonb", "ruleset": "::int"}  # fmt: skip

PLACEHOLDERS = ", ".join("%s" + CASTS.get(column, "") for column in COLUMNS)
INSERT = f"INSERT INTO audit_event ({', '.join(COLUMNS)}) "


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events are wanted; what is empty does not narrow.

    `actions` are actions (`memory.put`) or their areas (`memory`); `actor` is an id, a name or a
    kind of actor; `namespace` is a stored prefix, None for any.
    """

    actor: str = ""
    actions: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    target: str = ""
    subject: str = ""
    namespace: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    request: str = ""


class EventQuerySet(TenantQuerySet[Any]):
    """Events of one tenant."""

    def newest_first(self) -> Self:
        """The order of every list of events."""
        return self.order_by("-at", "-id")

    def about(self, target_id: str) -> Self:
        """Events whose target is this thing."""
        return self.filter(target_id=target_id)

    def older_than(self, at: datetime, identifier: UUID) -> Self:
        """What follows this event in the order of lists."""
        return self.filter(Q(at__lt=at) | Q(at=at, id__lt=identifier), at__lte=at)

    def within(self, prefixes: Sequence[str]) -> Self:
        """About something below one of these stored prefixes; "" is everything."""
        if "" in prefixes:
            return self
        below = Q(pk__in=[])
        for prefix in prefixes:
            below |= is_below(prefix)
        return self.filter(below)

    def matching(self, wanted: EventFilter) -> Self:
        """Narrowed by everything that the filter names."""
        rows = self
        if wanted.actor:
            rows = rows.filter(
                Q(actor_id=wanted.actor)
                | Q(actor_name=wanted.actor)
                | Q(actor_kind=wanted.actor)
                | Q(key_id=wanted.actor.removeprefix("mh_"))
            )
        if wanted.actions:
            rows = rows.filter(action__in=_actions_named(wanted.actions))
        if wanted.outcomes:
            rows = rows.filter(outcome__in=wanted.outcomes)
        if wanted.target:
            rows = rows.filter(_target_is(wanted.target))
        if wanted.subject:
            rows = rows.filter(subjects__contains=[wanted.subject])
        if wanted.namespace is not None:
            rows = rows.filter(is_below(wanted.namespace))
        if wanted.since is not None:
            rows = rows.filter(at__gte=wanted.since)
        if wanted.until is not None:
            rows = rows.filter(at__lt=wanted.until)
        if wanted.request:
            rows = rows.filter(request_id=wanted.request)
        return rows

    def without_payload(self) -> Self:
        """For lists: the canonical text is only read where it is shown."""
        return self.defer("payload", "changes")

    def with_places(self) -> Self:
        """With `place`: the path in clear as far as its names lead anywhere."""
        return self.annotate(place=clear_path())

    def with_seals(self) -> Self:
        """With `sealed`: epoch, index and the tree's size; None for what is not sealed yet."""
        heads = apps.get_model("audit", "Head").objects.filter(
            tenant_id=OuterRef("tenant_id"), epoch=OuterRef("epoch")
        )
        leaves = apps.get_model("audit", "Leaf").objects.filter(event_id=OuterRef("id"))
        place = JSONObject(epoch="epoch", index="index", size=Subquery(heads.values("size")[:1]))
        return self.annotate(sealed=Subquery(leaves.values(place=place)[:1]))

    def by_day(self, since: datetime) -> Counter[tuple[str, str]]:
        """How many there were on each day (UTC, as text), by area of the action."""
        counted: Counter[tuple[str, str]] = Counter()
        rows = self.filter(at__gte=since).annotate(day=TruncDate("at"))
        for day, action, count in rows.values_list("day", "action").annotate(n=Count("id")):
            counted[day.isoformat(), action.partition(".")[0]] += count
        return counted


def _actions_named(wanted: Sequence[str]) -> list[str]:
    """Actions as they are, areas as the actions in them.

    Not by LIKE: under a row policy the planner may not try an operator that could leak on its
    statistics, takes a half percent to match, and then sorts a million events for a page of them.
    """
    areas = tuple(f"{area}." for area in wanted if "." not in area)
    named = [action for action in wanted if "." in action]
    return named + [action for action in EVENTS if areas and action.startswith(areas)]


def _target_is(identifier: str) -> Q:
    """By id; a namespace is its own (older events have it as their target's id)."""
    named = Q(target_id=identifier)
    if identifier.endswith("/"):
        named |= Q(target_kind="namespace", target_id="") & is_at(identifier)
    return named


_CLAIM = (
    "INSERT INTO audit_repeatablecall AS c "
    "(tenant_id, id, scope, body, holder, claimed_at, expires_at, made) "
    "VALUES (%(tenant)s, %(id)s, %(scope)s, %(body)s, %(holder)s, %(at)s, %(at)s + %(kept)s, '{}') "
    "ON CONFLICT (tenant_id, scope) DO UPDATE SET holder = excluded.holder, "
    "claimed_at = excluded.claimed_at WHERE c.status IS NULL AND c.body = excluded.body "
    "AND c.claimed_at <= %(at)s - %(lease)s RETURNING 1"
)


class CallQuerySet(TenantQuerySet[Any]):
    """Requests that may be sent twice."""

    def clear(self, at: datetime) -> None:
        """Forget those whose time is over."""
        self.filter(expires_at__lte=at).delete()

    def claim(
        self, *, scope: str, body: str, holder: UUID, at: datetime, kept: timedelta,
        lease: timedelta,
    ) -> bool:  # fmt: skip
        """Take the key: it is free, or an attempt with the same body left it under way too long."""
        values: dict[str, Any] = {
            "tenant": current_tenant_id(), "id": uuid7(), "scope": scope, "body": body,
            "holder": holder, "at": at, "kept": kept, "lease": lease,
        }  # fmt: skip
        with connection.cursor() as cursor:
            cursor.execute(_CLAIM, values)
            return cursor.fetchone() is not None
