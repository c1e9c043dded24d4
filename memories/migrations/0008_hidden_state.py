"""The state of a memory once it is hidden, stored; and a way to those that keep a hold."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0007_sweeping'),
    ]

    operations = [
        migrations.AddField(
            model_name='memory',
            name='hidden_as',
            field=models.CharField(max_length=16, null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='hidden_as_b',
            field=models.CharField(max_length=16, null=True),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('hold_ids', []), _negated=True), fields=['tenant_id', 'id'], name='memory_keeping_holds'),
        ),
    ]
