"""A hub on a loopback port, small enough to trust: LangGraph's InMemoryStore behind the wire.

Every request is kept in `requests`. `script` holds replies that are given before anything is
looked at, one a request: a `Problem`, `HANG_UP` (the connection is closed without an answer) or
`LOSE_ANSWER` (the request is carried out, the answer is not sent). `canned` answers further paths.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

KEY = "mh_test_secret"
HANG_UP, LOSE_ANSWER = "hang up", "lose answer"


@dataclass(frozen=True)
class Problem(Exception):
    status: int
    code: str
    headers: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Replay(Exception):
    answer: Any


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any


@dataclass
class FakeHub:
    requests: list[Request] = field(default_factory=list)
    script: list[Any] = field(default_factory=list)
    canned: dict[tuple[str, str], tuple[int, Any]] = field(default_factory=dict)
    before: Callable[[Request], None] = lambda request: None
    index: Any = None

    def __post_init__(self) -> None:
        self.items = InMemoryStore(index=self.index)
        self.done: dict[str, list[Any]] = {}
        self.expiries: dict[Any, tuple[float, float]] = {}
        self.lock = threading.Lock()

    def __enter__(self) -> Self:
        hub = self

        class Handler(_Handler):
            pass

        Handler.hub = hub
        self.server = _Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def of(self, method: str, path: str) -> list[Request]:
        return [one for one in self.requests if (one.method, one.path) == (method, path)]

    def answer(self, request: Request) -> tuple[int, Any]:
        if request.headers.get("authorization") != f"Bearer {KEY}":
            raise Problem(401, "unauthenticated")
        if (request.method, request.path) in self.canned:
            return self.canned[request.method, request.path]
        with self.lock:
            self._forget_expired()
            return self._store(request)

    def _store(self, request: Request) -> tuple[int, Any]:
        body = request.body
        match request.method, request.path:
            case "POST", "/api/v1/store/batch":
                return 200, self._once(request)
            case "PUT", "/api/v1/store/items":
                self._batch([{"op": "put", **body}])
                return 200, self._batch([{"op": "get", **body}])[0] | {"outcome": "created"}
            case "GET", "/api/v1/store/items":
                labels = request.params["namespace"].split(".")
                op = {"op": "get", "namespace": labels, "key": request.params["key"]}
                if (found := self._batch([op])[0]) is not None:
                    return 200, found
            case "DELETE", "/api/v1/store/items":
                self._batch([{"op": "delete", **body}])
                return 204, None
            case "POST", "/api/v1/store/items/search":
                return 200, self._batch([{"op": "search", **body}])[0]
            case "POST", "/api/v1/store/namespaces":
                return 200, self._batch([{"op": "list_namespaces", **body}])[0]
            case "DELETE", "/api/v1/store/namespaces":
                found = self.items.search(tuple(body["namespace_prefix"]), limit=10_000)
                self._batch(
                    [{"op": "delete", "namespace": one.namespace, "key": one.key} for one in found]
                )
                return 200, {"matched": len(found), "deleted": len(found), "kept": []}
        raise Problem(404, "not_found")

    def _once(self, request: Request) -> Any:
        """A batch; one that was done already is answered with what it made, not what it read."""
        key, ops = request.headers.get("idempotency-key"), request.body["ops"]
        if key in self.done:
            raise Replay({"results": self.done[key]})
        results = self._batch(ops)
        if key:
            self.done[key] = [
                result if op["op"] == "put" else None
                for op, result in zip(ops, results, strict=True)
            ]
        return {"results": results}

    def _batch(self, ops: list[dict[str, Any]]) -> list[Any]:
        results = self.items.batch([_op_of(op) for op in ops])
        for namespace in [one for one, held in self.items._data.items() if not held]:
            del self.items._data[namespace]
        for op in ops:
            if op["op"] == "put":
                self._set_expiry((*op["namespace"], op["key"]), op.get("ttl"))
        return [self._wire(op, one) for op, one in zip(ops, results, strict=True)]

    def _wire(self, op: dict[str, Any], result: Any) -> Any:
        match op["op"]:
            case "get":
                return result and self._item(result, op)
            case "search":
                return {"items": [self._item(one, op) | {"score": one.score} for one in result]}
            case "list_namespaces":
                return {"namespaces": [list(one) for one in result]}
            case "put":
                return {"id": "m1", "version": 1, "outcome": "created"}
        return None

    def _item(self, item: Any, op: dict[str, Any]) -> dict[str, Any]:
        place = (*item.namespace, item.key)
        if op.get("refresh_ttl") and place in self.expiries:
            self._set_expiry(place, self.expiries[place][0])
        return item.dict() | {"id": "m1", "version": 1}

    def _set_expiry(self, place: Any, ttl: float | None) -> None:
        self.expiries.pop(place, None)
        if ttl is not None:
            self.expiries[place] = (ttl, time.monotonic() + ttl * 60)

    def _forget_expired(self) -> None:
        for place, (_, due) in list(self.expiries.items()):
            if due < time.monotonic():
                del self.expiries[place]
                self._batch([{"op": "delete", "namespace": place[:-1], "key": place[-1]}])


def _op_of(op: dict[str, Any]) -> Any:
    match op["op"]:
        case "get":
            return GetOp(tuple(op["namespace"]), op["key"])
        case "put":
            return PutOp(tuple(op["namespace"]), op["key"], op["value"], op.get("index"))
        case "delete":
            return PutOp(tuple(op["namespace"]), op["key"], None)
        case "search":
            prefix, limits = (
                tuple(op["namespace_prefix"]),
                (op.get("limit", 10), op.get("offset", 0)),
            )
            if "$bad" in (op.get("filter") or {}):
                raise Problem(422, "unknown_operator")
            return SearchOp(prefix, op.get("filter"), *limits, op.get("query"))
    conditions = tuple(
        MatchCondition(kind, tuple(op[kind])) for kind in ("prefix", "suffix") if op.get(kind)
    )
    return ListNamespacesOp(
        conditions, op.get("max_depth"), op.get("limit", 100), op.get("offset", 0)
    )


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    hub: FakeHub

    def handle_any(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        url = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = json.loads(content) if content else None
        request = Request(self.command, url.path, dict(parse_qsl(url.query)), headers, body)
        with self.hub.lock:
            self.hub.requests.append(request)
            scripted = self.hub.script.pop(0) if self.hub.script else None
        self.hub.before(request)
        if scripted == HANG_UP:
            self.close_connection = True
            return
        try:
            if isinstance(scripted, Problem):
                raise scripted
            status, answer = self.hub.answer(request)
        except Problem as problem:
            self.reply_with(problem)
            return
        except Replay as replay:
            headers = {"content-type": "application/json", "idempotent-replay": "true"}
            self.reply(200, replay.answer, headers)
            return
        if scripted == LOSE_ANSWER:
            self.close_connection = True
            return
        self.reply(status, answer, {"content-type": "application/json"})

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = handle_any

    def reply_with(self, problem: Problem) -> None:
        document = {"type": "about:blank", "title": "No", "status": problem.status}
        document |= {"code": problem.code, "detail": f"No: {problem.code}", "request_id": "r1"}
        headers = {"content-type": "application/problem+json", **problem.headers}
        self.reply(problem.status, document | dict(problem.facts), headers)

    def reply(self, status: int, answer: Any, headers: Mapping[str, str]) -> None:
        content = b"" if status == 204 else answer if isinstance(answer, bytes) else _json(answer)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _json(answer: Any) -> bytes:
    return json.dumps(answer, ensure_ascii=False).encode()
