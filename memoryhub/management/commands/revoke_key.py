"""`revoke_key ID`: end a key; every process refuses it within five seconds."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from tenants.access.provisioning import revoke_key
from tenants.actors import operator_actor
from tenants.commanding import HubCommand
from tenants.context import acting_as
from tenants.models import ApiKey


class Command(HubCommand):
    help = "Revoke an API key."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("id", help="the key's id, with or without mh_")

    def run(self, **options: Any) -> None:
        identifier = options["id"].removeprefix("mh_").partition("_")[0]
        found = ApiKey.objects.filter(id=identifier).first()
        if found is None:
            raise CommandError(f"There is no key {identifier}.")
        with acting_as(operator_actor(found.tenant_id)):
            row = revoke_key(identifier)
        facts = {"id": row.id, "revoked_at": row.revoked_at}
        self.answer(facts, f"{row.id} revoked", as_json=options["json"])
