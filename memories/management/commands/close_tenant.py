"""`close_tenant SLUG`: close it, drop its rows, destroy its keys; prints the certificate."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from audit.recording import Facts, Target, record
from memories.closing import close_tenant
from tenants.commanding import HubCommand


class Command(HubCommand):
    help = (
        "End a tenant for ever: its rows are dropped and its keys destroyed, so that older backups "
        "open nothing of it. Refused while a hold or a statutory floor keeps something. Export "
        "first (`export SLUG FILE`): nothing can be brought back."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--certificate", metavar="FILE", help="write the certificate here too")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def run(self, **options: Any) -> None:
        slug = options["slug"]
        if sys.stdin.isatty() and not options["yes"]:
            self.stderr.write(f"This ends {slug} for ever. Type its name to go on:")
            if input() != slug:
                raise CommandError("Nothing was done.")
        certificate = close_tenant(slug)
        with transaction.atomic():  # the platform's log keeps it when the tenant's is gone
            record(
                "tenant.close",
                Target("tenant", certificate["tenant"]),
                Facts(links={"slug": slug, "certificate": certificate["sha256"]}),
            )
        text = json.dumps(certificate, indent=2, ensure_ascii=False)
        if options["certificate"]:
            Path(options["certificate"]).write_text(text + "\n", encoding="utf-8")
        self.answer(certificate, text, as_json=options["json"])
