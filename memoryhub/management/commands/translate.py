"""`translate [--check]`: collect what the pages say, keep the .po whole, compile the .mo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryhub.translating.catalogue import Entry, compile_mo, read_po, write_po
from memoryhub.translating.collecting import collect

LOCALE = "zh_Hans"


class Command(BaseCommand):
    help = "Bring the Chinese catalogue up to date and compile it (no GNU gettext needed)."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="change nothing; fail when something is missing"
        )

    def handle(self, **options: Any) -> None:
        folder = Path(settings.LOCALE_PATHS[0]) / LOCALE / "LC_MESSAGES"
        source, compiled = folder / "django.po", folder / "django.mo"
        known = read_po(source) if source.exists() else {}
        found = collect(Path(settings.BASE_DIR))
        entries = [
            Entry(message, known[message.key].translations if message.key in known else [], places)
            for message, places in found.items()
        ]
        missing = [entry.message.text for entry in entries if not entry.is_translated]
        header = known.pop("", None)
        text = header.translations[0] if header else HEADER
        whole = {"": Entry(header.message, [text])} if header else {}
        whole |= {entry.message.key: entry for entry in entries}
        if options["check"]:
            stale = not compiled.exists() or compiled.read_bytes() != compile_mo(whole)
            if missing or stale:
                raise CommandError(f"not translated: {missing}; stale: {stale}")
            return
        folder.mkdir(parents=True, exist_ok=True)
        write_po(source, text, entries)
        compiled.write_bytes(compile_mo(read_po(source)))
        self.stdout.write(f"{len(entries)} texts, {len(missing)} not translated")


HEADER = (
    "Project-Id-Version: MemoryHub\n"
    "Language: zh_Hans\n"
    "MIME-Version: 1.0\n"
    "Content-Type: text/plain; charset=UTF-8\n"
    "Content-Transfer-Encoding: 8bit\n"
    "Plural-Forms: nplurals=1; plural=0;\n"
)
