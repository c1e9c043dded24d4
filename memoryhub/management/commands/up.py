"""`manage.py up`: everything, in one terminal."""

import os
import sys
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from memoryhub.errors import HubError
from memoryhub.supervising import Options, Supervisor


def _port(text: str) -> int:
    if text.isdecimal() and int(text) <= 65535:
        return int(text)
    raise ArgumentTypeError(f"{text} is not a port: a number up to 65535 (0: any free one)")


class Command(BaseCommand):
    """Starts the servers, migrates, and keeps web, worker and beat running until Ctrl-C."""

    help = "Start everything: Postgres and Valkey (embedded), web, worker and beat."
    requires_system_checks = ()  # the database they look into is not there yet

    def add_arguments(self, parser: CommandParser) -> None:
        """Ports and folders; each may come from the environment."""
        parser.add_argument("--port", type=_port, default=os.environ.get("PORT") or "8000")
        parser.add_argument("--host", default=os.environ.get("MEMORYHUB_HOST") or "127.0.0.1")
        parser.add_argument("--data", type=Path, default=Path(settings.DATA_DIR))
        parser.add_argument("--no-demo", action="store_true", help="make no demo tenant")

    def handle(self, *_: Any, **options: Any) -> None:
        """Translates what cannot be started into one sentence and exit code 1."""
        try:
            Supervisor(
                Options(
                    data=options["data"],
                    host=options["host"],
                    port=options["port"],
                    demo=not options["no_demo"],
                ),
                self._say,
            ).run()
        except HubError as error:
            self.stderr.write(error.detail)
            sys.exit(1)
        except KeyboardInterrupt:
            sys.exit(130)  # the third Ctrl-C: no patience for an orderly end

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
