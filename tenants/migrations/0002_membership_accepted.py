"""A membership is an invitation until the person accepts it; who belongs already has accepted."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenants', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='membership',
            name='accepted_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunSQL(
            'UPDATE tenants_membership SET accepted_at = created_at', migrations.RunSQL.noop
        ),
    ]
