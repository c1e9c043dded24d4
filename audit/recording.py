"""Recording: an event goes into the transaction of what it tells; neither commits alone.

`record` inserts. `draft` makes the same row without inserting it, for statements that read (or
touch) and record in one round trip; the reader's SQL then inserts `draft.row` itself.

There is no previous hash and no shared counter here, so writers never wait for each other; the
order is given later, by the sealer.

Two things of an event the database fills in as it is inserted (migration 0005): names for the
labels of its path (`audit.labels`), and the subjects of the memories that it names (migration 0011
of memories).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from django.db import connection, models

from audit.events import EVENTS, Outcome
from audit.labels import mark_labels
from audit.querysets import INSERT, PLACEHOLDERS
from tenants.context import current_actor, current_origin, now
from tenants.ids import uuid7

CHANGE_NAMES = {0: "create", 1: "update", 2: "delete"}
_PATH_SLOT, _SUBJECTS_SLOT = f"@{uuid4().hex}@", f"@{uuid4().hex}@"
"""Stand in the document for what the trigger fills in; not to be guessed, for a name of an actor or
a reason may be any text."""


@dataclass(frozen=True, slots=True)
class Target:
    """What an event is about. `namespace` is a stored path, None where there is none.

    An id may come from outside (the address of a refused call); what Postgres cannot hold in it
    must not cost us the event.
    """

    kind: str
    id: str = ""
    namespace: str | None = None

    def __post_init__(self) -> None:
        if not self.id.isascii() or "\x00" in self.id:
            plain = self.id.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
            object.__setattr__(self, "id", plain)


@dataclass(frozen=True, slots=True)
class Facts:
    """What an event may say beside who, when and what: numbers, ids and keyed hashes.

    `subjects` are pseudonyms; None: those of the memories that the event names (its target, or
    the ids among its links), which the database knows.
    """

    outcome: Outcome = Outcome.SUCCESS
    subjects: tuple[str, ...] | None = ()
    ruleset: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    links: Mapping[str, Any] = field(default_factory=dict)
    changes: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """An event ready to be inserted: its id, and its row in the order of `querysets.COLUMNS`."""

    id: UUID
    row: list[Any]


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def canonical(document: Mapping[str, Any]) -> str:
    """Canonical JSON: keys sorted, no spaces, no escapes beyond what JSON needs (as RFC 8785)."""
    return _CANONICAL.encode(document)


def draft(action: str, target: Target, facts: Facts | None = None) -> Draft:
    """The row of an event of the acting actor, now. `action` is a key of `events.EVENTS`."""
    facts = facts or Facts()
    kind, actor, origin, at, identifier = (
        EVENTS[action], current_actor(), current_origin(), now(), uuid7(),
    )  # fmt: skip
    code = kind.code(facts.outcome)
    roles = sorted(actor.roles)
    counts, links = dict(facts.counts), dict(facts.links)
    changes = None if facts.changes is None else dict(facts.changes)
    path, subjects = target.namespace, facts.subjects
    payload = canonical({
        "v": 1, "id": str(identifier), "at": at.isoformat(), "tenant": str(actor.tenant_id),
        "code": code, "action": action, "outcome": facts.outcome,
        "actor": {"kind": actor.kind, "id": actor.id, "name": actor.name},
        "key_id": actor.key_id, "roles": roles, "on_behalf_of": actor.on_behalf_of,
        "request_id": origin.request_id,
        "client": {"net": origin.client_net, "hash": origin.client_hash},
        "target": {"kind": target.kind, "id": target.id, "namespace": path and _PATH_SLOT},
        "subjects": _SUBJECTS_SLOT if subjects is None else list(subjects),
        "ruleset": facts.ruleset, "counts": counts, "links": links, "changes": changes,
    })  # fmt: skip
    if path:
        path = mark_labels(path)
        payload = payload.replace(f'"{_PATH_SLOT}"', "\x01")
    if subjects is None:
        payload = payload.replace(f'"{_SUBJECTS_SLOT}"', "\x02")
    row = [
        actor.tenant_id, at, identifier, code, action, facts.outcome.value, actor.kind.value,
        actor.id, actor.name, actor.key_id, roles, actor.on_behalf_of, origin.request_id,
        origin.client_net, origin.client_hash, target.kind, target.id, path,
        None if subjects is None else list(subjects), facts.ruleset, _as_json(counts),
        _as_json(links), None if changes is None else json.dumps(changes, ensure_ascii=False),
        payload,
    ]  # fmt: skip
    return Draft(identifier, row)


def _as_json(facts: Mapping[str, Any]) -> str:
    return json.dumps(facts) if facts else "{}"


def record(action: str, target: Target, facts: Facts | None = None) -> UUID:
    """Insert one event in the current transaction; its id."""
    event = draft(action, target, facts)
    append([event])
    return event.id


def append(events: Iterable[Draft]) -> None:
    """Insert drafted events in one statement."""
    rows = [event.row for event in events]
    if rows:
        values = ", ".join([f"({PLACEHOLDERS})"] * len(rows))
        with connection.cursor() as cursor:
            cursor.execute(INSERT + "VALUES " + values, [value for row in rows for value in row])


def record_change(instance: models.Model, *, change: int, changes: Mapping[str, Any]) -> UUID:
    """The event of a change that django-auditlog saw on a configuration model."""
    return record(
        "config.change",
        Target(instance._meta.model_name or "", str(instance.pk)),
        Facts(links={"change": CHANGE_NAMES.get(change, "other")}, changes=changes),
    )
