"""Room on each page for the new version of a memory that is read.

A read moves `accessed_at`, which no index holds. With room on its page the new version needs no
entry in any of the indexes, not one for each lexeme either, and the old one goes with the next read
of the page.
"""

from django.conf import settings
from django.db import migrations

SHARE = 85
TABLE = 'memories_memory'


def alter(operation):
    def run(apps, schema_editor):
        count = settings.MEMORY_PARTITIONS
        for part in [f'{TABLE}_p{number:02}' for number in range(count)] or [TABLE]:
            schema_editor.execute(f'ALTER TABLE "{part}" {operation}')

    return run


class Migration(migrations.Migration):

    dependencies = [('memories', '0013_trashed_by_namespace')]

    operations = [
        migrations.RunPython(alter(f'SET (fillfactor = {SHARE})'), alter('RESET (fillfactor)')),
    ]
