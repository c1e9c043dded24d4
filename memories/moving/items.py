"""One memory on its way in: what would be put, with the dates it had elsewhere. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from memories.ops import PutOp, parse_raw_put
from memoryhub.errors import Invalid


@dataclass(frozen=True, slots=True)
class Item:
    """`body` is a put as in a batch; `mark` (JSON) is where reading goes on behind this item."""

    where: str
    body: Mapping[str, Any]
    mark: Any
    updated_at: datetime | None = None
    created_at: datetime | None = None
    expires_at: datetime | None = None

    def parsed(self) -> PutOp:
        """The put. Raises Invalid that names the place in the source."""
        try:
            return parse_raw_put(dict(self.body))
        except Invalid as fault:
            raise fault.under(self.where) from None

    def ends_at(self) -> datetime | None:
        """When its TTL runs out: as the source says, else counted from its last write."""
        ttl = self.body.get("ttl")
        if self.expires_at is not None or ttl is None or self.updated_at is None:
            return self.expires_at
        return self.updated_at + timedelta(minutes=float(ttl))


class Source(Protocol):
    """Where items come from; `total` and positions share a unit, items or bytes."""

    total: int | None

    def read(self, mark: Any) -> Iterator[Item]: ...

    def position(self, mark: Any) -> int: ...


def read_instant(value: Any, where: str) -> datetime | None:
    """An instant from a source, in UTC; naive ones are taken for UTC (other stores write those)."""
    if value is None or isinstance(value, datetime):
        return _in_utc(value)
    if not isinstance(value, str):
        raise Invalid.at(where, "invalid_instant", "An instant is RFC 3339 text.")
    try:
        return _in_utc(datetime.fromisoformat(value))
    except ValueError:
        raise Invalid.at(where, "invalid_instant", "An instant is RFC 3339 text.") from None


def _in_utc(instant: datetime | None) -> datetime | None:
    if instant is None:
        return None
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
