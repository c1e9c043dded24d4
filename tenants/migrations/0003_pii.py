"""The tenant's own actions for kinds of personal data."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenants', '0002_membership_accepted'),
    ]

    operations = [
        migrations.AddField(
            model_name='tenant',
            name='pii',
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
    ]
