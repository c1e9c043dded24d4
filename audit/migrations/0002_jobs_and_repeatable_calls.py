"""Jobs, and requests that came with an Idempotency-Key: tenant tables both."""

import tenants.context
import tenants.ids
from django.db import migrations, models

from tenants.rls import CreateTenantModel


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0001_initial'),
    ]

    operations = [
        CreateTenantModel(
            name='Job',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('kind', models.CharField(max_length=64)),
                ('action', models.CharField(max_length=32)),
                ('state', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=16)),
                ('params', models.JSONField(default=dict)),
                ('cursor', models.JSONField(default=dict)),
                ('done', models.PositiveBigIntegerField(default=0)),
                ('total', models.PositiveBigIntegerField(null=True)),
                ('result', models.JSONField(null=True)),
                ('error', models.JSONField(null=True)),
                ('file_type', models.CharField(blank=True, default='', max_length=100)),
                ('file_name', models.CharField(blank=True, default='', max_length=200)),
                ('cancel_asked', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField()),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('created_by_kind', models.CharField(max_length=16)),
                ('created_by', models.CharField(max_length=64)),
                ('created_by_name', models.CharField(max_length=254)),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant_id', '-created_at', '-id'], name='job_newest')],
            },
        ),
        CreateTenantModel(
            name='RepeatableCall',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('scope', models.CharField(max_length=64)),
                ('body', models.CharField(max_length=64)),
                ('holder', models.UUIDField()),
                ('claimed_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('made', models.JSONField(default=dict)),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant_id', 'expires_at'], name='repeatable_call_over')],
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'scope'), name='repeatable_call_once')],
            },
        ),
    ]
