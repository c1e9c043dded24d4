"""Promotion: candidates that proved stable become long-term memories, with sources and reason.

The invariant: a candidate is open until the transaction commits that writes what it became, removes
its row from the open ones and records the event; all of that or nothing. So a worker killed
anywhere loses nothing and doubles nothing, and two workers never promote the same candidate: the
rows of the open ones are locked, and whoever finds one gone gathers again.

The order of work, a subject at a time: gather (its open candidates and what is known of the same
attributes), decide (`weighing`, pure), apply and record. Embedding happens between deciding and
applying, outside any transaction. That repeats until nothing is left to promote, because what is
promoted may be contradicted by what was said after it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog
from django.db import DatabaseError, transaction

from audit.recording import Facts, Target, record
from conversations.candidates import CANDIDATES, KIND
from conversations.contradicting import related_attributes
from conversations.extracting.statements import Statement
from conversations.models import OpenCandidate
from conversations.reporting import PROMOTION_FAILED, report
from conversations.sessions import homes_of
from conversations.weighing import Known, Mention, Promotion, Weighed, weigh
from memories.deciding import Prepared
from memories.deduplicating import merge_into_same
from memories.embedding.profiles import profile_of
from memories.models import Memory
from memories.namespaces import covers, decode
from memories.ops import LIST_LENGTH, PutOp
from memories.retrying import retry_when_taken, with_newest_rules
from memories.writing import Written, apply_puts, prepare_puts
from memoryhub.errors import HubError, Unavailable, VersionMismatch
from privacy.subjects import pseudonym_of
from tenants.clock import instant_as_wire
from tenants.context import current_actor, now
from tenants.roles import Action
from tenants.snapshots import tenant_settings

log = structlog.get_logger(__name__)

CHUNK = 100
MOST_KNOWN = 1_000
MOST_PASSES = 50


class LearnedOp(PutOp):
    """A put of the hub's own into long-term memory, by whoever may use sessions."""

    @property
    def right(self) -> Action:
        return Action.USE_SESSIONS


@dataclass(frozen=True, slots=True)
class Promoted:
    """One memory that candidates became."""

    memory_id: UUID
    sources: tuple[UUID, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class _Gathered:
    """One subject's open candidates, with what is known of the same attributes."""

    home: str
    elsewhere: tuple[str, ...]
    """Where agents file what they write about the subject themselves, as far as we may go there."""
    subject: str
    mentions: tuple[Mention, ...]
    known: tuple[Known, ...]
    marked: frozenset[UUID] = frozenset()
    """Those that a caller had marked before."""


def promote_pending() -> int:
    """Promote what is due in the acting tenant; how many memories that made or changed."""
    done = 0
    while True:
        with transaction.atomic():
            ids = list(OpenCandidate.objects.all().new().values_list("id", flat=True)[:CHUNK])
            places = _places_of(ids)
        if not ids:
            return done
        for place in places:
            done += _promote_unharmed(place)
        with transaction.atomic():
            OpenCandidate.objects.filter(id__in=ids).update(looked_at=now())


def _promote_unharmed(place: str) -> int:
    """One subject whose candidates cannot be weighed must not stop the others."""
    try:
        return len(promote_place(place))
    except (DatabaseError, Unavailable):
        raise
    except Exception as error:
        log.exception("promotion_failed")
        report(PROMOTION_FAILED, type(error).__name__)
        return 0


def promote_place(place: str, *, marked: Collection[UUID] = ()) -> list[Promoted]:
    """Promote what is due among the candidates of one subject, whose stored path `place` is."""
    promoted: list[Promoted] = []
    for _ in range(MOST_PASSES):
        with transaction.atomic():
            gathered = _gather(place)
        if gathered is None:
            break
        weighed = weigh(gathered.mentions, gathered.known, marked={*marked, *gathered.marked})
        if not weighed.promotions and not weighed.outdated:
            break
        _settle_outdated(weighed)
        for promotion in weighed.promotions:
            made = _promote(promotion, gathered)
            if made is not None:
                promoted.append(made)
    return promoted


# --- gather ---------------------------------------------------------------------------------------


def _places_of(ids: Sequence[UUID]) -> list[str]:
    rows = Memory.objects.filter(id__in=list(ids), trashed_at__isnull=True)
    return sorted(set(rows.values_list("namespace", flat=True)))


def _gather(place: str) -> _Gathered | None:
    rows = Memory.objects.all().visible(now()).filter(namespace=place, tier="short", kind=KIND)
    found = {row.id: row for row in rows.defer("lexemes")}
    waiting = OpenCandidate.objects.filter(id__in=list(found))
    still_open = dict(waiting.values_list("id", "marked"))
    mentions = tuple(_mention(row) for row in found.values() if row.id in still_open)
    if not mentions:
        return None
    home = place.removesuffix(f"{CANDIDATES}/")
    subjects = next(row.subjects for row in found.values())
    attributes = {name for one in mentions for name in related_attributes(one.statement.attribute)}
    subject = subjects[0] if subjects else ""
    homes = homes_of(subject, home) if subject else (home,)
    elsewhere = tuple(one for one in homes[1:] if covers(current_actor().prefixes, one))
    known = _known((home, *elsewhere), attributes)
    marked = frozenset(one for one, is_marked in still_open.items() if is_marked)
    return _Gathered(home, elsewhere, subject, mentions, known, marked)


def _mention(row: Any) -> Mention:
    value = row.value
    statement = Statement(
        value["attribute"], value["value"], value["kind"], value["text"], value["confirmed"]
    )
    return Mention(row.id, row.session or "", row.created_at, statement)


def _known(homes: Collection[str], attributes: Collection[str]) -> tuple[Known, ...]:
    """What is known of these attributes, whatever its key: a merge keeps the key that was there."""
    rows = (
        Memory.objects.all()
        .visible(now())
        .filter(namespace__in=list(homes), tier="long", value__attribute__in=list(attributes))
    )
    return tuple(_as_known(row) for row in rows.defer("lexemes").order_by("id")[:MOST_KNOWN])


def _as_known(row: Any) -> Known:
    value, source = row.value, row.source if isinstance(row.source, dict) else {}
    return Known(
        id=row.id, key=row.key, version=row.version, attribute=value["attribute"],
        value=str(value.get("value", "")), text=str(value.get("text", "")), kind=row.kind,
        sources=tuple(row.derived_from), told_at=_instant(source.get("said_at"), row.updated_at),
        place=row.namespace,
    )  # fmt: skip


def _instant(text: Any, otherwise: datetime) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return otherwise


# --- apply and record -----------------------------------------------------------------------------


def _settle_outdated(weighed: Weighed) -> None:
    if weighed.outdated:
        with transaction.atomic():
            OpenCandidate.objects.filter(id__in=list(weighed.outdated)).delete()


def _promote(promotion: Promotion, gathered: _Gathered) -> Promoted | None:
    """Write one promotion; None when somebody else was faster, or it may not be written."""
    op = _op_of(promotion, gathered)
    try:
        written = with_newest_rules(lambda: _write(op, promotion, gathered))
    except VersionMismatch:
        return None
    except Unavailable:
        raise
    except HubError as refused:
        log.warning("promotion_refused", code=refused.code)
        _leave(promotion)
        return None
    if written is None or written.outcome == "quarantined":
        return None
    return Promoted(written.row.id, promotion.sources, promotion.reason)


def _write(op: PutOp, promotion: Promotion, gathered: _Gathered) -> Written | None:
    prepared = prepare_puts([op])

    def work() -> Written | None:
        rows = OpenCandidate.objects.select_for_update().filter(id__in=promotion.sources)
        if len(rows.order_by("id")) < len(promotion.sources):
            return None
        (written,) = apply_puts([_joined(prepared[0], gathered)])
        OpenCandidate.objects.filter(id__in=promotion.sources).delete()
        record(
            "memory.promote",
            Target("memory", str(written.row.id), written.row.namespace),
            Facts(
                subjects=(pseudonym_of(gathered.subject),) if gathered.subject else (),
                counts={"n": len(promotion.sources), "version": written.row.version},
                links={
                    "reason": promotion.reason,
                    "sources": [str(one) for one in promotion.sources],
                },
            ),
        )
        return written

    return retry_when_taken(work)


def _joined(put: Prepared, gathered: _Gathered) -> Prepared:
    """The put as one of a memory that says the same where agents file things themselves."""
    if put.op.dedup and put.chunks:
        tenant = tenant_settings()
        for place in gathered.elsewhere:
            op = put.op.model_copy(update={"namespace": decode(place)})
            there = replace(put, namespace=place, op=op)
            merged, _ = merge_into_same(there, {}, profile_of(tenant), tenant)
            if merged.merges:
                return merged
    return put


def _op_of(promotion: Promotion, gathered: _Gathered) -> LearnedOp:
    statement, over = promotion.statement, promotion.over
    said = [one.said_at for one in gathered.mentions if one.id in promotion.sources]
    if over is not None and promotion.reason == "repeated":
        said.append(over.told_at)
    sessions = {one.session for one in gathered.mentions if one.id in promotion.sources}
    return LearnedOp.model_validate(
        {
            "namespace": list(decode(over.place if over and over.place else gathered.home)),
            "key": promotion.key,
            "value": {
                "text": statement.text,
                "attribute": statement.attribute,
                "value": statement.value,
            },
            "index": ["text"],
            "kind": statement.kind,
            "subjects": [gathered.subject],
            "derived_from": [str(one) for one in promotion.all_sources[-LIST_LENGTH:]],
            "source": {
                "promotion": promotion.reason,
                "sessions": len(sessions),
                "times": len(promotion.sources),
                "said_at": instant_as_wire(max(said)),
            },
            "dedup": over is None,
            "if_version": None if over is None else over.version,
        }
    )


def _leave(promotion: Promotion) -> None:
    """What may not be written is not tried again; the candidates end by their TTL."""
    with transaction.atomic():
        OpenCandidate.objects.filter(id__in=promotion.sources).delete()
