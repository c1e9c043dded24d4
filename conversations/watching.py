"""Live sessions as a page shows them: figures by pseudonym, and no content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from conversations.intent.judging import has_open_task
from conversations.sessions import Session, list_sessions
from tenants.authorising import require
from tenants.roles import Action

MOST = 200
SKIPPED = "skipped:"


@dataclass(frozen=True, slots=True)
class Watched:
    """One session. `skipped`: how many messages for which reason, most first."""

    id: str
    pseudonym: str
    channel: str | None
    has_open_task: bool
    messages: int
    stored: int
    skipped: Sequence[tuple[str, int]]
    created_at: datetime
    last_active_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Watch:
    """The sessions, last active first (up to MOST), how many there are, and their figures."""

    sessions: Sequence[Watched]
    total: int
    messages: int
    stored: int
    skipped: Sequence[tuple[str, int]]


def watch_sessions() -> Watch:
    """The tenant's live sessions inside the caller's prefixes. Raises Denied, Unavailable."""
    require(Action.SEE_FIGURES)
    found, total = list_sessions(limit=MOST)
    shown = [_watched(session) for session in found]
    reasons: Counter[str] = Counter()
    for one in shown:
        reasons.update(dict(one.skipped))
    return Watch(
        shown, total, sum(one.messages for one in shown), sum(one.stored for one in shown),
        reasons.most_common(),
    )  # fmt: skip


def _watched(session: Session) -> Watched:
    skipped = Counter({
        name.removeprefix(SKIPPED): count
        for name, count in session.counts.items() if name.startswith(SKIPPED)
    })  # fmt: skip
    return Watched(
        id=session.id, pseudonym=session.pseudonym, channel=session.channel,
        has_open_task=has_open_task(session.state), messages=session.counts.get("messages", 0),
        stored=session.counts.get("stored", 0), skipped=skipped.most_common(),
        created_at=session.created_at, last_active_at=session.last_active_at,
        expires_at=session.expires_at,
    )  # fmt: skip
