"""Findings say what an officer released, so that the next scan does not take it away again."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("privacy", "0002_data_subjects"),)

    operations = (
        migrations.AddField(
            model_name="piifinding",
            name="released",
            field=models.BooleanField(db_default=False, default=False),
        ),
    )
