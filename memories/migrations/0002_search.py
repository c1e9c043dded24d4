"""What search needs of the database: vector indexes by profile, the text index, and its one door."""

from django.conf import settings
from django.db import migrations

MEMORY = 'memories_memory'

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
  found int[];
  rarities real[];
  total real;
  rare tsquery;
  wide tsquery;
BEGIN
  IF tenant IS NULL OR cardinality(terms) = 0 THEN
    RETURN;
  END IF;
  SELECT array_agg(counted.n ORDER BY t.place),
         array_agg(ln(1 + (greatest(documents, counted.n) - counted.n + 0.5) / (counted.n + 0.5)) ORDER BY t.place)
    INTO found, rarities
    FROM unnest(terms) WITH ORDINALITY AS t (term, place)
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS n FROM (
        SELECT FROM public.memories_memory m
        WHERE m.tenant_id = tenant AND m.trashed_at IS NULL AND m.lexemes @@ t.term
          AND m.namespace >= low AND (high IS NULL OR m.namespace < high)
        LIMIT most
      ) AS up_to
    ) AS counted;
  SELECT string_agg(ranked.term::text, ' | ' ORDER BY ranked.n) FILTER (WHERE ranked.n > 0 AND (ranked.before < most)),
         string_agg(ranked.term::text, ' | ')
    INTO rare, wide
    FROM (
      SELECT t.term, t.n, coalesce(sum(t.n) OVER (
        ORDER BY t.n, t.place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
      FROM unnest(terms, found) WITH ORDINALITY AS t (term, n, place)
    ) AS ranked;
  IF rare IS NULL THEN
    RETURN;
  END IF;
  total := (SELECT greatest(sum(each), 0.001) FROM unnest(rarities) AS each);
  RETURN QUERY
  WITH hits AS MATERIALIZED (
    SELECT m.id, m.namespace, m.session, m.created_at, m.lexemes,
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
  ), scored AS MATERIALIZED (
    SELECT h.id, f.number AS field, sum(t.rarity * c.n * 2.2 / (c.n + h.norm)) / total AS score
    FROM hits h
    JOIN (VALUES (0, '{1,0,0,0}'::real[]), (1, '{0,1,0,0}'), (2, '{0,0,1,0}'), (3, '{0,0,0,1}'))
      AS f (number, weights) ON f.number = 0 OR h.is_fielded
    CROSS JOIN unnest(terms, rarities) AS t (term, rarity)
    CROSS JOIN LATERAL (SELECT ts_rank(f.weights, h.lexemes, t.term) AS r OFFSET 0) AS one
    CROSS JOIN LATERAL (SELECT round(1 / greatest(1.6449341 - one.r * 1.6449341, 0.004) - 0.5) AS n OFFSET 0) AS c
    WHERE one.r > 0
    GROUP BY h.id, f.number
  ), turns AS (
    SELECT h.id, h.namespace, h.session, h.created_at, s.score
    FROM hits h JOIN scored s ON s.id = h.id AND s.field = 0
    WHERE h.session IS NOT NULL ORDER BY s.score DESC, h.id LIMIT 200
  ), around AS (
    SELECT n.id, t.score / power(2, n.steps) AS score
    FROM turns t CROSS JOIN LATERAL (
      SELECT near.id, row_number() OVER (ORDER BY near.created_at, near.id) AS steps FROM (
        SELECT m.id, m.created_at FROM public.memories_memory m
        WHERE m.tenant_id = tenant AND m.namespace = t.namespace AND m.session = t.session
          AND m.trashed_at IS NULL AND (m.created_at, m.id) > (t.created_at, t.id)
          AND (m.visible_until IS NULL OR m.visible_until > seen_at) AND m.tier = of_tier
        ORDER BY m.created_at, m.id LIMIT 2) AS near
      UNION ALL
      SELECT near.id, row_number() OVER (ORDER BY near.created_at DESC, near.id DESC) FROM (
        SELECT m.id, m.created_at FROM public.memories_memory m
        WHERE m.tenant_id = tenant AND m.namespace = t.namespace AND m.session = t.session
          AND m.trashed_at IS NULL AND (m.created_at, m.id) < (t.created_at, t.id)
          AND (m.visible_until IS NULL OR m.visible_until > seen_at) AND m.tier = of_tier
        ORDER BY m.created_at DESC, m.id DESC LIMIT 2) AS near
    ) AS n
  ), summed AS (
    SELECT each.id, each.field, sum(each.score)::real AS score FROM (
      SELECT s.id, s.field, s.score FROM scored s UNION ALL SELECT a.id, 0, a.score FROM around a
    ) AS each GROUP BY each.id, each.field
  )
  SELECT placed.id, placed.field, placed.score FROM (
    SELECT s.*, row_number() OVER (PARTITION BY s.field ORDER BY s.score DESC, s.id) AS place FROM summed s
  ) AS placed WHERE placed.place <= wanted;
END $$;
REVOKE ALL ON FUNCTION hub_search_text(tsquery[], text[], text[], timestamptz, text, boolean, int, real, int, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hub_search_text(tsquery[], text[], text[], timestamptz, text, boolean, int, real, int, int) TO hub_app;
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
    parts = [f'{MEMORY}_p{number:02}' for number in range(settings.MEMORY_PARTITIONS)]
    for table in [MEMORY, *parts]:
        schema_editor.execute(f'CREATE POLICY search_only ON "{table}" FOR SELECT TO hub_search USING (true)')


class Migration(migrations.Migration):

    dependencies = [('memories', '0001_initial')]

    operations = [
        migrations.RunSQL(INDEXES, migrations.RunSQL.noop),
        migrations.RunSQL(INDEX_PROFILE, migrations.RunSQL.noop),
        migrations.RunPython(let_search_see, migrations.RunPython.noop),
        migrations.RunSQL(SEARCH_TEXT, migrations.RunSQL.noop),
        migrations.RunSQL(GIVE_AWAY, migrations.RunSQL.noop),
    ]
