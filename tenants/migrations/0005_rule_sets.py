"""Which rules are in force or staged, and which of a memory's two sets of dates counts."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tenants', '0004_quotas'),
    ]

    operations = [
        migrations.AddField(
            model_name='tenant',
            name='activation_share',
            field=models.FloatField(db_default=0.01, default=0.01, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)]),
        ),
        migrations.AddField(
            model_name='tenant',
            name='data_share',
            field=models.FloatField(db_default=0.1, default=0.1, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)]),
        ),
        migrations.AddField(
            model_name='tenant',
            name='date_slot',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='tenant',
            name='last_ruleset',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='tenant',
            name='staged_ruleset',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddConstraint(
            model_name='tenant',
            constraint=models.CheckConstraint(condition=models.Q(('date_slot__lte', 1)), name='tenant_date_slot'),
        ),
    ]
