"""Memories by id."""

from __future__ import annotations

from typing import Literal

from memoryhub_sdk.calling import Call, request
from memoryhub_sdk.endpoints.reading import page_of, quoted, reading
from memoryhub_sdk.models import (
    Event,
    Explanation,
    Memory,
    MemoryVersion,
    Page,
)
from memoryhub_sdk.unset import UNSET, Unset


def get_memory(memory_id: str) -> Call[Memory]:
    """One memory; `NotFound`, or `Purged` with the tombstone for those who may see it."""
    return Call(request("GET", f"/memories/{quoted(memory_id)}"), reading(Memory))


def list_versions(
    memory_id: str, *, limit: int | Unset = UNSET, cursor: str | None = None
) -> Call[Page[MemoryVersion]]:
    """Every value that it had, newest first, the current one included."""
    path = f"/memories/{quoted(memory_id)}/versions"
    params = {"limit": limit, "cursor": cursor}
    return Call(request("GET", path, params=params), page_of(MemoryVersion))


def list_events(
    memory_id: str, *, limit: int | Unset = UNSET, cursor: str | None = None
) -> Call[Page[Event]]:
    """What happened to it, newest first."""
    path = f"/memories/{quoted(memory_id)}/events"
    params = {"limit": limit, "cursor": cursor}
    return Call(request("GET", path, params=params), page_of(Event))


def explain(memory_id: str, *, lang: Literal["en", "zh"] | Unset = UNSET) -> Call[Explanation]:
    """Why it is where it is, and what comes next."""
    path = f"/memories/{quoted(memory_id)}/explain"
    return Call(request("GET", path, params={"lang": lang}), reading(Explanation))


def restore(memory_id: str, *, reason: str) -> Call[Memory]:
    """Take it out of the trash."""
    path = f"/memories/{quoted(memory_id)}/restore"
    return Call(
        request("POST", path, body={"reason": reason}, makes_something=True), reading(Memory)
    )


def label(memory_id: str, *, label: str | None, reason: str) -> Call[Memory]:
    """Set its label, or take it away with None."""
    path = f"/memories/{quoted(memory_id)}/label"
    body = {"label": label, "reason": reason}
    return Call(request("POST", path, body=body, makes_something=True), reading(Memory))


def find(*, entity: str, value: str) -> Call[Page[Memory]]:
    """Memories whose sealed originals hold exactly this value."""
    body = {"entity": entity, "value": value}
    return Call(request("POST", "/memories/find", body=body), page_of(Memory))
