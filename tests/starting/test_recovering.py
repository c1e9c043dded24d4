"""After a crash of anything, a start finds its way, and what was committed is there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
import redis

from memoryhub import embedded
from memoryhub.embedded.places import find_places
from memoryhub.embedded.processes import find_serving
from memoryhub.embedded.sharing import stop_if_unused
from tests.starting.neighbours import Neighbour, kill, wait_for_end

pytestmark = pytest.mark.slow


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A living process that has nothing to do with us."""
    process = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    yield process
    assert process.poll() is None, "somebody ended the bystander"
    process.terminate()
    process.wait()


def _write(data: Path, number: int) -> None:
    with psycopg.connect(embedded.locate(data).owner_url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (number int)")
        connection.execute("INSERT INTO kept VALUES (%s)", (number,))


def _read(data: Path) -> list[int]:
    with psycopg.connect(embedded.locate(data).owner_url) as connection:
        return [row[0] for row in connection.execute("SELECT number FROM kept ORDER BY number")]


def test_a_pid_file_that_names_a_living_stranger_is_not_believed(
    data: Path, bystander: subprocess.Popen[bytes]
) -> None:
    with embedded.running(data):
        _write(data, 1)
    stale = f"{bystander.pid}\n{data}/postgres\n1\n5432\n{data}/run\n\n  1 1\nready   \n"
    (data / "postgres" / "postmaster.pid").write_text(stale)
    (data / "run" / ".s.PGSQL.5432.lock").write_text(stale)
    (data / "valkey" / "valkey.pid").write_text(f"{bystander.pid}\n")
    assert embedded.find_servers(data) == {"postgres": None, "valkey": None}
    with embedded.running(data):
        assert bystander.pid not in embedded.find_servers(data).values()
        assert _read(data) == [1]


def test_killed_servers_are_revived_with_everything_committed(data: Path) -> None:
    with embedded.running(data):
        for number in range(3):
            _write(data, number)
            servers = embedded.find_servers(data)
            kill(servers["postgres"])
            kill(servers["valkey"])
            embedded.revive(data)
            assert not set(servers.values()) & set(embedded.find_servers(data).values())
        assert _read(data) == [0, 1, 2]


def test_a_start_after_everything_was_killed_recovers(data: Path) -> None:
    neighbour = Neighbour(data)
    _write(data, 1)
    servers = embedded.find_servers(data)
    neighbour.kill()
    for pid in servers.values():
        assert pid is not None
        with suppress(ProcessLookupError):  # the reaper may have been faster
            os.kill(pid, signal.SIGKILL)
        assert wait_for_end(pid)
    with embedded.running(data):
        assert _read(data) == [1]


def test_orphans_of_a_killed_postmaster_are_ended_before_a_new_one_starts(data: Path) -> None:
    with embedded.running(data):
        _write(data, 1)
        busy = psycopg.connect(embedded.locate(data).owner_url)
        backend = busy.info.backend_pid
        os.kill(backend, signal.SIGSTOP)  # it cannot notice that its postmaster is gone
        kill(embedded.find_servers(data)["postgres"])
        said: list[str] = []
        embedded.revive(data, said.append)
        assert wait_for_end(backend)
        assert "waiting for the processes of a Postgres that was killed to end" in said
        assert _read(data) == [1]
        busy.close()


def test_a_half_made_cluster_is_made_again(data: Path) -> None:
    places = find_places(data)
    draft = places.home / "postgres.draft"
    draft.mkdir()
    (draft / "PG_VERSION").write_text("18\n")
    with embedded.running(data):
        _write(data, 1)
        assert _read(data) == [1]
    assert not draft.exists()
    assert not (places.home / "postgres.password").exists()


def test_lost_secrets_are_replaced_and_the_data_stays(data: Path) -> None:
    with embedded.running(data):
        _write(data, 1)
    before = embedded.locate(data)
    for secret in (data / "secrets").iterdir():
        secret.unlink()
    with embedded.running(data) as endpoints:
        assert endpoints.database_url != before.database_url
        assert _read(data) == [1]


def test_a_server_whose_socket_was_deleted_is_started_again(data: Path) -> None:
    with embedded.running(data):
        servers = embedded.find_servers(data)
        for socket in (data / "run").iterdir():
            socket.unlink()
        embedded.revive(data)
        assert not set(servers.values()) & set(embedded.find_servers(data).values())
        assert len(find_serving(program="postgres", folder=data / "postgres")) > 0


def _set(data: Path, name: str, value: str) -> None:
    with _valkey(data) as client:
        client.set(name, value)


def _valkey(data: Path) -> redis.Redis:
    return redis.Redis.from_url(embedded.locate(data).redis_url, decode_responses=True)


def _append_only_file(data: Path) -> Path:
    return next((data / "valkey" / "appendonlydir").glob("*.incr.aof"))


def test_an_append_only_file_that_was_cut_off_is_read_up_to_the_cut(data: Path) -> None:
    with embedded.running(data):
        _set(data, "a", "1")
        _set(data, "b", "2")
    file = _append_only_file(data)
    os.truncate(file, file.stat().st_size - 3)
    with embedded.running(data), _valkey(data) as client:
        assert client.get("a") == "1"
        assert client.get("b") is None


def test_an_append_only_file_that_cannot_be_read_is_set_aside(data: Path) -> None:
    with embedded.running(data):
        _set(data, "a", "1")
    file = _append_only_file(data)
    file.write_bytes(b"no such format\r\n" + file.read_bytes())
    said: list[str] = []
    with embedded.running(data, said.append), _valkey(data) as client:
        assert client.get("a") is None
    assert any("could not be read" in line for line in said)
    assert (data / "valkey" / "unreadable-1" / file.name).exists()


def test_commands_go_on_when_the_server_was_stopped_in_the_middle_of_a_start(data: Path) -> None:
    neighbour = Neighbour(data)
    postmaster = embedded.find_servers(data)["postgres"]
    assert postmaster is not None
    pid_file = data / "postgres" / "postmaster.pid"
    pid_file.write_text(pid_file.read_text().replace("ready", "starting"))
    with embedded.running(data):  # a start that never came to its end is begun anew
        assert embedded.find_servers(data)["postgres"] != postmaster
        _write(data, 1)
    neighbour.leave()
    assert stop_if_unused(find_places(data))
