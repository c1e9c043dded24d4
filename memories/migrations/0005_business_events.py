"""Business events, and the marks that they leave on memories."""

import tenants.context
import tenants.ids
from django.db import migrations, models

from tenants.rls import CreateTenantModel


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0004_two_slots'),
    ]

    operations = [
        migrations.AddField(
            model_name='memory',
            name='events',
            field=models.JSONField(db_default={}, default=dict),
        ),
        CreateTenantModel(
            name='BusinessEvent',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('external_id', models.CharField(max_length=256)),
                ('type', models.CharField(max_length=128)),
                ('occurred_at', models.DateTimeField()),
                ('received_at', models.DateTimeField()),
                ('scope', models.JSONField()),
                ('matched', models.PositiveIntegerField(default=0)),
                ('applied_at', models.DateTimeField(null=True)),
            ],
            options={
                'base_manager_name': 'objects',
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'external_id'), name='business_event_once')],
            },
        ),
    ]
