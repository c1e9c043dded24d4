"""An OpenAI-compatible endpoint on loopback whose behaviour a test chooses."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from memories.embedding.recognising import PROBE

DIMENSIONS = 16

Rows = list[list[float]]


def letters_of(texts: list[str]) -> Rows:
    """How often letters occur: texts of the same letters lie near each other."""
    rows = []
    for text in texts:
        row = [0.01] * DIMENSIONS
        for letter in text.lower():
            row[ord(letter) % DIMENSIONS] += 1.0
        rows.append(row)
    return rows


class Endpoint:
    """What it was asked, and how it answers: `answer` gives rows, or raises for a status 400."""

    def __init__(self) -> None:
        self.url = ""
        self.texts: list[str] = []
        self.authorizations: set[str] = set()
        self.answer: Callable[[list[str]], Any] = letters_of


@contextmanager
def serving() -> Iterator[Endpoint]:
    """A running endpoint."""
    endpoint = Endpoint()

    class Handler(_Handler):
        served = endpoint

    server = _Server(("127.0.0.1", 0), Handler)
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    served: Endpoint

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        self.served.texts.extend(text for text in texts if not text.endswith(PROBE))
        self.served.authorizations.add(self.headers.get("authorization", ""))
        try:
            rows = self.served.answer(texts)
        except Exception:  # as the test wants it
            self.reply(400, {"error": {"message": "no"}})
            return
        listed = [
            {"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        self.reply(200, {"object": "list", "data": listed, "model": asked["model"], "usage": usage})

    def reply(self, status: int, document: Any) -> None:
        content = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        pass
