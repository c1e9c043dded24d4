"""The count of changes of a tenant's legal holds, and the lock that destruction takes."""

from django.db import migrations, models

GUARD = """
-- What destroys memories calls this first: from here to the end of its transaction no hold is
-- placed (placing takes the same lock alone), and the count it returns is of this very moment. The
-- function is VOLATILE, so that its second statement sees what committed while the first waited.
CREATE FUNCTION hub_guard_destruction(tenant uuid) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('holds:' || tenant::text, 0));
  RETURN (SELECT t.holds FROM tenants_tenant t WHERE t.id = tenant);
END $$;
CREATE FUNCTION hub_change_holds(tenant uuid) RETURNS void LANGUAGE sql VOLATILE AS $$
  SELECT pg_advisory_xact_lock(hashtextextended('holds:' || tenant::text, 0));
$$;
"""
DROP = """
DROP FUNCTION hub_guard_destruction(uuid);
DROP FUNCTION hub_change_holds(uuid);
"""


class Migration(migrations.Migration):

    dependencies = [
        ('tenants', '0005_rule_sets'),
    ]

    operations = [
        migrations.AddField(
            model_name='tenant',
            name='holds',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.RunSQL(GUARD, DROP),
    ]
