"""Callers of the API in tests: an agent with a key, in process, with the store's verbs at hand."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from django.test import Client

API = "/api/v1"


class Caller:
    """Calls the API with a key (or none). Answers are Django's test responses."""

    def __init__(self, key: str | None) -> None:
        self.key = key
        self.client = Client(raise_request_exception=False)

    def call(
        self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **headers: str
    ) -> Any:
        """One request; `body` becomes JSON, `raw` is sent as it is."""
        extra = {"HTTP_" + name.upper(): value for name, value in headers.items()}
        if self.key is not None:
            extra.setdefault("HTTP_AUTHORIZATION", f"Bearer {self.key}")
        content = raw if raw is not None else (b"" if body is None else json.dumps(body).encode())
        content_type = "application/json" if content else ""
        return self.client.generic(method, API + path, content, content_type=content_type, **extra)

    def put(self, namespace: list[str], key: str, value: Any, **options: Any) -> Any:
        body = {"namespace": namespace, "key": key, "value": value, **options}
        return self.call("PUT", "/store/items", body)

    def get(self, namespace: list[str], key: str, **query: str) -> Any:
        given = {"namespace": ".".join(namespace), "key": key, **query}
        return self.call("GET", "/store/items?" + urlencode(given))

    def delete(self, namespace: list[str], key: str) -> Any:
        return self.call("DELETE", "/store/items", {"namespace": namespace, "key": key})

    def search(self, prefix: list[str], **options: Any) -> Any:
        return self.call("POST", "/store/items/search", {"namespace_prefix": prefix, **options})

    def batch(self, *ops: dict[str, Any]) -> Any:
        return self.call("POST", "/store/batch", {"ops": list(ops)})

    def namespaces(self, **options: Any) -> list[list[str]]:
        return self.call("POST", "/store/namespaces", options).json()["namespaces"]

    def keys(self, prefix: list[str], **options: Any) -> list[str]:
        """The keys that a search finds, in order."""
        return [item["key"] for item in self.search(prefix, **options).json()["items"]]
