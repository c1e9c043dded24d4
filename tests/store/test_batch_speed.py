"""A batch of puts is at least ten times as fast, an item, as puts one by one."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from memories.embedding.calling import forget_kept_vectors
from memories.embedding.profiles import forget_profiles
from memories.embedding.providers import provider_for
from tests.callers import Caller

ENDPOINT = """
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ROW = json.dumps([round(((n * 37) % 101) / 101 - 0.5, 6) for n in range(384)])

class Embeddings(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_): pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rows = ",".join(
            '{"object":"embedding","index":%d,"embedding":%s}' % (n, ROW)
            for n in range(len(asked["input"]))
        )
        body = ('{"object":"list","model":"stub","data":[%s]}' % rows).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = ThreadingHTTPServer(("127.0.0.1", 0), Embeddings)
print(server.server_port, flush=True)
server.serve_forever()
"""


@pytest.fixture
def endpoint(settings: Any) -> Iterator[None]:
    """Embeddings from another process on loopback, as the hub's profile for this test."""
    process = subprocess.Popen([sys.executable, "-c", ENDPOINT], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    port = int(process.stdout.readline())
    settings.EMBEDDING_PROVIDER = "openai"
    settings.EMBEDDING_BASE_URL = f"http://127.0.0.1:{port}"
    settings.EMBEDDING_MODEL = f"stub-{port}"
    settings.EMBEDDING_DIMENSIONS = 384
    forget_profiles()
    yield
    process.kill()
    process.wait()
    forget_profiles()
    forget_kept_vectors()
    provider_for.cache_clear()


@pytest.mark.slow
@pytest.mark.usefixtures("endpoint")
@pytest.mark.timeout(600)
def test_ten_thousand_puts_in_a_batch_are_ten_times_as_fast_as_one_by_one(agent: Caller) -> None:
    def value(name: str, number: int) -> dict[str, Any]:
        return {"text": f"{name} item {number} about apples and pears", "n": number}

    agent.put(["warm"], "w", value("warm", 0))
    began = time.perf_counter()
    for number in range(100):
        made = agent.put(["single"], str(number), value("single", number))
        assert made.json()["embedding"] == "ready"
    single = 100 / (time.perf_counter() - began)
    ops = [
        {"op": "put", "namespace": ["batch"], "key": str(n), "value": value("batch", n)}
        for n in range(10_000)
    ]
    began = time.perf_counter()
    assert agent.batch(*ops).status_code == 200
    batch = 10_000 / (time.perf_counter() - began)
    assert agent.get(["batch"], "9999").json()["embedding"] == "ready"
    assert batch >= 10 * single, f"{batch:.0f} against {single:.0f} items a second"
