"""Legal holds, the memories they name, and the destructions they prevented."""

import django.contrib.postgres.fields
import tenants.context
import tenants.ids
from django.db import migrations, models

from tenants.rls import CreateTenantModel, composite_key


class Migration(migrations.Migration):

    dependencies = [
        ('policies', '0001_rule_sets'),
        ('tenants', '0006_holds'),
    ]

    operations = [
        CreateTenantModel(
            name='Hold',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('matter', models.CharField(max_length=256)),
                ('reason', models.TextField()),
                ('custodian', models.CharField(max_length=256)),
                ('subjects', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('namespaces', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('names_memories', models.BooleanField(default=False)),
                ('state', models.CharField(choices=[('active', 'Active'), ('release_requested', 'Release Requested'), ('released', 'Released')], default='active', max_length=20)),
                ('placed_at', models.DateTimeField()),
                ('placed_by', models.CharField(max_length=64)),
                ('placed_by_name', models.CharField(max_length=254)),
                ('release_requested_at', models.DateTimeField(null=True)),
                ('release_requested_by', models.CharField(blank=True, default='', max_length=64)),
                ('release_requested_by_name', models.CharField(blank=True, default='', max_length=254)),
                ('release_reason', models.TextField(blank=True, default='')),
                ('released_at', models.DateTimeField(null=True)),
                ('released_by_name', models.CharField(blank=True, default='', max_length=254)),
                ('released_reason', models.TextField(blank=True, default='')),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant_id', '-placed_at', '-id'], name='hold_newest')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('released_at__isnull', False), ('state', 'released')), models.Q(models.Q(('state', 'released'), _negated=True), ('released_at__isnull', True)), _connector='OR'), name='hold_released_at')],
            },
        ),
        CreateTenantModel(
            name='HoldMember',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('hold_id', models.UUIDField()),
                ('memory_id', models.UUIDField()),
            ],
            options={
                'base_manager_name': 'objects',
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'hold_id', 'memory_id'), name='hold_member_once')],
            },
        ),
        CreateTenantModel(
            name='Prevention',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('hold_id', models.UUIDField()),
                ('memory_id', models.UUIDField()),
                ('cause', models.CharField(max_length=32)),
                ('due_at', models.DateTimeField()),
                ('prevented_at', models.DateTimeField()),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant_id', 'hold_id', '-prevented_at', '-id'], name='hold_prevention_newest')],
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'hold_id', 'memory_id'), name='hold_prevention_once')],
            },
        ),
        composite_key(
            'policies_holdmember', columns='tenant_id, hold_id', target='policies_hold',
            target_columns='tenant_id, id',
        ),
        composite_key(
            'policies_prevention', columns='tenant_id, hold_id', target='policies_hold',
            target_columns='tenant_id, id',
        ),
    ]
