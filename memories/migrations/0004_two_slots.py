"""Every date twice: those that count and those to come; text search asks which slot counts."""

import django.contrib.postgres.fields
from django.db import migrations, models

SEARCH_IN_SLOT = r"""
-- hub_search_text learns of the slot: the same text, with the date that counts in each condition.
GRANT SELECT (id, date_slot) ON tenants_tenant TO hub_search;
GRANT CREATE ON SCHEMA public TO hub_search;
DO $$
DECLARE
  body text := pg_get_functiondef('hub_search_text'::regproc);
BEGIN
  body := replace(body, 'm.visible_until IS NULL OR m.visible_until > seen_at',
    'CASE WHEN slot = 0 THEN m.visible_until IS NULL OR m.visible_until > seen_at '
    'ELSE m.visible_until_b IS NULL OR m.visible_until_b > seen_at END');
  body := replace(body, 'with_archived OR m.archived_at IS NULL',
    'with_archived OR CASE WHEN slot = 0 THEN m.archived_at IS NULL OR m.archived_at > seen_at '
    'ELSE m.archived_at_b IS NULL OR m.archived_at_b > seen_at END');
  body := replace(body, '  low constant text',
    '  slot constant int := (SELECT t.date_slot FROM public.tenants_tenant t WHERE t.id = tenant);'
    || E'\n  low constant text');
  IF body NOT LIKE '%slot constant int%' OR body NOT LIKE '%m.visible_until_b%'
    OR body NOT LIKE '%m.archived_at_b%' THEN
    RAISE EXCEPTION 'hub_search_text is not as this migration knows it';
  END IF;
  SET LOCAL ROLE hub_search;  -- its owner
  EXECUTE body;
  RESET ROLE;
END $$;
REVOKE CREATE ON SCHEMA public FROM hub_search;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0003_privacy'),
        ('tenants', '0005_rule_sets'),
    ]

    operations = [
        migrations.AddField(
            model_name='memory',
            name='archived_at_b',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='flags_b',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=32), null=True, size=None),
        ),
        migrations.AddField(
            model_name='memory',
            name='dates_moved_at_b',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='purge_at_b',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='rule_b',
            field=models.CharField(max_length=128, null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='ruled_b',
            field=models.BooleanField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='ruleset_b',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='visible_until_b',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('trashed_at__isnull', True), ('visible_until_b__isnull', False)), fields=['tenant_id', 'visible_until_b'], name='memory_expiring_b'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('purge_at_b__isnull', False)), fields=['tenant_id', 'purge_at_b'], name='memory_purging_b'),
        ),
        migrations.RunSQL(SEARCH_IN_SLOT, migrations.RunSQL.noop),
    ]
