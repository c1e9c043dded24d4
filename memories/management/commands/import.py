"""`import SLUG FILE [--format …]`: memories from a file or another store (docs/moving.md)."""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from memories.moving import states
from memories.moving.foreign import read_chroma, read_mem0
from memories.moving.items import Source
from memories.moving.langgraph import LanggraphStore
from memories.moving.lines import Lines
from memories.moving.progress import Progress
from memories.moving.states import State
from memories.moving.taking_in import import_items
from memories.namespaces import Labels, parse_path
from tenants.actors import operator_actor
from tenants.commanding import HubCommand, open_tenant
from tenants.context import acting_as
from tenants.models import Tenant

FORMATS = ("jsonl", "langgraph", "mem0", "chroma")


class Command(HubCommand):
    help = "Import memories; a second import adds nothing, and after a kill it goes on."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("file", help="a file; for langgraph the URL of the store's database")
        parser.add_argument("--format", choices=FORMATS, default="jsonl")
        parser.add_argument(
            "--namespace", default="", metavar="a/b", help="for mem0 and chroma: where to put them"
        )

    def run(self, **options: Any) -> None:
        tenant = open_tenant(options["slug"])
        labels = parse_path(options["namespace"], path="namespace")
        try:
            source = _open(options["format"], options["file"], labels)
            state = self._take_in(source, tenant, options["format"], options["file"])
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}") from None
        except psycopg.Error as error:
            raise CommandError(f"the store's database: {type(error).__name__}") from None
        facts = {"read": state.done, "added": state.added, "skipped": state.skipped}
        text = f"{state.added} added, {state.skipped} there already or over, of {state.done}"
        self.answer(facts, text, as_json=options["json"])

    def _take_in(self, source: Source, tenant: Tenant, kind: str, name: str) -> State:
        bar = Progress(sys.stderr, "import", source.total)

        def show(state: State) -> None:
            bar.show(source.position(state.mark), state.done)

        with acting_as(operator_actor(tenant.id)):
            identity = f"import {tenant.id} {kind} {source.total if kind == 'jsonl' else ''}"
            state = import_items(
                source, identity=identity, place=_state_of(kind, name), on_chunk=show
            )
        bar.show(source.total or 0, state.done, last=True)
        return state


def _open(kind: str, name: str, labels: Labels) -> Source:
    if kind == "langgraph":
        return LanggraphStore(name)
    path = Path(name)
    if kind == "jsonl":
        return Lines(path)
    return read_mem0(path, labels) if kind == "mem0" else read_chroma(path, labels)


def _state_of(kind: str, name: str) -> Path:
    """Beside the file; of a database in the hub's own folder, without its URL."""
    if kind != "langgraph":
        return states.beside(Path(name), "import")
    folder = Path(settings.DATA_DIR) / "imports"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder / sha256(name.encode()).hexdigest()[:24]
