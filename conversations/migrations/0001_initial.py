"""Candidates that wait, messages to be read, feedback on searches, golden questions."""

import django.contrib.postgres.fields
import tenants.context
import tenants.ids
from django.db import migrations, models

from tenants.rls import CreateTenantModel, composite_key

DUE = """
INSERT INTO tenants_schedule (id, tenant_id, job, scope, interval_seconds, next_at)
SELECT uuidv7(), t.id, d.job, '', d.every, d.next_at FROM tenants_tenant t
CROSS JOIN (VALUES ('read', 5, now()), ('promote', 5, now()),
  ('recall', 86400, date_trunc('day', now()) + interval '27 hours')) AS d (job, every, next_at)
ON CONFLICT (tenant_id, job, scope) DO NOTHING
"""

class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('memories', '0006_holds_and_requests'),
        ('tenants', '0007_backup_retention'),
    ]

    operations = [
        CreateTenantModel(
            name='GoldenQuestion',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('question', models.TextField()),
                ('namespace_prefix', models.TextField(blank=True, db_collation='C', default='')),
                ('expected', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None)),
                ('created_at', models.DateTimeField()),
                ('created_by', models.CharField(max_length=64)),
                ('created_by_name', models.CharField(max_length=254)),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant_id', '-created_at', '-id'], name='golden_question_newest')],
            },
        ),
        CreateTenantModel(
            name='OpenCandidate',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('noted_at', models.DateTimeField()),
                ('looked_at', models.DateTimeField(null=True)),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(condition=models.Q(('looked_at__isnull', True)), fields=['tenant_id', 'noted_at'], name='open_candidate_new')],
            },
        ),
        CreateTenantModel(
            name='RecallResult',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('run_id', models.UUIDField()),
                ('question_id', models.UUIDField()),
                ('measured_at', models.DateTimeField()),
                ('recall', models.FloatField(null=True)),
                ('found', models.FloatField()),
                ('missing', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('degraded', models.CharField(blank=True, default='', max_length=32)),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant_id', 'question_id', '-measured_at', '-id'], name='recall_result_newest')],
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'run_id', 'question_id'), name='recall_result_once')],
            },
        ),
        CreateTenantModel(
            name='RecallRun',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('trigger', models.CharField(choices=[('nightly', 'Nightly'), ('manual', 'Manual')], max_length=8)),
                ('job_id', models.UUIDField(null=True)),
                ('started_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(null=True)),
                ('questions', models.PositiveIntegerField(default=0)),
                ('recall', models.FloatField(null=True)),
                ('found', models.FloatField(null=True)),
                ('dropped', models.BooleanField(default=False)),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant_id', '-started_at', '-id'], name='recall_run_newest')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('job_id__isnull', False)), fields=('tenant_id', 'job_id'), name='recall_run_of_job')],
            },
        ),
        CreateTenantModel(
            name='SearchFeedback',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('given_at', models.DateTimeField()),
                ('given_by', models.CharField(max_length=64)),
                ('shown', models.PositiveIntegerField()),
                ('used', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ('helpful', models.BooleanField(null=True)),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant_id', 'given_at'], name='search_feedback_newest')],
            },
        ),
        CreateTenantModel(
            name='UnreadMessage',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('said_at', models.DateTimeField()),
                ('due_at', models.DateTimeField()),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant_id', 'due_at'], name='unread_message_due')],
            },
        ),
        composite_key(
            'conversations_opencandidate', columns='tenant_id, id',
            target='memories_memory', target_columns='tenant_id, id',
        ),
        composite_key(
            'conversations_unreadmessage', columns='tenant_id, id',
            target='memories_memory', target_columns='tenant_id, id',
        ),
        composite_key(
            'conversations_recallresult', columns='tenant_id, run_id',
            target='conversations_recallrun', target_columns='tenant_id, id',
        ),
        composite_key(
            'conversations_recallresult', columns='tenant_id, question_id',
            target='conversations_goldenquestion', target_columns='tenant_id, id',
        ),
        migrations.RunSQL(DUE, migrations.RunSQL.noop),
    ]
