from django.db import migrations, models

import tenants.rls

# A partition that only grows is analysed by Postgres after a tenth of it changed, a fresh one when
# the server next looks. Until then the planner guesses, and a plan made once for a key goes by the
# guess of that day (ANALYZE makes it anew). So: soon, and often.
ANALYSE_SOON = """
DO $$
DECLARE part regclass;
BEGIN
  FOR part IN
    SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent IN (
      'memories_memory'::regclass, 'memories_memoryvector'::regclass,
      'memories_memorysubject'::regclass
    )
  LOOP
    EXECUTE format('ALTER TABLE %s {change}', part);
  END LOOP;
END $$
"""
SET = "SET (autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.03)"
RESET = "RESET (autovacuum_analyze_threshold, autovacuum_analyze_scale_factor)"


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0009_lifetimes_of_tombstones'),
    ]

    operations = [
        migrations.AddField(
            model_name='embeddingprofile',
            name='fingerprint',
            field=models.TextField(blank=True, db_default='', default=''),
        ),
        migrations.AddField(
            model_name='embeddingprofile',
            name='changed_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        tenants.rls.GrantToApp('memories_embeddingprofile', 'UPDATE (fingerprint, changed_at)'),
        migrations.RunSQL(
            ANALYSE_SOON.format(change=SET), ANALYSE_SOON.format(change=RESET)
        ),
    ]
