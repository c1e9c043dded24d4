"""Sessions, messages, context, events and feedback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from memoryhub_sdk.calling import Call, Reply, request
from memoryhub_sdk.endpoints.reading import nothing, quoted, reading
from memoryhub_sdk.models import (
    Context,
    Message,
    Promoted,
    Promotion,
    SearchResult,
    Session,
)
from memoryhub_sdk.namespaces import checked
from memoryhub_sdk.unset import UNSET, Unset


def create_session(
    subject: str, *, channel: str | Unset = UNSET, ttl_seconds: int | Unset = UNSET
) -> Call[Session]:
    """Begin a conversation."""
    body = {"subject": subject, "channel": channel, "ttl_seconds": ttl_seconds}
    return Call(request("POST", "/sessions", body=body, makes_something=True), reading(Session))


def get_session(session_id: str) -> Call[Session]:
    """Read it; its expiry slides."""
    return Call(request("GET", f"/sessions/{quoted(session_id)}"), reading(Session))


def update_session(session_id: str, *, state: Mapping[str, Any]) -> Call[Session]:
    """Set the open task state, at most 4 KiB."""
    asked = request("PATCH", f"/sessions/{quoted(session_id)}", body={"state": state})
    return Call(asked, reading(Session))


def delete_session(session_id: str) -> Call[None]:
    """End it; its short-term memories go with it."""
    return Call(request("DELETE", f"/sessions/{quoted(session_id)}"), nothing)


def add_message(
    session_id: str,
    role: Literal["user", "assistant", "system", "tool"],
    content: str,
    *,
    message_id: str | Unset = UNSET,
    metadata: Mapping[str, Any] | Unset = UNSET,
) -> Call[Message]:
    """Add a message. The same `message_id` again does nothing twice."""
    body = {"role": role, "content": content, "message_id": message_id, "metadata": metadata}
    path = f"/sessions/{quoted(session_id)}/messages"
    return Call(request("POST", path, body=body, makes_something=True), reading(Message))


def recall(session_id: str, query: str, *, limit: int | Unset = UNSET) -> Call[SearchResult]:
    """Search the short-term memory of this session."""
    path = f"/sessions/{quoted(session_id)}/recall"
    asked = request("POST", path, body={"query": query, "limit": limit})
    return Call(asked, reading(SearchResult))


def promote(session_id: str, *, memory_ids: Sequence[str] | Unset = UNSET) -> Call[Promotion]:
    """Keep what the session stated as long-term memory, or only these of its memories."""
    path = f"/sessions/{quoted(session_id)}/promote"
    body = {"memory_ids": memory_ids if isinstance(memory_ids, Unset) else list(memory_ids)}
    return Call(request("POST", path, body=body, makes_something=True), _read_promotion)


def _read_promotion(reply: Reply) -> Promotion:
    answer = reply.json()
    promoted = tuple(
        Promoted(one["memory_id"], tuple(one.get("from") or ()), one.get("reason", ""))
        for one in answer.get("promoted", ())
    )
    return Promotion(promoted, tuple(answer.get("skipped", ())))


def build_context(
    query: str,
    *,
    session_id: str | Unset = UNSET,
    subject: str | Unset = UNSET,
    budget_tokens: int | Unset = UNSET,
) -> Call[Context]:
    """A prompt block of what is known, for a session or a subject."""
    body = {
        "session_id": session_id,
        "subject": subject,
        "query": query,
        "budget_tokens": budget_tokens,
    }
    return Call(request("POST", "/context", body=body), reading(Context))


def report_event(
    event_id: str,
    event_type: str,
    occurred_at: str,
    *,
    subject: str | Unset = UNSET,
    namespace: Sequence[str] | Unset = UNSET,
    memory_ids: Sequence[str] | Unset = UNSET,
) -> Call[int]:
    """Report a business event (RFC 3339 with offset); how many memories it matched."""
    body = {
        "id": event_id,
        "type": event_type,
        "occurred_at": occurred_at,
        "subject": subject,
        "namespace": namespace if isinstance(namespace, Unset) else checked(namespace),
        "memory_ids": memory_ids if isinstance(memory_ids, Unset) else list(memory_ids),
    }
    asked = request("POST", "/events", body=body, makes_something=True)
    return Call(asked, lambda reply: int(reply.json()["matched"]))


def send_feedback(
    search_id: str, *, used: Sequence[str], helpful: bool | Unset | None = UNSET
) -> Call[None]:
    """Say which memories of a search were used."""
    body = {"used": list(used), "helpful": helpful}
    path = f"/searches/{quoted(search_id)}/feedback"
    return Call(request("POST", path, body=body, makes_something=True), nothing)
