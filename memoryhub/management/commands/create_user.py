"""`create_user EMAIL --tenant SLUG --role ROLE`: a person with a role in a tenant."""

from __future__ import annotations

import sys
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser

from tenants.access.provisioning import create_user
from tenants.actors import operator_actor
from tenants.commanding import HubCommand, open_tenant
from tenants.context import acting_as
from tenants.roles import Role


class Command(HubCommand):
    help = "Create a person, or give one a role in another tenant; prints the id."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("email")
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--role", required=True, choices=[role.value for role in Role])
        parser.add_argument("--name", default="")
        parser.add_argument(
            "--password-stdin", action="store_true", help="read the password from standard input"
        )

    def run(self, **options: Any) -> None:
        password = self._password() if options["password_stdin"] else None
        tenant = open_tenant(options["tenant"])
        with acting_as(operator_actor(tenant.id)):
            user = create_user(
                options["email"],
                tenant=tenant,
                role=options["role"],
                password=password,
                name=options["name"],
            )
        facts = {"id": str(user.id), "email": user.email, "role": options["role"]}
        self.answer(facts, str(user.id), as_json=options["json"])

    def _password(self) -> str:
        password = sys.stdin.readline().rstrip("\r\n")
        try:
            validate_password(password)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        return password
