"""Sessions, messages, recall and context (API.md, "Conversations")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orjson import Fragment
from rest_framework.request import Request

from api.base import HubView, parsed
from api.openapi import conversations as shapes
from api.openapi.conversations import (
    ContextRequest,
    MessageRequest,
    RecallRequest,
    SessionRequest,
    StateRequest,
)
from api.rendering import Response
from api.repeating import read_again, repeatable
from api.views.store import present_found
from conversations.assembling import Context, assemble_context
from conversations.messaging import Incoming, Received, receive_message, repeat_received
from conversations.opening import begin_session, close_session, read_session, set_state
from conversations.recalling import recall_in_session
from conversations.sessions import Session
from memories.filter_sql import to_json


class SessionsView(HubView):
    """Conversations that begin."""

    @shapes.open_session
    @repeatable(read_again)
    def post(self, request: Request) -> Response:
        asked = parsed(SessionRequest, request)
        session = begin_session(
            asked.subject, channel=asked.channel or None, ttl_seconds=asked.ttl_seconds
        )
        location = f"{request.path}/{session.id}"
        return Response(present_session(session), status=201, headers={"Location": location})


class SessionView(HubView):
    """One conversation."""

    @shapes.get_session
    def get(self, request: Request, session_id: str) -> Response:
        return Response(present_session(read_session(session_id)))

    @shapes.change_session
    def patch(self, request: Request, session_id: str) -> Response:
        asked = parsed(StateRequest, request)
        return Response(present_session(set_state(session_id, asked.state)))

    @shapes.end_session
    def delete(self, request: Request, session_id: str) -> Response:
        close_session(session_id)
        return Response(status=204)


def _add_again(request: Request, made: Mapping[str, Any]) -> dict[str, Any]:
    """What became of the message, with the session's window as it is now."""
    session_id = request.parser_context["kwargs"]["session_id"]
    return present_received(repeat_received(session_id, made))


class MessagesView(HubView):
    """What is said in a session."""

    @shapes.add_message
    @repeatable(_add_again)
    def post(self, request: Request, session_id: str) -> Response:
        asked = parsed(MessageRequest, request)
        incoming = Incoming(asked.role, asked.content, asked.message_id, asked.metadata)
        received = receive_message(session_id, incoming)
        return Response(present_received(received), status=201 if received.is_new else 200)


class RecallView(HubView):
    """Search within a session."""

    @shapes.recall
    def post(self, request: Request, session_id: str) -> Response:
        asked = parsed(RecallRequest, request)
        return Response(
            present_found(recall_in_session(session_id, asked.query, limit=asked.limit))
        )


class ContextView(HubView):
    """All that is known for an answer."""

    @shapes.context
    def post(self, request: Request) -> Response:
        asked = parsed(ContextRequest, request)
        context = assemble_context(
            asked.query, session_id=asked.session_id, subject=asked.subject,
            budget=asked.budget_tokens,
        )  # fmt: skip
        return Response(present_context(context))


def present_session(session: Session) -> dict[str, Any]:
    """A session as callers get it."""
    return {
        "session_id": session.id, "subject": session.subject, "channel": session.channel,
        "status": session.status, "state": Fragment(to_json(session.state)),
        "created_at": session.created_at, "last_active_at": session.last_active_at,
        "expires_at": session.expires_at, "context": list(session.window),
    }  # fmt: skip


def present_received(received: Received) -> dict[str, Any]:
    """What became of a message."""
    short_term: dict[str, Any] = {"stored": received.stored}
    if received.memory_id is not None:
        short_term["memory_id"] = received.memory_id
    if received.reason is not None:
        short_term["reason"] = received.reason
    return {
        "message_id": received.message_id, "context": list(received.window),
        "short_term": short_term, "classes": list(received.classes),
    }  # fmt: skip


def present_context(context: Context) -> dict[str, Any]:
    """A prompt block with what it is made of."""
    return {
        "prompt": context.prompt,
        "items": [
            {"tier": one.tier, "memory_id": one.memory_id, "text": one.text, "score": one.score}
            for one in context.items
        ],
        "tokens": context.tokens,
        "timings_ms": context.timings,
    }
