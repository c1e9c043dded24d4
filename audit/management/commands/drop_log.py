"""`drop_log FOLDER [--keep-months 72] [--dry-run]`: whole months leave the log, exported first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from audit.retaining import LEAST_MONTHS, USUAL_MONTHS, drop_month, list_due
from tenants.commanding import HubCommand


class Command(HubCommand):
    help = (
        "Export months of the log that are past its retention, verify the files, drop the months."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folder", type=Path, help="where the bundles go")
        parser.add_argument(
            "--keep-months", type=int, default=USUAL_MONTHS, metavar="N",
            help=f"the log's retention; {LEAST_MONTHS} at least, {USUAL_MONTHS} unless said",
        )  # fmt: skip
        parser.add_argument("--dry-run", action="store_true", help="only say which months")

    def run(self, **options: Any) -> None:
        months = list_due(options["keep_months"])
        if options["dry_run"]:
            names = [month.name for month in months]
            text = f"due: {', '.join(names) or 'nothing'}"
            return self.answer({"due": names}, text, as_json=options["json"])
        try:
            options["folder"].mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"{options['folder']} cannot be made: {error.strerror}") from None
        done = [drop_month(month, options["folder"]) for month in months]
        lines = [f"{one['month']}: {one['events']} events exported and dropped" for one in done]
        return self.answer({"dropped": done}, "\n".join(lines) or "nothing is due",
                           as_json=options["json"])  # fmt: skip
