"""What holds and subject requests do to a memory, and when it would go without them."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0005_business_events'),
    ]

    operations = [
        migrations.AddField(
            model_name='memory',
            name='due_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='due_at_b',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='erasure_approved_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='erasure_verified_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='hold_ids',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), db_default=[], default=list, size=None),
        ),
        migrations.AddField(
            model_name='memory',
            name='restricted_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='source_erased_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('due_at__isnull', False)), fields=['tenant_id', 'due_at'], name='memory_suspended'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('due_at_b__isnull', False)), fields=['tenant_id', 'due_at_b'], name='memory_suspended_b'),
        ),
    ]
