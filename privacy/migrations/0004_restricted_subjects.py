"""What a subject request says of everything about a person, written later included."""

from django.db import migrations, models

from tenants.rls import GrantToApp


class Migration(migrations.Migration):

    dependencies = [('privacy', '0003_released_findings')]

    operations = [
        migrations.AddField(
            model_name='datasubject',
            name='erasure_verified_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='datasubject',
            name='restricted_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddIndex(
            model_name='datasubject',
            index=models.Index(
                fields=['tenant_id', 'subject_hash'],
                condition=models.Q(('erasure_verified_at__isnull', False), ('restricted_at__isnull', False), _connector='OR'),
                name='data_subject_restricted',
            ),
        ),
        GrantToApp('privacy_datasubject', 'UPDATE (erasure_verified_at, restricted_at)'),
    ]
