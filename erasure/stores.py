"""The stores beside the memories where something of a person may be, by one small protocol.

Whoever adds a place where data of a person can lie adds a store here; the erasure, its probe and
its certificate then know of it. Memories themselves, with all that goes with their rows, are the
engine's and stand in `erasing`.
"""

from __future__ import annotations

import base64
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import redis
from django.conf import settings
from django.db.models import Q, TextField
from django.db.models.functions import Cast

from audit.files import path_of
from audit.models import Job, LoggedLabel, RepeatableCall
from conversations.models import GoldenQuestion
from conversations.sessions import end_session, find_sessions_of
from memories.embedding.calling import forget_kept_vectors
from memories.models import (
    BusinessEvent,
    Finding,
    SweepRun,
    SweepScope,
    SweepTally,
    Tombstone,
)
from memories.namespaces import encode
from memories.naming import BLANK, blank_name, is_named, pattern_of, without_name
from memories.occurring import SCHEDULED
from memories.requesting import unname_tombstones
from policies.models import Hold
from tenants.context import current_tenant_id
from tenants.models import Schedule

QUEUE = "hub"
REDIS_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Person:
    """Whom to look for: the identifier, and the ids of the memories that are (or were) theirs."""

    subject: str
    ids: frozenset[UUID]

    def is_in(self, text: str) -> bool:
        """Whether a text names the person or one of the memories."""
        return is_named(self.subject, text) or any(str(one) in text for one in self.ids)


@dataclass(frozen=True, slots=True)
class Store:
    """A place: `find` counts what is there of a person, `remove` takes it and says how much."""

    name: str
    find: Callable[[Person], int]
    remove: Callable[[Person], int]


# --- rows -----------------------------------------------------------------------------------------


def _events(person: Person) -> Any:
    rows = BusinessEvent.objects.annotate(text=Cast("scope", TextField()))
    pattern = pattern_of(person.subject)
    named = Q(scope__subject=person.subject)
    if pattern:
        named |= Q(text__regex=pattern) | Q(external_id__regex=pattern)
    return rows.filter(named)


def _calls(person: Person) -> Any:
    rows = RepeatableCall.objects.annotate(text=Cast("made", TextField()))
    named = Q(made__id__in=[str(one) for one in person.ids])
    pattern = pattern_of(person.subject)
    return rows.filter(named | Q(text__regex=pattern) if pattern else named)


def _findings(person: Person) -> Any:
    named = Q(memory_id__in=list(person.ids))
    pattern = pattern_of(person.subject)
    if pattern:
        named |= Q(namespace__regex=pattern) | Q(detail__regex=pattern)
    return Finding.objects.filter(named).exclude(kind="rebuild_due")


def _configured() -> Any:
    """Prefixes that admins gave a rhythm of its own: configuration, which is theirs to change."""
    return SweepScope.objects.values("namespace_prefix")


def _sweeps(person: Person) -> Any:
    """Sweeps that somebody asked for below the person's label, once."""
    pattern = pattern_of(person.subject)
    rows = SweepRun.objects.exclude(namespace_prefix__in=_configured())
    return rows.filter(namespace_prefix__regex=pattern) if pattern else rows.none()


def _tallies(person: Person) -> Any:
    pattern = pattern_of(person.subject)
    rows = SweepTally.objects.filter(tenant_id=current_tenant_id())
    rows = rows.exclude(scope__in=_configured())
    return rows.filter(scope__regex=pattern) if pattern else rows.none()


def _unname_sweeps(person: Person) -> int:
    runs = list(_sweeps(person))
    for run in runs:
        run.namespace_prefix = without_name(run.namespace_prefix, person.subject)
        run.save(update_fields=["namespace_prefix"])
    _tallies(person).delete()
    return len(runs)


def _jobs(person: Person) -> Any:
    """Of jobs that are over: what they were asked and what came of it."""
    pattern = pattern_of(person.subject)
    rows = Job.objects.exclude(state__in=(Job.State.QUEUED, Job.State.RUNNING))
    rows = rows.annotate(
        said=Cast("params", TextField()), at=Cast("cursor", TextField()),
        came=Cast("result", TextField()),
    )  # fmt: skip
    if not pattern:
        return rows.none()
    return rows.filter(Q(said__regex=pattern) | Q(at__regex=pattern) | Q(came__regex=pattern))


def _scrub_jobs(person: Person) -> int:
    return int(_jobs(person).update(params={}, cursor={}, result=None))


def _labels(person: Person) -> Any:
    """What names in the log mean: without these rows they lead nowhere (`audit.labels`)."""
    named = Q(label=encode((person.subject,))[:-1])
    pattern = pattern_of(person.subject)
    return LoggedLabel.objects.filter(named | Q(label__regex=pattern) if pattern else named)


def forget_labels(person: Person) -> int:
    """Again, as late as possible: who still asks below the person's label has named it anew."""
    return int(_labels(person).delete()[0])


def _schedules(person: Person) -> Any:
    rows = Schedule.objects.filter(tenant_id=current_tenant_id(), job=SCHEDULED)
    waiting = [str(one) for one in _events(person).values_list("id", flat=True)]
    return rows.filter(scope__in=waiting)


def _delete(rows: Callable[[Person], Any]) -> Callable[[Person], int]:
    return lambda person: int(rows(person).delete()[0])


def _count(rows: Callable[[Person], Any]) -> Callable[[Person], int]:
    return lambda person: int(rows(person).count())


def _named_tombstones(person: Person) -> int:
    pattern = pattern_of(person.subject)
    return Tombstone.objects.filter(namespace__regex=pattern).count() if pattern else 0


def _questions(person: Person) -> Any:
    """Golden questions that name the person, or expect one of their memories."""
    expecting = Q(expected__overlap=list(person.ids))
    pattern = pattern_of(person.subject)
    return GoldenQuestion.objects.filter(
        expecting | Q(question__regex=pattern) | Q(namespace_prefix__regex=pattern)
        if pattern
        else expecting
    )


HOLD_TEXTS = ("matter", "reason", "custodian", "release_reason", "released_reason")


def _released_holds(person: Person) -> Any:
    """Those that stand name the person as long as they stand: the law asks for it."""
    rows = Hold.objects.annotate(paths=Cast("namespaces", TextField()))
    named = Q(subjects__contains=[person.subject])
    pattern = pattern_of(person.subject)
    for name in (*HOLD_TEXTS, "paths") if pattern else ():
        named |= Q(**{f"{name}__regex": pattern})
    return rows.filter(named, released_at__isnull=False)


def _unname_holds(person: Person) -> int:
    holds = list(_released_holds(person))
    for hold in holds:
        hold.subjects = [BLANK if one == person.subject else one for one in hold.subjects]
        hold.namespaces = [without_name(one, person.subject) for one in hold.namespaces]
        for name in HOLD_TEXTS:
            setattr(hold, name, blank_name(getattr(hold, name), person.subject))
        hold.save(update_fields=["subjects", "namespaces", *HOLD_TEXTS])
    return len(holds)


# --- files ----------------------------------------------------------------------------------------


def _files(person: Person) -> Iterator[Path]:
    for job in Job.objects.exclude(file_type="").only("id"):
        path = path_of(job.id)
        if path.exists() and any(person.is_in(text) for text in _texts_in(path)):
            yield path


def _texts_in(path: Path) -> Iterator[str]:
    """What can be read in a file, and in a ZIP in it."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                yield archive.read(name).decode("utf-8", "replace")
    else:
        yield path.read_text("utf-8", "replace")


def _drop_files(person: Person) -> int:
    paths = list(_files(person))
    for path in paths:
        path.unlink(missing_ok=True)
    return len(paths)


# --- Redis ----------------------------------------------------------------------------------------


def _redis() -> redis.Redis:
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=REDIS_SECONDS, socket_connect_timeout=REDIS_SECONDS
    )


def _end_sessions(person: Person) -> int:
    sessions = find_sessions_of(person.subject)
    for session in sessions:
        end_session(session.id)
    return len(sessions)


def _query_keys() -> list[bytes]:
    client = _redis()
    return list(client.scan_iter(match=f"*query:{current_tenant_id().hex}:*", count=1000))


def _drop_queries(person: Person) -> int:
    """All of the tenant: which question was about whom cannot be told from a keyed hash."""
    forget_kept_vectors()
    keys = _query_keys()
    if keys:
        _redis().delete(*keys)
    return len(keys)


def _messages(person: Person) -> list[bytes]:
    """Queued messages that name the person: hints, which may be lost."""
    waiting: list[Any] = _redis().lrange(QUEUE, 0, -1)
    return [one for one in waiting if person.is_in(_said(one))]


def _said(message: bytes) -> str:
    text = message.decode("utf-8", "replace")
    try:
        body = json.loads(text)["body"]
        return text + base64.b64decode(body).decode("utf-8", "replace")
    except (ValueError, KeyError, TypeError):
        return text


def _drop_messages(person: Person) -> int:
    client: Any = _redis()
    return sum([int(client.lrem(QUEUE, 0, message)) for message in _messages(person)])


STORES: tuple[Store, ...] = (
    Store("scheduled_events", _count(_schedules), _delete(_schedules)),
    Store("business_events", _count(_events), _delete(_events)),
    Store("repeatable_calls", _count(_calls), _delete(_calls)),
    Store("findings", _count(_findings), _delete(_findings)),
    Store("golden_questions", _count(_questions), _delete(_questions)),
    Store("released_holds", _count(_released_holds), _unname_holds),
    Store("jobs", _count(_jobs), _scrub_jobs),
    Store("job_files", lambda person: len(list(_files(person))), _drop_files),
    Store("tombstones", _named_tombstones, lambda person: unname_tombstones(person.subject)),
    Store("event_labels", _count(_labels), forget_labels),
    Store(
        "sweeps", lambda person: _sweeps(person).count() + _tallies(person).count(), _unname_sweeps
    ),
    Store("sessions", lambda person: len(find_sessions_of(person.subject)), _end_sessions),
    Store("query_cache", lambda person: len(_query_keys()), _drop_queries),
    Store("queued_messages", lambda person: len(_messages(person)), _drop_messages),
)
"""In the order in which they are emptied."""
