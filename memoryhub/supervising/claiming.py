"""One supervisor for a data folder, and a port that is free: both are checked before anything
starts, and each refusal says what to do."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from memoryhub.embedded.failures import StartFailure, explaining
from memoryhub.embedded.places import Places, make_folder
from memoryhub.embedded.processes import wait_until

# A killed supervisor's children get ten seconds to end (minding.py).
_PREDECESSOR_SECONDS = 20.0


@contextmanager
def claim_data(places: Places, address: str, say: Callable[[str], None]) -> Iterator[int]:
    """Holds the data folder alone, or refuses, naming who holds it.

    Yields the lock that says children are about; the minder inherits it and may outlive us.
    """
    with explaining(places.data):
        for folder in (places.locks, places.log):
            make_folder(folder)
        ours = _open(places, "supervisor")
        children = _open(places, "children")
    try:
        if not _try_lock(ours):
            raise _name_holder(places)
        _wait_for_predecessor(children, say)
        with _announced(places, address):
            yield children
    finally:
        os.close(children)
        os.close(ours)


def check_port(host: str, port: int) -> None:
    """Refuses a port that another program has."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except socket.gaierror:
        raise StartFailure(f"{host} is not an address of this machine.") from None
    family, kind, protocol, _, address = found[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            raise _explain_port(host, port, error) from None


def find_free_port(host: str) -> int:
    """A port nobody has at the moment."""
    with socket.create_server((host, 0)) as probe:
        return int(probe.getsockname()[1])


def _explain_port(host: str, port: int, error: OSError) -> StartFailure:
    if error.errno == errno.EADDRINUSE:
        reason = f"Port {port} on {host} is taken by another program."
    elif error.errno in (errno.EACCES, errno.EPERM):
        reason = f"Port {port} may not be used by this user."
    elif error.errno == errno.EADDRNOTAVAIL:
        return StartFailure(f"{host} is not an address of this machine.", code="bad_host")
    else:
        reason = f"Port {port} on {host} cannot be used: {error.strerror}."
    other = port + 1 if 1024 <= port < 65535 else 8000
    return StartFailure(f"{reason} Choose another one: make run PORT={other}", code="port_taken")


def _wait_for_predecessor(children: int, say: Callable[[str], None]) -> None:
    if _try_lock(children):
        return
    say("waiting for the processes of a start that was killed to end")
    if not wait_until(lambda: _try_lock(children), _PREDECESSOR_SECONDS, step=0.1):
        raise StartFailure(
            "Processes of a start that was killed do not end. End them (ps shows them as granian "
            "and celery), then start again."
        )


@contextmanager
def _announced(places: Places, address: str) -> Iterator[None]:
    """A file that tells a second start who we are. The lock decides, not the file."""
    state = places.locks / "supervisor.json"
    draft = state.with_suffix(".draft")
    draft.write_text(json.dumps({"pid": os.getpid(), "address": address}), encoding="utf-8")
    draft.replace(state)
    try:
        yield
    finally:
        state.unlink(missing_ok=True)


def _name_holder(places: Places) -> StartFailure:
    # The other start may hold the lock for a moment before it says who it is.
    wait_until(lambda: bool(_read_state(places)), 2.0)
    holder = _read_state(places)
    pid, address = holder.get("pid", "?"), holder.get("address", "?")
    return StartFailure(
        f"MemoryHub is already running on {places.data}: {address} (process {pid}). Stop that one "
        f"(Ctrl-C there, or kill {pid}), or use another data folder and port: "
        "make run DATA=... PORT=...",
        code="already_running",
    )


def _read_state(places: Places) -> dict[str, Any]:
    try:
        state = json.loads((places.locks / "supervisor.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _open(places: Places, name: str) -> int:
    return os.open(places.locks / f"{name}.lock", os.O_CREAT | os.O_RDWR, 0o600)
