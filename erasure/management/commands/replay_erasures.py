"""`replay_erasures`: erase again what a restored database brought back; `up` runs it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from erasure.ledger import LedgerDamaged
from erasure.replaying import replay_erasures
from tenants.commanding import HubCommand


class Command(HubCommand):
    help = (
        "Carry out every erasure of the ledger (a file beside the database) that this database "
        "lacks. Run it after restoring a backup and before web starts: web answers 503 until then."
    )

    def run(self, **options: Any) -> None:
        try:
            done = replay_erasures()
        except LedgerDamaged as damage:
            raise CommandError(f"{damage}: look at it before anything is answered.") from None
        facts = [
            {"entry": str(one.entry), "tenant": str(one.tenant_id), "destroyed": one.destroyed,
             "kept": one.kept}
            for one in done
        ]  # fmt: skip
        gone, kept = sum(one.destroyed for one in done), sum(one.kept for one in done)
        text = f"{len(done)} erasures carried out again: {gone} memories destroyed, {kept} kept."
        self.answer({"replayed": facts}, text if done else "Nothing is missing.",
                    as_json=options["json"])  # fmt: skip
