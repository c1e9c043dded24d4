"""Conversations begun, read, changed and ended, each with its event.

The event and the session are in two places. Redis is written last, inside the transaction of the
event: without Redis there is no event either, and a session whose event did not commit is one whose
id nobody was told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from audit.recording import Facts, Target, record
from conversations.sessions import (
    TTL_SECONDS,
    Session,
    change_state,
    end_session,
    has_ended,
    load_session,
    open_session,
)
from memories.deleting import CHUNK, delete_rows
from memories.filter_sql import to_json
from memories.namespaces import encode
from memories.occurring import note_activity
from memories.protecting import guard_of_now
from memories.statements.lookup import lock_visible_below
from memoryhub.errors import Invalid, Missing
from privacy.acting import Guard, check_identifiers
from privacy.choosing import Scope
from privacy.detecting.walking import replace_in_value
from privacy.masking import mask_span
from tenants.authorising import require
from tenants.context import now, relaxed_commit
from tenants.roles import Action

STATE_BYTES = 4_096


def begin_session(
    subject: str, *, channel: str | None = None, ttl_seconds: int = TTL_SECONDS
) -> Session:
    """Open a session and note that its subject is active. Raises Denied, Invalid, Unavailable."""
    require(Action.USE_SESSIONS)
    names = [("subject", subject), *([("channel", channel)] if channel else [])]
    check_identifiers(names, guard_of_now(), Scope())
    with transaction.atomic():
        note_activity(subject)
        session = open_session(subject, channel=channel, ttl_seconds=ttl_seconds)
        _record("session.open", session)
    return session


def read_session(session_id: str) -> Session:
    """The session as it is now; its expiry slides. Raises Denied, Missing, Unavailable."""
    require(Action.USE_SESSIONS)
    session = load_session(session_id)
    with relaxed_commit(), transaction.atomic():
        _record("session.read", session)
    return session


def set_state(session_id: str, state: Mapping[str, Any]) -> Session:
    """Put another open task state into the session; what is personal in it is masked.

    Raises Denied, Missing, Invalid `too_long`, Unavailable.
    """
    require(Action.USE_SESSIONS)
    if len(to_json(state).encode("utf-8", "surrogatepass")) > STATE_BYTES:
        raise Invalid.at("state", "too_long", f"A state has at most {STATE_BYTES} bytes.")
    session = load_session(session_id)
    masked = mask_state(state, guard_of_now())
    with transaction.atomic():
        _record("session.change", session)
        return change_state(session, masked)


def mask_state(state: Mapping[str, Any], guard: Guard) -> dict[str, Any]:
    """The state with everything masked that looks personal, whatever the tenant does with it in
    memories: a session keeps nothing of it."""
    return dict(replace_in_value(dict(state), guard.find(dict(state)), mask_span))


def close_session(session_id: str) -> int:
    """End it; its short-term memories get an agent's delete, and are counted.

    Again within a day it does nothing. Raises Denied, Missing, Unavailable.
    """
    require(Action.USE_SESSIONS)
    try:
        session = load_session(session_id)
    except Missing:
        if has_ended(session_id):
            return 0
        raise
    with transaction.atomic():
        deleted = _delete_below(encode(session.namespace))
        _record("session.end", session, n=deleted)
    end_session(session_id)
    return deleted


def _delete_below(path: str) -> int:
    deleted = 0
    while rows := lock_visible_below([path], at=now(), after=None, limit=CHUNK):
        deleted += len(delete_rows(rows))
    return deleted


def _record(action: str, session: Session, **counts: int) -> None:
    record(
        action,
        Target("session", session.id),
        Facts(subjects=(session.pseudonym,), counts=counts),
    )
