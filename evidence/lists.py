"""The lists that can be exported: who may, what narrows them, which columns, and their rows.

A list is read in pieces, newest first, each piece after the last row of the one before, so that a
million rows take the memory of one piece and a killed export goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from audit.models import Event, Job
from audit.presenting import present_event
from audit.querysets import EventFilter
from conversations.models import GoldenQuestion
from conversations.sessions import list_sessions
from erasure.models import SubjectRequest
from evidence.filters import read_events_filter, read_memories_filter, read_nothing
from memories.browsing import Wanted
from memories.models import Finding, SweepRun
from memories.namespaces import covers, decode, encode, narrow
from memories.presenting import present_retention
from memories.rows import StoredMemory
from memories.statements import browse
from memories.statements.browse import Selection
from policies.models import Hold, Prevention, RuleSet
from policies.presenting import present_line
from tenants.access.reviewing import Access, list_access
from tenants.context import current_tenant_id, now
from tenants.models import ApiKey, Membership
from tenants.paging import Mark
from tenants.roles import Action

Row = dict[str, Any]
After = Sequence[str] | None


@dataclass(frozen=True, slots=True)
class Asked:
    """What an export asks of a list: its filter, the asker's prefixes, and until when."""

    wanted: Any
    prefixes: tuple[str, ...]
    until: datetime


@dataclass(frozen=True, slots=True)
class ExportedList:
    """One list. `read(asked, after, limit)` gives rows and the place after the last of them.

    `check` turns a filter as JSON into what `read` takes; it raises Invalid.
    """

    name: str
    action: Action
    columns: tuple[str, ...]
    check: Callable[[Mapping[str, Any]], Any]
    read: Callable[[Asked, After, int], tuple[list[Row], After]]


def _by_columns(
    rows: Any, by: tuple[str, str], after: After, limit: int
) -> tuple[list[Any], After]:
    """A piece of a queryset, descending by two columns, the second one unique."""
    first, second = by
    if after is not None:
        at, identifier = after
        beyond = Q(**{f"{first}__lt": at}) | Q(**{first: at, f"{second}__lt": identifier})
        rows = rows.filter(beyond, **{f"{first}__lte": at})
    found = list(rows.order_by(f"-{first}", f"-{second}")[:limit])
    if len(found) < limit:
        return found, None
    last = found[-1]
    return found, [getattr(last, first).isoformat(), str(getattr(last, second))]


def _read_events(asked: Asked, after: After, limit: int) -> tuple[list[Row], After]:
    wanted: EventFilter = asked.wanted
    rows: Any = Event.objects.all()
    rows = rows.within(asked.prefixes).matching(wanted).filter(at__lt=asked.until)
    rows = rows.with_places().with_seals()
    found, place = _by_columns(rows, ("at", "id"), after, limit)
    return [{**present_event(event), "payload": event.payload} for event in found], place


def _read_memories(asked: Asked, after: After, limit: int) -> tuple[list[Row], After]:
    wanted: Wanted = asked.wanted
    at = now()
    selection = Selection(
        prefixes=narrow(asked.prefixes, encode(wanted.namespace)), at=at, states=wanted.states,
        kinds=wanted.kinds, subject=wanted.subject, tag=wanted.tag, leaves=wanted.leaves,
        destroyed=wanted.destroyed, changed=wanted.changed, flag=wanted.flag,
    )  # fmt: skip
    mark = None if after is None else Mark(datetime.fromisoformat(after[0]), _uuid(after[1]))
    found = browse.list_rows(selection, order="updated", after=mark, limit=limit)
    rows = [_memory(row, at) for row in found]
    if len(found) < limit:
        return rows, None
    return rows, [found[-1].updated_at.isoformat(), str(found[-1].id)]


def _memory(row: StoredMemory, at: datetime) -> Row:
    """A memory as a list shows it to whoever may see no values."""
    retention = present_retention(row, at)
    return {
        "id": row.id, "namespace": list(decode(row.namespace)), "kind": row.kind,
        "tier": row.tier, "label": row.label, "classes": row.classes, "version": row.version,
        "created_at": row.created_at, "updated_at": row.updated_at,
        "accessed_at": row.accessed_at, "access_count": row.access_count, **retention,
    }  # fmt: skip


def _of(model: Any, by: tuple[str, str], present: Callable[[Any], Row]) -> Any:
    """Reads a whole table of the tenant, without filters."""

    def read(asked: Asked, after: After, limit: int) -> tuple[list[Row], After]:
        rows = model.objects.all().filter(**{f"{by[0]}__lt": asked.until})
        if hasattr(rows, "within"):
            rows = rows.within(asked.prefixes)
        found, place = _by_columns(rows, by, after, limit)
        return [present(row) for row in found], place

    return read


def _of_tenant(model: Any, present: Callable[[Any], Row]) -> Any:
    """The same of what is known before the tenant is: keys and members."""

    def read(asked: Asked, after: After, limit: int) -> tuple[list[Row], After]:
        rows = model.objects.filter(tenant_id=current_tenant_id(), created_at__lt=asked.until)
        found, place = _by_columns(rows, ("created_at", "id"), after, limit)
        return [present(row) for row in found], place

    return read


def _fields(*names: str) -> Callable[[Any], Row]:
    return lambda row: {name: getattr(row, name) for name in names}


def _hold(row: Hold) -> Row:
    prevented = Prevention.objects.filter(hold_id=row.id).count()
    shown = _fields(*HOLD)(row)
    return {**shown, "subjects": len(row.subjects), "prevented": prevented}


def _member(row: Membership) -> Row:
    return {**_fields(*PERSON)(row.user), **_fields(*MEMBER)(row)}


def _read_questions(asked: Asked, after: After, limit: int) -> tuple[list[Row], After]:
    """Golden questions about what lies below the asker's prefixes."""
    mine = Q()
    if "" not in asked.prefixes:
        mine = Q(pk__in=[])
        for prefix in asked.prefixes:
            mine |= Q(namespace_prefix__startswith=prefix)
    rows = GoldenQuestion.objects.all().filter(mine, created_at__lt=asked.until)
    found, place = _by_columns(rows, ("created_at", "id"), after, limit)
    return [_fields(*QUESTION)(row) for row in found], place


def _read_sessions(asked: Asked, after: After, limit: int) -> tuple[list[Row], After]:
    """The live sessions, without what was said: as Redis has them, in one piece."""
    found, _ = list_sessions(limit=-1)
    return [_fields(*SESSION)(one) for one in found if covers(asked.prefixes, one.home)], None


def _read_access(asked: Asked, after: After, limit: int) -> tuple[list[Row], After]:
    """The review of access: as many as there are people and keys, in one piece."""
    return [_way_in(one) for one in list_access()], None


def _way_in(one: Access) -> Row:
    is_key, row = one.kind == "key", one.row
    return {
        "kind": one.kind, "id": row.id, "name": row.name if is_key else row.user.name,
        "email": "" if is_key else row.user.email, "may": row.scopes if is_key else [row.role],
        "prefixes": row.prefixes, "second_factor": one.second_factor, "used_at": one.used_at,
        "reviewed_at": row.reviewed_at, "reviewed_by": row.reviewed_by, "due_at": one.due_at,
        "overdue": one.is_overdue,
    }  # fmt: skip


def _uuid(text: str) -> Any:
    return Event._meta.get_field("id").to_python(text)


EVENT = (
    "id", "at", "code", "action", "outcome", "actor", "key_id", "roles", "on_behalf_of",
    "request_id", "client", "target", "subjects", "ruleset", "counts", "links", "sentence",
    "sealed", "payload",
)  # fmt: skip
MEMORY = (
    "id", "namespace", "kind", "tier", "label", "classes", "version", "created_at", "updated_at",
    "accessed_at", "access_count", "state", "visible_until", "purge_at", "ttl_minutes", "rule",
    "flags",
)  # fmt: skip
HOLD = (
    "id", "matter", "custodian", "namespaces", "state", "placed_at", "placed_by_name",
    "release_requested_at", "release_requested_by_name", "released_at", "released_by_name",
)  # fmt: skip
REQUEST = (
    "id", "kind", "pseudonym", "state", "outcome", "received_at", "due_at", "created_at",
    "created_by_name", "verified_at", "closed_at",
)  # fmt: skip
RULESET = (
    "n", "state", "based_on", "hash", "note", "rules", "created_at", "created_by", "activated_at",
)  # fmt: skip
RUN = (
    "id", "namespace_prefix", "trigger", "dry_run", "state", "started_at", "finished_at",
    "lag_seconds", "counts",
)  # fmt: skip
FINDING = ("id", "kind", "memory_id", "found_at", "closed_at")
JOB = (
    "id", "kind", "state", "done", "total", "created_at", "finished_at", "created_by_name",
)  # fmt: skip
ACCESS = (
    "kind", "id", "name", "email", "may", "prefixes", "second_factor", "used_at", "reviewed_at",
    "reviewed_by", "due_at", "overdue",
)  # fmt: skip
QUESTION = (
    "id", "question", "namespace_prefix", "expected", "created_at", "created_by_name",
)  # fmt: skip
SESSION = (
    "id", "pseudonym", "channel", "created_at", "last_active_at", "expires_at",
)  # fmt: skip
KEY = (
    "id", "name", "scopes", "prefixes", "networks", "created_at", "created_by", "expires_at",
    "revoked_at", "last_used_at",
)  # fmt: skip
MEMBER = ("id", "role", "prefixes", "created_at", "accepted_at")
PERSON = ("name", "email")

LISTS: dict[str, ExportedList] = {
    one.name: one
    for one in (
        ExportedList("events", Action.EXPORT_EVENTS, EVENT, read_events_filter, _read_events),
        ExportedList("memories", Action.SEE_FIGURES, MEMORY, read_memories_filter, _read_memories),
        ExportedList(
            "holds", Action.SEE_FIGURES, (*HOLD, "subjects", "prevented"), read_nothing,
            _of(Hold, ("placed_at", "id"), _hold),
        ),
        ExportedList(
            "requests", Action.SEE_FIGURES, REQUEST, read_nothing,
            _of(SubjectRequest, ("created_at", "id"), _fields(*REQUEST)),
        ),
        ExportedList(
            "rulesets", Action.SEE_FIGURES, RULESET, read_nothing,
            _of(RuleSet, ("created_at", "id"), present_line),
        ),
        ExportedList(
            "sweeps", Action.SEE_FIGURES, RUN, read_nothing,
            _of(SweepRun, ("started_at", "id"), _fields(*RUN)),
        ),
        ExportedList(
            "findings", Action.SEE_FIGURES, FINDING, read_nothing,
            _of(Finding, ("found_at", "id"), _fields(*FINDING)),
        ),
        ExportedList(
            "jobs", Action.EXPORT_EVENTS, JOB, read_nothing,
            _of(Job, ("created_at", "id"), _fields(*JOB)),
        ),
        ExportedList(
            "keys", Action.ADMINISTER, KEY, read_nothing, _of_tenant(ApiKey, _fields(*KEY))
        ),
        ExportedList(
            "questions", Action.SEE_USAGE, QUESTION, read_nothing,
            _read_questions,
        ),
        ExportedList("sessions", Action.SEE_FIGURES, SESSION, read_nothing, _read_sessions),
        ExportedList("access", Action.ADMINISTER, ACCESS, read_nothing, _read_access),
        ExportedList(
            "members", Action.ADMINISTER, (*PERSON, *MEMBER), read_nothing,
            _of_tenant(Membership, _member),
        ),
    )
}  # fmt: skip
"""By name, as `POST /audit/exports` takes it (`list`, by default the events)."""
