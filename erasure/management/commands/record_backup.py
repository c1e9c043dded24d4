"""`record_backup --taken-at --expires-at`: so that certificates can say when the last copy ends."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.core.management.base import CommandError, CommandParser

from erasure.backups import record_backup
from tenants.commanding import HubCommand


class Command(HubCommand):
    help = (
        "Record that a copy of the database was taken and when it will be destroyed. Certificates "
        "of erasure name the end of the last copy."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--taken-at", required=True, metavar="2026-03-24T12:06:00Z")
        parser.add_argument("--expires-at", required=True, metavar="2026-06-24T12:06:00Z")

    def run(self, **options: Any) -> None:
        taken, expires = _instant(options["taken_at"]), _instant(options["expires_at"])
        backup = record_backup(taken_at=taken, expires_at=expires)
        facts = {"id": str(backup.id), "taken_at": taken, "expires_at": expires}
        self.answer(facts, f"Recorded: a copy of {taken:%Y-%m-%d %H:%M} until {expires:%Y-%m-%d}.",
                    as_json=options["json"])  # fmt: skip


def _instant(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise CommandError(f"{text} is no instant: write 2026-03-24T12:06:00Z.") from None
    if at.tzinfo is None:
        raise CommandError(f"{text} has no offset: write 2026-03-24T12:06:00Z.")
    return at.astimezone(UTC)
