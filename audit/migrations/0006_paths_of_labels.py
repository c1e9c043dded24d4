"""Paths of the log found by the few forms that a prefix has, instead of by a regular expression."""

from django.db import migrations

# An event has its labels in clear (from before) or by their names, never mixed. `marked` is a stored
# prefix with U+0001 before each label that is named.
FUNCTIONS = r"""
CREATE FUNCTION hub_paths_of(tenant uuid, marked text) RETURNS text[]
LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
DECLARE
  part text;
  paths text[] := ARRAY[''];
BEGIN
  FOREACH part IN ARRAY string_to_array(left(marked, -1), '/') LOOP
    IF left(part, 1) = chr(1) THEN
      paths := ARRAY(
        SELECT p || l.name || '/' FROM unnest(paths) AS p, audit_loggedlabel l
        WHERE l.tenant_id = tenant AND l.label = substr(part, 2)
      );
    ELSE
      paths := ARRAY(SELECT p || part || '/' FROM unnest(paths) AS p);
    END IF;
  END LOOP;
  RETURN ARRAY[replace(marked, chr(1), '')] || paths;
END $$;
DROP FUNCTION hub_path_pattern(uuid, text, text);
DROP FUNCTION hub_clear_path(uuid, text);
"""


class Migration(migrations.Migration):

    dependencies = [('audit', '0005_labels_by_name')]

    operations = [migrations.RunSQL(FUNCTIONS, migrations.RunSQL.noop)]
