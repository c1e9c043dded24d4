"""Tenants that are there already get the job that counts their overview, as new ones do."""

from django.db import migrations

FIGURES = """
INSERT INTO tenants_schedule (id, tenant_id, job, scope, interval_seconds, next_at)
SELECT uuidv7(), s.tenant_id, 'figures', '', 300, now()
FROM tenants_schedule s WHERE s.job = 'sweep' AND s.scope = ''
ON CONFLICT DO NOTHING
"""


class Migration(migrations.Migration):

    dependencies = [
        ('tenants', '0009_access_review'),
    ]

    operations = [
        migrations.RunSQL(
            FIGURES, "DELETE FROM tenants_schedule WHERE job = 'figures'"
        ),
    ]
