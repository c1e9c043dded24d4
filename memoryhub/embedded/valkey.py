"""The embedded Valkey: sessions, queue and caches, kept in an append-only file.

Nothing in it is the only copy of something acknowledged, sessions apart. So a file that was cut
off by a crash is read up to the cut, and one that cannot be read at all is set aside.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable

from memoryhub.embedded.accounts import Account
from memoryhub.embedded.failures import StartFailure
from memoryhub.embedded.places import Places
from memoryhub.embedded.processes import (
    end,
    find_serving,
    is_serving,
    launch,
    read_from,
    size_of,
    wait_until,
)
from memoryhub.embedded.programs import Programs

_PROGRAM = "valkey-server"
_LOADING_SECONDS = 120.0
_STOP = {signal.SIGTERM: 15.0, signal.SIGKILL: 5.0}
_UNREADABLE = ("Bad file format", "Unexpected end of file", "AOF loading", "manifest")


def find_valkey(places: Places) -> int | None:
    """The process id of our living server, if there is one."""
    try:
        pid = int((places.valkey / "valkey.pid").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return pid if is_serving(pid, program=_PROGRAM, folder=places.valkey) else None


def start_valkey(
    places: Places, account: Account, programs: Programs, report: Callable[[str], None]
) -> None:
    """Starts the server and returns when it answers."""
    _end_strays(places)
    said = _try_start(places, account, programs)
    if said is not None and any(sign in said for sign in _UNREADABLE):
        aside = _set_aside(places)
        report(f"Valkey's file could not be read; it is kept as {aside}, sessions start anew")
        said = _try_start(places, account, programs)
    if said is not None:
        raise _explain_failure(places, said)


def stop_valkey(places: Places) -> None:
    """Stops our server, if it runs, and waits for its end; the file is flushed."""
    pid = find_valkey(places)
    if pid is not None:
        end([pid], lambda pid: find_valkey(places) == pid, _STOP)


def answers_ping(places: Places) -> bool:
    """Whether a server takes commands at our socket."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(2.0)
            connection.connect(str(places.valkey_socket))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
    except OSError:
        return False


def _try_start(places: Places, account: Account, programs: Programs) -> str | None:
    """None when the server answers, else what it said before it ended."""
    log = places.log / "valkey.log"
    before = size_of(log)
    process = launch([str(programs.valkey), *_settings(places)], log, **account.popen_options())
    ready = wait_until(lambda: process.poll() is not None or answers_ping(places), _LOADING_SECONDS)
    if ready and process.poll() is None:
        return None
    return read_from(log, min(before, size_of(log))) or "it said nothing"


def _settings(places: Places) -> list[str]:
    settings = {
        "port": "0",
        "unixsocket": str(places.valkey_socket),
        "unixsocketperm": "700",
        "dir": str(places.valkey),
        "pidfile": str(places.valkey / "valkey.pid"),
        "daemonize": "no",
        "appendonly": "yes",
        "appendfsync": "everysec",
        "aof-load-truncated": "yes",
        "save": "",
        "maxmemory-policy": "noeviction",
        "loglevel": "notice",
    }
    return [word for name, value in settings.items() for word in (f"--{name}", value)]


def _end_strays(places: Places) -> None:
    """A server whose socket or pid file was deleted must not write beside a new one."""
    strays = find_serving(program=_PROGRAM, folder=places.valkey)
    end(strays, lambda pid: is_serving(pid, program=_PROGRAM, folder=places.valkey), _STOP)
    places.valkey_socket.unlink(missing_ok=True)
    # Valkey goes on without a pid file it may not write (restored by root, say): unnoticed.
    (places.valkey / "valkey.pid").unlink(missing_ok=True)


def _set_aside(places: Places) -> str:
    source = places.valkey / "appendonlydir"
    number = 1
    while (target := source.with_name(f"unreadable-{number}")).exists():
        number += 1
    if source.exists():
        source.rename(target)
    return str(target)


def _explain_failure(places: Places, said: str) -> StartFailure:
    log = places.log / "valkey.log"
    if "No space left on device" in said:
        return StartFailure(
            f"Valkey did not start, because the disk is full. Free some space. Its log: {log}"
        )
    return StartFailure(f"Valkey did not start: {said.splitlines()[-1].strip()} (log: {log})")
