"""Context: everything known that helps to answer, gathered from all tiers within a token budget.

The order of work. The session is loaded (Redis), the query is shielded and embedded once, outside
any transaction. Then, in one transaction that commits without waiting for the disk: candidates of
the session's short-term memory, candidates of what is known about the subject (below its home, or
naming it, wherever the caller may read), its profile facts, and their texts; the block is built;
what went into it is counted as read and recorded.

What can fail. No vector, because nobody computes them or not in time: both tiers answer by words,
and the event says so. A message that waits for its own is in the session's window all the same, and
else found by its words. No session (expired, another tenant's): Missing. Redis away: 503 with a
session; with a subject alone the store answers without Redis.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from uuid import UUID

from django.db import transaction

from audit.recording import Facts, Target, draft
from conversations.blocks import Block, Language, Line, build_block, language_of, spelled, text_of
from conversations.intent.judging import has_open_task
from conversations.recalling import QUESTION, recall_op
from conversations.sessions import Session, home_of, homes_of, load_session
from memories.embedding.gating import waiting
from memories.masking import mask_json_text
from memories.namespaces import covers, encode, narrow
from memories.ops import RecallOp
from memories.planning import EXACT_MOST
from memories.protecting import guard_of_now
from memories.reading import reading_of, touched_of, with_touches
from memories.searching import Question, answer_question, prepare_search
from memories.statements.candidates import About, Scope, measure_subject, newest
from memories.statements.lookup import find_by_ids, find_visible
from memories.statements.places import Saying, find_sayings, touch_read
from memories.strict_json import read_exactly
from privacy.acting import check_identifiers
from privacy.choosing import Scope as PrivacyScope
from privacy.subjects import pseudonym_of
from sealing.hashing import keyed_hash
from tenants.authorising import require
from tenants.context import current_actor, current_tenant_id, now, relaxed_commit
from tenants.roles import Action
from tenants.snapshots import tenant_settings

BUDGET, LEAST_BUDGET, MOST_BUDGET = 1_000, 16, 100_000
SHORT_LINES, LONG_LINES, PROFILE_LINES = 12, 24, 16
MOST_PLACES = 32
"""Namespaces outside a subject's home that are looked into for it."""


@dataclass(frozen=True, slots=True)
class Context:
    """The prompt block, its lines (most useful first), its tokens, and milliseconds by tier.

    `timings`: session, short_term, long_term, total. Short and long term each count the embedding
    that they share: it is what either would have taken by itself.
    """

    prompt: str
    items: tuple[Line, ...]
    tokens: int
    timings: Mapping[str, float]


def assemble_context(
    query: str, *, session_id: str | None = None, subject: str | None = None, budget: int = BUDGET
) -> Context:
    """What is known for this question. Raises Denied, Missing, Invalid, Unavailable."""
    actor = require(Action.USE_SESSIONS)
    watch = _Watch()
    session = None if session_id is None else load_session(session_id)
    watch.note("session")
    about = _about(session, subject or "")
    with waiting(QUESTION):
        question = prepare_search(RecallOp(namespace_prefix=[], query=query, limit=LONG_LINES))
    watch.note("embedding")
    with relaxed_commit(when=not actor.is_person), transaction.atomic():
        watch.note("begin")
        scores = _Scores()
        if session is not None:
            scores.short, scores.window = _of_session(session, question)
        watch.note("short")
        scores.profile, scores.long = _of_subject(about, question)
        watch.note("long")
        lines, language = _lines(session, scores, query)
        block = build_block(lines, budget=budget, language=language)
        gone = _read(about, session, block, question)
        if gone:
            lines = [line for line in lines if line.memory_id not in gone]
            block = build_block(lines, budget=budget, language=language)
    return Context(block.prompt, block.lines, block.tokens, watch.timings())


def _about(session: Session | None, subject: str) -> About:
    if session is not None:
        return About(session.subject, homes_of(session.subject, session.home))
    check_identifiers([("subject", subject)], guard_of_now(), PrivacyScope())
    return About(subject, homes_of(subject, encode(home_of(subject, current_actor()))))


@dataclass(slots=True)
class _Scores:
    """What each tier found: ids with how well they fit, or without."""

    short: dict[UUID, float] = field(default_factory=dict)
    window: Collection[UUID] = ()
    profile: Collection[UUID] = ()
    long: dict[UUID, float] = field(default_factory=dict)

    @property
    def ids(self) -> list[UUID]:
        """All of them, once."""
        return list(dict.fromkeys([*self.profile, *self.window, *self.short, *self.long]))


class _Watch:
    """Milliseconds between the steps."""

    def __init__(self) -> None:
        self._last = self._begin = time.perf_counter()
        self._spent: dict[str, float] = {}

    def note(self, step: str) -> None:
        """What passed since the step before belongs to this one."""
        at = time.perf_counter()
        self._spent[step] = 1_000 * (at - self._last)
        self._last = at

    def timings(self) -> dict[str, float]:
        """As the answer has them."""
        shared = self._spent["embedding"] + self._spent["begin"]
        figures = {
            "session": self._spent["session"],
            "short_term": shared + self._spent["short"],
            "long_term": shared + self._spent["long"],
            "total": 1_000 * (time.perf_counter() - self._begin),
        }
        return {name: round(value, 2) for name, value in figures.items()}


# --- gathered -------------------------------------------------------------------------------------


def _of_session(session: Session, question: Question) -> tuple[dict[UUID, float], list[UUID]]:
    """The session's short-term memories that fit, and those of its last messages."""
    op = recall_op(session, question.op.query or "", limit=SHORT_LINES)
    scope = Scope((encode(session.namespace),), now(), tier="short", kinds=op.kinds)
    answer = answer_question(replace(question, op=op), scope)
    ranked = answer.ranked
    scores = {one.candidate.id: one.score for one in ranked[:SHORT_LINES]}
    if not session.window:
        return scores, []
    path = encode(session.namespace)
    if question.vector is not None and not answer.lacks_vectors:  # then all of it is ranked
        window = [one.candidate.id for one in ranked if one.candidate.key in session.window]
    else:
        there = find_visible([(path, message) for message in session.window], at=now())
        window = [identifier for identifier, _ in there.values()]
    last = {one.candidate.id: one.score for one in ranked if one.candidate.id in window}
    return {**last, **scores}, window


def _of_subject(about: About, question: Question) -> tuple[list[UUID], dict[UUID, float]]:
    """Profile facts, newest first; and what fits."""
    prefixes = current_actor().prefixes
    population, elsewhere = measure_subject(about, most=EXACT_MOST + 1, places=MOST_PLACES)
    places = [*about.homes, *(place for place in elsewhere if covers(prefixes, place))]
    within = tuple(place for place in narrow(places, "") if covers(prefixes, place))
    scope = Scope(within, now(), about=about if len(places) > 1 else None)
    if not population.size:
        return [], {}
    profile = newest(replace(scope, kinds=["profile"]), limit=PROFILE_LINES, offset=0)
    ranked = answer_question(question, scope, within=population).ranked[:LONG_LINES]
    return profile, {one.candidate.id: one.score for one in ranked}


# --- chosen and read ------------------------------------------------------------------------------


def _lines(session: Session | None, scores: _Scores, query: str) -> tuple[list[Line], Language]:
    """Everything gathered, as lines, and the language that the subject speaks."""
    found = find_sayings(scores.ids) if scores.ids else {}
    lines = [_line(found[identifier], scores) for identifier in scores.ids if identifier in found]
    if session is not None and has_open_task(session.state):
        state = spelled(session.state)
        lines.append(Line("session", None, state, None))
    return lines, language_of([query, *(line.text for line in lines)], _usual_language())


def _line(row: Saying, scores: _Scores) -> Line:
    tier = "long" if row.tier == "long" else "session" if row.id in scores.window else "short"
    value = row.value if row.is_scanned else mask_json_text(row.value, now().date())
    return Line(
        tier=tier,  # type: ignore[arg-type]
        memory_id=str(row.id),
        text=text_of(read_exactly(value)),
        score=scores.short.get(row.id, scores.long.get(row.id)),
        is_profile=row.id in scores.profile,
        sources=frozenset(str(source) for source in row.derived_from),
    )


def _usual_language() -> Language:
    return "zh" if tenant_settings().locale.startswith("zh") else "en"


def _read(about: About, session: Session | None, block: Block, question: Question) -> set[str]:
    """What went into the block counts as read: access, TTL, and one event for all; those that went
    out of use since they were found."""
    query = question.op.query or ""
    ids = [UUID(line.memory_id) for line in block.lines if line.memory_id is not None]
    event = draft(
        "context.assemble",
        Target("session", session.id) if session is not None else Target("subject"),
        Facts(
            subjects=(pseudonym_of(about.subject),),
            counts={"n": len(ids), "tokens": block.tokens},
            links={
                "ids": [str(one) for one in ids],
                "query": keyed_hash(query, purpose="search-query", tenant_id=current_tenant_id()),
                **({} if question.degraded is None else {"degraded": question.degraded}),
            },
        ),
    )
    reading = reading_of(True)
    found = touch_read(ids, reading, event)
    if any(found.values()):
        rows = find_by_ids([identifier for identifier, ruled in found.items() if ruled])
        with_touches([(row, touched_of(row)) for row in rows.values()], reading)
    return {str(one) for one in ids if one not in found}
