"""Data subjects by pseudonym."""

import tenants.context
import tenants.ids
from django.db import migrations, models

from tenants.rls import CreateTenantModel


class Migration(migrations.Migration):

    dependencies = [('privacy', '0001_initial')]

    operations = [
        CreateTenantModel(
            name='DataSubject',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('subject_hash', models.CharField(max_length=64)),
                ('pseudonym', models.CharField(max_length=32)),
                ('sealed', models.BinaryField()),
                ('made_at', models.DateTimeField()),
            ],
            options={
                'base_manager_name': 'objects',
                'constraints': [
                    models.UniqueConstraint(fields=('tenant_id', 'subject_hash'), name='data_subject_once'),
                    models.UniqueConstraint(fields=('tenant_id', 'pseudonym'), name='pseudonym_once'),
                ],
            },
            rights='SELECT, INSERT, DELETE',
        ),
    ]
