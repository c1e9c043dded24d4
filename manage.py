#!/usr/bin/env python
"""Django's commands, with the embedded servers running for their duration where they are needed."""

import os
import sys
from contextlib import AbstractContextManager, nullcontext

# These need no servers of ours, or start them themselves.
WITHOUT_SERVERS = {"up", "pii_test", "help", "version", "--help", "-h", "--version",
                   "collectstatic", "compilemessages", "makemessages"}  # fmt: skip


def main() -> None:
    """Run the command named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    _let_data_option_count()
    # The settings make the data folder, so importing them can fail in ways that need a sentence.
    from memoryhub.errors import HubError

    try:
        from django.conf import settings
        from django.core.management import execute_from_command_line

        from memoryhub import embedded

        servers: AbstractContextManager[object] = nullcontext()
        if _needs_servers() and settings.EMBEDDED_SERVERS:
            servers = embedded.running(settings.DATA_DIR, servers=settings.EMBEDDED_SERVERS)
        with servers:
            execute_from_command_line(sys.argv)
    except HubError as error:
        sys.exit(error.detail)


def _needs_servers() -> bool:
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    is_pure = command == "policy_test" and "--tenant" not in sys.argv
    return not is_pure and command not in WITHOUT_SERVERS


def _let_data_option_count() -> None:
    """`up --data DIR` names the folder before the settings look for it."""
    if sys.argv[1:2] == ["up"] and "--data" in sys.argv[:-1]:
        os.environ["MEMORYHUB_DATA"] = sys.argv[sys.argv.index("--data") + 1]


if __name__ == "__main__":
    main()
