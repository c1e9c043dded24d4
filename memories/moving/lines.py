"""JSON lines: the hub's own format, documented in docs/moving.md, written and read as streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from memories.moving.items import Item, read_instant
from memories.namespaces import decode, parse_path
from memories.presenting import MINUTE
from memories.rows import StoredMemory
from memories.strict_json import parse_json
from memoryhub.errors import HubError, Invalid

OPTIONS = (
    "kind", "subjects", "tags", "importance", "decay", "source", "session_id", "index", "ttl",
)  # fmt: skip
DATES = ("created_at", "updated_at", "expires_at")
INFORMATION = ("id", "label", "classes", "tier", "version", "derived_from")
"""Written for people and other tools; an import does not take them: ids are the hub's own, a label
is an officer's, classes come from what is found, sources have other ids here."""


def as_line(row: StoredMemory) -> bytes:
    """A memory as one line."""
    source = None if row.source is None else orjson.Fragment(row.source)
    return orjson.dumps(
        {
            "namespace": list(decode(row.namespace)), "key": row.key,
            "value": orjson.Fragment(row.value), "kind": row.kind, "subjects": row.subjects,
            "tags": row.tags, "importance": row.importance, "decay": row.decay, "source": source,
            "session_id": row.session,
            "index": False if row.index_paths == [] else row.index_paths,
            "ttl": None if row.ttl is None else row.ttl / MINUTE,
            "created_at": row.created_at, "updated_at": row.updated_at,
            "expires_at": row.ttl_expires_at, "id": row.id, "label": row.label,
            "classes": row.classes, "tier": row.tier, "version": row.version,
            "derived_from": row.derived_from,
        },
        option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE,
    )  # fmt: skip


class Lines:
    """A file of lines. A mark is the offset in bytes behind the last line read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.total: int | None = path.stat().st_size

    def position(self, mark: Any) -> int:
        return int(mark or 0)

    def read(self, mark: Any) -> Iterator[Item]:
        """The items behind the mark. Raises Invalid that names the byte where its line begins."""
        with self.path.open("rb") as file:
            file.seek(int(mark or 0))
            while line := file.readline():
                begin, end = file.tell() - len(line), file.tell()
                if line.strip():
                    yield self._item(line, f"byte {begin}", end)

    def _item(self, line: bytes, where: str, end: int) -> Item:
        try:
            given = parse_json(line.removeprefix(b"\xef\xbb\xbf"))
        except HubError as fault:
            raise Invalid.at(where, "malformed_json", fault.detail) from None
        if not isinstance(given, dict):
            raise Invalid.at(where, "invalid_type", "A line is an object.")
        return item_of(given, where, end)


def item_of(given: Mapping[str, Any], where: str, mark: Any) -> Item:
    """A line's object as an item."""
    unknown = set(given) - {"namespace", "key", "value", *OPTIONS, *DATES, *INFORMATION}
    if unknown:
        raise Invalid.at(f"{where}.{min(unknown)}", "unknown_field", "There is no such field.")
    namespace = given.get("namespace")
    if isinstance(namespace, str):
        namespace = list(parse_path(namespace, path=f"{where}.namespace"))
    body = {"namespace": namespace, "key": given.get("key"), "value": given.get("value")}
    body |= {name: given[name] for name in OPTIONS if given.get(name) is not None}
    if "ttl" in given:
        body["ttl"] = given["ttl"]  # null is never, absent the tenant's default
    dates = {name: read_instant(given.get(name), f"{where}.{name}") for name in DATES}
    return Item(where=where, body=body, mark=mark, **dates)
