"""`manage.py up` from the outside: it starts, says what is wrong, ends, and outlives any kill."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryhub import embedded
from memoryhub.embedded.processes import wait_until
from tests.starting.neighbours import wait_for_end
from tests.starting.ups import NAMES, PATIENCE, Up, living, manage

# Longer than others: a start migrates, and a machine may be busy.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture
def ups(data: Path) -> Iterator[list[Up]]:
    """What a test starts; whatever still runs afterwards is ended."""
    started: list[Up] = []
    yield started
    for up in started:
        if up.process.poll() is None:
            up.end(signal.SIGTERM)


@pytest.fixture
def up(data: Path, ups: list[Up]) -> Up:
    """One that is up."""
    ups.append(Up(data))
    return ups[-1].wait_until_up()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_says_what_it_does_and_ends_cleanly(data: Path, ups: list[Up], number: int) -> None:
    up = Up(data)
    ups.append(up)
    for step in ("making a new Postgres", "starting Postgres", "starting Valkey", "migrating"):
        up.wait_for_line(step)
    assert f"http://127.0.0.1:{up.port}" in up.wait_for_line("MemoryHub is up")
    up.wait_until_whole()
    pids = up.pids()
    assert up.end(number) == 0
    up.wait_for_line("stopped")
    assert wait_until(lambda: not living(pids), PATIENCE)
    assert "Traceback" not in "".join(up.said)
    logs = {path.name for path in (data / "log").glob("*.log")}
    assert logs >= {"web.log", "worker.log", "beat.log", "postgres.log", "valkey.log"}


def test_a_taken_port_is_said_before_anything_starts(data: Path, ups: list[Up]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ups.append(Up(data, port=port))
        assert f"Port {port} on 127.0.0.1 is taken" in ups[0].wait_for_line("Port")
        assert ups[0].process.wait(PATIENCE) == 1
    assert len(ups[0].said) == 1
    assert not (data / "postgres").exists()


def test_a_second_start_is_refused_with_address_and_process(up: Up, ups: list[Up]) -> None:
    second = Up(up.data)
    ups.append(second)
    line = second.wait_for_line("already running")
    assert f"http://127.0.0.1:{up.port} (process {up.process.pid})" in line
    assert second.process.wait(PATIENCE) == 1
    assert up.ready()["status"] != "silent"


def test_when_it_is_killed_everything_ends_and_the_next_start_recovers(
    up: Up, ups: list[Up]
) -> None:
    pids = up.pids()
    up.process.kill()
    up.process.wait()
    ups.append(Up(up.data, port=up.port))  # at once, while the rest is still ending
    ups[-1].wait_until_up()
    former = [pid for pid in pids if pid not in ups[-1].pids()]
    assert wait_until(lambda: not living(former), PATIENCE, step=0.2)
    ups[-1].wait_until_whole()


def test_commands_share_its_servers_and_leave_them_running(up: Up) -> None:
    before = up.pid_of("postgres")
    assert manage(up.data, "create_tenant", "acme", "--name", "Acme")
    assert up.pid_of("postgres") == before


def test_the_first_start_shows_logins_and_a_key_that_works_and_later_ones_do_not(
    data: Path, ups: list[Up]
) -> None:
    ups.append(Up(data, demo=True).wait_until_up())
    ups[0].wait_for_line("Stop: Ctrl-C")
    (key,) = set(re.findall(r"Bearer (mh_\w+)", "".join(ups[0].said)))
    assert _Writer(ups[0].port, key).ask("POST", "/store/namespaces", {}) == http.client.OK
    assert ups[0].end(signal.SIGTERM) == 0
    ups.append(Up(data, demo=True).wait_until_up())
    ups[1].wait_for_line("Stop: Ctrl-C")
    assert "Bearer" not in "".join(ups[1].said)


def test_servers_named_outside_are_used_and_none_is_started(
    folder: Path, data: Path, ups: list[Up]
) -> None:
    with embedded.running(folder / "outside") as outside:
        up = Up(
            data,
            DATABASE_URL=outside.database_url,
            DATABASE_OWNER_URL=outside.owner_url,
            REDIS_URL=outside.redis_url,
        )
        ups.append(up)
        up.wait_until_up()
        assert embedded.find_servers(data) == {"postgres": None, "valkey": None}
        assert wait_until(lambda: up.ready()["status"] == "ok", PATIENCE, step=0.2)
        assert up.end(signal.SIGTERM) == 0
        assert None not in embedded.find_servers(folder / "outside").values()


class _Writer:
    """Writes one item after the other and remembers which were acknowledged."""

    def __init__(self, port: int, key: str) -> None:
        self.port = port
        self.headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self.acknowledged: list[str] = []
        self.enough = threading.Event()
        self.thread = threading.Thread(target=self._write)

    def __enter__(self) -> _Writer:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.enough.set()
        self.thread.join()

    def ask(self, method: str, path: str, body: object = None) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, f"/api/v1{path}", json.dumps(body), self.headers)
            return connection.getresponse().status
        finally:
            connection.close()

    def _write(self) -> None:
        number = 0
        while not self.enough.is_set():
            number += 1
            body = {"namespace": ["kills"], "key": f"k{number}", "value": {"n": number}}
            try:
                if self.ask("PUT", "/store/items", body | {"index": False}) == http.client.OK:
                    self.acknowledged.append(body["key"])  # type: ignore[arg-type]
            except (OSError, http.client.HTTPException):
                self.enough.wait(0.05)  # web is being started again


def test_any_process_may_be_killed_under_writes_and_nothing_acknowledged_is_lost(up: Up) -> None:
    """HUB_KILLS=50 kills as often as the acceptance asks for; by default each process once."""
    up.wait_until_whole()
    manage(up.data, "create_tenant", "kills", "--name", "Kills")
    key = manage(up.data, "issue_key", "kills", "--name", "writer")
    with _Writer(up.port, key) as writer:
        for number in range(int(os.environ.get("HUB_KILLS", len(NAMES)))):
            name = NAMES[number % len(NAMES)]
            victim = up.pid_of(name)
            assert victim is not None
            seen = len(writer.acknowledged)
            os.kill(victim, signal.SIGKILL)
            assert wait_for_end(victim)
            up.wait_until_whole()
            assert up.pid_of(name) != victim
            assert wait_until(lambda seen=seen: len(writer.acknowledged) > seen, PATIENCE)
    assert len(writer.acknowledged) > len(NAMES)
    lost = [
        key
        for key in writer.acknowledged
        if writer.ask("GET", f"/store/items?namespace=kills&key={key}") != http.client.OK
    ]
    assert lost == []
