"""`event_newest` was the primary key read backwards."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [('audit', '0006_paths_of_labels')]

    operations = [migrations.RemoveIndex(model_name='event', name='event_newest')]
