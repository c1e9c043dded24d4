"""The checks of Django that `make lint` runs: one process for all of them, as each takes seconds
to start. Ends with 1 and says what is wrong: `python -m tests.checking`.

The migrations are linted as Postgres would run them; that is the tests' own Postgres.
"""

from __future__ import annotations

import io
import os
import sys

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.linting"  # before the plugin's, which is the tests'

import django
from django.core.management import CommandError, call_command

from memoryhub import embedded
from tests.plugin import DATA

CHECKS: list[tuple[str, dict[str, object]]] = [
    ("makemigrations", {"check_changes": True, "dry_run": True, "verbosity": 0}),
    ("check", {"deploy": True, "fail_level": "WARNING", "verbosity": 0}),
    ("lintmigrations", {}),
]


def run_check(name: str, options: dict[str, object]) -> bool:
    """Whether the command finds nothing; what it finds goes to stderr."""
    said = io.StringIO()
    try:
        call_command(name, stdout=said, stderr=said, **options)
    except CommandError as error:
        sys.stderr.write(f"{name}: {error}\n")
    except SystemExit as end:
        if not end.code:
            return True
        sys.stderr.write(f"{name}: ended with {end.code}\n")
    else:
        return True
    sys.stderr.write(said.getvalue())
    return False


def main() -> int:
    """All checks, whichever fails."""
    django.setup()
    with embedded.running(DATA):
        found = [name for name, options in CHECKS if not run_check(name, options)]
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
