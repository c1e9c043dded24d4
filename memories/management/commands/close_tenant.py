"""`close_tenant SLUG --export FILE`: exported, closed, dropped, keys gone; the certificate."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from audit.recording import Facts, Target, record
from memories.closing import close_tenant
from memories.moving.progress import Progress
from tenants.commanding import HubCommand


class Command(HubCommand):
    help = (
        "End a tenant for ever: its rows are dropped and its keys destroyed, so that older backups "
        "open nothing of it. Refused while a hold or a statutory floor keeps something. Its "
        "memories are exported first, or --no-export says that nobody wants them: nothing can be "
        "brought back."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        wanted = parser.add_mutually_exclusive_group(required=True)
        wanted.add_argument(
            "--export", metavar="FILE", type=Path, help="write its memories here first (JSON lines)"
        )
        wanted.add_argument("--no-export", action="store_true", help="nobody wants its memories")
        parser.add_argument("--certificate", metavar="FILE", help="write the certificate here too")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def run(self, **options: Any) -> None:
        slug = options["slug"]
        if sys.stdin.isatty() and not options["yes"]:
            self.stderr.write(f"This ends {slug} for ever. Type its name to go on:")
            if input() != slug:
                raise CommandError("Nothing was done.")
        if (options["export"] is None) != options["no_export"]:
            raise CommandError("Say --export FILE, or --no-export.")
        certificate = self._close(slug, options["export"])
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

    def _close(self, slug: str, export: Path | None) -> dict[str, Any]:
        bar = Progress(sys.stderr, "export", 0)
        try:
            return close_tenant(
                slug, export=export, on_chunk=lambda state: bar.show(state.done, state.done)
            )
        except OSError as error:
            raise CommandError(f"{export}: {error.strerror}") from None
