"""Labels of namespaces stand in events by a name that commits to them; what a name means may go."""

import tenants.context
import tenants.ids
from django.db import migrations, models

from tenants.rls import CreateTenantModel

# An event is drafted with U+0001 before each label that is to be named, and in the payload with
# U+0001 for the whole path and U+0002 for the subjects, which only the statement may know. Neither
# can stand there otherwise: stored paths and JSON texts escape both.
#
# Two transactions that meet a label first at once give it two names: nobody waits for anybody, and
# whoever looks a label up asks for all of its names. Without seqscan, because the plan is kept while
# the table grows.
FUNCTIONS = r"""
CREATE FUNCTION hub_label_name(id uuid, label text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'n_' || left(encode(sha256(uuid_send(id) || convert_to(label, 'UTF8')), 'hex'), 32)
$$;

CREATE FUNCTION hub_name_labels() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  part text;
  known text;
  made uuid;
  path text := '';
BEGIN
  IF strpos(NEW.namespace, chr(1)) > 0 THEN
    FOREACH part IN ARRAY string_to_array(left(NEW.namespace, -1), '/') LOOP
      IF left(part, 1) = chr(1) THEN
        part := substr(part, 2);
        SELECT l.name INTO known FROM audit_loggedlabel l
          WHERE l.tenant_id = NEW.tenant_id AND l.label = part LIMIT 1;
        IF known IS NULL THEN
          made := gen_random_uuid();
          known := hub_label_name(made, part);
          INSERT INTO audit_loggedlabel (tenant_id, id, name, label)
            VALUES (NEW.tenant_id, made, known, part);
        END IF;
        part := known;
      END IF;
      path := path || part || '/';
    END LOOP;
    NEW.namespace := path;
  END IF;
  NEW.payload := replace(
    replace(NEW.payload, chr(1), coalesce(to_json(NEW.namespace)::text, 'null')),
    chr(2), array_to_json(NEW.subjects)::text
  );
  RETURN NEW;
END $$;

CREATE TRIGGER event_labels BEFORE INSERT ON audit_event FOR EACH ROW
  WHEN (strpos(NEW.payload, chr(1)) > 0 OR strpos(NEW.payload, chr(2)) > 0)
  EXECUTE FUNCTION hub_name_labels();

-- A path of the log with the labels that its names still lead to, and fit.
CREATE FUNCTION hub_clear_path(tenant uuid, path text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN strpos(path, 'n_') = 0 THEN path ELSE (
    SELECT string_agg(coalesce(
      (SELECT l.label FROM audit_loggedlabel l WHERE l.tenant_id = tenant AND l.name = p.part
         AND l.name = hub_label_name(l.id, l.label)),
      p.part), '/' ORDER BY p.n) || '/'
    FROM unnest(string_to_array(left(path, -1), '/')) WITH ORDINALITY AS p (part, n)
  ) END
$$;

-- A regular expression for all paths of the log in and below a stored prefix: each label as it is,
-- as older events have it, or by any of its names.
CREATE FUNCTION hub_path_pattern(tenant uuid, prefix text, ending text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT '^' || coalesce(string_agg('(' || concat_ws('|',
      regexp_replace(p.part, '([][\\^$.|?*+(){}])', '\\\1', 'g'),
      (SELECT string_agg(l.name, '|') FROM audit_loggedlabel l
         WHERE l.tenant_id = tenant AND l.label = p.part)
    ) || ')/', '' ORDER BY p.n), '') || ending
  FROM unnest(string_to_array(left(prefix, -1), '/')) WITH ORDINALITY AS p (part, n)
$$;
"""


class Migration(migrations.Migration):

    dependencies = [('audit', '0004_log_retention')]

    operations = [
        CreateTenantModel(
            name='LoggedLabel',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField(default=tenants.context.current_tenant_id, editable=False)),
                ('id', models.UUIDField(default=tenants.ids.uuid7, editable=False)),
                ('name', models.CharField(max_length=34)),
                ('label', models.TextField(db_collation='C')),
            ],
            options={
                'base_manager_name': 'objects',
                'indexes': [models.Index(fields=['tenant_id', 'label'], name='logged_label_names')],
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'name'), name='logged_label_once')],
            },
            rights='SELECT, INSERT, DELETE',
        ),
        migrations.RunSQL(FUNCTIONS, migrations.RunSQL.noop),
    ]
