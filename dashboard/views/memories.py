"""Finding memories, and one of them in full."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from audit.listing import list_events_about
from audit.presenting import say
from dashboard import addresses, charts, values
from dashboard.figures import keep_large
from dashboard.holding import holds_over
from dashboard.pages import page
from dashboard.rule_forms import RULE_KINDS
from dashboard.shell import language_of
from dashboard.wording import CLAUSE_KINDS, ENTITY_NAMES, FLAG_NAMES, OUTCOMES_OF_CLAUSES
from memories.browsing import Wanted, count_contents, list_memories
from memories.examining import Examined, examine_memory
from memories.masking import mask_json, mask_text
from memories.namespaces import check_prefix, decode, encode
from memories.ops import parse_search
from memories.presenting import state_of
from memories.revealing import list_sealed
from memories.rows import StoredMemory
from memories.searching import Found, search_memories
from memories.statements.browse import FLAGS, STATES, Order
from policies.explaining import ExplainedClause, explain
from tenants.clock import wall_clock
from tenants.context import current_actor
from tenants.roles import Action, allows
from tenants.snapshots import tenant_settings

PAGE = 25
IN_USE = ("ACTIVE", "ARCHIVED")
EVENTS_SHOWN = 12
ORDERS: tuple[Order, ...] = ("updated", "created", "leaves", "destroyed")


@dataclass(frozen=True, slots=True)
class Line:
    """A memory as a line of a list; `words` are (is a mask, text), None where values are hidden."""

    row: StoredMemory
    state: str
    path: str
    key: str
    words: list[tuple[bool, str]] | None
    tags: list[str]
    score: float | None
    life: charts.Life


@page(Action.SEE_FIGURES)
def memories(request: HttpRequest) -> HttpResponse:
    """Search by meaning, or browse by filters; everything is in the address."""
    at = wall_clock()
    wanted = read_wanted(request, at)
    may_read = allows(current_actor(), Action.READ_VALUES)
    query = request.GET.get("q", "").strip() if may_read else ""
    context: dict[str, Any] = {
        "wanted": wanted, "query": query, "may_read": may_read,
        "flag_name": FLAG_NAMES.get(wanted.flag, ""),
    }  # fmt: skip
    if query:
        found = _search(query, wanted, request)
        context |= {
            "lines": [
                _line(hit.row, at, hit.ranked.score if hit.ranked else None) for hit in found.hits
            ],
            "degraded": found.degraded,
            "offset": _offset(request),
            "more": len(found.hits) == PAGE,
            "next_offset": _offset(request) + PAGE,
            "order": "score",
        }
    else:
        order = next((one for one in ORDERS if one == request.GET.get("sort")), ORDERS[0])
        listed = list_memories(
            wanted,
            order=order,
            cursor=request.GET.get("cursor"),
            limit=PAGE,
        )
        rows = listed.page.items
        context |= {
            "lines": [_line(row, listed.at, None, shown=listed.with_values) for row in rows],
            "next": listed.page.next,
            "order": order,
        }
    if not request.htmx:  # type: ignore[attr-defined]
        context |= _surroundings(wanted)
    template = "hub/memories.html"
    return render(request, f"{template}#results" if request.htmx else template, context)  # type: ignore[attr-defined]


def read_wanted(request: HttpRequest, at: datetime) -> Wanted:
    """The filters of the address; what is not understood does not narrow, except a namespace."""
    query = request.GET
    zone = ZoneInfo(tenant_settings().timezone)
    text = query.get("ns", "").strip().strip("/")
    labels = check_prefix(decode(f"{text}/") if text else (), path="ns")
    given = query.getlist("state")
    states = STATES if "all" in given else tuple(state for state in given if state in STATES)
    since = addresses.read_day(query.get("since", ""), zone=zone)
    return Wanted(
        namespace=labels,
        states=states or IN_USE,
        kinds=tuple(kind for kind in query.getlist("kind") if kind),
        subject=query.get("subject", "").strip(),
        tag=query.get("tag", "").strip(),
        leaves=addresses.read_span(query.get("leaves", ""), zone=zone, now=at),
        destroyed=addresses.read_span(query.get("destroyed", ""), zone=zone, now=at),
        changed=None if since is None else (since, None),
        flag=next((one for one in FLAGS if one == query.get("flag")), ""),
    )


def _offset(request: HttpRequest) -> int:
    text = request.GET.get("offset", "0")
    return min(int(text), 2000) if text.isascii() and text.isdecimal() and len(text) < 6 else 0


def _search(query: str, wanted: Wanted, request: HttpRequest) -> Found:
    body: dict[str, Any] = {
        "namespace_prefix": list(wanted.namespace), "query": query[:2000], "limit": PAGE,
        "offset": _offset(request), "include_archived": "ARCHIVED" in wanted.states,
    }  # fmt: skip
    if wanted.kinds:
        body["kinds"] = list(wanted.kinds)
    if wanted.subject:
        body["subjects"] = [wanted.subject]
    if wanted.tag:
        body["tags"] = [wanted.tag]
    return search_memories(parse_search(body))


def _line(row: StoredMemory, at: datetime, score: float | None, *, shown: bool = True) -> Line:
    words = None
    if shown:
        words = values.summarise(mask_json(row.value, today=at.date(), mark=True).value)
    return Line(
        row=row, state=state_of(row, at), path=row.namespace,
        key=mask_text(row.key, today=at.date()), words=words, score=score,
        tags=[mask_text(tag, today=at.date()) for tag in row.tags],
        life=charts.lay_out_life(
            created=row.created_at, now=at, until=row.visible_until, purge=row.purge_at
        ),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Branch:
    """A namespace in the tree: its address as a filter, its own label, how many."""

    ns: str
    label: str
    count: int | None
    is_here: bool


def _surroundings(wanted: Wanted) -> dict[str, Any]:
    """The tree on the left and the kinds to narrow by."""
    contents = keep_large(
        "contents", lambda: count_contents(wanted), size=lambda found: found.total, about=wanted
    )
    here = "".join(f"{label}/" for label in _stored(wanted.namespace))
    trail: list[Branch] = []
    path = ""
    for label in _stored(wanted.namespace):
        path += f"{label}/"
        count = contents.total if path == here else None
        trail.append(Branch(path, decode(f"{label}/")[0], count, path == here))
    children = [
        Branch(f"{here}{label}/", decode(f"{label}/")[0], count, False)
        for label, count in contents.children
    ]
    return {
        "trail": trail, "children": children, "contents": contents,
        "kinds": contents.kinds.most_common(), "states": STATES,
    }  # fmt: skip


def _stored(labels: tuple[str, ...]) -> list[str]:
    return encode(labels).split("/")[:-1]


@page(Action.SEE_FIGURES)
def memory(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """One memory: what happens to it and why, then what it says, then what happened."""
    found = examine_memory(memory_id)
    row, at = found.row, found.inspected.at
    language = language_of(request)
    told = explain(found.inspected.evaluation, language)
    context: dict[str, Any] = {
        "row": row,
        "at": at,
        "key": mask_text(row.key, today=at.date()),
        "labels": _crumbs(row.namespace),
        "state": found.inspected.state,
        "explanation": told,
        "clauses": [_clause(clause) for clause in told["clauses"]],
        "life": charts.lay_out_life(
            created=row.created_at, now=at, until=row.visible_until, purge=row.purge_at
        ),
        "with_values": found.with_values,
        "sources": found.sources,
        "subjects": [mask_text(one, today=at.date()) for one in row.subjects],
        "tags": _tags(row, at),
        "holds": holds_over(row),
        "is_visible": row.is_visible(at),
        "restorable": found.inspected.restorable,
    }
    if found.with_values:
        context |= _content(found, request)
    if allows(current_actor(), Action.REVEAL):
        context["sealed"] = [
            (path, mask_text(path, today=at.date()), ENTITY_NAMES.get(entity, entity))
            for path, entity in list_sealed(row)
        ]
    if allows(current_actor(), Action.READ_EVENTS):
        events = list_events_about(str(row.id), limit=EVENTS_SHOWN)
        context["events"] = [(event, say(event, lang=language)) for event in events]
    return render(request, "hub/memory.html", context)


def _tags(row: StoredMemory, at: datetime) -> list[tuple[str, str]]:
    """(masked, as a filter); "" where the tag itself must not stand in an address."""
    masked = [(tag, mask_text(tag, today=at.date())) for tag in row.tags]
    return [(shown, tag if shown == tag else "") for tag, shown in masked]


def _clause(clause: ExplainedClause) -> dict[str, Any]:
    """A ground in the words of the page."""
    date = clause["date"]
    return {
        "name": CLAUSE_KINDS.get(clause["kind"], clause["kind"]),
        "rule": clause["key"] if clause["kind"] in RULE_KINDS else "",
        "because": clause["because"],
        "role": clause["role"],
        "outcome": OUTCOMES_OF_CLAUSES.get(clause["role"], clause["role"]),
        "at": None if date is None else datetime.fromisoformat(date),
    }


def _crumbs(namespace: str) -> list[tuple[str, str]]:
    path, crumbs = "", []
    for label in namespace.split("/")[:-1]:
        path += f"{label}/"
        crumbs.append((path, decode(f"{label}/")[0]))
    return crumbs


def _content(found: Examined, request: HttpRequest) -> dict[str, Any]:
    """The masked value in tokens, what was masked in it, and the versions."""
    today = found.inspected.at.date()
    masked = mask_json(found.row.value, today=today, mark=True)
    context: dict[str, Any] = {
        "tokens": values.tokens_of(masked.value),
        "found": [
            (ENTITY_NAMES.get(entity, entity), place or "—") for entity, place in masked.places
        ],
        "source": None if found.row.source is None
        else values.tokens_of(mask_json(found.row.source, today=today, mark=True).value),
    }  # fmt: skip
    if found.versions:
        context |= _versions(found, request)
    return context


def _versions(found: Examined, request: HttpRequest) -> dict[str, Any]:
    """The difference of one version to the one after it; which one is in the address."""
    today = found.inspected.at.date()
    older = {version.version: version for version in found.versions}
    numbers = sorted(older)
    text = request.GET.get("v", "")
    wanted = int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else numbers[-1]
    chosen = older.get(wanted) or older[numbers[-1]]
    after = older.get(chosen.version + 1)
    newer = found.row.value if after is None else after.text
    return {
        "diff": values.compare(
            mask_json(chosen.text, today=today).value,
            mask_json(newer, today=today).value,
        ),
        "numbers": [(number, number + 1) for number in numbers],
        "chosen": chosen,
        "chosen_next": chosen.version + 1,
        "next_at": found.row.updated_at if after is None else after.written_at,
    }
