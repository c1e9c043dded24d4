"""Leaves, nodes, heads, checkpoints, epochs and anchors; the role that seals for all tenants."""

import tenants.context
from django.db import migrations, models

from tenants.rls import CreateTenantModel, GrantToApp

APPEND_ONLY = ("audit_leaf", "audit_node", "audit_checkpoint", "audit_epoch", "audit_anchor")
SEALED = ("audit_leaf", "audit_node", "audit_checkpoint")

PROTECT = "".join(
    f"CREATE TRIGGER sealed_no_change BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION hub_refuse_change();\n"
    f"CREATE TRIGGER sealed_no_truncate BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION hub_refuse_change();\n"
    for table in APPEND_ONLY
)

# hub_sealer sees the events of all tenants, and gives away nothing of them but ids and hashes: the
# payload is hashed inside the database. It is the only one that may write leaves, through these
# functions; the application may call them, and signs outside.
FUNCTIONS = """
CREATE POLICY seal_only ON audit_event FOR SELECT TO hub_sealer USING (true);
CREATE POLICY seal_only ON audit_leaf TO hub_sealer USING (true) WITH CHECK (true);
CREATE POLICY seal_only ON audit_node FOR INSERT TO hub_sealer WITH CHECK (true);
CREATE POLICY seal_only ON audit_checkpoint FOR INSERT TO hub_sealer WITH CHECK (true);
GRANT SELECT (tenant_id, at, id, node, xid, payload) ON audit_event TO hub_sealer;
GRANT INSERT ON audit_leaf, audit_node, audit_checkpoint TO hub_sealer;
GRANT SELECT (tenant_id, event_id) ON audit_leaf TO hub_sealer;

-- Rows of one server behind a place, whose order is final; of the own server below the horizon. What
-- has a leaf already is never taken again (OFFSET 0: one look each, not a join of the whole log).
CREATE FUNCTION hub_sealable(of_node bigint, after_xid bigint, after_id uuid, since timestamptz, most int)
RETURNS TABLE (tenant_id uuid, at timestamptz, id uuid, xid bigint, leaf bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000
SET search_path = pg_catalog, public SET plan_cache_mode = force_custom_plan SET jit = off AS $$
#variable_conflict use_column
DECLARE
  own bigint := (SELECT system_identifier FROM pg_control_system());
  horizon bigint := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
BEGIN
  IF of_node <> own THEN
    horizon := 9223372036854775807;
  END IF;
  RETURN QUERY
  SELECT e.tenant_id, e.at, e.id, e.xid, sha256('\\x00'::bytea || convert_to(e.payload, 'UTF8'))
  FROM audit_event e
  WHERE e.node = of_node AND (e.xid, e.id) > (after_xid, after_id) AND e.xid < horizon AND e.at >= since
    AND NOT EXISTS (SELECT FROM audit_leaf l WHERE l.tenant_id = e.tenant_id AND l.event_id = e.id OFFSET 0)
  ORDER BY e.xid, e.id LIMIT most;
END $$;

-- The servers whose rows are in the log, found by skipping along the index.
CREATE FUNCTION hub_event_nodes() RETURNS SETOF bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
  WITH RECURSIVE found AS (
    SELECT (SELECT e.node FROM audit_event e WHERE e.node IS NOT NULL ORDER BY e.node LIMIT 1) AS node
    UNION ALL
    SELECT (SELECT e.node FROM audit_event e WHERE e.node > found.node ORDER BY e.node LIMIT 1)
    FROM found WHERE found.node IS NOT NULL
  ) SELECT node FROM found WHERE node IS NOT NULL
$$;

-- When the first row behind a place was begun: how long sealing is behind.
CREATE FUNCTION hub_first_unsealed(of_node bigint, after_xid bigint, after_id uuid, since timestamptz)
RETURNS timestamptz LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public SET plan_cache_mode = force_custom_plan AS $$
BEGIN
  RETURN (SELECT e.at FROM audit_event e WHERE e.node = of_node AND (e.xid, e.id) > (after_xid, after_id)
          AND e.at >= since
          AND NOT EXISTS (SELECT FROM audit_leaf l WHERE l.tenant_id = e.tenant_id AND l.event_id = e.id OFFSET 0) ORDER BY e.xid, e.id LIMIT 1);
END $$;

-- Whose transaction holds the horizon back. No query text: it could show content.
CREATE FUNCTION hub_oldest_writer()
RETURNS TABLE (pid int, role text, application text, began_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
  SELECT a.pid, a.usename::text, a.application_name, a.xact_start FROM pg_stat_activity a
  WHERE a.backend_xid IS NOT NULL AND a.pid <> pg_backend_pid()
  ORDER BY age(a.backend_xid) DESC LIMIT 1
$$;

-- A place that is taken was taken behind our back: that must not stop the sealing of everybody else.
-- What lost its place has no leaf, and the roots differ: verifying names it.
CREATE FUNCTION hub_seal_leaves(of_epoch int, tenants uuid[], places bigint[], ids uuid[], ats timestamptz[], hashes bytea[])
RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
  WITH made AS (
    INSERT INTO audit_leaf (tenant_id, epoch, index, event_id, event_at, hash)
    SELECT t, of_epoch, p, i, a, h FROM unnest(tenants, places, ids, ats, hashes) AS rows (t, p, i, a, h)
    ON CONFLICT DO NOTHING RETURNING tenant_id
  ) SELECT count(*) FROM made
$$;

CREATE FUNCTION hub_seal_nodes(of_epoch int, tenants uuid[], levels int[], numbers bigint[], hashes bytea[])
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
  INSERT INTO audit_node (tenant_id, epoch, level, number, hash)
  SELECT t, of_epoch, l, n, h FROM unnest(tenants, levels, numbers, hashes) AS rows (t, l, n, h)
  ON CONFLICT DO NOTHING
$$;

CREATE FUNCTION hub_seal_checkpoints(of_epoch int, tenants uuid[], sizes bigint[], sealed_at timestamptz, roots bytea[], notes text[])
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
  INSERT INTO audit_checkpoint (tenant_id, epoch, size, at, root, note)
  SELECT t, of_epoch, s, sealed_at, r, n FROM unnest(tenants, sizes, roots, notes) AS rows (t, s, r, n)
  ON CONFLICT DO NOTHING
$$;
"""

SIGNATURES = (
    "hub_sealable(bigint, bigint, uuid, timestamptz, int)",
    "hub_event_nodes()",
    "hub_first_unsealed(bigint, bigint, uuid, timestamptz)",
    "hub_oldest_writer()",
    "hub_seal_leaves(int, uuid[], bigint[], uuid[], timestamptz[], bytea[])",
    "hub_seal_nodes(int, uuid[], int[], bigint[], bytea[])",
    "hub_seal_checkpoints(int, uuid[], bigint[], timestamptz, bytea[], text[])",
)

# A new owner needs CREATE on the schema at the moment of the change, and not afterwards.
GIVE_AWAY = (
    "GRANT CREATE ON SCHEMA public TO hub_sealer;\n"
    + "".join(
        f"REVOKE ALL ON FUNCTION {one} FROM PUBLIC;\n"
        f"GRANT EXECUTE ON FUNCTION {one} TO hub_app;\n"
        f"ALTER FUNCTION {one} OWNER TO hub_sealer;\n"
        for one in SIGNATURES
    )
    + "REVOKE CREATE ON SCHEMA public FROM hub_sealer;\n"
)

TENANT = ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False))


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0002_jobs_and_repeatable_calls'),
    ]

    operations = [
        CreateTenantModel(
            name='Leaf',
            rights='SELECT',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'epoch', 'index', blank=True, editable=False, primary_key=True, serialize=False)),
                TENANT,
                ('epoch', models.PositiveIntegerField()),
                ('index', models.PositiveBigIntegerField()),
                ('event_id', models.UUIDField()),
                ('event_at', models.DateTimeField()),
                ('hash', models.BinaryField()),
            ],
            options={
                'base_manager_name': 'objects',
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'event_id'), name='leaf_once')],
            },
        ),
        CreateTenantModel(
            name='Node',
            rights='SELECT',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'epoch', 'level', 'number', blank=True, editable=False, primary_key=True, serialize=False)),
                TENANT,
                ('epoch', models.PositiveIntegerField()),
                ('level', models.PositiveSmallIntegerField()),
                ('number', models.PositiveBigIntegerField()),
                ('hash', models.BinaryField()),
            ],
            options={'base_manager_name': 'objects', 'default_permissions': ()},
        ),
        CreateTenantModel(
            name='Checkpoint',
            rights='SELECT',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'epoch', 'size', blank=True, editable=False, primary_key=True, serialize=False)),
                TENANT,
                ('epoch', models.PositiveIntegerField()),
                ('size', models.PositiveBigIntegerField()),
                ('at', models.DateTimeField()),
                ('root', models.BinaryField()),
                ('note', models.TextField()),
            ],
            options={
                'base_manager_name': 'objects',
                'default_permissions': (),
                'indexes': [models.Index(fields=['tenant_id', '-at'], name='checkpoint_newest')],
            },
        ),
        migrations.CreateModel(
            name='Head',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'epoch', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField()),
                ('epoch', models.PositiveIntegerField()),
                ('size', models.PositiveBigIntegerField()),
                ('frontier', models.BinaryField()),
                ('root', models.BinaryField()),
                ('at', models.DateTimeField()),
            ],
            options={
                'default_permissions': (),
                'indexes': [models.Index(fields=['epoch', 'at'], name='head_moved')],
            },
        ),
        migrations.CreateModel(
            name='Position',
            fields=[
                ('node', models.BigIntegerField(primary_key=True, serialize=False)),
                ('xid', models.BigIntegerField()),
                ('event_id', models.UUIDField()),
                ('passed_at', models.DateTimeField(null=True)),
            ],
            options={'default_permissions': ()},
        ),
        migrations.CreateModel(
            name='Epoch',
            fields=[
                ('n', models.PositiveIntegerField(primary_key=True, serialize=False)),
                ('node', models.BigIntegerField()),
                ('began_at', models.DateTimeField()),
                ('reason', models.CharField(max_length=32)),
                ('gap', models.JSONField()),
            ],
            options={'default_permissions': ()},
        ),
        migrations.CreateModel(
            name='Anchor',
            fields=[
                ('pk', models.CompositePrimaryKey('epoch', 'n', blank=True, editable=False, primary_key=True, serialize=False)),
                ('epoch', models.PositiveIntegerField()),
                ('n', models.PositiveBigIntegerField()),
                ('at', models.DateTimeField()),
                ('tenants', models.PositiveIntegerField()),
                ('events', models.PositiveBigIntegerField()),
                ('root', models.BinaryField()),
                ('line', models.TextField()),
            ],
            options={'default_permissions': ()},
        ),
        migrations.AddIndex(
            model_name='event',
            index=models.Index(fields=['node', 'xid', 'id'], name='event_sealing'),
        ),
        GrantToApp('audit_head', 'SELECT, INSERT, UPDATE'),
        GrantToApp('audit_position', 'SELECT, INSERT, UPDATE'),
        GrantToApp('audit_epoch', 'SELECT, INSERT'),
        GrantToApp('audit_anchor', 'SELECT, INSERT'),
        migrations.RunSQL(PROTECT, migrations.RunSQL.noop),
        migrations.RunSQL(FUNCTIONS, migrations.RunSQL.noop),
        migrations.RunSQL(GIVE_AWAY, migrations.RunSQL.noop),
    ]
