"""The application's rights on tables that libraries made, and no stray constraints among them."""

from django.db import migrations

from tenants.rls import GrantToApp

LIBRARY_TABLES = ('auth_group', 'auth_group_permissions', 'auth_permission', 'django_content_type', 'django_session')

DROP_STRAY_KEYS = """
-- django-auditlog migrates its own, unused entry table; its keys would get in the way of ours.
DO $$
DECLARE
  stray record;
BEGIN
  FOR stray IN SELECT conname FROM pg_constraint WHERE conrelid = 'auditlog_logentry'::regclass AND contype = 'f' LOOP
    EXECUTE format('ALTER TABLE auditlog_logentry DROP CONSTRAINT %I', stray.conname);
  END LOOP;
END $$;
"""


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auditlog', '0017_add_actor_email'),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
        ('sessions', '0001_initial'),
        ('tenants', '0001_initial'),
    ]

    operations = [
        *[GrantToApp(table) for table in LIBRARY_TABLES],
        GrantToApp('django_migrations', 'SELECT'),
        migrations.RunSQL(DROP_STRAY_KEYS, migrations.RunSQL.noop),
    ]
