"""Promotion at the caller's word: what a session stated is kept without waiting to be repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.db import transaction

from conversations.candidates import KIND, Said, candidates_path, keep_candidates
from conversations.extracting.statements import TEXT_CHARACTERS, VALUE_CHARACTERS, Statement
from conversations.models import OpenCandidate, UnreadMessage
from conversations.promoting import Promoted, promote_place
from conversations.sessions import Session
from memories.models import Memory
from memories.namespaces import decode, encode
from memoryhub.errors import Invalid
from tenants.authorising import require
from tenants.context import now
from tenants.roles import Action

MARKED = "marked-1"
Skip = Literal["already_promoted", "outdated", "refused", "no_fact", "not_read_yet"]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A candidate or short-term memory of the session that became nothing, and why."""

    memory_id: UUID
    reason: Skip


@dataclass(frozen=True, slots=True)
class Asked:
    """What a caller's word promoted, and what it left."""

    promoted: tuple[Promoted, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    """A session's candidates (the open ones), its short-term memories without one, by their ids."""

    candidates: frozenset[UUID]
    opened: frozenset[UUID]
    bare: dict[UUID, str]
    covered: dict[UUID, frozenset[UUID]]
    unread: frozenset[UUID]


def promote_session(session: Session, memory_ids: Sequence[UUID] | None = None) -> Asked:
    """Promote what this session stated, or of that only what is named.

    Named may be candidates and short-term memories of the session; a short-term memory in which no
    fact was found is kept whole, because the caller says so. Raises Denied, Invalid.
    """
    require(Action.USE_SESSIONS)
    with transaction.atomic():
        found = _gather(session)
    if memory_ids is not None:
        found = _name(session, found, memory_ids)
    wanted = found.candidates if memory_ids is None else _chosen(found, memory_ids)
    marked = wanted & found.opened
    place = encode(candidates_path(decode(session.home)))
    made = promote_place(place, marked=marked) if marked else []
    mine = tuple(one for one in made if marked & set(one.sources))
    return Asked(mine, tuple(_skipped(found, wanted, mine, all_of_it=memory_ids is None)))


def _gather(session: Session) -> _Found:
    rows = Memory.objects.all().visible(now())
    place = encode(candidates_path(decode(session.home)))
    candidates = list(
        rows.filter(namespace=place, session=session.id, kind=KIND).values_list(
            "id", "derived_from"
        )
    )
    ids = frozenset(identifier for identifier, _ in candidates)
    covered: dict[UUID, frozenset[UUID]] = {}
    for identifier, sources in candidates:
        for source in sources:
            covered[source] = covered.get(source, frozenset()) | {identifier}
    short = dict(
        rows.filter(namespace=encode(session.namespace), tier="short").values_list(
            "id", "value__text"
        )
    )
    return _Found(
        ids,
        frozenset(OpenCandidate.objects.filter(id__in=ids).values_list("id", flat=True)),
        {one: text for one, text in short.items() if one not in covered},
        covered,
        frozenset(UnreadMessage.objects.filter(id__in=list(short)).values_list("id", flat=True)),
    )


def _name(session: Session, found: _Found, memory_ids: Sequence[UUID]) -> _Found:
    """Check what is named; make candidates of named memories that have none."""
    for number, identifier in enumerate(memory_ids):
        if not ({identifier} & (found.candidates | found.covered.keys() | found.bare.keys())):
            detail = "The session has no such memory."
            raise Invalid.at(f"memory_ids[{number}]", "unknown_memory", detail)
    bare = [one for one in dict.fromkeys(memory_ids) if found.bare.get(one)]
    for identifier in bare:
        text = found.bare[identifier][:TEXT_CHARACTERS]
        said = Said(decode(session.home), session.subject, session.id, str(identifier), identifier)
        statement = Statement("other", text[:VALUE_CHARACTERS], "fact", text)
        keep_candidates(said, [statement], extractor=MARKED)
    if not bare:
        return found
    with transaction.atomic():
        return _gather(session)


def _chosen(found: _Found, memory_ids: Sequence[UUID]) -> frozenset[UUID]:
    chosen = {one for one in memory_ids if one in found.candidates}
    for one in memory_ids:
        chosen |= found.covered.get(one, frozenset())
    return frozenset(chosen)


def _skipped(
    found: _Found, wanted: frozenset[UUID], made: Sequence[Promoted], *, all_of_it: bool
) -> list[Skipped]:
    taken = {source for one in made for source in one.sources}
    left = sorted(wanted - taken)
    with transaction.atomic():
        rows = OpenCandidate.objects.filter(id__in=left)
        still_open = frozenset(rows.values_list("id", flat=True))
    skipped = [Skipped(one, _why(one, found, still_open)) for one in left]
    if all_of_it:
        skipped += [
            Skipped(one, "not_read_yet" if one in found.unread else "no_fact")
            for one in sorted(found.bare)
        ]
    return skipped


def _why(one: UUID, found: _Found, still_open: frozenset[UUID]) -> Skip:
    if one in still_open:
        return "refused"
    return "outdated" if one in found.opened else "already_promoted"
