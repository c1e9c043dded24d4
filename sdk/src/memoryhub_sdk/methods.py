"""Endpoint functions as methods, of both clients at once.

`Method(endpoint)` on a blocking group is a method that returns the result; on an awaiting group it
is a coroutine function. Parameters, docstring and types are the endpoint's own.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Generic, ParamSpec, Self, TypeVar, overload

from memoryhub_sdk.calling import Operation
from memoryhub_sdk.endpoints import conversations, hub, jobs, memories, store

P = ParamSpec("P")
T = TypeVar("T")


class Blocking:
    """A group of methods that return when the answer is there."""

    def run(self, operation: Operation[T], /) -> T:
        """Walk the operation to its result."""
        raise NotImplementedError

    def bind(self, endpoint: Callable[P, Operation[T]]) -> Callable[P, T]:
        """The endpoint as a method."""

        @wraps(endpoint)
        def method(*args: P.args, **kwargs: P.kwargs) -> T:
            return self.run(endpoint(*args, **kwargs))

        return method


class Awaiting:
    """A group of coroutine methods."""

    async def run(self, operation: Operation[T], /) -> T:
        """Walk the operation to its result."""
        raise NotImplementedError

    def bind(self, endpoint: Callable[P, Operation[T]]) -> Callable[P, Coroutine[Any, Any, T]]:
        """The endpoint as a method."""

        @wraps(endpoint)
        async def method(*args: P.args, **kwargs: P.kwargs) -> T:
            return await self.run(endpoint(*args, **kwargs))

        return method


class Method(Generic[P, T]):
    """An endpoint as an attribute of a class."""

    def __init__(self, endpoint: Callable[P, Operation[T]]) -> None:
        self._endpoint = endpoint
        self.__doc__ = endpoint.__doc__
        self.__wrapped__ = endpoint

    @overload
    def __get__(self, group: None, kind: type, /) -> Self: ...
    @overload
    def __get__(self, group: Blocking, kind: type, /) -> Callable[P, T]: ...
    @overload
    def __get__(self, group: Awaiting, kind: type, /) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, group: Blocking | Awaiting | None, kind: type, /) -> Any:
        return self if group is None else group.bind(self._endpoint)


class StoreMethods:
    """Items by namespace and key."""

    get = Method(store.get)
    put = Method(store.put)
    delete = Method(store.delete)
    search = Method(store.search)
    list_namespaces = Method(store.list_namespaces)
    delete_namespace = Method(store.delete_namespace)
    batch = Method(store.batch)


class MemoryMethods:
    """Memories by id."""

    get = Method(memories.get_memory)
    versions = Method(memories.list_versions)
    events = Method(memories.list_events)
    explain = Method(memories.explain)
    restore = Method(memories.restore)
    label = Method(memories.label)
    find = Method(memories.find)


class SessionMethods:
    """Conversations and their short-term memory."""

    create = Method(conversations.create_session)
    get = Method(conversations.get_session)
    update = Method(conversations.update_session)
    delete = Method(conversations.delete_session)
    add_message = Method(conversations.add_message)
    recall = Method(conversations.recall)
    promote = Method(conversations.promote)


class JobMethods:
    """Work that goes on in the background."""

    get = Method(jobs.get_job)
    cancel = Method(jobs.cancel_job)
    wait = Method(jobs.wait_for_job)
    file = Method(jobs.read_job_file)


class HubMethods:
    """What stands on the client itself."""

    context = Method(conversations.build_context)
    report_event = Method(conversations.report_event)
    send_feedback = Method(conversations.send_feedback)
    health = Method(hub.check_health)
    ready = Method(hub.check_readiness)
    request = Method(hub.raw_request)
