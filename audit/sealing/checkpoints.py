"""The text that is signed after each round: a checkpoint of C2SP (`tlog-checkpoint`). Pure.

    memoryhub/<tenant>/<epoch>      origin: whose log, and which of its epochs
    1042                            leaves
    <base64 of the root>
    at 2026-11-30T12:00:00.000000Z      when it was sealed
    after 2026-11-30T11:59:59.000000Z   everything that was final then had been sealed before

`after` shows events that were put in later under an older date: what a checkpoint seals was being
written, at the earliest, a transaction's longest life before it.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of one tenant's tree at an instant."""

    tenant_id: UUID
    epoch: int
    size: int
    root: bytes
    at: datetime
    after: datetime | None = None

    @property
    def text(self) -> str:
        """What is signed."""
        lines = [
            f"memoryhub/{self.tenant_id}/{self.epoch}", str(self.size), encode(self.root),
            f"at {stamp(self.at)}",
        ]  # fmt: skip
        if self.after is not None:
            lines.append(f"after {stamp(self.after)}")
        return "\n".join(lines) + "\n"


def encode(blob: bytes) -> str:
    """Base64 as it stands in every text of ours."""
    return base64.b64encode(blob).decode()


def stamp(instant: datetime) -> str:
    """RFC 3339 in UTC, to the microsecond."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
