"""A list of operations as as few requests as the hub's limits allow.

What fits into one request goes as one, all or nothing. What does not is split, all reads before
the first write, as a single batch would have it; then each request is atomic, not the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langgraph.store.base import Result

from memoryhub_sdk.calling import Call, Flow, Reply, Retries, request
from memoryhub_sdk.errors import InvalidRequest, UnexpectedReply
from memoryhub_sdk.langgraph.translating import Asked

MAX_OPS = 20_000
MAX_BYTES = 32 * 1024 * 1024
_HEAD, _TAIL = b'{"ops":[', b"]}"
_PLACE = re.compile(r"^ops\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Batch:
    """Operation: all of these, results by position."""

    asked: Sequence[Asked]

    def flow(self, retries: Retries) -> Flow[list[Result]]:
        """Send chunk after chunk and put the results where they belong."""
        answers = yield from Answers(self.asked).flow(retries)
        return [one.result_of(answer) for one, answer in zip(self.asked, answers, strict=True)]


@dataclass(frozen=True, slots=True)
class Answers:
    """Operation: as `Batch`, but the answers as they come over the wire."""

    asked: Sequence[Asked]

    def flow(self, retries: Retries) -> Flow[list[Any]]:
        """Send chunk after chunk. What needs no asking has its answer."""
        answers: list[Any] = [one.known for one in self.asked]
        for positions in chunks_of(self.asked):
            try:
                results = yield from _call([self.asked[at] for at in positions]).flow(retries)
            except InvalidRequest as fault:
                fault.errors = tuple(
                    replace(error, path=_moved(error.path, positions)) for error in fault.errors
                )
                raise
            for at, result in zip(positions, results, strict=True):
                answers[at] = result
        return answers


def chunks_of(
    asked: Sequence[Asked], *, max_ops: int = MAX_OPS, max_bytes: int = MAX_BYTES
) -> Iterator[list[int]]:
    """Positions, request by request; one chunk in the given order when everything fits."""
    sendable = [at for at, one in enumerate(asked) if one.content is not None]
    total = len(_HEAD) + len(_TAIL) + sum(_size(asked[at]) for at in sendable)
    if len(sendable) <= max_ops and total <= max_bytes:
        if sendable:
            yield sendable
        return
    reads = [at for at in sendable if asked[at].target is None]
    writes = [at for at in sendable if asked[at].target is not None]
    for positions in (reads, writes):
        chunk: list[int] = []
        size = len(_HEAD) + len(_TAIL)
        for at in positions:
            more = _size(asked[at])
            if chunk and (len(chunk) == max_ops or size + more > max_bytes):
                yield chunk
                chunk, size = [], len(_HEAD) + len(_TAIL)
            chunk.append(at)
            size += more
        if chunk:
            yield chunk


def _size(one: Asked) -> int:
    return len(one.content or b"") + 1


def _call(asked: Sequence[Asked]) -> Call[list[Any]]:
    content = _HEAD + b",".join(one.content or b"" for one in asked) + _TAIL
    writes = any(one.target is not None for one in asked)
    return Call(
        request("POST", "/store/batch", content=content, makes_something=writes), _read_results
    )


def _read_results(reply: Reply) -> list[Any]:
    answer = reply.json()
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list):
        raise UnexpectedReply("A batch answers with results", code="unexpected_reply")
    return results


def _moved(path: str, positions: Sequence[int]) -> str:
    """The place as the caller counts: `ops[0]` of the second request is not its first operation."""
    place = _PLACE.match(path)
    if not place or int(place[1]) >= len(positions):
        return path
    return f"ops[{positions[int(place[1])]}]{path[place.end() :]}"
