"""What commands share: they act as the operator, answer in words or JSON, fail in a line."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import ProgrammingError

from memoryhub.errors import HubError, Invalid
from tenants.actors import operator_actor
from tenants.clock import instant_as_wire
from tenants.context import Origin, acting_as, coming_from
from tenants.ids import PLATFORM_TENANT, uuid7
from tenants.models import Tenant

NOT_MIGRATED = {"42P01", "42703", "42883"}
"""SQLSTATEs of a missing table, column and function."""

_DURATION = re.compile(r"(\d+)([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class HubCommand(BaseCommand):
    """Base: `run` does the work as the operator; expected failures are one line and exit 1."""

    requires_system_checks: ClassVar[list[str]] = []  # type: ignore[misc]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="answer in JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._run_migrated(**options)
        except Invalid as error:
            lines = "; ".join(f"{one.path}: {one.detail}" for one in error.errors)
            raise CommandError(lines) from None
        except HubError as error:
            raise CommandError(error.detail) from None

    def _run_migrated(self, **options: Any) -> None:
        """The work, as the operator; a new or old embedded database is migrated first.

        Found out by trying, because asking each time would cost every command half a second.
        """
        try:
            with coming_from(Origin(f"cmd-{uuid7().hex}")), acting_as(operator_actor()):
                self.run(**options)
        except ProgrammingError as error:
            if getattr(error.__cause__, "sqlstate", "") not in NOT_MIGRATED:
                raise
            if "postgres" not in settings.EMBEDDED_SERVERS:
                raise CommandError("The database is not migrated: run manage.py migrate.") from None
            call_command("migrate", verbosity=0)
            with acting_as(operator_actor()):
                self.run(**options)

    def run(self, **options: Any) -> None:
        """The command's work; to be written by each command."""
        raise NotImplementedError

    def answer(self, facts: dict[str, Any], text: str, *, as_json: bool) -> None:
        """The result, on stdout alone."""
        self.stdout.write(
            json.dumps(facts, default=_plain, ensure_ascii=False) if as_json else text
        )


def _plain(value: Any) -> str:
    """What JSON has no type for: an instant as the API writes it, in UTC with Z."""
    return instant_as_wire(value) if isinstance(value, datetime) else str(value)


def open_tenant(slug: str) -> Tenant:
    """The tenant named on the command line, or a CommandError that lists what there is."""
    tenant = Tenant.objects.filter(slug=slug, closed_at=None).first()
    if tenant is None:
        slugs = Tenant.objects.exclude(id=PLATFORM_TENANT).values_list("slug", flat=True)
        known = ", ".join(slugs.order_by("slug")[:20]) or "none yet"
        raise CommandError(f"There is no tenant {slug}. There are: {known}.")
    return tenant


def parse_duration(text: str) -> timedelta:
    """`90d`, `12h`, `30m` or `2w`."""
    found = _DURATION.fullmatch(text)
    if found is None or int(found[1]) == 0:
        raise CommandError("Write a duration as 90d, 12h, 30m or 2w.")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})
