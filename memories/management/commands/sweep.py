"""`sweep [--tenant SLUG] [--prefix a/b] [--dry-run] [--gently]`: sweep now, print the counts."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from memories.namespaces import encode, parse_path
from memories.sweeping import sweep_now
from tenants.actors import operator_actor
from tenants.commanding import HubCommand, open_tenant
from tenants.context import acting_as
from tenants.ids import PLATFORM_TENANT
from tenants.models import Tenant
from tenants.yielding import give_way


class Command(HubCommand):
    help = "Sweep expired memories now and print what was done."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--tenant", metavar="SLUG", help="default: every tenant")
        parser.add_argument("--prefix", default="", metavar="a/b", help="a stored namespace path")
        parser.add_argument("--dry-run", action="store_true", help="count only")
        parser.add_argument(
            "--gently", action="store_true", help="give way to requests, as a worker does"
        )

    def run(self, **options: Any) -> None:
        if options["gently"]:
            give_way()
        prefix = encode(parse_path(options["prefix"], path="prefix"))
        runs: list[dict[str, Any]] = []
        for tenant in self._tenants(options["tenant"]):
            with acting_as(operator_actor(tenant.id)):
                run = sweep_now(prefix, trigger="command", dry_run=options["dry_run"])
            runs.append({"tenant": tenant.slug, "run": str(run.id), "counts": run.counts})
        total: dict[str, int] = {}
        for one in runs:
            for name, count in one["counts"].items():
                total[name] = total.get(name, 0) + count
        text = ", ".join(f"{name} {count}" for name, count in total.items())
        facts = {"counts": total, "dry_run": options["dry_run"], "runs": runs}
        self.answer(facts, text or "no tenants", as_json=options["json"])

    def _tenants(self, slug: str | None) -> list[Tenant]:
        if slug is not None:
            return [open_tenant(slug)]
        return list(Tenant.objects.filter(closed_at=None).exclude(id=PLATFORM_TENANT))
