"""`rotate_keys [--tenant SLUG] [--root]`: new keys, and what they sealed sealed again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from audit.recording import Facts, Target, record
from memories.rotating import rotate_if_due, rotate_tenant_key
from sealing.rotating import rotate_root
from tenants.actors import operator_actor
from tenants.commanding import HubCommand, open_tenant
from tenants.context import acting_as
from tenants.ids import PLATFORM_TENANT
from tenants.models import Tenant


class Command(HubCommand):
    help = (
        "Rotate the keys of tenants that are due (2^30 uses or 90 days), of one tenant at once, or "
        "the root key. What was sealed before stays readable; killed, it may be run again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--tenant", metavar="SLUG", help="rotate this tenant's key now")
        parser.add_argument("--root", action="store_true", help="rotate the root key")

    def run(self, **options: Any) -> None:
        rotated: dict[str, int] = {}
        if options["root"]:
            rotated["root"] = self._follow("root key", rotate_root())
            with transaction.atomic():
                record("keys.rotate", Target("root"), Facts(counts={"n": rotated["root"]}))
        elif options["tenant"]:
            tenant = open_tenant(options["tenant"])
            with acting_as(operator_actor(tenant.id)):
                steps = ((one.done, one.total) for one in rotate_tenant_key())
                rotated[tenant.slug] = self._follow(tenant.slug, steps)
        else:
            for tenant in Tenant.objects.filter(closed_at=None).exclude(id=PLATFORM_TENANT):
                with acting_as(operator_actor(tenant.id)):
                    done = rotate_if_due()
                if done:
                    rotated[tenant.slug] = done[-1].done
        text = ", ".join(f"{name}: {count}" for name, count in rotated.items())
        self.answer({"rotated": rotated}, text or "nothing was due", as_json=options["json"])

    def _follow(self, name: str, steps: Iterator[tuple[int, int]]) -> int:
        """Show progress on stderr; how many were done."""
        done = 0
        for done, total in steps:
            if self.stderr.isatty() or done == total:
                self.stderr.write(f"{name}: {done} of {total}", ending="\n")
        return done
