"""Browsing memories by people: lists by filter, the namespace tree with its counts, forecasts.

People see every state, for an officer must find what left use yesterday. Who may not read values
gets the same rows without them. A page that shows values is a read and leaves one event with the
ids that were shown.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import transaction

from audit.recording import Facts, Target, record
from memories.namespaces import encode, narrow
from memories.rows import StoredMemory
from memories.statements import browse
from memories.statements.browse import Order, Selection, Standing
from tenants.authorising import require
from tenants.context import current_actor, now
from tenants.paging import Page, cut_page, read_cursor
from tenants.roles import Action, allows
from tenants.snapshots import tenant_settings

Span = tuple[datetime | None, datetime | None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a list is narrowed to; what is empty does not narrow. `namespace` are labels."""

    namespace: tuple[str, ...] = ()
    states: tuple[str, ...] = ("ACTIVE", "ARCHIVED")
    kinds: tuple[str, ...] = ()
    subject: str = ""
    tag: str = ""
    leaves: Span | None = None
    destroyed: Span | None = None
    changed: Span | None = None
    flag: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """One page of a list; `with_values` says whether the caller may see what the rows say."""

    page: Page[StoredMemory]
    at: datetime
    with_values: bool


@dataclass(frozen=True, slots=True)
class Contents:
    """How many there are below a prefix: by the next label (stored form), and by kind."""

    children: list[tuple[str, int]]
    kinds: Counter[str] = field(default_factory=Counter)
    total: int = 0
    here: int = 0
    """Directly in the namespace, not below it."""


def list_memories(
    wanted: Wanted, *, order: Order = "updated", cursor: str | None = None, limit: int
) -> Listed:
    """A page of the memories that match. Raises Invalid for a cursor that is not one."""
    actor = require(Action.SEE_FIGURES)
    after = read_cursor(cursor)
    with_values = allows(actor, Action.READ_VALUES)
    with transaction.atomic():
        selection = _select(wanted)
        rows = browse.list_rows(selection, order=order, after=after, limit=limit + 1)
        page = cut_page(rows, limit=limit, mark=lambda row: browse.mark_of(row, order))
        if with_values and page.items:
            record(
                "memory.search",
                Target("search", namespace=encode(wanted.namespace)),
                Facts(
                    subjects=None,
                    counts={"returned": len(page.items)},
                    links={"ids": [str(row.id) for row in page.items], "query": None},
                ),
            )
        return Listed(page, selection.at, with_values)


def count_contents(wanted: Wanted) -> Contents:
    """The namespaces below the one wanted, and the kinds in it."""
    require(Action.SEE_FIGURES)
    prefix = encode(wanted.namespace)
    with transaction.atomic():
        rows = browse.count_children(_select(wanted), prefix)
    children: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for label, kind, count in rows:
        children[label] += count
        kinds[kind] += count
    here = children.pop("", 0)
    return Contents(sorted(children.items()), kinds, sum(kinds.values()), here)


@dataclass(frozen=True, slots=True)
class Forecast:
    """What leaves use and what is destroyed, by (month, rule); a rule of "" is a lifetime."""

    leaves: dict[tuple[str, str], int]
    destroyed: dict[tuple[str, str], int]


def forecast(*, since: datetime, until: datetime) -> Forecast:
    """The calendar of forgetting between two instants, in months of the tenant's zone."""
    actor = require(Action.SEE_FIGURES)
    with transaction.atomic():
        zone = tenant_settings().timezone
        leaves, destroyed = (
            browse.count_by_month(
                column, prefixes=actor.prefixes, zone=zone, since=since, until=until
            )
            for column in ("visible_until", "purge_at")
        )
    return Forecast(
        {(month, rule): count for month, rule, count in leaves},
        {(month, rule): count for month, rule, count in destroyed},
    )


def count_by_creation() -> list[tuple[str, str, str, int]]:
    """What is in use, by (month of creation, root label, kind)."""
    actor = require(Action.SEE_FIGURES)
    with transaction.atomic():
        zone = tenant_settings().timezone
        return browse.count_by_creation(prefixes=actor.prefixes, zone=zone, at=now())


def _select(wanted: Wanted) -> Selection:
    actor = current_actor()
    return Selection(
        prefixes=narrow(actor.prefixes, encode(wanted.namespace)),
        at=now(),
        states=wanted.states,
        kinds=wanted.kinds,
        subject=wanted.subject,
        tag=wanted.tag,
        leaves=wanted.leaves,
        destroyed=wanted.destroyed,
        changed=wanted.changed,
        flag=wanted.flag,
    )


def count_standing(*, days: int, lately: timedelta) -> Standing:
    """How things stand: what is in use, what leaves and goes within `days`, what waits."""
    actor = require(Action.SEE_FIGURES)
    with transaction.atomic():
        return browse.count_standing(
            actor.prefixes, at=now(), soon=now() + timedelta(days=days), lately=now() - lately
        )
