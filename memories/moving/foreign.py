"""Exports of other stores, as documents: mem0's `get_all` and Chroma's `collection.get`.

They are read whole, because that is how those tools write them. docs/moving.md says how to make
them and what becomes of each field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memories.moving.items import Item, read_instant
from memories.strict_json import parse_json
from memoryhub.errors import Invalid


class Documents:
    """Items of one document. A mark is how many were read."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = items
        self.total: int | None = len(items)

    def position(self, mark: Any) -> int:
        return int(mark or 0)

    def read(self, mark: Any) -> Iterator[Item]:
        yield from self._items[int(mark or 0) :]


def read_mem0(path: Path, namespace: Sequence[str]) -> Documents:
    """`{"results": [{"id", "memory", "user_id", "metadata", …}]}`, or the list alone."""
    document = _load(path)
    rows = document.get("results") if isinstance(document, dict) else document
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Invalid.at("results", "invalid_type", "An export of mem0 is a list of memories.")
    return Documents([_of_mem0(row, number, namespace) for number, row in enumerate(rows)])


def _of_mem0(row: Mapping[str, Any], number: int, namespace: Sequence[str]) -> Item:
    where = f"results[{number}]"
    owners = [
        (room, str(row[name]))
        for room, name in (("users", "user_id"), ("agents", "agent_id"))
        if row.get(name)
    ]
    place = [_label(part) for owner in owners for part in owner]
    body: dict[str, Any] = {
        "namespace": [*namespace, *place] or ["mem0"],
        "key": str(row.get("id") or row.get("hash") or number),
        "value": _value(row.get("memory"), row.get("metadata")),
        "index": ["text"],
    }  # fmt: skip
    if row.get("user_id"):
        body["subjects"] = [str(row["user_id"])]
    if row.get("run_id"):
        body["session_id"] = str(row["run_id"])[:64]
    created = read_instant(row.get("created_at"), f"{where}.created_at")
    updated = read_instant(row.get("updated_at"), f"{where}.updated_at")
    return Item(where, body, number + 1, updated or created, created)


def read_chroma(path: Path, namespace: Sequence[str]) -> Documents:
    """`{"ids": [..], "documents": [..], "metadatas": [..]}`: columns of one collection."""
    document = _load(path)
    ids = document.get("ids") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(ids, list):
        raise Invalid.at("ids", "required", "An export of Chroma has the lists ids and documents.")
    texts = document.get("documents") or [None] * len(ids)
    metadatas = document.get("metadatas") or [None] * len(ids)
    if not len(ids) == len(texts) == len(metadatas):
        raise Invalid.at("documents", "invalid_length", "The lists are of different lengths.")
    place = list(namespace) or [_label(str(document.get("name") or "chroma"))]
    items = []
    for number, (key, text, metadata) in enumerate(zip(ids, texts, metadatas, strict=True)):
        value = _value(text, metadata)
        body = {"namespace": place, "key": str(key), "value": value, "index": ["text"]}
        items.append(Item(f"ids[{number}]", body, number + 1))
    return Documents(items)


def _value(text: Any, metadata: Any) -> dict[str, Any]:
    return {"text": text, "metadata": metadata} if metadata else {"text": text}


def _label(text: str) -> str:
    """A label cannot hold dots; an e-mail address as user id becomes readable still."""
    return text.replace(".", "_")


def _load(path: Path) -> Any:
    return parse_json(path.read_bytes())
