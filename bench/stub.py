"""An embeddings endpoint on loopback that costs nothing: a text's vector is drawn from its hash.

Run as a program it serves /v1/embeddings as OpenAI does; `vector_of` gives the same vectors in
process, so that every store in a run is given the same ones.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

DIMENSIONS = 384


@lru_cache(maxsize=50_000)
def vector_of(text: str) -> tuple[float, ...]:
    """A unit vector that depends on the text alone."""
    seed = int.from_bytes(sha256(text.encode()).digest()[:8], "big")
    row = np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)
    return tuple(np.round(row / np.linalg.norm(row), 6).tolist())


class Endpoint(BaseHTTPRequestHandler):
    """POST /v1/embeddings; `delay` seconds before each answer."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet, or the client's delayed ACK adds 40 ms
    disable_nagle_algorithm = True
    delay = 0.0

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        time.sleep(self.delay)
        rows = [
            {"object": "embedding", "index": number, "embedding": vector_of(text)}
            for number, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        body = json.dumps({"object": "list", "data": rows, "model": "stub", "usage": usage})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving() -> Iterator[str]:
    """The endpoint in a thread of this process; its base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    Endpoint.delay = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Endpoint).serve_forever()
