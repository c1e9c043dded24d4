"""A caller's mark outlives the memory that it made: what is made anew is made by the same word."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [('conversations', '0001_initial')]

    operations = [
        migrations.AddField(
            model_name='opencandidate',
            name='marked',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
