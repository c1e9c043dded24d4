"""What is told of a command of ours that ended badly."""

from __future__ import annotations

import pytest

from memoryhub.supervising.running import find_reason

TRACE = """\
Traceback (most recent call last):
  File "manage.py", line 1, in <module>
django.db.utils.ProgrammingError: function f(uuid) does not exist
LINE 1: SELECT f(1)
               ^
HINT:  No function matches the given name and argument types.

"""


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (TRACE, "django.db.utils.ProgrammingError: function f(uuid) does not exist"),
        ("CommandError: no such tenant\n", "CommandError: no such tenant"),
        ("first\nAddress already in use\n\n", "Address already in use"),
        ("", "it said nothing"),
    ],
)
def test_the_reason_is_the_line_that_names_the_error(said: str, reason: str) -> None:
    assert find_reason(said) == reason
