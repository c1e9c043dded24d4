"""Clients that ask as fast as they are answered, and what that gave.

A client over HTTP is a raw socket kept open: the measuring process must not cost what the server
under measurement needs, least of all on two cores.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable
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


def press(
    make: Callable[[int], Ask], *, clients: int, seconds: float, warm: float = 1.0
) -> Figures:
    """Let clients ask for some seconds, after warming up. `make(n)` gives the n-th its `Ask`."""
    asks = [make(number) for number in range(clients)]
    times: list[list[float]] = [[] for _ in asks]
    faults: list[BaseException] = []
    begin = time.perf_counter() + warm
    end = begin + seconds

    def run(client: int) -> None:
        ask, mine, number = asks[client], times[client], 0
        try:
            while (start := time.perf_counter()) < end:
                ask(number)
                number += 1
                if start >= begin:
                    mine.append(time.perf_counter() - start)
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=run, args=(client,)) for client in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return Figures.of([one for mine in times for one in mine], seconds)
