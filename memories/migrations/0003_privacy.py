"""When a memory was looked at for personal data, and whether it is quarantined; findings go with it."""

from django.db import migrations, models

from tenants.rls import composite_key


class Migration(migrations.Migration):

    dependencies = [
        ('privacy', '0001_initial'),
        ('memories', '0002_search'),
    ]

    operations = [
        migrations.AddField(
            model_name='memory',
            name='detector',
            field=models.CharField(blank=True, db_default='', default='', max_length=32),
        ),
        migrations.AddField(
            model_name='memory',
            name='quarantined_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='scan_due_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='scanned_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('scanned_at__isnull', True)), fields=['tenant_id', 'scan_due_at'], name='memory_unscanned'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(fields=['tenant_id', 'detector'], name='memory_detector'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('quarantined_at__isnull', False)), fields=['tenant_id', '-quarantined_at', '-id'], name='memory_quarantined'),
        ),
        # findings go with their memory
        composite_key('privacy_piifinding', columns='tenant_id, memory_id', target='memories_memory', target_columns='tenant_id, id'),
    ]
