"""Rule sets: versions of a tenant's rules; what was once in force stays as it was."""

import tenants.context
import tenants.ids
from django.db import migrations, models

from tenants.rls import CreateTenantModel

KEEP = """
-- A version that was in force is evidence: its number and content never change, and it never goes.
CREATE FUNCTION hub_keep_ruleset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.activated_at IS NOT NULL AND (TG_OP = 'DELETE' OR
    (NEW.n, NEW.hash, NEW.rules, NEW.cases, NEW.activated_at)
    IS DISTINCT FROM (OLD.n, OLD.hash, OLD.rules, OLD.cases, OLD.activated_at)) THEN
    RAISE EXCEPTION 'a rule set that was in force is never changed';
  END IF;
  RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER keep_ruleset BEFORE UPDATE OR DELETE ON policies_ruleset
  FOR EACH ROW EXECUTE FUNCTION hub_keep_ruleset();
"""


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('tenants', '0005_rule_sets'),
    ]

    operations = [
        CreateTenantModel(
            name='RuleSet',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('n', models.PositiveIntegerField()),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('simulated', 'Simulated'), ('approved', 'Approved'), ('active', 'Active'), ('superseded', 'Superseded')], default='draft', max_length=16)),
                ('based_on', models.PositiveIntegerField(null=True)),
                ('hash', models.CharField(max_length=64)),
                ('note', models.TextField(blank=True, default='')),
                ('rules', models.JSONField(default=list)),
                ('cases', models.JSONField(default=list)),
                ('simulation', models.JSONField(null=True)),
                ('staged', models.JSONField(null=True)),
                ('approvals', models.JSONField(default=list)),
                ('since', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField()),
                ('created_by', models.CharField(max_length=64)),
                ('created_by_name', models.CharField(max_length=254)),
                ('written_by', models.CharField(max_length=64)),
                ('activated_at', models.DateTimeField(null=True)),
                ('activated_by_name', models.CharField(blank=True, default='', max_length=254)),
            ],
            options={
                'base_manager_name': 'objects',
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'n'), name='ruleset_number_once'), models.UniqueConstraint(condition=models.Q(('state', 'active')), fields=('tenant_id',), name='ruleset_one_active')],
            },
        ),
        migrations.RunSQL(KEEP, 'DROP FUNCTION hub_keep_ruleset() CASCADE'),
    ]
