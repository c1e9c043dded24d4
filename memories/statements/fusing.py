"""Text scores and fused ranks of a small place, as parts of the one statement (`at_once`).

The text score is that of `hub_search_text` (migration 0002 says what it is) over the place's rows,
which are all read anyway: no index and no way past the row policies is needed. How rare a term is
goes by all of them, not by those of the kinds and tags asked for. The fusion is
`ranking.rank_by_fusion` to one page's depth. tests/search/test_at_once.py holds both against these.
"""

from __future__ import annotations

COLUMNS = (
    "m.namespace, m.session, m.created_at, "
    "m.tier = %(tier)s AND (m.visible_until IS NULL OR m.visible_until > %(at)s) AS seen, "
    "CASE WHEN m.lexemes @@ %(wide)s::tsquery THEN m.lexemes END AS lexemes, "
)
"""What of the place's rows the text signal needs besides."""

_OCCURRING = (
    "hits AS MATERIALIZED (SELECT a.id, a.lexemes, a.session IS NOT NULL AS is_turn, "
    "0.3 + 0.9 * a.length / greatest((SELECT length FROM whole), 1) AS norm, "
    "ts_rank('{{0,1,1,1}}', a.lexemes, %(wide)s::tsquery) > 0 AS is_fielded "
    "FROM a WHERE a.lexemes IS NOT NULL AND a.used AND a.weight > 0), "
    "occurring AS MATERIALIZED (SELECT h.id, h.is_turn, h.norm, f.number AS field, t.place, "
    "round(1 / greatest(1.6449341 - one.r * 1.6449341, 0.004) - 0.5) AS n FROM hits h "
    "JOIN (VALUES (0, '{{1,0,0,0}}'::real[]), (1, '{{0,1,0,0}}'), (2, '{{0,0,1,0}}'), "
    "(3, '{{0,0,0,1}}')) AS f (number, weights) ON f.number = 0 OR h.is_fielded "
    "CROSS JOIN unnest(%(terms)s::tsquery[]) WITH ORDINALITY AS t (term, place) "
    "CROSS JOIN LATERAL (SELECT ts_rank(f.weights, h.lexemes, t.term) AS r OFFSET 0) AS one "
    "WHERE one.r > 0), "
)
_TEXTS = (
    "rarities AS MATERIALIZED (SELECT c.place, "
    "ln(1 + (whole.size - c.n + 0.5) / (c.n + 0.5)) AS rarity "
    "FROM whole, (SELECT t.place, count(DISTINCT o.id)::float8 AS n "
    "FROM generate_series(1, cardinality(%(terms)s::tsquery[])) AS t (place) "
    "LEFT JOIN occurring o ON o.place = t.place GROUP BY t.place) c), "
    "worded AS (SELECT o.id, o.field, o.is_turn, (sum(r.rarity * o.n * 2.2 / (o.n + o.norm)) "
    "/ (SELECT greatest(sum(rarity), 0.001) FROM rarities))::real AS score "
    "FROM occurring o JOIN rarities r ON r.place = o.place GROUP BY o.id, o.field, o.is_turn), "
    "placed AS MATERIALIZED (SELECT w.*, row_number() OVER (ORDER BY score DESC, id) AS place "
    "FROM worded w), "
    # what stands around the best turns: half of the score one step away, a quarter of it two
    "lent AS (SELECT w.id, (lag(w.score, 1, 0) OVER o + lead(w.score, 1, 0) OVER o) / 2 "
    "+ (lag(w.score, 2, 0) OVER o + lead(w.score, 2, 0) OVER o) / 4 AS score FROM ("
    "SELECT a.id, a.namespace, a.session, a.created_at, coalesce(p.score, 0)::float8 AS score "
    "FROM a LEFT JOIN placed p ON p.id = a.id AND p.is_turn AND p.field = 0 AND p.place <= 200 "
    "WHERE a.session IS NOT NULL AND a.seen AND EXISTS (SELECT FROM placed WHERE is_turn)) w "
    "WINDOW o AS (PARTITION BY w.namespace, w.session ORDER BY w.created_at, w.id)), "
    "texts AS (SELECT b.id, b.field, sum(b.score)::real AS score FROM ("
    "SELECT p.id, p.field, p.score FROM placed p "
    "UNION ALL SELECT l.id, 0, l.score FROM lent l WHERE l.score > 0) b "
    "WHERE b.id IN (SELECT id FROM a WHERE used AND asked) GROUP BY 1, 2), "
)
VECTORS = (
    "(SELECT v.memory_id AS id, v.field, -(v.embedding {operator} %(vector)s::halfvec) AS s "
    "FROM memories_memoryvector v WHERE v.tenant_id = %(tenant)s "
    "AND v.memory_id = ANY(ARRAY(SELECT id FROM a WHERE used AND asked AND weight > 0)) "
    "AND v.profile = {profile} AND {fields} OFFSET 0) v"
)
"""How near each vector of the place is: compared before they are grouped (`OFFSET 0`), so that what
is sorted for that holds no vectors."""

_LISTS = (
    "near AS (SELECT v.id, v.field, max(v.s) AS s FROM "
    + VECTORS
    + " GROUP BY 1, 2 ORDER BY s DESC, 1 LIMIT %(depth)s), "
    "listed AS (SELECT n.id, n.s, NULL::float8 AS t, {near_weight}::float8 AS share, "
    "row_number() OVER (PARTITION BY n.path ORDER BY n.s DESC, n.id) AS rank "
    "FROM (SELECT id, regexp_replace(field, '\\.[0-9]+$', '') AS path, max(s) AS s FROM near "
    "GROUP BY 1, 2) n "
    "UNION ALL SELECT t.id, NULL, t.score, {text_weight} * least(1, t.score / {covered}), "
    "row_number() OVER (PARTITION BY t.field ORDER BY t.score DESC, t.id) FROM texts t), "
)
_SCORES = (
    "fused AS (SELECT id, max(s) AS s, max(t) AS t, sum(share / ({k} + rank)) AS sum "
    "FROM listed WHERE rank <= %(depth)s GROUP BY 1), "
    "best AS (SELECT sum(CASE WHEN s IS NULL THEN {text_weight} ELSE {near_weight} END "
    "/ ({k} + 1)::float8) AS sum FROM listed WHERE rank = 1), "
)
FUSED = _OCCURRING + _TEXTS + _LISTS + _SCORES
"""From the rows of the place (`a`, and `whole` of them all) to fused(id, s, t, sum), and best(sum):
what a memory that is first by every signal would have."""

SCORE = (
    "least(1, ((1 - %(recency)s) * n.sum / (SELECT sum FROM best) "
    "+ %(recency)s * n.fresh) * n.factor)"
)
