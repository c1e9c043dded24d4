"""How answers are read, for all endpoints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar
from urllib.parse import quote

from memoryhub_sdk.calling import Reply
from memoryhub_sdk.decoding import decode, decode_each
from memoryhub_sdk.errors import UnexpectedReply
from memoryhub_sdk.models import Page

T = TypeVar("T")


def reading(kind: type[T]) -> Callable[[Reply], T]:
    """One object."""
    return lambda reply: decode(kind, reply.json())


def page_of(kind: type[T]) -> Callable[[Reply], Page[T]]:
    """A page of a list."""

    def read(reply: Reply) -> Page[T]:
        page = reply.json()
        if not isinstance(page, Mapping):
            raise UnexpectedReply("A page was expected", code="unexpected_reply")
        items = decode_each(kind, page.get("items"))
        return Page(items=items, next=page.get("next"), total=page.get("total"))

    return read


def nothing(reply: Reply) -> None:
    """No content."""
    return None


def quoted(identifier: str) -> str:
    """An id as one segment of a path, whatever it holds."""
    return quote(str(identifier), safe="")
