"""The store's tables: memories and vectors partitioned by tenant, all behind the tenant policy."""

import django.contrib.postgres.fields
import django.contrib.postgres.search
import pgvector.django.halfvec
import tenants.context
import tenants.ids
from django.db import migrations, models

from tenants.rls import CreateTenantModel, GrantToApp, composite_key


def create_local_profile(apps, schema_editor):
    """Profile 1, the model that comes inside its package."""
    apps.get_model('memories', 'EmbeddingProfile').objects.using(schema_editor.connection.alias).create(
        number=1, name='e5-small', provider='local', model='multilingual-e5-small-q4', dimensions=384,
    )


class Migration(migrations.Migration):

    initial = True

    dependencies = [('tenants', '0001_initial'), ('audit', '0001_initial')]

    operations = [
        migrations.CreateModel(
            name='EmbeddingProfile',
            fields=[
                ('number', models.PositiveSmallIntegerField(primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=63, unique=True)),
                ('provider', models.CharField(max_length=16)),
                ('model', models.CharField(max_length=200)),
                ('dimensions', models.PositiveSmallIntegerField()),
                ('distance', models.CharField(default='cosine', max_length=8)),
                ('base_url', models.CharField(blank=True, default='', max_length=500)),
                ('query_prefix', models.CharField(blank=True, default='', max_length=63)),
                ('passage_prefix', models.CharField(blank=True, default='', max_length=63)),
            ],
        ),
        CreateTenantModel(
            name='Finding',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('kind', models.CharField(max_length=32)),
                ('memory_id', models.UUIDField(null=True)),
                ('detail', models.TextField()),
                ('found_at', models.DateTimeField()),
                ('closed_at', models.DateTimeField(null=True)),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant_id', '-found_at', '-id'], name='finding_newest')],
            },
        ),
        CreateTenantModel(
            name='Memory',
            partition='hash',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('namespace', models.TextField(db_collation='C')),
                ('key', models.TextField(db_collation='C')),
                ('value', models.JSONField()),
                ('sealed', models.BinaryField(null=True)),
                ('kind', models.CharField(default='fact', max_length=63)),
                ('tier', models.CharField(choices=[('long', 'Long'), ('short', 'Short')], default='long', max_length=8)),
                ('session', models.CharField(max_length=64, null=True)),
                ('subjects', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('classes', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('label', models.TextField(null=True)),
                ('source', models.JSONField(null=True)),
                ('derived_from', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('source_caps', django.contrib.postgres.fields.ArrayField(base_field=models.DateTimeField(), default=list, size=None)),
                ('decay', models.FloatField()),
                ('importance', models.FloatField(default=0.5)),
                ('weight', models.FloatField(default=1.0)),
                ('index_paths', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), null=True, size=None)),
                ('content_hash', models.BinaryField()),
                ('version', models.PositiveIntegerField(default=1)),
                ('created_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField()),
                ('accessed_at', models.DateTimeField(null=True)),
                ('access_count', models.PositiveIntegerField(default=0)),
                ('ttl', models.DurationField(null=True)),
                ('ttl_expires_at', models.DateTimeField(null=True)),
                ('visible_until', models.DateTimeField(null=True)),
                ('purge_at', models.DateTimeField(null=True)),
                ('ruled', models.BooleanField(default=False)),
                ('rule', models.CharField(max_length=128, null=True)),
                ('flags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=32), default=list, size=None)),
                ('archived_at', models.DateTimeField(null=True)),
                ('trashed_at', models.DateTimeField(null=True)),
                ('deleted_at', models.DateTimeField(null=True)),
                ('restored_at', models.DateTimeField(null=True)),
                ('ruleset', models.PositiveIntegerField(default=0)),
                ('dates_moved_at', models.DateTimeField(null=True)),
                ('embedding', models.CharField(choices=[('ready', 'Ready'), ('pending', 'Pending'), ('none', 'None'), ('failed', 'Failed')], default='pending', max_length=8)),
                ('embedding_due_at', models.DateTimeField(null=True)),
                ('embedding_attempts', models.PositiveSmallIntegerField(default=0)),
                ('lexemes', django.contrib.postgres.search.SearchVectorField(null=True)),
                ('length', models.PositiveIntegerField(default=0)),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(condition=models.Q(('trashed_at__isnull', True)), fields=['tenant_id', '-updated_at'], name='memory_newest'), models.Index(condition=models.Q(('trashed_at__isnull', True), ('visible_until__isnull', False)), fields=['tenant_id', 'visible_until'], name='memory_expiring'), models.Index(condition=models.Q(('purge_at__isnull', False)), fields=['tenant_id', 'purge_at'], name='memory_purging'), models.Index(condition=models.Q(('embedding', 'pending')), fields=['tenant_id', 'embedding_due_at'], name='memory_pending')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('trashed_at__isnull', True)), fields=('tenant_id', 'namespace', 'key'), name='memory_key_once'), models.CheckConstraint(condition=models.Q(('decay__gt', 0), ('decay__lte', 1)), name='memory_decay_range'), models.CheckConstraint(condition=models.Q(('importance__gte', 0), ('importance__lte', 1)), name='memory_importance_range')],
            },
        ),
        CreateTenantModel(
            name='MemorySubject',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('memory_id', models.UUIDField()),
                ('subject', models.TextField(db_collation='C')),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant_id', 'memory_id'], name='memory_subject_memory')],
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'subject', 'memory_id'), name='memory_subject_once')],
            },
        ),
        CreateTenantModel(
            name='MemoryVector',
            partition='hash',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('memory_id', models.UUIDField()),
                ('profile', models.PositiveSmallIntegerField()),
                ('field', models.TextField()),
                ('chunk', models.PositiveSmallIntegerField(default=0)),
                ('embedding', pgvector.django.halfvec.HalfVectorField()),
            ],
            options={
                'base_manager_name': 'objects',
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'memory_id', 'profile', 'field', 'chunk'), name='memory_vector_once')],
            },
        ),
        CreateTenantModel(
            name='MemoryVersion',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('memory_id', models.UUIDField()),
                ('version', models.PositiveIntegerField()),
                ('value', models.JSONField()),
                ('sealed', models.BinaryField(null=True)),
                ('content_hash', models.BinaryField()),
                ('written_at', models.DateTimeField()),
                ('replaced_at', models.DateTimeField()),
                ('replaced_by', models.CharField(max_length=254)),
                ('event_id', models.UUIDField()),
            ],
            options={
                'base_manager_name': 'objects',
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'memory_id', 'version'), name='memory_version_once')],
            },
        ),
        CreateTenantModel(
            name='SweepRun',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('namespace_prefix', models.TextField(db_collation='C', default='')),
                ('trigger', models.CharField(max_length=16)),
                ('dry_run', models.BooleanField(default=False)),
                ('state', models.CharField(choices=[('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='running', max_length=8)),
                ('started_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(null=True)),
                ('lag_seconds', models.FloatField(default=0)),
                ('counts', models.JSONField(default=dict)),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant_id', '-started_at', '-id'], name='sweep_run_newest')],
            },
        ),
        CreateTenantModel(
            name='SweepScope',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('namespace_prefix', models.TextField(blank=True, db_collation='C', default='')),
                ('interval_minutes', models.FloatField(default=1.0)),
                ('enabled', models.BooleanField(default=True)),
            ],
            options={
                'base_manager_name': 'objects',
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'namespace_prefix'), name='sweep_scope_once'), models.CheckConstraint(condition=models.Q(('interval_minutes__gte', 0.1)), name='sweep_scope_interval')],
            },
        ),
        CreateTenantModel(
            name='Tombstone',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('namespace', models.TextField(db_collation='C')),
                ('kind', models.CharField(max_length=63)),
                ('classes', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('purged_at', models.DateTimeField()),
                ('rule', models.CharField(max_length=128, null=True)),
                ('ruleset', models.PositiveIntegerField(default=0)),
                ('reason', models.CharField(max_length=32)),
                ('event_id', models.UUIDField()),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant_id', 'namespace', 'id'], name='tombstone_namespace')],
            },
        ),
        GrantToApp('memories_embeddingprofile', 'SELECT, INSERT'),
        # what belongs to a memory goes with it
        composite_key('memories_memoryversion', columns='tenant_id, memory_id', target='memories_memory', target_columns='tenant_id, id'),
        composite_key('memories_memoryvector', columns='tenant_id, memory_id', target='memories_memory', target_columns='tenant_id, id'),
        composite_key('memories_memorysubject', columns='tenant_id, memory_id', target='memories_memory', target_columns='tenant_id, id'),
        migrations.RunPython(create_local_profile, migrations.RunPython.noop),
    ]
