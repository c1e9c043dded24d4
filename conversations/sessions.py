"""Sessions: who is talking, in which conversation, about which open task. In Redis, sliding.

Every function costs one round trip to Redis and raises Unavailable (503) without it; the store does
not need it and goes on. Whose session it is: the tenant stands in the key, and what the session
writes lies at its `home`, inside the prefixes of the key that opened it. A session of another
tenant, of a home outside the caller's prefixes, or that is over, is Missing: they cannot be told
apart.

Redis holds no clear personal data: the subject is there as a pseudonym and, for the memories that
name it, sealed under the tenant's key; the task state is masked before it comes here.
"""

from __future__ import annotations

import json
import re
import secrets
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from conversations.keeping import (
    CLAIM_SECONDS,
    CLAIMED,
    RETRY_AFTER,
    SAID_SECONDS,
    WINDOW,
    ended_key,
    index_key,
    reaching,
    said_key,
    script,
    session_key,
    window_key,
)
from memories.filter_sql import to_json
from memories.namespaces import Labels, check_prefix, covers, decode, encode
from memories.strict_json import read_exactly
from memoryhub.errors import Invalid, Missing, Unavailable
from privacy.subjects import pseudonym_of
from sealing.originals import Place, SealRefused, open_sealed, seal
from tenants.actors import EVERYTHING, Actor
from tenants.clock import wall_clock
from tenants.context import current_actor, current_tenant_id

TTL_SECONDS, LEAST_TTL, MOST_TTL = 1_800, 60, 86_400
PURPOSE = "sessions"
USERS = "users"
SESSIONS = "sessions"
_ID = re.compile(r"[0-9a-f]{32}")
Role = Literal["user", "assistant", "system", "tool"]


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation that is going on.

    `home` is the stored namespace path of its subject's memories; `window` the last message ids,
    newest first; `counts` how many messages came, were stored, or were skipped for which reason.
    """

    id: str
    subject: str = field(repr=False)
    pseudonym: str
    home: str = field(repr=False)
    channel: str | None
    ttl_seconds: int
    created_at: datetime
    last_active_at: datetime
    state: Mapping[str, Any] = field(default_factory=dict, repr=False)
    window: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    status: Literal["open"] = "open"

    @property
    def expires_at(self) -> datetime:
        """When it is over, unless somebody says something."""
        return self.last_active_at + timedelta(seconds=self.ttl_seconds)

    @property
    def namespace(self) -> Labels:
        """Where its short-term memories lie."""
        return (*decode(self.home), SESSIONS, self.id)


@dataclass(frozen=True, slots=True)
class Message:
    """What was said. `content` is as it came, for this request only; `text` may be kept: personal
    data in it is masked or tokenised. `memory_id` is its short-term memory, if it became one."""

    id: str
    role: Role
    content: str = field(repr=False)
    text: str = field(repr=False)
    memory_id: str | None = None


def home_of(subject: str, actor: Actor) -> Labels:
    """Where what a subject said lies: `users/<pseudonym>`, or inside the key's first prefix.

    Namespaces stand in events, which no erasure changes: so a person is there by the pseudonym,
    which leads nowhere once they are erased.
    """
    label = pseudonym_of(subject)
    usual = check_prefix((USERS, label), path="subject")
    if covers(actor.prefixes, encode(usual)):
        return usual
    first = decode(actor.prefixes[0]) if actor.prefixes else ()
    return check_prefix((*first, label), path="subject")


def homes_of(subject: str, home: str) -> tuple[str, ...]:
    """Stored paths below which memories are about the subject, whatever they name: its home, and
    `users/<subject>`, where agents often file what they write about somebody themselves."""
    label = subject.replace("%", "%25").replace(".", "%2E")
    try:
        return home, encode(check_prefix((USERS, label), path="subject"))
    except Invalid:  # too long for a label: nothing lies there
        return (home,)


def open_session(
    subject: str, *, channel: str | None = None, ttl_seconds: int = TTL_SECONDS
) -> Session:
    """Begin a conversation. Raises Invalid, Unavailable."""
    if not LEAST_TTL <= ttl_seconds <= MOST_TTL:
        detail = f"A session lives {LEAST_TTL} to {MOST_TTL} seconds."
        raise Invalid.at("ttl_seconds", "out_of_range", detail)
    at = wall_clock()
    session = Session(
        id=_new_id(), subject=subject, pseudonym=pseudonym_of(subject),
        home=encode(home_of(subject, current_actor())), channel=channel, ttl_seconds=ttl_seconds,
        created_at=at, last_active_at=at,
    )  # fmt: skip
    facts: dict[Any, Any] = {
        "subject": session.pseudonym, "sealed": _seal(session), "channel": channel or "",
        "ttl": ttl_seconds, "created": at.timestamp(), "active": at.timestamp(), "state": "{}",
        "status": session.status,
    }  # fmt: skip
    with reaching() as redis, redis.pipeline(transaction=True) as together:
        together.hset(session_key(session.id), mapping=facts)
        together.expire(session_key(session.id), ttl_seconds)
        together.zadd(index_key(), {session.id: session.expires_at.timestamp()})
        together.zremrangebyscore(index_key(), "-inf", at.timestamp())
        together.expire(index_key(), MOST_TTL)
        together.execute()
    return session


def load_session(session_id: str) -> Session:
    """The session, whose expiry slides. Raises Missing, Unavailable."""
    _check_id(session_id)
    with reaching():
        found = script("load")(_keys(session_id), [*_arguments(session_id), WINDOW])
    return _known(session_id, found)


def claim_message(session_id: str, message_id: str) -> tuple[Session, str | None]:
    """The session, and what became of this message before; None: it is the caller's to add.

    CLAIMED says that another request is adding it. Raises Missing, Unavailable.
    """
    _check_id(session_id)
    keys = [*_keys(session_id), said_key(session_id, message_id)]
    with reaching():
        found = script("claim")(keys, [*_arguments(session_id), WINDOW, CLAIMED, CLAIM_SECONDS])
    session = _known(session_id, found)
    return session, found[2] or None


def release_message(session_id: str, message_id: str) -> None:
    """The message was not added: another try may."""
    with reaching() as redis:
        redis.delete(said_key(session_id, message_id))


def touch_session(
    session: Session, message_id: str, *, outcome: str, counters: Sequence[str] = ()
) -> Session:
    """The session with this message in its window, counted; its expiry slides.

    `outcome` is what a repetition of the message is told: ids and reasons, no content.
    """
    keys = [*_keys(session.id), said_key(session.id, message_id)]
    rest: list[Any] = [
        WINDOW,
        message_id,
        outcome,
        SAID_SECONDS,
        *(f"n:{name}" for name in counters),
    ]
    with reaching():
        window = script("settle")(keys, [*_arguments(session.id), *rest])
    counts = dict(session.counts)
    for name in counters:
        counts[name] = counts.get(name, 0) + 1
    return replace(session, window=tuple(window), counts=counts, last_active_at=wall_clock())


def change_state(session: Session, state: Mapping[str, Any]) -> Session:
    """The session with another open task state, masked already. Raises Missing, Unavailable."""
    text = to_json(state)
    with reaching():
        found = script("change")(
            _keys(session.id), [*_arguments(session.id), WINDOW, "state", text]
        )
    return _known(session.id, found)


def end_session(session_id: str) -> None:
    """It is over, and for a day known to have been. Raises Unavailable."""
    with reaching() as redis, redis.pipeline(transaction=True) as together:
        together.delete(session_key(session_id), window_key(session_id))
        together.zrem(index_key(), session_id)
        together.set(ended_key(session_id), "1", ex=SAID_SECONDS)
        together.execute()


def has_ended(session_id: str) -> bool:
    """Whether it was ended by somebody within a day. Raises Unavailable."""
    with reaching() as redis:
        return bool(redis.exists(ended_key(session_id)))


def list_sessions(*, limit: int) -> tuple[list[Session], int]:
    """The live sessions inside the caller's prefixes, last active first, and how many there are
    (of a caller with prefixes: among the tenant's last `limit`). Nothing slides; -1 is no limit.
    Raises Unavailable."""
    at = wall_clock().timestamp()
    with reaching() as redis:
        total = int(redis.zcount(index_key(), at, "+inf"))
        ids: Any = redis.zrevrangebyscore(index_key(), "+inf", at, start=0, num=limit)
        with redis.pipeline(transaction=False) as together:
            for session_id in ids:
                together.hgetall(session_key(session_id))
                together.lrange(window_key(session_id), 0, WINDOW - 1)
            rows = together.execute()
    pairs = zip(ids, rows[::2], rows[1::2], strict=True)
    found = [_read(one, facts, window) for one, facts, window in pairs if "ttl" in facts]
    prefixes = current_actor().prefixes
    mine = [session for session in found if covers(prefixes, session.home)]
    ordered = sorted(mine, key=lambda one: one.last_active_at, reverse=True)
    return ordered, total if prefixes == EVERYTHING else len(mine)


def find_sessions_of(subject: str) -> list[Session]:
    """The live sessions of a subject (for its requests). Raises Unavailable."""
    found, _ = list_sessions(limit=-1)
    return [session for session in found if session.subject == subject]


# --- as they are kept -----------------------------------------------------------------------------


def _new_id() -> str:
    """128 random bits in hexadecimal; with a letter, so that nobody takes it for a number."""
    while (made := secrets.token_hex(16)).isdecimal():
        continue
    return made


def _check_id(session_id: str) -> None:
    if not _ID.fullmatch(session_id):
        raise Missing("There is no such session.")


def _keys(session_id: str) -> list[str]:
    return [session_key(session_id), window_key(session_id), index_key()]


def _arguments(session_id: str) -> list[Any]:
    return [wall_clock().timestamp(), session_id]


def _known(session_id: str, found: Any) -> Session:
    if found is None:
        raise Missing("There is no such session.")
    pairs = found[0]
    session = _read(session_id, dict(zip(pairs[::2], pairs[1::2], strict=True)), found[1])
    if not covers(current_actor().prefixes, session.home):
        raise Missing("There is no such session.")
    return session


def _read(session_id: str, facts: Mapping[str, str], window: Sequence[str]) -> Session:
    sealed = _open(session_id, facts["sealed"])
    counts = {name[2:]: int(value) for name, value in facts.items() if name.startswith("n:")}
    return Session(
        id=session_id,
        subject=sealed["subject"],
        pseudonym=facts["subject"],
        home=sealed["home"],
        channel=facts["channel"] or None,
        ttl_seconds=int(facts["ttl"]),
        created_at=_instant(facts["created"]),
        last_active_at=_instant(facts["active"]),
        state=read_exactly(facts["state"]),
        window=tuple(window),
        counts=counts,
    )


def _instant(text: str) -> datetime:
    return datetime.fromtimestamp(float(text), UTC)


def _place(session_id: str) -> Place:
    return Place(current_tenant_id(), "session", session_id, "subject")


def _seal(session: Session) -> str:
    text = json.dumps({"subject": session.subject, "home": session.home})
    try:
        return b64encode(seal(text, _place(session.id), purpose=PURPOSE)).decode()
    except SealRefused:
        raise _key_gone() from None


def _open(session_id: str, sealed: str) -> dict[str, str]:
    try:
        return json.loads(open_sealed(b64decode(sealed), _place(session_id), purpose=PURPOSE))
    except SealRefused:
        raise _key_gone() from None


def _key_gone() -> Unavailable:
    return Unavailable("The tenant's key is not here.", code="key_gone", retry_after=RETRY_AFTER)
