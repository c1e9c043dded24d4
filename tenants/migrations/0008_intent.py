"""What a tenant says of the intent filter: off, or prototypes of its own."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenants', '0007_backup_retention'),
    ]

    operations = [
        migrations.AddField(
            model_name='tenant',
            name='intent',
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
    ]
