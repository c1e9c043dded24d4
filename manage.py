#!/usr/bin/env python
"""Django's commands, with the embedded servers running for their duration where they are needed."""

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from memoryhub import embedded

# These need no servers of ours, or start them themselves.
WITHOUT_SERVERS = {"up", "pii_test", "help", "version", "--help", "-h", "--version",
                   "collectstatic", "compilemessages", "makemessages"}  # fmt: skip


def main() -> None:
    """Run the command named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    from django.core.management import execute_from_command_line

    external = os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL")
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    is_pure = command == "policy_test" and "--tenant" not in sys.argv
    if external or is_pure or command in WITHOUT_SERVERS:
        servers: AbstractContextManager[object] = nullcontext()
    else:
        default = Path(__file__).resolve().parent / ".data"
        servers = embedded.running(Path(os.environ.get("MEMORYHUB_DATA", default)).resolve())
    with servers:
        execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
