"""Writing again what lost a race, so that every write ends.

Rows are locked in one order of keys, but a key without a row cannot be locked. Two writers that
create one key at once meet in its unique index: one waits, finds the key taken (or itself in a
circle of waiting, which Postgres ends) and runs again. Meeting the same writers again it may lose
again, any number of times. So who has lost twice goes alone: no other writer of the tenant runs
beside it, and nothing is left to lose against. Writers that have not lost hinder nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.db import DatabaseError, IntegrityError, OperationalError, transaction

from tenants.context import Turn, taking_turn

ATTEMPTS = 8
TOGETHER = 2
FOREIGN_KEY, DEADLOCK = "23503", "40P01"
T = TypeVar("T")


class RulesMoved(Exception):
    """What was prepared went by older rules of personal data: prepare again."""


class KeyTaken(Exception):
    """Another transaction created one of our keys first: run again."""


def with_newest_rules(work: Callable[[], T]) -> T:
    """Prepare and apply, again when the rules of personal data changed in between.

    What is prepared outside a transaction goes by a snapshot of the tenant's settings; the
    transaction knows their newest version, and stores nothing that was protected by older rules.
    """
    for attempt in range(ATTEMPTS):
        try:
            return work()
        except RulesMoved:
            if attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


def retry_when_taken(work: Callable[[], T]) -> T:
    """Run `work` in a transaction, and again when it lost a race; from the third time on alone.

    Alone it can still be the victim of a deadlock with what is no writer (a sweep, a restore),
    which is rare enough for the attempts that are left.
    """
    for attempt in range(ATTEMPTS):
        try:
            turn = Turn.ALONE if attempt >= TOGETHER else Turn.TOGETHER
            with taking_turn(turn), transaction.atomic():
                return work()
        except (KeyTaken, IntegrityError, OperationalError) as error:
            if attempt == ATTEMPTS - 1 or not _lost_a_race(error):
                raise
    raise AssertionError("unreachable")


def _lost_a_race(error: Exception) -> bool:
    """A key was taken; the vectors of a memory whose insert was skipped have nothing to refer to;
    or a deadlock chose this transaction."""
    if isinstance(error, KeyTaken):
        return True
    state = FOREIGN_KEY if isinstance(error, IntegrityError) else DEADLOCK
    return isinstance(error, DatabaseError) and _sqlstate(error) == state


def _sqlstate(error: DatabaseError) -> str:
    return getattr(error.__cause__, "sqlstate", None) or ""
