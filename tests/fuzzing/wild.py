"""Wild requests from a seed: good ones with something changed, and ones that were never good."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

TEXTS = [
    "", "a", "k", "users", "u1", "*", ".", "..", "/", "%", "%00", "\\", "_", "'", '"', "$", "$gt",
    "\x00", "\x01", "\n", "\x7f", "\ud800", "\udfff", "用户", "😀", "e\u0301", "\u202e", "\ufeff",
    "\uffff", "\U0010ffff", "null", "true", "NaN", "1e999", "langgraph", "x" * 300, "界" * 600,
    "2026-01-31T00:00:00Z", "2026-01-31T00:00:00", "9999-12-31T23:59:59Z", "-1", "0x10", "{}", "[]",
    "01900000-0000-7000-8000-000000000000", "'; SELECT 1; --", "<script>", "${jndi:x}", "{{7*7}}",
    "a[0]", "a[-1]", "a[*].c", "{x,y.z}", "a[999999999999]", "[", "a..b", "(((((", "\\u0000",
]  # fmt: skip
NUMBERS = [
    0, -0.0, 1, -1, 0.5, 1e-300, 1e300, 2**31, 2**63, -(2**63) - 1, 10**30, 999_999_999_999,
    1e16, 0.1 + 0.2,
]  # fmt: skip
RAW_NUMBERS = ["1e400", "-1e400", "NaN", "Infinity", "-Infinity", "1" * 2000, "0." + "1" * 50]
NAMES = [
    "namespace", "namespace_prefix", "key", "value", "ttl", "index", "kind", "subjects", "tags",
    "importance", "decay", "derived_from", "source", "session_id", "dedup", "if_version", "wait",
    "query", "filter", "limit", "offset", "refresh_ttl", "mode", "kinds", "tier", "min_score",
    "recency", "include_archived", "explain", "prefix", "suffix", "max_depth", "dry_run", "ops",
    "op", "stray", "$and", "$or", "$not", "$in", "$exists", "$contains", "a", "a.b", "reason",
    "label", "cursor", "count", "threshold",
]  # fmt: skip
PATHS = {
    "/store/items": ["GET", "PUT", "DELETE"],
    "/store/items/search": ["POST"],
    "/store/namespaces": ["POST", "DELETE"],
    "/store/batch": ["POST"],
    "/usage": ["GET"],
    "/memories/01900000-0000-7000-8000-000000000000": ["GET"],
    "/memories/nonsense/versions": ["GET"],
}
FOR_PEOPLE = {
    "/keys": ["GET", "POST"],
    "/members": ["GET", "POST"],
    "/settings": ["GET", "PATCH"],
    "/policies/sweep-scopes": ["GET", "POST"],
    "/policies/sweeps": ["GET", "POST"],
    "/audit/events": ["GET"],
    "/memories/find": ["POST"],
    "/privacy/quarantine": ["GET"],
    "/privacy/clock": ["GET"],
    "/usage": ["GET"],
    "/store/items/search": ["POST"],
}
OPTIONS: dict[str, Any] = {
    "name": "n", "scopes": ["memory:read"], "prefixes": [["a"]], "networks": ["10.0.0.0/8"],
    "expires_at": "2030-01-01T00:00:00Z", "email": "a@example.com", "role": "viewer",
    "namespace_prefix": ["a"], "interval_minutes": 5, "enabled": True, "dry_run": True,
    "timezone": "Asia/Shanghai", "locale": "zh-hans", "default_ttl_minutes": 60, "trash_days": 10,
    "notice_days": 7, "default_decay": 0.9, "recency": 0.2, "index_fields": ["$"], "kinds": ["t"],
    "versions_kept": 5, "pii": {"email": "mask"}, "quotas": {"memories": 10}, "entity": "email",
    "value": "a@example.com", "reason": "because", "version": 1, "refresh_on_read": False,
    "activation_share": 0.1, "embedding": {"profile": "none"}, "backup_retention_days": 7,
}  # fmt: skip
METHODS = ["GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "FOO"]
HEADERS = [
    "X-Request-Id", "Idempotency-Key", "X-Hub-Tenant", "Accept", "Accept-Language", "Cookie",
    "If-None-Match", "X-Forwarded-For", "X-Forwarded-Proto", "Content-Encoding", "Origin",
    "X-Http-Method-Override", "Range", "X-Api-Key", "Forwarded", "Expect",
]  # fmt: skip


@dataclass(slots=True)
class Wild:
    """One request; `path` includes the query string."""

    method: str
    path: str
    body: bytes
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


class Drawing:
    """Draws requests; the same seed draws the same ones."""

    def __init__(self, seed: int, paths: dict[str, list[str]] = PATHS) -> None:
        self.random = random.Random(seed)
        self.paths = paths

    def request(self) -> Wild:
        chance = self.random.random
        path = self.random.choice(list(self.paths))
        method = self.random.choice(self.paths[path] if chance() < 0.9 else METHODS)
        if chance() < 0.04:
            path = "/" + quote(self.text().encode("utf-8", "surrogatepass"), safe="/%")
        wild = Wild(method, path + self.query(method, path), self.body(method, path))
        if chance() < 0.05:
            wild.content_type = self.random.choice(
                ["text/plain", "", "application/json; charset=latin-1", "multipart/form-data", "\t"]
            )
        while chance() < 0.25:
            wild.headers[self.random.choice(HEADERS)] = self.header()
        return wild

    def query(self, method: str, path: str) -> str:
        pairs: dict[str, str] = {}
        if method == "GET" and "items" in path:
            pairs = {"namespace": ".".join(map(str, self.namespace())), "key": self.key()}
        if self.random.random() < 0.15:
            pairs[self.random.choice(NAMES)] = self.text()
        if self.random.random() < 0.05:
            return "?" + self.random.choice(["%", "&&&=", "a" * 3000, "key", "%ff=%fe", "=", "?"])
        parts = [f"{quote(name)}={self.quoted(value)}" for name, value in pairs.items()]
        return "?" + "&".join(parts) if parts else ""

    def quoted(self, text: str) -> str:
        return quote(text.encode("utf-8", "surrogatepass"), safe="")

    def header(self) -> str:
        text = self.text().replace("\r", "").replace("\n", "").encode("utf-8", "surrogatepass")
        return text.decode("latin-1")

    def body(self, method: str, path: str) -> bytes:
        if method in ("GET", "HEAD"):
            return b""
        chance = self.random.random()
        if chance < 0.04:
            return self.random.randbytes(self.random.randrange(40))
        good = self.good(path)
        if chance < 0.75:
            for _ in range(self.random.randrange(1, 4)):
                good = self.mutated(good)
        text = json.dumps(good, ensure_ascii=self.random.random() < 0.5)
        if self.random.random() < 0.05:
            text = text.replace("1", self.random.choice(RAW_NUMBERS), 1)
        if self.random.random() < 0.03:
            text = text[: self.random.randrange(len(text) + 1)]
        return text.encode("utf-8", "surrogatepass")

    def good(self, path: str) -> dict[str, Any]:
        """Something that the endpoint takes, more or less."""
        if path.endswith("search"):
            return {"namespace_prefix": self.namespace(), **self.some(self.search_options())}
        if path.endswith("namespaces"):
            return self.some({
                "prefix": self.namespace(), "suffix": self.namespace(), "max_depth": 2,
                "namespace_prefix": self.namespace(), "dry_run": True, "limit": 5, "offset": 1,
            })  # fmt: skip
        if path.endswith("batch"):
            return {"ops": [self.op() for _ in range(self.random.randrange(5))]}
        if path in FOR_PEOPLE:
            return self.some(OPTIONS)
        return self.put()

    def put(self) -> dict[str, Any]:
        options = {
            "index": self.random.choice([False, ["$"], ["a.b", "*"], []]),
            "ttl": 10, "kind": "episode", "subjects": [self.text()], "tags": [self.text()],
            "importance": 0.3, "decay": 0.9, "derived_from": [], "source": self.value(2),
            "session_id": self.text(), "if_version": 1, "wait": False, "dedup": True,
        }  # fmt: skip
        value = {self.text(): self.value(3) for _ in range(2)}
        return {
            "namespace": self.namespace(), "key": self.key(), "value": value, "wait": False,
            **self.some(options),
        }  # fmt: skip

    def search_options(self) -> dict[str, Any]:
        return {
            "query": self.text(), "filter": self.filter(2), "limit": 3, "offset": 1,
            "refresh_ttl": True, "mode": self.random.choice(["text", "hybrid"]),
            "kinds": ["fact"], "subjects": [self.text()], "tags": [self.text()],
            "min_score": 0.1, "recency": 0.5, "include_archived": True, "explain": True,
        }  # fmt: skip

    def op(self) -> dict[str, Any]:
        name = self.random.choice(["put", "get", "delete", "search", "list_namespaces"])
        key = {"namespace": self.namespace(), "key": self.key()}
        return {"op": name, **{
            "put": self.put(), "get": key, "delete": key,
            "search": {"namespace_prefix": self.namespace(), **self.some(self.search_options())},
            "list_namespaces": {"prefix": self.namespace()},
        }[name]}  # fmt: skip

    def filter(self, depth: int) -> Any:
        name = self.random.choice(["a", "a.b", "n", self.text()])
        operator = self.random.choice(
            ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists", "$contains"]
        )
        if depth and self.random.random() < 0.4:
            inner = self.filter(depth - 1)
            return self.random.choice([{"$and": [inner]}, {"$or": [inner, {}]}, {"$not": inner}])
        return {name: self.random.choice([self.value(1), {operator: self.value(1)}])}

    def namespace(self) -> list[Any]:
        plain = [["a"], ["users", "u1"], ["a", "b", "c"], ["x"], []]
        if self.random.random() < 0.7:
            return self.random.choice(plain)
        return [self.text() for _ in range(self.random.randrange(14))]

    def key(self) -> str:
        return self.random.choice(["k", "k1", "k2"]) if self.random.random() < 0.7 else self.text()

    def text(self) -> str:
        if self.random.random() < 0.3:
            return "".join(self.random.choice(TEXTS)[:5] for _ in range(3))
        return self.random.choice(TEXTS)

    def value(self, depth: int) -> Any:
        roll = self.random.randrange(7)
        if depth and roll < 2:
            return {self.text(): self.value(depth - 1) for _ in range(self.random.randrange(3))}
        if depth and roll == 2:
            return [self.value(depth - 1) for _ in range(self.random.randrange(3))]
        return self.random.choice([None, True, False, self.random.choice(NUMBERS), self.text()])

    def some(self, options: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in options.items() if self.random.random() < 0.3}

    def mutated(self, node: Any) -> Any:
        """The document with one place changed."""
        if isinstance(node, dict) and node and self.random.random() < 0.8:
            name = self.random.choice(list(node))
            roll = self.random.random()
            if roll < 0.15:
                return {other: value for other, value in node.items() if other != name}
            if roll < 0.3:
                return {**node, self.random.choice(NAMES): self.value(2)}
            return {**node, name: self.mutated(node[name])}
        if isinstance(node, list) and node and self.random.random() < 0.8:
            place = self.random.randrange(len(node))
            return [*node[:place], self.mutated(node[place]), *node[place + 1 :]]
        return self.value(2)
