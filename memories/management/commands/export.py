"""`export SLUG FILE`: the memories in use as JSON lines (docs/moving.md)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from memories.moving.progress import Progress
from memories.moving.states import State
from memories.moving.taking_out import export_memories
from memories.statements.lookup import count_visible_below
from tenants.actors import operator_actor
from tenants.commanding import HubCommand, open_tenant
from tenants.context import acting_as, now


class Command(HubCommand):
    help = "Export the memories of a tenant as JSON lines; run again after a kill, it goes on."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("file", type=Path)

    def run(self, **options: Any) -> None:
        tenant, path = open_tenant(options["slug"]), options["file"]
        with acting_as(operator_actor(tenant.id)):
            with transaction.atomic():
                total = count_visible_below(("",), at=now(), most=None)
            bar = Progress(sys.stderr, "export", total)

            def show(state: State) -> None:
                bar.show(state.done, state.done)

            try:
                state = export_memories(path, on_chunk=show)
            except OSError as error:
                raise CommandError(f"{path}: {error.strerror}") from None
        bar.show(total, state.done, last=True)
        facts = {"memories": state.done, "file": str(path), "bytes": path.stat().st_size}
        self.answer(facts, f"{state.done} memories in {path}", as_json=options["json"])
