"""The event log: partitioned by month, append-only, stamped with its transaction and server."""

import django.contrib.postgres.fields
import tenants.context
import tenants.ids
from django.db import migrations, models

from tenants.rls import CreateTenantModel

MONTHS_MADE = 24

FUNCTIONS = """
CREATE FUNCTION hub_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'events are append-only' USING ERRCODE = '42501';
END $$;

CREATE FUNCTION hub_stamp_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.xid := pg_current_xact_id()::text::bigint;
  NEW.node := (SELECT system_identifier FROM pg_control_system());
  RETURN NEW;
END $$;

-- Partitions for the month of `since` and the `months` after it; run again, it makes what is missing.
CREATE FUNCTION hub_extend_months(since timestamptz, months int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
  first date := date_trunc('month', since AT TIME ZONE 'UTC')::date;
  low date;
  part text;
  made int := 0;
BEGIN
  FOR number IN 0..months LOOP
    low := (first + make_interval(months => number))::date;
    part := 'audit_event_' || to_char(low, 'YYYY_MM');
    IF to_regclass('public.' || part) IS NULL THEN
      EXECUTE format('CREATE TABLE public.%I PARTITION OF public.audit_event FOR VALUES FROM (%L) TO (%L)',
        part, low::text || ' 00:00:00+00', (low + interval '1 month')::date::text || ' 00:00:00+00');
      PERFORM hub_protect_events(part);
      made := made + 1;
    END IF;
  END LOOP;
  RETURN made;
END $$;

-- The tenant policy on a partition, and the trigger against TRUNCATE, which is not inherited.
CREATE FUNCTION hub_protect_events(part text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
DECLARE
  predicate text := $p$tenant_id = nullif(current_setting('hub.tenant', true), '')::uuid$p$;
BEGIN
  EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY', part);
  EXECUTE format('ALTER TABLE public.%I FORCE ROW LEVEL SECURITY', part);
  EXECUTE format('CREATE POLICY tenant_only ON public.%I USING (%s) WITH CHECK (%s)', part, predicate, predicate);
  EXECUTE format('CREATE TRIGGER event_no_truncate BEFORE TRUNCATE ON public.%I FOR EACH STATEMENT EXECUTE FUNCTION hub_refuse_change()', part);
END $$;

-- How many whole months after the present one have a partition.
CREATE FUNCTION hub_months_ahead() RETURNS int LANGUAGE sql STABLE AS $$
  SELECT count(*)::int FROM generate_series(1, 120) AS ahead
  WHERE to_regclass('public.audit_event_' || to_char(date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead::int), 'YYYY_MM')) IS NOT NULL
$$;
"""

TRIGGERS = """
CREATE TRIGGER event_no_change BEFORE UPDATE OR DELETE ON audit_event FOR EACH ROW EXECUTE FUNCTION hub_refuse_change();
CREATE TRIGGER event_no_truncate BEFORE TRUNCATE ON audit_event FOR EACH STATEMENT EXECUTE FUNCTION hub_refuse_change();
CREATE TRIGGER event_stamp BEFORE INSERT ON audit_event FOR EACH ROW EXECUTE FUNCTION hub_stamp_event();
CREATE TABLE audit_event_default PARTITION OF audit_event DEFAULT;
SELECT hub_protect_events('audit_event_default');
REVOKE ALL ON FUNCTION hub_extend_months(timestamptz, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hub_extend_months(timestamptz, int) TO hub_app;
GRANT EXECUTE ON FUNCTION hub_months_ahead() TO hub_app;
"""



class Migration(migrations.Migration):

    initial = True

    dependencies = [('tenants', '0001_initial')]

    operations = [
        migrations.RunSQL(FUNCTIONS, migrations.RunSQL.noop),
        CreateTenantModel(
            name='Event',
            partition='month',
            rights='SELECT, INSERT',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'at', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('at', models.DateTimeField()),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('code', models.CharField(max_length=16)),
                ('action', models.CharField(max_length=32)),
                ('outcome', models.CharField(max_length=8)),
                ('actor_kind', models.CharField(max_length=16)),
                ('actor_id', models.CharField(max_length=64)),
                ('actor_name', models.CharField(max_length=254)),
                ('key_id', models.CharField(max_length=12, null=True)),
                ('roles', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=32), size=None)),
                ('on_behalf_of', models.CharField(max_length=254, null=True)),
                ('request_id', models.CharField(max_length=128)),
                ('client_net', models.CharField(max_length=64)),
                ('client_hash', models.CharField(max_length=64)),
                ('target_kind', models.CharField(max_length=32)),
                ('target_id', models.CharField(max_length=254)),
                ('namespace', models.TextField(db_collation='C', null=True)),
                ('subjects', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), size=None)),
                ('ruleset', models.PositiveIntegerField(null=True)),
                ('counts', models.JSONField()),
                ('links', models.JSONField()),
                ('changes', models.JSONField(null=True)),
                ('payload', models.TextField()),
                ('xid', models.BigIntegerField(null=True)),
                ('node', models.BigIntegerField(null=True)),
            ],
            options={
                'default_permissions': (),
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant_id', '-at', '-id'], name='event_newest'), models.Index(fields=['tenant_id', 'target_id', '-at'], name='event_target')],
            },
        ),
        migrations.RunSQL(TRIGGERS, migrations.RunSQL.noop),
        migrations.RunSQL(f"SELECT hub_extend_months(now(), {MONTHS_MADE})", migrations.RunSQL.noop),
    ]
