"""Every endpoint, written once: a function that returns what to ask and how to read the answer.

The clients turn these into methods (see `methods.py`), so signatures and docstrings are theirs too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, Literal, ParamSpec, TypeVar
from urllib.parse import quote

from memoryhub_sdk.calling import API, Call, Flow, Reply, Retries, Send, Sleep, request
from memoryhub_sdk.decoding import decode, decode_each
from memoryhub_sdk.errors import JobFailed, TimedOut, UnexpectedReply, error_of
from memoryhub_sdk.models import (
    Context,
    Event,
    Explanation,
    Health,
    Job,
    Memory,
    MemoryVersion,
    Message,
    Namespace,
    NamespaceDeletion,
    Page,
    Promoted,
    Promotion,
    SearchResult,
    Session,
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


def _reading(kind: type[T]) -> Callable[[Reply], T]:
    return lambda reply: decode(kind, reply.json())


def _page_of(kind: type[T]) -> Callable[[Reply], Page[T]]:
    def read(reply: Reply) -> Page[T]:
        page = reply.json()
        if not isinstance(page, Mapping):
            raise UnexpectedReply("A page was expected", code="unexpected_reply")
        items = decode_each(kind, page.get("items"))
        return Page(items=items, next=page.get("next"), total=page.get("total"))

    return read


def _nothing(reply: Reply) -> None:
    return None


def _id(identifier: str) -> str:
    return quote(str(identifier), safe="")


# Store


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
    return Call(request("DELETE", "/store/items", body=body_of(operation)), _nothing)


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


def batch(operations: Sequence[StoreOp]) -> Call[list[StoreResult]]:
    """Many operations, all or nothing: reads first, results by position.

    Of several puts to one key the last wins. At most 20,000 operations and 32 MiB.
    """
    listed = list(operations)
    asked = request(
        "POST",
        "/store/batch",
        body={"ops": [batched(operation) for operation in listed]},
        makes_something=any(operation.writes for operation in listed),
    )
    return Call(asked, partial(_read_batch, listed))


def _read_batch(operations: Sequence[StoreOp], reply: Reply) -> list[StoreResult]:
    results = reply.json()["results"]
    return [op.read(result) for op, result in zip(operations, results, strict=True)]


# Memories by id


def get_memory(memory_id: str) -> Call[Memory]:
    """One memory; `NotFound`, or `Purged` with the tombstone for those who may see it."""
    return Call(request("GET", f"/memories/{_id(memory_id)}"), _reading(Memory))


def list_versions(
    memory_id: str, *, limit: int | Unset = UNSET, cursor: str | None = None
) -> Call[Page[MemoryVersion]]:
    """Every value that it had, newest first, the current one included."""
    path = f"/memories/{_id(memory_id)}/versions"
    params = {"limit": limit, "cursor": cursor}
    return Call(request("GET", path, params=params), _page_of(MemoryVersion))


def list_events(
    memory_id: str, *, limit: int | Unset = UNSET, cursor: str | None = None
) -> Call[Page[Event]]:
    """What happened to it, newest first."""
    path = f"/memories/{_id(memory_id)}/events"
    params = {"limit": limit, "cursor": cursor}
    return Call(request("GET", path, params=params), _page_of(Event))


def explain(memory_id: str, *, lang: Literal["en", "zh"] | Unset = UNSET) -> Call[Explanation]:
    """Why it is where it is, and what comes next."""
    path = f"/memories/{_id(memory_id)}/explain"
    return Call(request("GET", path, params={"lang": lang}), _reading(Explanation))


def restore(memory_id: str, *, reason: str) -> Call[Memory]:
    """Take it out of the trash."""
    path = f"/memories/{_id(memory_id)}/restore"
    return Call(
        request("POST", path, body={"reason": reason}, makes_something=True), _reading(Memory)
    )


def label(memory_id: str, *, label: str | None, reason: str) -> Call[Memory]:
    """Set its label, or take it away with None."""
    path = f"/memories/{_id(memory_id)}/label"
    body = {"label": label, "reason": reason}
    return Call(request("POST", path, body=body, makes_something=True), _reading(Memory))


def find(*, entity: str, value: str) -> Call[Page[Memory]]:
    """Memories whose sealed originals hold exactly this value."""
    body = {"entity": entity, "value": value}
    return Call(request("POST", "/memories/find", body=body), _page_of(Memory))


# Conversations


def create_session(
    subject: str, *, channel: str | Unset = UNSET, ttl_seconds: int | Unset = UNSET
) -> Call[Session]:
    """Begin a conversation."""
    body = {"subject": subject, "channel": channel, "ttl_seconds": ttl_seconds}
    return Call(request("POST", "/sessions", body=body, makes_something=True), _reading(Session))


def get_session(session_id: str) -> Call[Session]:
    """Read it; its expiry slides."""
    return Call(request("GET", f"/sessions/{_id(session_id)}"), _reading(Session))


def update_session(session_id: str, *, state: Mapping[str, Any]) -> Call[Session]:
    """Set the open task state, at most 4 KiB."""
    asked = request("PATCH", f"/sessions/{_id(session_id)}", body={"state": state})
    return Call(asked, _reading(Session))


def delete_session(session_id: str) -> Call[None]:
    """End it; its short-term memories go with it."""
    return Call(request("DELETE", f"/sessions/{_id(session_id)}"), _nothing)


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
    path = f"/sessions/{_id(session_id)}/messages"
    return Call(request("POST", path, body=body, makes_something=True), _reading(Message))


def recall(session_id: str, query: str, *, limit: int | Unset = UNSET) -> Call[SearchResult]:
    """Search the short-term memory of this session."""
    path = f"/sessions/{_id(session_id)}/recall"
    asked = request("POST", path, body={"query": query, "limit": limit})
    return Call(asked, _reading(SearchResult))


def promote(session_id: str) -> Call[Promotion]:
    """Move what proved stable to long-term memory."""
    path = f"/sessions/{_id(session_id)}/promote"
    return Call(request("POST", path, body={}, makes_something=True), _read_promotion)


def _read_promotion(reply: Reply) -> Promotion:
    answer = reply.json()
    promoted = tuple(
        Promoted(one["memory_id"], one.get("from"), one.get("reason", ""))
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
    return Call(request("POST", "/context", body=body), _reading(Context))


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
    path = f"/searches/{_id(search_id)}/feedback"
    return Call(request("POST", path, body=body, makes_something=True), _nothing)


# Jobs


def get_job(job_id: str) -> Call[Job]:
    """How far it is."""
    return Call(request("GET", f"/jobs/{_id(job_id)}"), _reading(Job))


def cancel_job(job_id: str) -> Call[Job]:
    """Ask it to stop."""
    return Call(request("POST", f"/jobs/{_id(job_id)}/cancel", body={}), _reading(Job))


def read_job_file(job_id: str) -> Call[bytes]:
    """The file that it made."""
    return Call(request("GET", f"/jobs/{_id(job_id)}/file"), lambda reply: reply.body)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Asks for a job until it is over."""

    job_id: str
    timeout: float | None
    poll_every: float
    on_progress: Callable[[Job], object] | None

    def flow(self, retries: Retries) -> Flow[Job]:
        """Ask, tell, sleep; `JobFailed` when it did not end well, `TimedOut` when too late."""
        deadline = None if self.timeout is None else time.monotonic() + self.timeout
        told = None
        while True:
            job = yield from get_job(self.job_id).flow(retries)
            if self.on_progress and job != told:
                self.on_progress(job)
                told = job
            if job.is_over:
                if job.state == "done":
                    return job
                sentence = f"The job {job.id} is {job.state}: {job.error}"
                raise JobFailed(sentence, code="job_failed", facts={"job": job})
            if deadline is not None and time.monotonic() + self.poll_every > deadline:
                raise TimedOut(f"The job {job.id} is still {job.state}", code="timed_out")
            yield Sleep(self.poll_every)


def wait_for_job(
    job_id: str,
    *,
    timeout: float | None = None,
    poll_every: float = 1.0,
    on_progress: Callable[[Job], object] | None = None,
) -> Waiting:
    """Wait until a job is done and return it; `on_progress` hears of every change.

    `JobFailed` when it failed or was cancelled, `TimedOut` after `timeout` seconds (the job goes
    on all the same).
    """
    return Waiting(job_id, timeout, poll_every, on_progress)


# The hub itself


def check_health() -> Call[Health]:
    """Whether the process answers."""
    return _health_of("/healthz")


def check_readiness() -> Call[Health]:
    """Whether all that it needs is there; if not, `missing` says what."""
    return _health_of("/readyz")


def _health_of(path: str) -> Call[Health]:
    def read(reply: Reply) -> Health:
        ok = reply.status < 300
        return Health(ok, None if ok else reply.json())

    return Call(Send("GET", path), read, frozenset({503}), tries_again=False)


def raw_request(
    method: str,
    path: str,
    body: Any = None,
    *,
    params: Mapping[str, Any] | None = None,
) -> Call[Any]:
    """Any other endpoint: `path` below the API's base path; the JSON answer, None without one."""
    makes = method.upper() == "POST"
    asked = request(
        method.upper(), path.removeprefix(API), params=params, body=body, makes_something=makes
    )
    return Call(asked, lambda reply: reply.json() if reply.body else None)
