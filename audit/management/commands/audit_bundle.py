"""`audit_bundle SLUG FILE [--from] [--to]`: a part of the log as a ZIP that anybody can verify."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from audit.management.commands.audit_verify import find_logs, read_instant
from audit.verifying.bundling import write_bundle
from audit.verifying.running import Span
from tenants.actors import operator_actor
from tenants.commanding import HubCommand
from tenants.context import acting_as


class Command(HubCommand):
    help = "Export events with proofs, checkpoints, the public key and the offline verifier."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="whose log; `platform` for the hub's own")
        parser.add_argument("file", type=Path)
        parser.add_argument("--from", dest="since", metavar="INSTANT")
        parser.add_argument("--to", dest="until", metavar="INSTANT", help="not included")

    def run(self, **options: Any) -> None:
        span = Span(read_instant(options["since"]), read_instant(options["until"]))
        ((tenant_id, _),) = find_logs(options["slug"])
        try:
            with acting_as(operator_actor(tenant_id)):
                manifest = write_bundle(span, options["file"])
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be written: {error.strerror}") from None
        facts = {"file": str(options["file"]), "events": manifest["events"]}
        text = f"{manifest['events']} events in {options['file']}"
        self.answer(facts, text, as_json=options["json"])
