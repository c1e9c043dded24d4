"""Many processes use one pair of servers; the last one to leave stops them.

Two lock files. Every user holds `users` shared for as long as it runs: the kernel lets go of it
however the process ends, kill -9 included. Whoever starts or stops a server holds `change`
alone meanwhile. Leaving means: take `change`, give up `users`, and try to get it for oneself
alone; that succeeds only for the last one, who then stops the servers.

A user that is killed never leaves. For it there is the reaper (reaping.py), a small process that
waits until nobody is left and then does the same.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from memoryhub.embedded import reaping
from memoryhub.embedded.accounts import Account, own_folder, server_account
from memoryhub.embedded.addresses import Endpoints, locate
from memoryhub.embedded.databases import (
    knows_superuser,
    prepare_server,
    superuser_password_statement,
)
from memoryhub.embedded.failures import explaining
from memoryhub.embedded.places import SHARED_HOME, Places, find_places, make_folder
from memoryhub.embedded.postgres import (
    find_postgres,
    has_socket,
    is_ready,
    make_cluster,
    run_single_user,
    start_postgres,
    stop_postgres,
)
from memoryhub.embedded.processes import launch, wait_until
from memoryhub.embedded.programs import Programs, find_programs
from memoryhub.embedded.valkey import answers_ping, find_valkey, start_valkey, stop_valkey

Report = Callable[[str], None]
SERVERS = ("postgres", "valkey")
_REAPER_TRIES = 100


def say_nothing(_line: str) -> None:
    """The default report: commands keep their output for what they were asked."""


@contextmanager
def running(
    data: Path, report: Report = say_nothing, *, servers: Collection[str] = SERVERS
) -> Iterator[Endpoints]:
    """Keeps the embedded servers of `data` running for the duration, starting what is not."""
    places = find_places(data)
    with explaining(places.data):
        users = _enter(places, report, servers)
    try:
        yield locate(data)
    finally:
        _leave(places, users)


def revive(data: Path, report: Report = say_nothing, *, servers: Collection[str] = SERVERS) -> None:
    """Starts again what has died; for a supervisor inside `running`."""
    places = find_places(data)
    with explaining(places.data), _changing(places):
        _start_missing(places, report, servers)


def find_servers(data: Path) -> dict[str, int | None]:
    """The servers' process ids; None for one that does not run."""
    places = find_places(data)
    return {"postgres": find_postgres(places), "valkey": find_valkey(places)}


def stop_if_unused(places: Places) -> bool:
    """Stops the servers when nobody uses them; False when somebody does."""
    users = _open_lock(places, "users")
    try:
        with _changing(places):
            return _stop_if_last(places, users)
    finally:
        os.close(users)


def _enter(places: Places, report: Report, servers: Collection[str]) -> int:
    for folder in (places.log, places.locks):
        make_folder(folder)
    users = _open_lock(places, "users")
    try:
        with _changing(places):
            fcntl.flock(users, fcntl.LOCK_SH)
            try:
                _start_missing(places, report, servers)
            except BaseException:
                _stop_if_last(places, users)
                raise
    except BaseException:
        os.close(users)
        raise
    return users


def _leave(places: Places, users: int) -> None:
    try:
        with _changing(places):
            _stop_if_last(places, users)
    finally:
        os.close(users)


def _stop_if_last(places: Places, users: int) -> bool:
    fcntl.flock(users, fcntl.LOCK_UN)
    if not _is_last(users):
        return False
    stop_valkey(places)
    stop_postgres(places)
    return True


def _is_last(users: int) -> bool:
    """Gets the lock alone when nobody shares it. The reaper, woken by our letting go, may hold
    it alone for a moment; it is no user, and leaving must not depend on who is faster."""
    for _ in range(_REAPER_TRIES):
        if _try_lock(users, fcntl.LOCK_EX):
            return True
        if _try_lock(users, fcntl.LOCK_SH):  # nobody holds it alone (any more)
            return _try_lock(users, fcntl.LOCK_EX)
        wait_until(lambda: False, 0.01, step=0.01)
    return False


def _start_missing(places: Places, report: Report, servers: Collection[str]) -> None:
    postgres = "postgres" in servers and not _postgres_is_up(places)
    valkey = "valkey" in servers and not _valkey_is_up(places)
    if postgres or valkey:
        _start_servers(places, report, postgres=postgres, valkey=valkey)
    if servers:
        _ensure_reaper(places)


def _start_servers(places: Places, report: Report, *, postgres: bool, valkey: bool) -> None:
    account = server_account()
    if places.home != places.data:
        make_folder(SHARED_HOME, mode=0o755)
        make_folder(places.home, mode=0o711)
    own_folder(places.sockets, account)
    programs = find_programs(account, report)
    if postgres:
        _bring_up_postgres(places, account, programs, report)
    if valkey:
        own_folder(places.valkey, account)
        report("starting Valkey")
        start_valkey(places, account, programs, report)


def _postgres_is_up(places: Places) -> bool:
    pid = find_postgres(places)
    if pid is not None and not (has_socket(places) and is_ready(places, pid)):
        stop_postgres(places)  # its socket was deleted, or its start was interrupted
        return False
    return pid is not None


def _valkey_is_up(places: Places) -> bool:
    return find_valkey(places) is not None and answers_ping(places)


def _bring_up_postgres(
    places: Places, account: Account, programs: Programs, report: Report
) -> None:
    make_cluster(places, account, programs, report)
    own_folder(places.postgres, account)
    report("starting Postgres")
    start_postgres(places, account, programs, report)
    if not knows_superuser(places):
        report("the secrets folder is new: giving Postgres its new passwords")
        stop_postgres(places)
        run_single_user(places, account, programs, superuser_password_statement(places))
        start_postgres(places, account, programs, report)
    prepare_server(places)


def _ensure_reaper(places: Places) -> None:
    """A reaper at work holds its lock. Two that start at once sort it out among themselves."""
    lock = _open_lock(places, "reaper")
    free = _try_lock(lock, fcntl.LOCK_EX)
    os.close(lock)
    if not free:
        return
    pid_files = (places.postgres / "postmaster.pid", places.valkey / "valkey.pid")
    command = [sys.executable, "-S", "-E", reaping.__file__, str(places.locks), str(places.data)]
    launch(
        [*command, *map(str, pid_files)],
        places.log / "reaper.log",
        cwd=Path(__file__).parents[2],
        env=None,
    )


@contextmanager
def _changing(places: Places) -> Iterator[None]:
    change = _open_lock(places, "change")
    try:
        fcntl.flock(change, fcntl.LOCK_EX)
        yield
    finally:
        os.close(change)


def _try_lock(lock: int, kind: int) -> bool:
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _open_lock(places: Places, name: str) -> int:
    return os.open(places.locks / f"{name}.lock", os.O_CREAT | os.O_RDWR, 0o600)
