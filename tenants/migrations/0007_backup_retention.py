"""How long backups are kept, so that a certificate can say when the last copy ends."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenants', '0006_holds'),
    ]

    operations = [
        migrations.AddField(
            model_name='tenant',
            name='backup_retention_days',
            field=models.PositiveSmallIntegerField(db_default=35, default=35),
        ),
    ]
