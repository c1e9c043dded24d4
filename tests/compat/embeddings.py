"""An OpenAI-compatible endpoint on loopback that embeds as LangGraph's tests do."""

from __future__ import annotations

import base64
import importlib.util
import json
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

DIMENSIONS = 500


@contextmanager
def serving_character_embeddings(tests: Path) -> Iterator[str]:
    """The base URL of an endpoint with one instance of the embeddings in `tests`."""
    where = tests / "tests" / "embed_test_utils.py"
    spec = importlib.util.spec_from_file_location("embed_test_utils", where)
    if spec is None or spec.loader is None:
        raise RuntimeError(f"{where} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    embeddings, lock = module.CharacterEmbeddings(dims=DIMENSIONS), threading.Lock()

    class Handler(_Handler):
        def vectors(self, texts: list[str]) -> list[list[float]]:
            with lock:
                return embeddings.embed_documents(texts)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def vectors(self, texts: list[str]) -> list[list[float]]:
        raise NotImplementedError

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        packed = asked.get("encoding_format") == "base64"
        listed: list[dict[str, Any]] = [
            {"object": "embedding", "index": at, "embedding": _packed(one) if packed else one}
            for at, one in enumerate(self.vectors(texts))
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        answer = {"object": "list", "data": listed, "model": asked["model"], "usage": usage}
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _packed(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
