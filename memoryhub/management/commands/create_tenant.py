"""`create_tenant SLUG --name NAME`: a new tenant; prints its id."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from tenants.access.provisioning import create_tenant
from tenants.commanding import HubCommand


class Command(HubCommand):
    help = "Create a tenant and print its id."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--name", required=True)
        parser.add_argument("--exist-ok", action="store_true", help="0 also when it exists")

    def run(self, **options: Any) -> None:
        tenant = create_tenant(options["slug"], name=options["name"], exist_ok=options["exist_ok"])
        facts = {"id": str(tenant.id), "slug": tenant.slug, "name": tenant.name}
        self.answer(facts, str(tenant.id), as_json=options["json"])
