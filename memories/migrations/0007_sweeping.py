"""What sweeps do beside hiding and destroying; reviews, findings, the calendar, tallies."""

import django.db.models.deletion
import tenants.context
import tenants.ids
from django.db import migrations, models

from tenants.rls import CreateTenantModel, GrantToApp

CALENDARS = """
INSERT INTO tenants_schedule (id, tenant_id, job, scope, interval_seconds, next_at)
SELECT uuidv7(), s.tenant_id, 'calendar', '', 86400, now()
FROM tenants_schedule s WHERE s.job = 'sweep' AND s.scope = ''
ON CONFLICT DO NOTHING
"""
"""Tenants that are there already; new ones get it as they are made."""


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0006_holds_and_requests'),
        ('tenants', '0007_backup_retention'),
    ]

    operations = [
        CreateTenantModel(
            name='CalendarDay',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('job_id', models.UUIDField()),
                ('day', models.DateField()),
                ('rule', models.CharField(blank=True, default='', max_length=128)),
                ('leaves', models.PositiveIntegerField(default=0)),
                ('destroyed', models.PositiveIntegerField(default=0)),
            ],
            options={
                'base_manager_name': 'objects',
            },
        ),
        migrations.CreateModel(
            name='SweepTally',
            fields=[
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('scope', models.TextField(blank=True, db_collation='C', default='')),
                ('done', models.JSONField(default=dict)),
                ('due', models.PositiveIntegerField(default=0)),
                ('lag_seconds', models.FloatField(default=0)),
            ],
        ),
        migrations.AddField(
            model_name='finding',
            name='namespace',
            field=models.TextField(blank=True, db_collation='C', db_default='', default=''),
        ),
        migrations.AddField(
            model_name='memory',
            name='acts_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='acts_at_b',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='anonymised_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='archive_noted_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='original_kept_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='review_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='review_at_b',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='reviewed_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddIndex(
            model_name='finding',
            index=models.Index(condition=models.Q(('closed_at__isnull', True)), fields=['tenant_id', 'memory_id'], name='finding_open'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('acts_at__isnull', False)), fields=['tenant_id', 'acts_at'], name='memory_acting'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('acts_at_b__isnull', False)), fields=['tenant_id', 'acts_at_b'], name='memory_acting_b'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('review_at__isnull', False)), fields=['tenant_id', 'review_at', 'id'], name='memory_review'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('review_at_b__isnull', False)), fields=['tenant_id', 'review_at_b', 'id'], name='memory_review_b'),
        ),
        migrations.AddConstraint(
            model_name='calendarday',
            constraint=models.UniqueConstraint(fields=('tenant_id', 'job_id', 'day', 'rule'), name='calendar_day_once'),
        ),
        migrations.AddField(
            model_name='sweeptally',
            name='tenant',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tenants.tenant'),
        ),
        migrations.AddConstraint(
            model_name='sweeptally',
            constraint=models.UniqueConstraint(fields=('tenant', 'scope'), name='sweep_tally_once'),
        ),
        GrantToApp('memories_sweeptally'),
        migrations.RunSQL(CALENDARS, migrations.RunSQL.noop),
    ]
