"""Every ground that could decide about a memory, and what became of it.

One list serves the explanation, the simulation and the sweep. A clause *won* when it decides one
of the memory's dates (or suspends the purge), *lost* when it applies and something else decides,
is *waiting* while its event has not come, and *not_matched* when it does not apply. A keep that
nothing challenges has won: it is the minimum in force. `reason` is a code with its `facts`;
`policies.wording` has the sentence in each language.

The order is that of authority: legal hold, statutory floor, erasure and restriction, cap,
business floor, expire rules from the narrowest to the tenant-wide, the agent's delete and TTL,
then archive, anonymise, degrade, notices; what does not apply comes last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from policies.durations import LAST, shift
from policies.facts import Kind, Rule
from policies.finding import counted_ttl
from policies.matching import Dated, anchor_of, past, why_not
from policies.outcomes import Evaluation
from policies.purging import deciding_cap, notice_of

Role = Literal["won", "lost", "waiting", "not_matched"]
Ground = Literal[
    "hold",
    "erasure",
    "request",
    "restriction",
    "quarantine",
    "source_cap",
    "delete",
    "ttl",
    "notice",
]

_Fate = tuple[Role, str, dict[str, object]]

_EFFECTS: Final = {"archive": "archives", "anonymise": "masks", "degrade": "ranks_lower"}


@dataclass(frozen=True, slots=True)
class Clause:
    """One ground. `key` is the rule's, else the name of the ground (or the matter of a hold).

    `reason` is a code, `also` names further ones; `facts` fill their sentences.
    """

    key: str
    kind: Kind | Ground
    date: datetime | None
    role: Role
    reason: str
    facts: Mapping[str, object] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    rule: Rule | None = None


def list_clauses(evaluation: Evaluation) -> tuple[Clause, ...]:
    """The clauses of an evaluation, the strongest first."""
    keeps = list(_keeps(evaluation))
    applying = (
        *_holds(evaluation),
        *(clause for clause in keeps if clause.rule and clause.rule.statutory),
        *_requests(evaluation),
        *_caps(evaluation),
        *(clause for clause in keeps if clause.rule and not clause.rule.statutory),
        *_chosen("expire", evaluation),
        *_delete(evaluation),
        *_ttl(evaluation),
        *_chosen("archive", evaluation),
        *_chosen("anonymise", evaluation),
        *_chosen("degrade", evaluation),
        *_notice_of_moved_dates(evaluation),
    )
    strays = [clause for clause in applying if clause.role == "not_matched"]
    lasting = [clause for clause in applying if clause.role != "not_matched"]
    return (*lasting, *strays, *_not_matched(evaluation))


def _of_rule(evaluation: Evaluation, dated: Dated, fate: _Fate) -> Clause:
    rule, found, (role, reason, facts) = dated.rule, evaluation.found, fate
    also = []
    if rule.event is not None and anchor_of(rule, found.memory, evaluation.at) is None:
        also += ["by_fallback"] if dated.date is not None else []
    until = notice_of(rule, found)
    if role == "won" and until == evaluation.due_at and "notice" in evaluation.flags:
        also.append("with_notice")
    facts = {
        "event": rule.event,
        "date": dated.date,
        "active_since": rule.active_since,
        "until": until,
        **facts,
    }
    return Clause(rule.key, rule.kind, dated.date, role, reason, facts, tuple(also), rule)


def _holds(evaluation: Evaluation) -> Iterator[Clause]:
    at = evaluation.at
    for hold in evaluation.found.memory.holds:
        key, released = hold.matter or "hold", past(hold.released_at, at)
        facts = {"placed": hold.placed_at, "released": released}
        if hold.placed_at > at:
            continue
        if released is None:
            yield Clause(key, "hold", None, "won", "hold_open", facts)
            continue
        until = released
        if evaluation.found.history.approved is None:
            until = shift(released, evaluation.found.settings.notice)
        if until == evaluation.purge_at:
            yield Clause(key, "hold", until, "won", "release_decides", facts)
        else:
            yield Clause(key, "hold", until, "lost", "hold_released", facts)


def _requests(evaluation: Evaluation) -> Iterator[Clause]:
    history, memory = evaluation.found.history, evaluation.found.memory
    if memory.quarantined:
        yield Clause("quarantine", "quarantine", None, "won", "quarantined")
    if history.approved is not None:
        is_own = memory.erasure_approved_at == history.approved
        reason = "erased" if is_own else "source_erased"
        if "erasure_blocked_by_floor" in evaluation.flags:
            reason = "erasure_blocked"
        yield Clause("erasure", "erasure", history.approved, "won", reason)
    if history.requested is not None and history.approved is None:
        yield Clause("request", "request", history.requested, "won", "request_open")
    elif history.requested is not None:
        role: Role = "won" if evaluation.cause == "request" else "lost"
        yield Clause("request", "request", history.requested, role, "request_decided")
    if history.restricted is not None:
        yield Clause("restriction", "restriction", history.restricted, "won", "restricted")


def _caps(evaluation: Evaluation) -> Iterator[Clause]:
    found = evaluation.found
    for dated in found.matches.cap:
        if dated.date is not None:
            purges_at = max(dated.date, notice_of(dated.rule, found) or dated.date)
            yield _of_rule(evaluation, dated, _fate_of_cap(evaluation, dated.date, purges_at))
    for date in found.memory.source_caps:
        role, reason, facts = _fate_of_cap(evaluation, date, date)
        yield Clause("source_cap", "source_cap", date, role, reason, {"date": date, **facts})


def _fate_of_cap(evaluation: Evaluation, date: datetime, purges_at: datetime) -> _Fate:
    found = evaluation.found
    if date == found.cap and evaluation.cause == "cap":
        return "won", "cap_ends_use", {}
    if found.history.approved is None and purges_at == deciding_cap(found):
        return "won", "cap_ends_bytes", {}
    if found.cap is not None and date > found.cap:
        others = [other.rule.key for other in found.matches.cap if other.date == found.cap]
        if others:
            return "lost", "shorter_cap", {"other": min(others)}
        return "lost", "shorter_source_cap", {}
    return "lost", "cap_later", {}


def _keeps(evaluation: Evaluation) -> Iterator[Clause]:
    for dated in evaluation.found.matches.keep:
        yield _of_rule(evaluation, dated, _fate_of_keep(evaluation, dated))


def _fate_of_keep(evaluation: Evaluation, dated: Dated) -> _Fate:
    found, date = evaluation.found, dated.date
    is_erased, is_statutory = found.history.approved is not None, dated.rule.statutory
    if is_erased and not is_statutory:
        return "lost", "yields_to_erasure", {}
    if date is None:
        yields = found.cap is not None and not is_statutory
        return "waiting", "open_keep_yields" if yields else "open_keep", {}
    if evaluation.floor_keeps and date == evaluation.due_at:
        return "won", "keeps_until", {}
    if not is_statutory and evaluation.due_at is not None and evaluation.due_at < date:
        return "lost", "yields_to_cap", {}
    if found.floors.is_open:
        return "lost", "open_keep_longer", {}
    if found.floors.latest is not None and date < found.floors.latest:
        others = [keep.rule.key for keep in found.matches.keep if keep.date == found.floors.latest]
        return "lost", "longer_keep", {"other": min(others)}
    if evaluation.due_at is None:
        return "won", "keeps_unchallenged", {}
    return "lost", "keep_satisfied", {"due": evaluation.due_at}


def _chosen(kind: Kind, evaluation: Evaluation) -> Iterator[Clause]:
    """The rules of a kind that chooses by level: the narrowest first, then by date."""
    matching = getattr(evaluation.found.matches, kind)
    ordered = sorted(matching, key=lambda dated: (dated.date or LAST, dated.rule.key))
    ordered.sort(key=lambda dated: dated.rule.level, reverse=True)
    for dated in ordered:
        yield _of_rule(evaluation, dated, _fate_of_chosen(evaluation, dated, top=ordered[0]))


def _fate_of_chosen(evaluation: Evaluation, dated: Dated, *, top: Dated) -> _Fate:
    rule, winner = dated.rule, evaluation.found.choices[dated.rule.kind].winner
    if rule.level < top.rule.level:
        return "lost", "narrower", {"other": (winner or top).rule.key}
    if dated.date is None:
        return "waiting", "event_to_come", {}
    if winner is not None and rule is not winner.rule:
        is_tie = dated.date == winner.date
        reason = "same_date" if is_tie else "shorter_in_level"
        return "lost", reason, {"other": winner.rule.key}
    if rule.kind in ("anonymise", "degrade"):
        return "won", _EFFECTS[rule.kind], {"weight": rule.weight}
    if rule.kind == "archive" or rule.end == "archive":
        if dated.date != evaluation.archive_at:
            return "lost", "archived_sooner", {}
        if evaluation.visible_until is None or dated.date < evaluation.visible_until:
            return "won", "archives", {}
    elif evaluation.cause == "expire":
        return "won", _breadth(rule), {"depth": rule.depth}
    return "lost", "ends_sooner", {"cause": evaluation.cause, "other": evaluation.winner}


def _breadth(rule: Rule) -> str:
    """What made an expire rule the narrowest."""
    if rule.label is not None:
        return "by_label"
    if rule.depth:
        return "by_namespace"
    if rule.memory_kind is not None:
        return "by_kind"
    return "by_class" if rule.data_class is not None else "tenant_wide"


def _delete(evaluation: Evaluation) -> Iterator[Clause]:
    found = evaluation.found
    deleted, restored = past(found.memory.deleted_at, evaluation.at), found.history.restored
    if deleted is None:
        return
    if found.is_delete_counted:
        yield _agents_end("delete", deleted, evaluation)
    elif restored is not None and deleted < restored:
        facts = {"restored": restored}
        yield Clause("delete", "delete", deleted, "not_matched", "undone_by_restore", facts)
    else:
        yield Clause("delete", "delete", deleted, "lost", "hidden_already")


def _ttl(evaluation: Evaluation) -> Iterator[Clause]:
    found = evaluation.found
    ttl, restored = found.memory.ttl_expires_at, found.history.restored
    if ttl is None:
        return
    winner = found.choices["expire"].winner
    if counted_ttl(found.memory, restored) is None:
        facts = {"restored": restored}
        yield Clause("ttl", "ttl", ttl, "not_matched", "undone_by_restore", facts)
    elif "ttl_clamped" in evaluation.flags and winner is not None:
        yield Clause("ttl", "ttl", ttl, "lost", "clamped", {"other": winner.rule.key})
    else:
        yield _agents_end("ttl", ttl, evaluation)


def _agents_end(kind: Literal["delete", "ttl"], date: datetime, evaluation: Evaluation) -> Clause:
    if evaluation.cause == kind:
        return Clause(kind, kind, date, "won", f"{kind}_decides")
    facts = {"cause": evaluation.cause, "other": evaluation.winner}
    reason = "ends_then_too" if date == evaluation.visible_until else "ends_sooner"
    return Clause(kind, kind, date, "lost", reason, facts)


def _notice_of_moved_dates(evaluation: Evaluation) -> Iterator[Clause]:
    moved = evaluation.found.history.moved
    if moved is None:
        return
    until = shift(moved, evaluation.found.settings.notice)
    decides = "notice" in evaluation.flags and until == evaluation.due_at
    role: Role = "won" if decides else "lost"
    reason = "notice_decides" if decides else "notice_over"
    yield Clause("dates_moved", "notice", until, role, reason, {"moved": moved, "date": until})


def _not_matched(evaluation: Evaluation) -> Iterator[Clause]:
    for rule in evaluation.rules:
        reason = why_not(rule, evaluation.found.memory, evaluation.at)
        if reason is not None:
            facts = {"rule": rule, "count": evaluation.found.memory.access_count}
            yield Clause(rule.key, rule.kind, None, "not_matched", reason, facts, rule=rule)
