"""A list of operations as as few requests as the hub's limits allow.

What fits into one request goes as one, all or nothing. What does not is split, all reads before
the first write, as a single batch would have it; then each request is atomic, not the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langgraph.store.base import Result

from memoryhub_sdk.calling import Flow, Retries
from memoryhub_sdk.endpoints.batches import HEAD, TAIL, Encoded, RawBatch
from memoryhub_sdk.errors import InvalidRequest
from memoryhub_sdk.langgraph.translating import Asked

MAX_OPS = 20_000
MAX_BYTES = 32 * 1024 * 1024
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
                results = yield from RawBatch(_entries(self.asked, positions)).flow(retries)
            except InvalidRequest as fault:
                fault.errors = tuple(
                    replace(error, path=self._moved(error.path, positions))
                    for error in fault.errors
                )
                raise
            for at, result in zip(positions, results, strict=True):
                answers[at] = result
        return answers

    def _moved(self, path: str, positions: Sequence[int]) -> str:
        """The place as the caller counts: `ops[0]` of the second request is another operation.

        Of a single operation it is the place in that.
        """
        place = _PLACE.match(path)
        if not place or int(place[1]) >= len(positions):
            return path
        rest = path[place.end() :]
        if len(self.asked) == 1:
            return rest.removeprefix(".")
        return f"ops[{positions[int(place[1])]}]{rest}"


def chunks_of(
    asked: Sequence[Asked], *, max_ops: int = MAX_OPS, max_bytes: int = MAX_BYTES
) -> Iterator[list[int]]:
    """Positions, request by request; one chunk in the given order when everything fits."""
    sizes = {at: one.entry.size for at, one in enumerate(asked) if one.entry}
    sendable = list(sizes)
    total = len(HEAD) + len(TAIL) + sum(sizes.values())
    if len(sendable) <= max_ops and total <= max_bytes:
        if sendable:
            yield sendable
        return
    reads = [at for at in sendable if asked[at].target is None]
    writes = [at for at in sendable if asked[at].target is not None]
    for positions in (reads, writes):
        chunk: list[int] = []
        size = len(HEAD) + len(TAIL)
        for at in positions:
            if chunk and (len(chunk) == max_ops or size + sizes[at] > max_bytes):
                yield chunk
                chunk, size = [], len(HEAD) + len(TAIL)
            chunk.append(at)
            size += sizes[at]
        if chunk:
            yield chunk


def _entries(asked: Sequence[Asked], positions: Iterable[int]) -> list[Encoded]:
    return [entry for at in positions if (entry := asked[at].entry)]
