"""Items by namespace and key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec, TypeVar

from memoryhub_sdk.calling import Call, Flow, Reply, Retries, request
from memoryhub_sdk.decoding import decode
from memoryhub_sdk.encoding import encode_json
from memoryhub_sdk.endpoints.batches import Encoded, RawBatch
from memoryhub_sdk.endpoints.reading import nothing
from memoryhub_sdk.errors import error_of
from memoryhub_sdk.models import (
    Job,
    Memory,
    Namespace,
    NamespaceDeletion,
    SearchResult,
    Written,
)
from memoryhub_sdk.namespaces import checked
from memoryhub_sdk.operations import (
    Delete,
    ListNamespaces,
    Put,
    Search,
    StoreOp,
    StoreResult,
    batched,
    body_of,
)
from memoryhub_sdk.unset import UNSET, Unset

P = ParamSpec("P")
T = TypeVar("T")
I = TypeVar("I")  # noqa: E741


def get(
    namespace: Sequence[str], key: str, *, refresh_ttl: bool | Unset | None = UNSET
) -> Call[Memory | None]:
    """Read one item; None when it is not there. `refresh_ttl` None: as the tenant has it."""
    labels = ".".join(checked(namespace))
    params = {"namespace": labels, "key": key, "refresh_ttl": refresh_ttl}
    return Call(request("GET", "/store/items", params=params), _read_item, frozenset({404}))


def _read_item(reply: Reply) -> Memory | None:
    if reply.status != 404:
        return decode(Memory, reply.json())
    if not reply.is_problem:  # not the hub's 404: a wrong address must not look like an empty store
        raise error_of(reply.status, reply.headers, reply.body)
    return None


def _put(operation: Put) -> Call[Written]:
    """Write one item: the whole value, no merge."""
    once = operation.if_version is not UNSET or operation.dedup is not UNSET
    body = body_of(operation)
    return Call(request("PUT", "/store/items", body=body, makes_something=once), _read_written)


def _read_written(reply: Reply) -> Written:
    answer = reply.json()
    written = decode(Written, answer)
    if "value" not in answer:
        return written
    return Written(
        id=written.id,
        outcome=written.outcome,
        version=written.version,
        merged_into=written.merged_into,
        memory=decode(Memory, answer),
    )


def _delete(operation: Delete) -> Call[None]:
    """Delete one item."""
    return Call(request("DELETE", "/store/items", body=body_of(operation)), nothing)


def _search(operation: Search) -> Call[SearchResult]:
    """Find items below a prefix."""
    asked = request("POST", "/store/items/search", body=body_of(operation))
    return Call(asked, lambda reply: operation.read(reply.json()))


def _list_namespaces(operation: ListNamespaces) -> Call[list[Namespace]]:
    """List namespaces."""
    asked = request("POST", "/store/namespaces", body=body_of(operation))
    return Call(asked, lambda reply: operation.read(reply.json()))


def _taking(build: Callable[P, I], endpoint: Callable[[I], Call[T]]) -> Callable[P, Call[T]]:
    """The endpoint with the parameters of the operation that it takes."""

    @wraps(build, updated=())
    def asked(*args: P.args, **kwargs: P.kwargs) -> Call[T]:
        return endpoint(build(*args, **kwargs))

    return asked


put = _taking(Put, _put)
delete = _taking(Delete, _delete)
search = _taking(Search, _search)
list_namespaces = _taking(ListNamespaces, _list_namespaces)


def delete_namespace(
    namespace_prefix: Sequence[str], *, dry_run: bool = False
) -> Call[NamespaceDeletion | Job]:
    """Delete everything below a prefix, or only count it. A large one is a `Job`."""
    body = {"namespace_prefix": checked(namespace_prefix), "dry_run": dry_run}
    return Call(request("DELETE", "/store/namespaces", body=body), _read_deletion)


def _read_deletion(reply: Reply) -> NamespaceDeletion | Job:
    answer = reply.json()
    return decode(Job, answer) if reply.status == 202 else decode(NamespaceDeletion, answer)


@dataclass(frozen=True, slots=True)
class Batch:
    """Asks for many operations in one request."""

    operations: Sequence[StoreOp]
    entries: Sequence[Encoded]

    def flow(self, retries: Retries) -> Flow[list[StoreResult]]:
        """Send and read result by result."""
        results = yield from RawBatch(self.entries).flow(retries)
        return [op.read(result) for op, result in zip(self.operations, results, strict=True)]


def batch(operations: Sequence[StoreOp]) -> Batch:
    """Many operations, all or nothing: reads first, results by position.

    Of several puts to one key the last wins. At most 20,000 operations and 32 MiB.
    """
    listed = list(operations)
    entries = [
        Encoded(encode_json(batched(operation), path=f"ops[{at}]"), operation.writes)
        for at, operation in enumerate(listed)
    ]
    return Batch(listed, entries)
