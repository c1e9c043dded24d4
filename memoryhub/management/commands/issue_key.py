"""`issue_key SLUG --name NAME`: a key for a machine, printed once, alone on stdout."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from memories.namespaces import encode, parse_path
from tenants.access.provisioning import issue_key
from tenants.actors import operator_actor
from tenants.commanding import HubCommand, open_tenant, parse_duration
from tenants.context import acting_as


class Command(HubCommand):
    help = "Issue an API key and print it, once."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--name", required=True)
        parser.add_argument("--scopes", default="", help="comma-separated; default: an agent's")
        parser.add_argument("--prefix", nargs="+", action="extend", default=[], metavar="PATH")
        parser.add_argument("--network", nargs="+", action="extend", default=[], metavar="CIDR")
        parser.add_argument("--expires", metavar="90d", help="90d, 12h, 30m or 2w")

    def run(self, **options: Any) -> None:
        tenant = open_tenant(options["slug"])
        expires = parse_duration(options["expires"]) if options["expires"] else None
        with acting_as(operator_actor(tenant.id)):
            key = issue_key(
                tenant,
                name=options["name"],
                scopes=[scope.strip() for scope in options["scopes"].split(",") if scope.strip()],
                prefixes=[encode(parse_path(path, path="prefix")) for path in options["prefix"]],
                networks=options["network"],
                expires_in=expires,
            )
        facts = {
            "id": key.row.id, "key": str(key.text), "scopes": key.row.scopes,
            "prefixes": key.row.prefixes, "expires_at": key.row.expires_at,
        }  # fmt: skip
        self.answer(facts, str(key.text), as_json=options["json"])
