"""Starts everything in order, watches it, and ends it in the reverse order.

Signals only set a flag, and every wait here looks at it, so that no step is torn apart. The
servers are not our children (commands run beside us share them): they are looked at twice a
second and started again when they have died. Should we ourselves be killed, the minder ends the
children and the reaper the servers.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memoryhub import embedded
from memoryhub.embedded.failures import StartFailure
from memoryhub.embedded.places import Places, find_places
from memoryhub.embedded.processes import read_from, rotate_log
from memoryhub.supervising.children import Child, Minder, beat, web, web_defaults, worker
from memoryhub.supervising.claiming import check_port, claim_data, find_free_port
from memoryhub.supervising.running import find_reason, run_command

Say = Callable[[str], None]

_TICK = 0.5
_GRACE_SECONDS = 10.0
_ROTATE_SECONDS = 60.0
_READY_SECONDS = 90.0
_EARLY_FAILURES = 3  # web ending so often before its first answer will not answer at all


@dataclass(frozen=True, slots=True)
class Options:
    """What `up` was asked for."""

    data: Path
    host: str = "127.0.0.1"
    port: int = 8000
    demo: bool = True  # a tenant to look at, on the first start


class Stopped(Exception):
    """Somebody asked us to end before everything was up."""


class Supervisor:
    """One `up`, from the first check to the last process ended."""

    def __init__(self, options: Options, say: Say) -> None:
        port = options.port or find_free_port(options.host)
        host = f"[{options.host}]" if ":" in options.host else options.host
        self.options = options
        self.port = port
        self.say = say
        self.address = f"http://{host}:{port}"
        self.places: Places = find_places(options.data)
        self.servers = wanted_servers()
        self.environment = web_defaults() | os.environ
        self.environment |= {
            "MEMORYHUB_DATA": str(self.places.data),
            "PORT": str(port),  # the demo's curl line names it
            "PYTHONUNBUFFERED": "1",
        }
        self._wake, self._waker = os.pipe()
        self._signals = 0

    def run(self) -> None:
        """Returns after a clean end; raises `StartFailure` when it cannot start."""
        with self._catching_signals(), claim_data(self.places, self.address, self.say) as lock:
            check_port(self.options.host, self.port)
            with (
                embedded.running(self.places.data, self.say, servers=self.servers),
                contextlib.suppress(Stopped),
            ):
                self._prepare_and_keep(lock)
            self.say("stopped")

    def _prepare_and_keep(self, lock: int) -> None:
        self.say("migrating the database")
        self._run("migrate", "--no-input")
        ledger = os.environ.get("MEMORYHUB_LEDGER") or self.places.data / "ledger"
        if Path(ledger).exists():  # a restored database is erased again before web answers
            self._run("replay_erasures")
        greeting = self._make_demo() if self.options.demo else ""
        minder = Minder(lock, self.places.log / "minder.log")
        children = self._children()
        try:
            self.say("starting web, worker and beat")
            self._wait_for_web(children[0], minder)
            self.say(f"\nMemoryHub is up: {self.address}\n\n{greeting}")
            self.say(f"Logs: {self.places.log}    Stop: Ctrl-C")
            self._keep(children, minder)
        finally:
            self.say("stopping web, worker and beat")
            self._end(children, minder)
            minder.close()

    def _run(self, *words: str) -> str:
        return run_command(
            *words,
            log=self.places.log / f"{words[0]}.log",
            environment=self.environment,
            say=self.say,
            pause=self._pause,
        )

    def _make_demo(self) -> str:
        """The demo's logins and key, on the first start. A hub without it is still a hub."""
        self.say("making the demo tenant, unless it is there")
        try:
            return self._run("demo", "--if-new")
        except StartFailure as failure:
            return f"There is no demo tenant: {failure.detail}\n"

    def _children(self) -> list[Child]:
        concurrency = os.environ.get("WORKER_CONCURRENCY", "2")
        commands = {
            "web": web(host=self.options.host, port=self.port),
            "worker": worker(concurrency),
            "beat": beat(self.places.data / "beat-schedule"),
        }
        return [
            Child(name, command, self.places.log / f"{name}.log", self.environment)
            for name, command in commands.items()
        ]

    def _wait_for_web(self, web_child: Child, minder: Minder) -> None:
        """The others wait so long: all at once would take longer than web alone."""
        late = time.monotonic() + _READY_SECONDS
        while not (web_child.is_living() and answers(self.options.host, self.port)):
            self._tend([web_child], minder)
            if web_child.failures >= _EARLY_FAILURES:
                raise StartFailure(
                    f"web does not start: {find_reason(read_from(web_child.log, 0))} "
                    f"(log: {web_child.log})"
                )
            if time.monotonic() > late:
                self.say(f"{self.address}/healthz does not answer yet (log: {web_child.log})")
                late += _READY_SECONDS
            self._pause(0.1)

    def _keep(self, children: list[Child], minder: Minder) -> None:
        rotate_at = time.monotonic() + _ROTATE_SECONDS
        with contextlib.suppress(Stopped):
            while True:
                self._tend(children, minder)
                if time.monotonic() > rotate_at:
                    rotate_at += _ROTATE_SECONDS
                    for log in self.places.log.glob("*.log"):
                        rotate_log(log)
                self._pause(_TICK)

    def _tend(self, children: list[Child], minder: Minder) -> None:
        found = embedded.find_servers(self.places.data)
        dead = [name for name in self.servers if found[name] is None]
        if dead:
            self.say(f"{' and '.join(dead)} died; starting again (logs: {self.places.log})")
            try:
                embedded.revive(self.places.data, self.say, servers=self.servers)
            except StartFailure as failure:
                self.say(failure.detail)
                self._pause(5.0)
        minder.ensure()
        for child in children:
            child.tend(minder, time.monotonic(), self.say)

    def _end(self, children: list[Child], minder: Minder) -> None:
        for child in children:
            child.ask_to_end()
        asked = self._signals
        until = time.monotonic() + _GRACE_SECONDS
        while any(child.is_living() for child in children) and time.monotonic() < until:
            self._rest(0.05)
            if self._signals > asked:
                break  # a second Ctrl-C: no more patience
        for child in children:
            child.finish(minder)

    def _pause(self, seconds: float) -> None:
        if not self._signals:
            self._rest(seconds)
        if self._signals:
            raise Stopped

    def _rest(self, seconds: float) -> None:
        """Waits, but not longer than to the next signal."""
        ready, _, _ = select.select([self._wake], [], [], seconds)
        if ready:
            os.read(self._wake, 64)

    @contextlib.contextmanager
    def _catching_signals(self) -> Iterator[None]:
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, self._note_signal) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _note_signal(self, number: int, _frame: object) -> None:
        self._signals += 1
        os.write(self._waker, b".")
        if self._signals > 2:
            raise KeyboardInterrupt(number)  # a server that does not end must not hold us for ever


def wanted_servers() -> tuple[str, ...]:
    """The embedded servers for which the environment names no other."""
    external = {"postgres": "DATABASE_URL", "valkey": "REDIS_URL"}
    return tuple(name for name, variable in external.items() if not os.environ.get(variable))


def answers(host: str, port: int) -> bool:
    """Whether web answers; refusing our name for it (ALLOWED_HOSTS) is an answer too."""
    local = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - asked, not bound
    connection = http.client.HTTPConnection(local, port, timeout=2.0)
    try:
        connection.request("GET", "/healthz", headers={"Host": "localhost"})
        return connection.getresponse().status < http.client.INTERNAL_SERVER_ERROR
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
