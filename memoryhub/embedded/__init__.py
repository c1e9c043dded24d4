"""The embedded Postgres and Valkey: `running` starts them, `locate` knows where they are.

Their packages bring the programs; the start-up is ours. Nothing here reads
Django's settings, because the settings read this.
"""

from memoryhub.embedded.addresses import DATABASE, Endpoints, celery_url, django_database, locate
from memoryhub.embedded.databases import create_database, drop_database
from memoryhub.embedded.failures import StartFailure
from memoryhub.embedded.passwords import secret
from memoryhub.embedded.sharing import SERVERS, find_servers, revive, running

__all__ = [
    "DATABASE",
    "SERVERS",
    "Endpoints",
    "StartFailure",
    "celery_url",
    "create_database",
    "django_database",
    "drop_database",
    "find_servers",
    "locate",
    "revive",
    "running",
    "secret",
]
