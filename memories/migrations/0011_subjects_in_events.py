"""The pseudonym beside each subject of a memory, and events that take it from there."""

from django.db import migrations, models

# An event that is drafted without subjects is about the memories that it names: its target, or the
# ids among its links. Its name comes before that of `event_labels`, so it fires first.
TRIGGER = """
CREATE FUNCTION hub_fill_subjects() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF NEW.target_kind = 'memory' THEN
    SELECT array_agg(DISTINCT s.pseudonym ORDER BY s.pseudonym) INTO NEW.subjects
      FROM memories_memorysubject s
      WHERE s.tenant_id = NEW.tenant_id AND s.memory_id = NEW.target_id::uuid
        AND s.pseudonym IS NOT NULL;
  ELSE
    SELECT array_agg(DISTINCT s.pseudonym ORDER BY s.pseudonym) INTO NEW.subjects
      FROM memories_memorysubject s
      WHERE s.tenant_id = NEW.tenant_id AND s.pseudonym IS NOT NULL
        AND s.memory_id = ANY (ARRAY(SELECT jsonb_array_elements_text(NEW.links -> 'ids')::uuid));
  END IF;
  NEW.subjects := coalesce(NEW.subjects, '{}');
  RETURN NEW;
END $$;
CREATE TRIGGER event_about BEFORE INSERT ON audit_event FOR EACH ROW
  WHEN (NEW.subjects IS NULL) EXECUTE FUNCTION hub_fill_subjects();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0005_labels_by_name'),
        ('memories', '0010_fingerprints_and_statistics'),
    ]

    operations = [
        migrations.AddField(
            model_name='memorysubject',
            name='pseudonym',
            field=models.CharField(max_length=32, null=True),
        ),
        migrations.RunSQL(TRIGGER, migrations.RunSQL.noop),
    ]
