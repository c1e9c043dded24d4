"""An OpenAI-compatible chat endpoint on loopback whose behaviour a test chooses."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Fact = dict[str, Any]


class ChatEndpoint:
    """What it was asked, and how it answers.

    `facts_of` gives the facts of one text; `content` (when set) is answered instead, as it is;
    `status` other than 200 is answered at once; while `gate` is not set, nothing is answered.
    """

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[dict[str, Any]] = []
        self.facts_of: Callable[[str], list[Fact]] = lambda _: []
        self.content: str | None = None
        self.status = 200
        self.gate = threading.Event()
        self.gate.set()

    @property
    def texts(self) -> list[str]:
        """All message texts that it was sent, in order."""
        return [one["text"] for asked in self.asked for one in messages_of(asked)]

    def answer(self, asked: dict[str, Any]) -> str:
        if self.content is not None:
            return self.content
        facts = [
            {"message": one["message"], "confirmed": False, **fact}
            for one in messages_of(asked)
            for fact in self.facts_of(one["text"])
        ]
        return json.dumps({"facts": facts}, ensure_ascii=False)


def messages_of(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """The numbered messages in a request."""
    text = asked["messages"][-1]["content"]
    found: list[dict[str, Any]] = json.loads(
        text.removeprefix("<messages>").removesuffix("</messages>")
    )
    return found


@contextmanager
def serving_chat() -> Iterator[ChatEndpoint]:
    """A running endpoint."""
    endpoint = ChatEndpoint()

    class Handler(_Handler):
        served = endpoint

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.gate.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    served: ChatEndpoint

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert asked["response_format"]["type"] == "json_schema"
        self.served.asked.append(asked)
        self.served.gate.wait(30)
        if self.served.status != 200:
            self.reply(self.served.status, {"error": {"message": "no"}})
            return
        message = {"role": "assistant", "content": self.served.answer(asked)}
        self.reply(
            200,
            {
                "id": "c1", "object": "chat.completion", "created": 1, "model": asked["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            },
        )  # fmt: skip

    def reply(self, status: int, document: Any) -> None:
        content = json.dumps(document).encode()
        try:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except OSError:  # whoever asked has gone
            self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Nothing."""
