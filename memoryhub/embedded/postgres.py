"""The embedded Postgres: made once, started, recovered, stopped.

What can go wrong and what is done: a half-made cluster never gets the final name; a stale
`postmaster.pid` is believed only when the process behind it is a Postgres working in this very
folder; orphans of a killed postmaster are ended before a new one starts, since two on one data
folder would ruin it; data of another major version is left alone.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from memoryhub.embedded.accounts import Account
from memoryhub.embedded.addresses import PORT
from memoryhub.embedded.failures import StartFailure
from memoryhub.embedded.passwords import role_password
from memoryhub.embedded.places import Places, make_folder
from memoryhub.embedded.processes import (
    end,
    find_serving,
    is_serving,
    launch,
    plain_environment,
    read_from,
    size_of,
    wait_until,
)
from memoryhub.embedded.programs import Programs

SUPERUSER = "hub_super"
_NEW_CLUSTER_BYTES = 150_000_000
_RECOVERY_SECONDS = 600.0

# The fast shutdown first; the immediate one leaves the rest to the next start's recovery.
_STOP = {signal.SIGINT: 60.0, signal.SIGQUIT: 5.0, signal.SIGKILL: 5.0}
# Orphans notice within moments that their postmaster is gone, unless a query keeps them busy.
_ORPHANS = {signal.SIGTERM: 3.0, signal.SIGQUIT: 2.0, signal.SIGKILL: 5.0}

_SETTINGS = """\
# Written by MemoryHub at every start. Put settings of your own into local.conf beside this file.
listen_addresses = ''
port = {port}
unix_socket_directories = '{sockets}'
unix_socket_permissions = 0700
max_connections = 200
shared_buffers = '256MB'
shared_preload_libraries = ''
max_wal_size = '2GB'
fsync = on
jit = off
autovacuum_naptime = '10s'
password_encryption = 'scram-sha-256'
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] %q%u@%d '
log_checkpoints = off
logging_collector = off
cluster_name = 'memoryhub'
"""

_ACCESS = """\
# Nobody gets in without a password, and only over the socket.
local   all   all   scram-sha-256
"""


def find_postgres(places: Places) -> int | None:
    """The process id of our living postmaster, if there is one."""
    lines = _read_pid_file(places)
    if not lines or not lines[0].strip().isdigit():
        return None
    pid = int(lines[0])
    return pid if is_serving(pid, program="postgres", folder=places.postgres) else None


def make_cluster(
    places: Places, account: Account, programs: Programs, report: Callable[[str], None]
) -> None:
    """Makes the data folder by initdb beside its place, then gives it its name at once."""
    if (places.postgres / "PG_VERSION").exists():
        return _refuse_other_major(places, programs)
    _refuse_small_disk(places)
    report("making a new Postgres data folder")
    draft = places.home / "postgres.draft"
    shutil.rmtree(draft, ignore_errors=True)  # an earlier start was killed half-way
    make_folder(draft)
    os.chown(draft, account.uid, account.gid)
    password = places.home / "postgres.password"
    try:
        _write_private(password, role_password(places, "super"), account)
        _run_initdb(draft, password, account, programs)
    finally:
        password.unlink(missing_ok=True)
    _write_private(draft / "pg_hba.conf", _ACCESS, account)
    with (draft / "postgresql.conf").open("a", encoding="utf-8") as file:
        file.write("\ninclude 'memoryhub.conf'\ninclude_if_exists 'local.conf'\n")
    os.rename(draft, places.postgres)


def start_postgres(
    places: Places, account: Account, programs: Programs, report: Callable[[str], None]
) -> None:
    """Starts the server and returns when it answers, crash recovery included."""
    _end_orphans(places, report)
    _forget_stale_files(places, account)
    settings = _SETTINGS.format(port=PORT, sockets=str(places.sockets).replace("'", "''"))
    _write_private(places.postgres / "memoryhub.conf", settings, account)
    log = places.log / "postgres.log"
    before = size_of(log)
    command = [str(programs.postgres), "-D", str(places.postgres)]
    process = launch(command, log, **account.popen_options())
    ready = wait_until(
        lambda: process.poll() is not None or is_ready(places, process.pid), _RECOVERY_SECONDS
    )
    if not ready or process.poll() is not None:
        raise _explain_failure(log, read_from(log, min(before, size_of(log))))


def stop_postgres(places: Places) -> None:
    """Stops our server, if it runs, and waits for its end."""
    pid = find_postgres(places)
    if pid is not None:
        end([pid], lambda pid: find_postgres(places) == pid, _STOP)


def is_ready(places: Places, pid: int) -> bool:
    """Whether this postmaster takes connections: the eighth line of its pid file says so."""
    lines = _read_pid_file(places)
    return len(lines) > 7 and lines[0].strip() == str(pid) and lines[7].strip() == "ready"


def has_socket(places: Places) -> bool:
    return (places.sockets / f".s.PGSQL.{PORT}").is_socket()


def run_single_user(places: Places, account: Account, programs: Programs, sql: str) -> None:
    """Runs one statement with no server up: the way back in when the superuser's password
    was lost with the secrets folder."""
    subprocess.run(  # noqa: S603 - our own program, no shell
        [str(programs.postgres), "--single", "-D", str(places.postgres), "postgres"],
        input=f"{sql}\n",
        text=True,
        capture_output=True,
        check=True,
        cwd="/",
        env=plain_environment(),
        **account.popen_options(),
    )


def _read_pid_file(places: Places) -> list[str]:
    try:
        return (places.postgres / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []


def _refuse_other_major(places: Places, programs: Programs) -> None:
    found = (places.postgres / "PG_VERSION").read_text(encoding="utf-8").strip()
    if found == str(programs.postgres_major):
        return
    raise StartFailure(
        f"{places.postgres} holds data of Postgres {found}, and this MemoryHub brings Postgres "
        f"{programs.postgres_major}. Nothing was touched. Either dump the data with the MemoryHub "
        f"that brought Postgres {found} (pg_dump) and load it into a new folder, or start with a "
        "new folder: make run DATA=...",
        code="postgres_major",
    )


def _refuse_small_disk(places: Places) -> None:
    free = shutil.disk_usage(places.home).free
    if free < _NEW_CLUSTER_BYTES:
        raise StartFailure(
            f"The disk that holds {places.home} has {free // 1_000_000} MB left, and a new "
            f"database needs {_NEW_CLUSTER_BYTES // 1_000_000} MB. Free some space, or choose "
            "another folder: make run DATA=..."
        )


def _run_initdb(draft: Path, password: Path, account: Account, programs: Programs) -> None:
    # The builtin provider sorts alike on every machine; the C library's character classes are
    # still what full text search and trigrams read, and plain C would know no Chinese letter.
    failure = ""
    for character_type in ("C.UTF-8", "en_US.UTF-8", "C"):
        command = [str(programs.initdb), f"--pgdata={draft}", f"--username={SUPERUSER}"]
        command += [f"--pwfile={password}", "--auth=scram-sha-256", "--encoding=UTF8"]
        command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
        command += [f"--lc-ctype={character_type}", "--no-instructions"]
        done = subprocess.run(  # noqa: S603 - our own program, no shell
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            env=plain_environment(),
            **account.popen_options(),
        )
        if done.returncode == 0:
            return
        failure = done.stderr
        if "locale" not in failure:
            break
    if "No space left on device" in failure:
        raise StartFailure(f"The disk that holds {draft.parent} is full. Free some space.")
    raise StartFailure(f"A new Postgres data folder could not be made: {failure.strip()}")


def _end_orphans(places: Places, report: Callable[[str], None]) -> None:
    orphans = find_serving(program="postgres", folder=places.postgres)
    if not orphans:
        return
    report("waiting for the processes of a Postgres that was killed to end")
    gone = end(
        orphans,
        lambda pid: is_serving(pid, program="postgres", folder=places.postgres),
        _ORPHANS,
    )
    if not gone:
        raise StartFailure(
            f"Processes of an earlier Postgres still work in {places.postgres} and do not end: "
            f"{', '.join(map(str, orphans))}. End them, then start again."
        )


def _forget_stale_files(places: Places, account: Account) -> None:
    """Postgres believes any living process behind a pid file. We know that none is ours, so the
    file gets our own number, which a child ignores; it stays, because Postgres reads in it which
    shared memory must be free."""
    lines = _read_pid_file(places)
    if lines:
        text = "\n".join([str(os.getpid()), *lines[1:]]) + "\n"
        _write_private(places.postgres / "postmaster.pid", text, account)
    for name in (f".s.PGSQL.{PORT}", f".s.PGSQL.{PORT}.lock"):
        (places.sockets / name).unlink(missing_ok=True)


def _write_private(path: Path, text: str, account: Account) -> None:
    handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        os.fchown(handle, account.uid, account.gid)
        file.write(text)


def _explain_failure(log: Path, said: str) -> StartFailure:
    if "No space left on device" in said:
        return StartFailure(
            "Postgres did not start, because the disk is full. Free some space and start again; "
            f"nothing that was acknowledged is lost. Its log: {log}"
        )
    lines = [line for line in said.splitlines() if "FATAL" in line or "PANIC" in line]
    reason = (lines or said.splitlines() or ["it said nothing"])[-1]
    return StartFailure(f"Postgres did not start: {reason.strip()} (log: {log})")
