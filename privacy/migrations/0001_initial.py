"""The vault of originals, findings, and what a tenant says of personal data; scans for all tenants."""

import django.contrib.postgres.fields
import tenants.context
import tenants.ids
from django.db import migrations, models

from tenants.rls import CreateTenantModel, composite_key

SCHEDULES = """
INSERT INTO tenants_schedule (id, tenant_id, job, scope, interval_seconds, next_at)
SELECT uuidv7(), t.id, 'pii-scan', '', 60, now() FROM tenants_tenant t
ON CONFLICT (tenant_id, job, scope) DO NOTHING
"""


class Migration(migrations.Migration):

    initial = True

    dependencies = [('tenants', '0003_pii')]

    operations = [
        CreateTenantModel(
            name='AllowedValue',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('value', models.TextField()),
                ('note', models.CharField(blank=True, default='', max_length=200)),
            ],
            options={
                'base_manager_name': 'objects',
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'value'), name='allowed_value_once')],
            },
        ),
        CreateTenantModel(
            name='PiiFinding',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('memory_id', models.UUIDField()),
                ('version', models.PositiveIntegerField()),
                ('entity', models.CharField(max_length=40)),
                ('path', models.TextField()),
                ('action', models.CharField(choices=[('flag', 'flag'), ('mask', 'mask'), ('encrypt', 'encrypt'), ('tokenise', 'tokenise'), ('redact', 'redact'), ('quarantine', 'quarantine'), ('reject', 'reject')], max_length=12)),
                ('count', models.PositiveIntegerField(default=1)),
                ('token_id', models.CharField(max_length=10, null=True)),
                ('found_at', models.DateTimeField()),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant_id', 'memory_id', 'version'], name='pii_finding_memory'), models.Index(condition=models.Q(('token_id__isnull', False)), fields=['tenant_id', 'token_id'], name='pii_finding_token')],
            },
        ),
        CreateTenantModel(
            name='PiiPattern',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('entity', models.CharField(max_length=40)),
                ('pattern', models.TextField()),
                ('words', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=24), blank=True, default=list, size=None)),
                ('score', models.FloatField(default=0.7)),
            ],
            options={
                'base_manager_name': 'objects',
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'entity'), name='pii_pattern_once')],
            },
        ),
        CreateTenantModel(
            name='PiiPolicy',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('entity', models.CharField(default='*', max_length=40)),
                ('action', models.CharField(choices=[('flag', 'flag'), ('mask', 'mask'), ('encrypt', 'encrypt'), ('tokenise', 'tokenise'), ('redact', 'redact'), ('quarantine', 'quarantine'), ('reject', 'reject')], max_length=12)),
                ('namespace_prefix', models.TextField(blank=True, db_collation='C', default='')),
                ('kind', models.CharField(blank=True, default='', max_length=63)),
            ],
            options={
                'base_manager_name': 'objects',
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'entity', 'namespace_prefix', 'kind'), name='pii_policy_once')],
            },
        ),
        CreateTenantModel(
            name='VaultEntry',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('token_id', models.CharField(max_length=10)),
                ('entity', models.CharField(max_length=40)),
                ('equality_hash', models.CharField(max_length=64)),
                ('sealed', models.BinaryField()),
                ('key_version', models.PositiveIntegerField()),
                ('first_seen', models.DateTimeField()),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant_id', 'key_version', 'id'], name='vault_key_version')],
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'token_id'), name='vault_token_once'), models.UniqueConstraint(fields=('tenant_id', 'equality_hash'), name='vault_value_once')],
            },
        ),
        # an original is there as long as a finding needs it; a missing one shows at the statement
        composite_key('privacy_piifinding', columns='tenant_id, token_id', target='privacy_vaultentry', target_columns='tenant_id, token_id', on_delete='RESTRICT'),
        migrations.RunSQL(SCHEDULES, migrations.RunSQL.noop),
    ]
