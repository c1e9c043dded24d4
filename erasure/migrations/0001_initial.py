"""Subject requests, recorded backups, and the applied entries of the ledger."""

import tenants.context
import tenants.ids
from django.db import migrations, models

from tenants.rls import CreateTenantModel, GrantToApp

KEY = [
    ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
    ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
    ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
]


class Migration(migrations.Migration):

    initial = True

    dependencies = [('tenants', '0005_rule_sets'), ('privacy', '0002_data_subjects')]

    operations = [
        CreateTenantModel(
            name='SubjectRequest',
            fields=[
                *KEY,
                ('kind', models.CharField(choices=[('access', 'access'), ('erasure', 'erasure'), ('restriction', 'restriction')], max_length=16)),
                ('state', models.CharField(choices=[('new', 'new'), ('identity', 'identity'), ('scope', 'scope'), ('decision', 'decision'), ('running', 'running'), ('verify', 'verify'), ('closed', 'closed')], default='new', max_length=16)),
                ('outcome', models.CharField(max_length=24, null=True)),
                ('pseudonym', models.CharField(max_length=32)),
                ('received_at', models.DateTimeField()),
                ('due_at', models.DateTimeField()),
                ('extension', models.JSONField(null=True)),
                ('identity', models.JSONField(null=True)),
                ('scope', models.JSONField(null=True)),
                ('exclusions', models.JSONField(default=list)),
                ('decision', models.JSONField(null=True)),
                ('approval', models.JSONField(null=True)),
                ('result', models.JSONField(null=True)),
                ('certificate', models.JSONField(null=True)),
                ('texts', models.BinaryField(null=True)),
                ('hands', models.JSONField(default=list)),
                ('job', models.UUIDField(null=True)),
                ('ledger', models.UUIDField(null=True)),
                ('created_at', models.DateTimeField()),
                ('created_by', models.CharField(max_length=64)),
                ('created_by_name', models.CharField(max_length=254)),
                ('verified_at', models.DateTimeField(null=True)),
                ('closed_at', models.DateTimeField(null=True)),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [
                    models.Index(fields=['tenant_id', '-created_at', '-id'], name='request_newest'),
                    models.Index(condition=models.Q(('closed_at__isnull', True)), fields=['tenant_id', 'due_at'], name='request_open_due'),
                ],
            },
        ),
        CreateTenantModel(
            name='RequestedMemory',
            fields=[
                *KEY,
                ('request_id', models.UUIDField()),
                ('memory_id', models.UUIDField()),
                ('found_by', models.CharField(choices=[('index', 'Index'), ('probe', 'Probe'), ('derived', 'Derived')], max_length=8)),
            ],
            options={
                'base_manager_name': 'objects',
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'request_id', 'memory_id'), name='requested_memory_once')],
            },
        ),
        migrations.CreateModel(
            name='RecordedBackup',
            fields=[
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('taken_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('recorded_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('taken_at'))), name='backup_ends_later')],
            },
        ),
        GrantToApp('erasure_recordedbackup', 'SELECT, INSERT'),
        migrations.CreateModel(
            name='AppliedErasure',
            fields=[
                ('entry', models.UUIDField(primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField()),
                ('applied_at', models.DateTimeField()),
            ],
        ),
        GrantToApp('erasure_appliederasure', 'SELECT, INSERT'),
    ]
