"""Tenants, people, keys and schedules; hub_act; the platform tenant."""

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import tenants.ids
from django.conf import settings
from django.db import migrations, models

from tenants.ids import PLATFORM_TENANT
from tenants.rls import GrantToApp

HUB_ACT = """
-- The first statement of every transaction: names the tenant to the row policies (SET LOCAL, so it
-- ends with the transaction), lets agents' reads commit without waiting for the disk, and returns
-- the transaction's one instant and the tenant's settings version.
CREATE FUNCTION hub_act(tenant uuid, relaxed boolean, OUT at timestamptz, OUT settings_version int)
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('SET LOCAL hub.tenant = %L', tenant);
  IF relaxed THEN
    SET LOCAL synchronous_commit = off;
  END IF;
  at := statement_timestamp();
  SELECT t.version INTO settings_version FROM tenants_tenant t WHERE t.id = tenant;
END $$;
GRANT EXECUTE ON FUNCTION hub_act(uuid, boolean) TO hub_app;
"""


def create_platform_tenant(apps, schema_editor):
    """Owns what belongs to nobody: failed sign-ins, unknown keys, the making of tenants."""
    apps.get_model('tenants', 'Tenant').objects.using(schema_editor.connection.alias).create(
        id=PLATFORM_TENANT, slug='platform', name='Platform',
    )


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('email', models.EmailField(max_length=254, unique=True)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('is_active', models.BooleanField(default=True)),
                ('is_staff', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Tenant',
            fields=[
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('slug', models.SlugField(max_length=63, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('version', models.PositiveIntegerField(default=1)),
                ('timezone', models.CharField(default='UTC', max_length=63)),
                ('locale', models.CharField(default='en', max_length=10)),
                ('default_ttl_minutes', models.FloatField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(0.001)])),
                ('refresh_on_read', models.BooleanField(default=True)),
                ('trash_days', models.PositiveSmallIntegerField(default=30)),
                ('notice_days', models.PositiveSmallIntegerField(default=7, validators=[django.core.validators.MinValueValidator(1)])),
                ('default_decay', models.FloatField(default=0.95)),
                ('recency', models.FloatField(default=0.1, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('index_fields', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                ('kinds', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=63), blank=True, default=list, size=None)),
                ('versions_kept', models.PositiveSmallIntegerField(default=20)),
                ('embedding_profile', models.CharField(blank=True, default='', max_length=63)),
                ('active_ruleset', models.PositiveIntegerField(default=0)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('default_ttl_minutes__isnull', True), ('default_ttl_minutes__gt', 0), _connector='OR'), name='tenant_ttl_positive'), models.CheckConstraint(condition=models.Q(('notice_days__gte', 1)), name='tenant_notice_at_least_1'), models.CheckConstraint(condition=models.Q(('default_decay__gt', 0), ('default_decay__lte', 1)), name='tenant_decay_range'), models.CheckConstraint(condition=models.Q(('recency__gte', 0), ('recency__lte', 1)), name='tenant_recency_range')],
            },
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.CharField(max_length=12, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=200)),
                ('secret_hash', models.CharField(max_length=64)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=32), size=None)),
                ('prefixes', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                ('networks', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.CharField(blank=True, max_length=254)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_keys', to='tenants.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Schedule',
            fields=[
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('job', models.CharField(max_length=32)),
                ('scope', models.TextField(blank=True, db_collation='C', default='')),
                ('interval_seconds', models.FloatField(default=60)),
                ('next_at', models.DateTimeField()),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='schedules', to='tenants.tenant')),
            ],
            options={
                'indexes': [models.Index(fields=['job', 'next_at'], name='schedule_due')],
                'constraints': [models.UniqueConstraint(fields=('tenant', 'job', 'scope'), name='schedule_once')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('role', models.CharField(choices=[('admin', 'admin'), ('officer', 'officer'), ('auditor', 'auditor'), ('viewer', 'viewer')], max_length=16)),
                ('prefixes', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='tenants.tenant')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'tenant'), name='membership_once')],
            },
        ),
        GrantToApp('tenants_tenant', 'SELECT, INSERT, UPDATE'),
        GrantToApp('tenants_user'),
        GrantToApp('tenants_user_groups'),
        GrantToApp('tenants_user_user_permissions'),
        GrantToApp('tenants_membership'),
        GrantToApp('tenants_apikey'),
        GrantToApp('tenants_schedule'),
        migrations.RunSQL(HUB_ACT, 'DROP FUNCTION hub_act(uuid, boolean)'),
        migrations.RunPython(create_platform_tenant, migrations.RunPython.noop),
    ]
