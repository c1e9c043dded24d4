"""`POST /store/batch` with operations that are encoded already; under both clients and LangGraph.

The hub keeps of an answered request what it made, not what it read. So when a batch whose answer
was lost is sent again, and the hub recognises it, the reads in it are asked once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memoryhub_sdk.calling import Call, Flow, Reply, Retries, request
from memoryhub_sdk.errors import UnexpectedReply

SECONDS_PER_OP = 0.02  # an embedding on a small machine
HEAD, TAIL = b'{"ops":[', b"]}"


@dataclass(frozen=True, slots=True)
class Encoded:
    """One operation as JSON, and whether it writes."""

    content: bytes
    writes: bool

    @property
    def size(self) -> int:
        """What it adds to the body."""
        return len(self.content) + 1


@dataclass(frozen=True, slots=True)
class RawBatch:
    """Operation: one request; the results by position, as they come over the wire."""

    entries: Sequence[Encoded]

    def flow(self, retries: Retries) -> Flow[list[Any]]:
        """Send, and ask the reads again when the answer is a replay."""
        results, is_replay = yield from self._call().flow(retries)
        reads = [at for at, one in enumerate(self.entries) if not one.writes]
        if is_replay and reads:
            again = yield from RawBatch([self.entries[at] for at in reads]).flow(retries)
            for at, result in zip(reads, again, strict=True):
                results[at] = result
        return results

    def _call(self) -> Call[tuple[list[Any], bool]]:
        content = HEAD + b",".join(one.content for one in self.entries) + TAIL
        writes = any(one.writes for one in self.entries)
        patience = SECONDS_PER_OP * len(self.entries)
        asked = request(
            "POST", "/store/batch", content=content, makes_something=writes, patience=patience
        )
        return Call(asked, self._read)

    def _read(self, reply: Reply) -> tuple[list[Any], bool]:
        answer = reply.json()
        results = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(results, list) or len(results) != len(self.entries):
            raise UnexpectedReply(
                f"A batch answers with {len(self.entries)} results", code="unexpected_reply"
            )
        return results, reply.headers.get("idempotent-replay") == "true"
