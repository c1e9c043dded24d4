"""Clients that ask as fast as they are answered, and what that gave.

A client over HTTP is a raw socket kept open: the measuring process must not cost what the server
under measurement needs, least of all on two cores.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Ask = Callable[[int], object]
"""One request; the argument is its number in the run."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Requests a second, and milliseconds that half and 95 % of them stayed within."""

    rate: float
    p50: float
    p95: float

    @classmethod
    def of(cls, seconds: list[float], span: float) -> Figures:
        ordered = sorted(seconds)
        at = lambda share: 1000 * ordered[min(len(ordered) - 1, int(len(ordered) * share))]  # noqa: E731
        return cls(len(ordered) / span, at(0.5), at(0.95))


class Failed(RuntimeError):
    """A request was not answered as it should have been."""


class Wire:
    """One kept connection to an API: the hub's, with a key, or another's at its base path."""

    def __init__(self, port: int, key: str = "", *, base: str = "/api/v1") -> None:
        self._port, self._key, self._base = port, key, base
        self._connect()

    def _connect(self) -> None:
        self._socket = socket.create_connection(("127.0.0.1", self._port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def call(self, method: str, path: str, body: Any = None) -> bytes:
        """The body of a 2xx answer. `body` becomes JSON unless it is bytes. Raises Failed."""
        content = body if isinstance(body, bytes) else b""
        if body is not None and not isinstance(body, bytes):
            content = json.dumps(body, ensure_ascii=False).encode()
        head = f"{method} {self._base}{path} HTTP/1.1\r\nHost: localhost\r\n"
        if self._key:
            head += f"Authorization: Bearer {self._key}\r\n"
        if content:
            head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
        self._socket.sendall(head.encode() + b"\r\n" + content)
        return self._read(f"{method} {path}")

    def _read(self, what: str) -> bytes:
        received = b""
        while (end := received.find(b"\r\n\r\n")) < 0:
            part = self._socket.recv(65536)
            if not part:
                raise Failed(f"{what}: the connection was closed")
            received += part
        head, body = received[:end].lower(), received[end + 4 :]
        at = head.find(b"content-length:")
        length = 0 if at < 0 else int(head[at + 15 :].split(b"\r\n", 1)[0])
        chunked = b"transfer-encoding: chunked" in head
        while len(body) < length or (chunked and not body.endswith(b"0\r\n\r\n")):
            body += self._socket.recv(65536)
        if not head.startswith(b"http/1.1 2"):
            raise Failed(f"{what}: {head[:20]!r} {body[:300]!r}")
        return body


class Pressure:
    """Clients that ask as fast as they are answered; `make(n)` gives the n-th its `Ask`.

    They may rest and go on: each keeps its connection, and the number of its next request.
    """

    def __init__(self, make: Callable[[int], Ask], clients: int) -> None:
        self._asks = [make(number) for number in range(clients)]
        self._done = [0] * clients
        self._faults: list[BaseException] = []

    def run(self, seconds: float, *, warm: float = 1.0) -> list[float]:
        """Seconds that each request took, after warming up."""
        times: list[list[float]] = [[] for _ in self._asks]
        begin = time.perf_counter() + warm
        clients = [
            threading.Thread(target=self._ask, args=(client, times[client], begin, begin + seconds))
            for client in range(len(self._asks))
        ]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        if self._faults:
            raise self._faults[0]
        return [one for mine in times for one in mine]

    def _ask(self, client: int, times: list[float], begin: float, end: float) -> None:
        ask = self._asks[client]
        try:
            while (start := time.perf_counter()) < end:
                ask(self._done[client])
                self._done[client] += 1
                if start >= begin:
                    times.append(time.perf_counter() - start)
        except BaseException as fault:
            self._faults.append(fault)


def press(
    make: Callable[[int], Ask], *, clients: int, seconds: float, warm: float = 1.0
) -> Figures:
    """Let clients ask for some seconds, after warming up."""
    return Figures.of(Pressure(make, clients).run(seconds, warm=warm), seconds)


def press_in_turns(
    makes: Sequence[Callable[[int], Ask]], *, clients: int, seconds: float, turns: int = 5
) -> list[Figures]:
    """The same of several, each for its share of each turn: a machine that is by turns faster and
    slower is so for all of them."""
    pressed = [(Pressure(make, clients), list[float]()) for make in makes]
    for _ in range(turns):
        for pressure, times in pressed:
            times += pressure.run(seconds / turns)
    return [Figures.of(times, seconds) for _, times in pressed]
