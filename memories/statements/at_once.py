"""A search of a small scope in one statement: candidates, order, page, touches and event.

It is planned once and for no tenant in particular (`fixed_plans`), so its joins stand in the text:
the scope first, the vectors by its ids (one walk along the index: a look-up for each costs twice as
much), the page by its ids. Which index serves each is the planner's choice. In a partition that was
never analysed it took, for the scope, the one by time, and so read the tenant instead of the place;
Postgres analyses a partition soon after 200 changes (migration 0010) and then plans anew.

The order is that of `ranking.rank_by_vector`, or of `ranking.rank_by_fusion` (`fusing`), to one
page's depth, said in SQL (tests/search/test_at_once.py holds both against each other). On the way
the scope is counted, so that the next search knows what plan it takes without asking.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from django.db import connection

from audit.querysets import COLUMNS as EVENT_COLUMNS
from audit.recording import Draft
from memories import rows
from memories.embedding.profiles import Profile
from memories.lexing import to_tsquery_literal
from memories.namespaces import prefix_bounds
from memories.rows import NAMES, WIDTH, StoredMemory
from memories.statements import fusing
from memories.statements.candidates import NOT_ADDED, OPERATORS, Population, Scope
from memories.statements.drafts import Marks, placeholders_of, values_of
from memories.statements.halves import Halves, HalvesDumper, as_halves
from memories.statements.lookup import ID_SLOT, TOUCH, Reading, reading_params
from memories.statements.slots import in_slot

BEYOND_ALL = "\U0010ffff"
"""No stored path sorts after it. An upper bound even of everything: of a range the planner supposes
little, so it takes the index; of no condition it supposes all."""

COUNT_SLOT = f"{ID_SLOT}#"
"""Stands in a drafted event for the number of memories found, ID_SLOT for their ids."""

_MARKS: Marks = ((f'"{COUNT_SLOT}"', "hit.n"), (f'"{ID_SLOT}"', "hit.ids"))

_RELEVANCE = {
    "cosine": "(1 + greatest(-1, least(1, {s}))) / 2",
    "l2": "1 / (1 - {s})",
    "ip": "1 / (1 + exp(-greatest(-500, least(500, {s}))))",
}
_RAW = {
    "cosine": "2 * ({r}) - 1",
    "l2": "1 - 1 / greatest({r}, 1e-9)",
    "ip": "-ln(1 / least(greatest({r}, 1e-12), 1 - 1e-12) - 1)",
}
"""As `ranking.relevance_of` and back."""

_USED = (
    "m.tier = %(tier)s AND (m.visible_until IS NULL OR m.visible_until > %(at)s) "
    "AND (%(archived)s OR m.archived_at IS NULL OR m.archived_at > %(at)s)"
)
_ASKED = (
    "(%(kinds)s::text[] IS NULL OR m.kind = ANY(%(kinds)s::text[])) "
    "AND (%(tags)s::text[] IS NULL OR m.tags @> %(tags)s::text[])"
)
_AS_TOUCHED = ", ".join(
    f"CASE WHEN p.is_touched THEN p.new_{name} ELSE m.{name} END"
    if name in rows.TOUCHED
    else f"m.{name}"
    for name in NAMES
)
_DUE = "p.accessed_at IS NULL OR p.accessed_at <= %(at)s - %(every)s"
"""Not touched in this very second: the rest need not be looked up to be left alone."""

_PLACE = (
    "WITH a AS MATERIALIZED (SELECT m.id, m.length, m.embedding, m.updated_at, m.accessed_at, "
    "m.decay, m.weight, m.weight * (1 + {sway} * (m.importance - 0.5)) AS factor, "
    "cardinality(m.subjects) = 0 AS nobody, {more}"
    f"{_USED} AS used, {_ASKED} AS asked FROM memories_memory m "
    "WHERE m.tenant_id = %(tenant)s AND m.trashed_at IS NULL "
    "AND m.namespace >= %(low)s AND m.namespace < %(high)s), "
    "whole AS (SELECT count(*) AS size, coalesce(avg(length), 0)::float8 AS length, "
    "coalesce(bool_or(used AND asked AND embedding = 'pending'), false) AS lacks_vectors FROM a), "
)
_NEAR = (
    f"near AS (SELECT v.id, max(v.s) AS s, NULL::float8 AS t FROM {fusing.VECTORS} "
    "GROUP BY 1 ORDER BY s DESC, 1 LIMIT %(depth)s), "
)
_SCORE = (
    "CASE WHEN %(recency)s > 0 "
    "THEN ((1 - %(recency)s) * {relevance} + %(recency)s * n.fresh) * n.factor "
    "WHEN n.factor = 1 THEN n.s ELSE {raw} END"
)
_PAGE = (
    "aged AS (SELECT n.*, a.factor, a.accessed_at, a.nobody, CASE WHEN a.decay = 1 THEN 1 "
    "ELSE exp(greatest(-700, ln(a.decay) * greatest(0, "
    "date_part('epoch', %(at)s - a.updated_at) / 86400))) END AS fresh "
    "FROM {found} n JOIN a ON a.id = n.id), "
    "scored AS (SELECT n.*, {score} AS score FROM aged n), "
    "page AS MATERIALIZED (SELECT * FROM scored "
    "WHERE %(least)s::float8 IS NULL OR score >= %(least)s "
    "ORDER BY score DESC, id LIMIT %(limit)s OFFSET %(offset)s), "
    + TOUCH.format(ids=f"l.id = ANY(ARRAY(SELECT p.id FROM page p WHERE {_DUE}))")
    + f", logged AS (INSERT INTO audit_event ({', '.join(EVENT_COLUMNS)}) SELECT {{event}} FROM ("
    "SELECT count(*)::text AS n, coalesce(string_agg('\"' || id || '\"', ',' "
    "ORDER BY score DESC, id), '') AS ids, coalesce(bool_and(nobody), true) AS nobody "
    "FROM page) hit) "
)
_ANSWER = (
    f"SELECT {_AS_TOUCHED}, p.is_touched, p.score, p.s, p.t, p.fresh, p.factor, "
    "p.size, p.length, p.lacks_vectors FROM ("
    "SELECT whole.*, page.*, touched.id IS NOT NULL AS is_touched, "
    + ", ".join(f"touched.{name} AS new_{name}" for name in rows.TOUCHED)
    + " FROM whole LEFT JOIN page ON true LEFT JOIN touched ON touched.id = page.id "
    "ORDER BY page.score DESC, page.id) p "
    f"LEFT JOIN LATERAL (SELECT {rows.columns('m')} FROM memories_memory m "
    "WHERE m.tenant_id = %(tenant)s AND m.id = p.id OFFSET 0) m ON true "
    "ORDER BY p.score DESC, p.id"
)
"""The memories themselves are looked up last, so that no whole row is joined or sorted."""

_BY_VECTOR = _PLACE.replace("{more}", "") + _NEAR + _PAGE + _ANSWER
_BY_FUSION = _PLACE.replace("{more}", fusing.COLUMNS) + fusing.FUSED + _PAGE + _ANSWER


class Weighing(NamedTuple):
    """The constants of `ranking`: how much importance sways, and how ranks are fused."""

    sway: float
    rank_constant: int
    near_weight: float
    text_weight: float
    covered: float


@dataclass(frozen=True, slots=True)
class Asked:
    """What is searched for: nearest to `vector` in one place, and what of the order is wanted."""

    profile: Profile
    vector: str
    scope: Scope
    recency: float
    least: float | None
    """Lowest score that counts; None for any."""
    depth: int
    limit: int
    offset: int
    terms: tuple[str, ...] | None = None
    """The lexemes of a question to be answered by words too; None: by the vector alone."""


class Scored(NamedTuple):
    """A memory of the page as the read left it, whether that touched it, and what its score is made
    of (as in `ranking.Ranked`)."""

    row: StoredMemory
    is_touched: bool
    score: float
    vector: float | None
    text: float | None
    freshness: float
    factor: float


class Seen(NamedTuple):
    """The page in order, what the scope's place holds, and whether some of the scope waits for its
    vectors."""

    page: list[Scored]
    population: Population
    lacks_vectors: bool


def search_at_once(asked: Asked, reading: Reading, event: Draft, *, by: Weighing) -> Seen:
    """The page, its access counted and the event recorded; of the scope its first prefix, tier,
    archive, kinds and tags count. `event` is drafted with COUNT_SLOT and ID_SLOT."""
    scope, profile = asked.scope, asked.profile
    low, high = prefix_bounds(scope.prefixes[0])
    sql = _fill_in(
        in_slot(_BY_VECTOR if asked.terms is None else _BY_FUSION),
        (profile.distance, int(profile.number), asked.terms is not None), by,
        placeholders_of(event, _MARKS, nobody="hit.nobody"),
    )  # fmt: skip
    params = {
        **reading_params(reading), **values_of(event),
        "vector": as_halves(asked.vector), "low": low, "high": high or BEYOND_ALL,
        "tier": scope.tier, "archived": scope.include_archived,
        "kinds": list(scope.kinds or ()) or None, "tags": list(scope.tags or ()) or None,
        "recency": asked.recency, "least": asked.least, "depth": asked.depth,
        "limit": asked.limit, "offset": asked.offset,
    }  # fmt: skip
    if asked.terms is not None:
        params["wide"] = to_tsquery_literal(asked.terms)
        params["terms"] = [to_tsquery_literal([term]) for term in asked.terms]
    with connection.cursor() as cursor:
        cursor.adapters.register_dumper(Halves, HalvesDumper)
        cursor.execute(sql, params)
        found = cursor.fetchall()
    size, length, lacks_vectors = found[0][-3:]
    page = [
        Scored(StoredMemory.of(row), *row[WIDTH : WIDTH + 6]) for row in found if row[0] is not None
    ]
    return Seen(page, Population(size, length), lacks_vectors)


@lru_cache(maxsize=64)
def _fill_in(sql: str, asked: tuple[str, int, bool], by: Weighing, event: str) -> str:
    """The statement for a profile (its distance and number), by fused ranks or not, with the
    event's placeholders."""
    distance, profile, is_fused = asked
    relevance = _RELEVANCE[distance].format(s="n.s")
    score = _SCORE.format(
        relevance=relevance, raw=_RAW[distance].format(r=f"{relevance} * n.factor")
    )
    return sql.format(
        operator=OPERATORS[distance], profile=profile, sway=by.sway, k=by.rank_constant,
        near_weight=by.near_weight, text_weight=by.text_weight, covered=by.covered,
        fields="true" if is_fused else NOT_ADDED, found="fused" if is_fused else "near",
        score=fusing.SCORE if is_fused else score, event=event,
    )  # fmt: skip
