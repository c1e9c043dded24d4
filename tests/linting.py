"""The settings with the migration linter, which only `make lint` needs."""

from memoryhub.settings import *  # noqa: F403
from memoryhub.settings import BASE_DIR, INSTALLED_APPS

MIGRATION_LINTER_OPTIONS = {
    "sql_analyser": "postgresql",  # it does not know our backend's name
    "include_apps": [app for app in INSTALLED_APPS if (BASE_DIR / app).is_dir()],
    "no_cache": True,
    "quiet": ["ok", "ignore", "warning"],
}
INSTALLED_APPS = [*INSTALLED_APPS, "django_migration_linter"]
