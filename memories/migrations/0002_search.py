"""What search needs of the database: vector indexes by profile, the text index, and its one door."""

from django.conf import settings
from django.db import migrations

MEMORY = "memories_memory"

INDEXES = """
-- text search: the terms of one tenant's memories (hub_search_text)
CREATE INDEX memory_lexemes ON memories_memory USING gin (tenant_id, lexemes) WHERE trashed_at IS NULL;
-- the turns of a conversation in their order: a hit's neighbours (hub_search_text)
CREATE INDEX memory_session ON memories_memory (tenant_id, namespace, session, created_at, id)
  WHERE session IS NOT NULL AND trashed_at IS NULL;
"""

INDEX_PROFILE = """
-- The vector index of one profile, made when the profile is: partial, so that each model has its own
-- dimensions and its own graph. The exact plan does not use it. Run again it changes nothing.
CREATE FUNCTION hub_index_profile(wanted int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
  profile record;
BEGIN
  SELECT number, dimensions, distance INTO profile FROM public.memories_embeddingprofile WHERE number = wanted;
  -- pgvector builds graphs over halfvec up to 4,000 dimensions; beyond that every search is exact
  IF NOT FOUND OR profile.dimensions NOT BETWEEN 1 AND 4000 THEN
    RETURN;
  END IF;
  EXECUTE format(
    'CREATE INDEX IF NOT EXISTS memory_vector_ann_%s ON public.memories_memoryvector '
    'USING hnsw ((embedding::public.halfvec(%s)) public.%I) WHERE profile = %s',
    profile.number, profile.dimensions,
    CASE profile.distance WHEN 'l2' THEN 'halfvec_l2_ops' ELSE 'halfvec_ip_ops' END,
    profile.number);
END $$;
REVOKE ALL ON FUNCTION hub_index_profile(int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hub_index_profile(int) TO hub_app;
SELECT hub_index_profile(number) FROM memories_embeddingprofile;
"""

SEARCH_TEXT = """
-- The one door to the text index. Row policies keep `@@` out of index conditions, so this function
-- belongs to hub_search, which owns nothing else, may only SELECT, and sees through a policy of its
-- own. The tenant comes from the transaction's setting, never from the caller; out come ids and
-- scores, and the caller reads the rows under its own policy.
--
-- BM25 (k1 1.2, b 0.75) as a share of what one occurrence of every term would score, over the terms, each apart in up to four fields (the weights D, C, B, A of a
-- tsvector). Document frequencies are the scope's, counted up to `most`; candidates come by the
-- rarest terms first, `most` of them at the most. ts_rank of one term is sum(1/i^2) over its
-- occurrences by pi^2/6, from which the number of occurrences is had without unfolding the vector.
--
-- A turn of a conversation (a row with a session) is also found by what stands next to it: half the
-- score of the turn before and after, a quarter of those beyond (memories/ranking.py has the figures).
CREATE FUNCTION hub_search_text(
  terms tsquery[], lows text[], highs text[], seen_at timestamptz, of_tier text, with_archived boolean,
  documents int, average real, most int, wanted int
) RETURNS TABLE (id uuid, field int, score real)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 200
SET search_path = pg_catalog, public SET plan_cache_mode = force_custom_plan SET jit = off AS $$
#variable_conflict use_column
DECLARE
  tenant constant uuid := nullif(current_setting('hub.tenant', true), '')::uuid;
  low constant text := (SELECT min(each COLLATE "C") FROM unnest(lows) AS each);
  high constant text := (
    SELECT max(each COLLATE "C") FROM unnest(highs) AS each HAVING count(*) = count(each));
  many constant boolean := cardinality(lows) > 1;
  wide constant tsquery := array_to_string(terms, ' | ')::tsquery;
  rare tsquery := wide;
  held int[] := array_fill(0, ARRAY[cardinality(terms)]);
  ids uuid[];
  fields int[];
  scores real[];
  turns int[];
BEGIN
  IF tenant IS NULL OR cardinality(terms) = 0 THEN
    RETURN;
  END IF;

  IF documents > most THEN  -- too much to look at: how many hold each term, and then the rarest first
    SELECT array_agg(counted.n ORDER BY t.place) INTO held
    FROM unnest(terms) WITH ORDINALITY AS t (term, place)
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS n FROM (
        SELECT FROM public.memories_memory m
        WHERE m.tenant_id = tenant AND m.trashed_at IS NULL AND m.lexemes @@ t.term
          AND m.namespace >= low AND (high IS NULL OR m.namespace < high)
        LIMIT most
      ) AS up_to
    ) AS counted;
    rare := (
      SELECT string_agg(ranked.term::text, ' | ') FILTER (WHERE ranked.n > 0 AND ranked.before < most)
      FROM (
        SELECT t.term, t.n, coalesce(sum(t.n) OVER (
          ORDER BY t.n, t.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
        FROM unnest(terms, held) WITH ORDINALITY AS t (term, n, place)
      ) AS ranked)::tsquery;
  END IF;

  WITH hits AS MATERIALIZED (
    SELECT m.id, m.session IS NOT NULL AS is_turn, m.lexemes,
           0.3 + 0.9 * m.length / greatest(average, 1) AS norm,
           ts_rank('{0,1,1,1}', m.lexemes, wide) > 0 AS is_fielded
    FROM public.memories_memory m
    WHERE m.tenant_id = tenant AND m.trashed_at IS NULL AND m.lexemes @@ rare
      AND m.namespace >= low AND (high IS NULL OR m.namespace < high)
      AND (NOT many OR EXISTS (
        SELECT FROM unnest(lows, highs) AS r (low, high)
        WHERE m.namespace >= r.low AND (r.high IS NULL OR m.namespace < r.high)))
      AND (m.visible_until IS NULL OR m.visible_until > seen_at)
      AND m.tier = of_tier AND m.weight > 0 AND (with_archived OR m.archived_at IS NULL)
    LIMIT most
  ), occurring AS MATERIALIZED (
    SELECT h.id, h.is_turn, h.norm, f.number AS field, t.place,
           round(1 / greatest(1.6449341 - one.r * 1.6449341, 0.004) - 0.5) AS n
    FROM hits h
    JOIN (VALUES (0, '{1,0,0,0}'::real[]), (1, '{0,1,0,0}'), (2, '{0,0,1,0}'), (3, '{0,0,0,1}'))
      AS f (number, weights) ON f.number = 0 OR h.is_fielded
    CROSS JOIN unnest(terms) WITH ORDINALITY AS t (term, place)
    CROSS JOIN LATERAL (SELECT ts_rank(f.weights, h.lexemes, t.term) AS r OFFSET 0) AS one
    WHERE one.r > 0
  ), rarities AS MATERIALIZED (
    SELECT c.place, ln(1 + (greatest(documents, c.n) - c.n + 0.5) / (c.n + 0.5)) AS rarity
    FROM (
      SELECT t.place, greatest(t.n, count(DISTINCT o.id)) AS n
      FROM unnest(held) WITH ORDINALITY AS t (n, place) LEFT JOIN occurring o ON o.place = t.place
      GROUP BY t.place, t.n
    ) AS c
  ), scored AS (
    SELECT o.id, o.field, o.is_turn,
           sum(r.rarity * o.n * 2.2 / (o.n + o.norm)) / (SELECT greatest(sum(rarity), 0.001) FROM rarities) AS score
    FROM occurring o JOIN rarities r ON r.place = o.place
    GROUP BY o.id, o.field, o.is_turn
  )
  SELECT array_agg(s.id), array_agg(s.field), array_agg(s.score),
         array_agg(s.place) FILTER (WHERE s.is_turn AND s.field = 0 AND s.place <= 200)
    INTO ids, fields, scores, turns
    FROM (SELECT *, row_number() OVER (ORDER BY score DESC, id)::int AS place FROM scored ORDER BY score DESC, id) AS s;

  IF turns IS NOT NULL THEN  -- what stands around the best turns
    SELECT ids || array_agg(n.id), fields || array_agg(0), scores || array_agg((scores[t.place] / power(2, n.steps))::real)
      INTO ids, fields, scores
    FROM unnest(turns) AS t (place)
    JOIN public.memories_memory h ON h.tenant_id = tenant AND h.id = ids[t.place]
    CROSS JOIN LATERAL (
      SELECT near.id, row_number() OVER (ORDER BY near.created_at, near.id) AS steps FROM (
        SELECT m.id, m.created_at FROM public.memories_memory m
        WHERE m.tenant_id = tenant AND m.namespace = h.namespace AND m.session = h.session
          AND m.trashed_at IS NULL AND (m.created_at, m.id) > (h.created_at, h.id)
          AND (m.visible_until IS NULL OR m.visible_until > seen_at) AND m.tier = of_tier
        ORDER BY m.created_at, m.id LIMIT 2) AS near
      UNION ALL
      SELECT near.id, row_number() OVER (ORDER BY near.created_at DESC, near.id DESC) FROM (
        SELECT m.id, m.created_at FROM public.memories_memory m
        WHERE m.tenant_id = tenant AND m.namespace = h.namespace AND m.session = h.session
          AND m.trashed_at IS NULL AND (m.created_at, m.id) < (h.created_at, h.id)
          AND (m.visible_until IS NULL OR m.visible_until > seen_at) AND m.tier = of_tier
        ORDER BY m.created_at DESC, m.id DESC LIMIT 2) AS near
    ) AS n;
  END IF;

  RETURN QUERY
  SELECT placed.id, placed.field, placed.score FROM (
    SELECT s.id, s.field, sum(s.score)::real AS score,
           row_number() OVER (PARTITION BY s.field ORDER BY sum(s.score) DESC, s.id) AS place
    FROM unnest(ids, fields, scores) AS s (id, field, score)
    GROUP BY s.id, s.field
  ) AS placed WHERE placed.place <= wanted;
END $$;
REVOKE ALL ON FUNCTION hub_search_text(tsquery[], text[], text[], timestamptz, text, boolean, int, real, int, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hub_search_text(tsquery[], text[], text[], timestamptz, text, boolean, int, real, int, int) TO hub_app;
"""

WALK_GRAPH = """
-- Settings of the ann plan for this transaction, as one statement that can be prepared. Without sorts
-- the planner cannot compute all distances after all.
CREATE FUNCTION hub_walk_graph() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  SET LOCAL hnsw.iterative_scan = 'relaxed_order';
  SET LOCAL hnsw.ef_search = 400;
  SET LOCAL hnsw.max_scan_tuples = 60000;
  SET LOCAL enable_sort = off;
END $$;
REVOKE ALL ON FUNCTION hub_walk_graph() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hub_walk_graph() TO hub_app;
"""

# A new owner needs CREATE on the schema at the moment of the change, and not afterwards.
GIVE_AWAY = """
GRANT CREATE ON SCHEMA public TO hub_search;
ALTER FUNCTION hub_search_text(tsquery[], text[], text[], timestamptz, text, boolean, int, real, int, int) OWNER TO hub_search;
REVOKE CREATE ON SCHEMA public FROM hub_search;
GRANT SELECT ON memories_memory TO hub_search;
"""


def let_search_see(apps, schema_editor):
    """hub_search's own policy, on the table and each partition; its function names the tenant."""
    parts = [f"{MEMORY}_p{number:02}" for number in range(settings.MEMORY_PARTITIONS)]
    for table in [MEMORY, *parts]:
        schema_editor.execute(
            f'CREATE POLICY search_only ON "{table}" FOR SELECT TO hub_search USING (true)'
        )


class Migration(migrations.Migration):
    dependencies = [("memories", "0001_initial")]

    operations = [
        migrations.RunSQL(INDEXES, migrations.RunSQL.noop),
        migrations.RunSQL(INDEX_PROFILE, migrations.RunSQL.noop),
        migrations.RunPython(let_search_see, migrations.RunPython.noop),
        migrations.RunSQL(SEARCH_TEXT, migrations.RunSQL.noop),
        migrations.RunSQL(WALK_GRAPH, migrations.RunSQL.noop),
        migrations.RunSQL(GIVE_AWAY, migrations.RunSQL.noop),
    ]
