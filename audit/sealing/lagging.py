"""How far sealing is behind, and who holds it back: the alarm of a stalled horizon.

Sealing waits for every transaction that may still write an earlier event. `transaction_timeout` of
the application's role ends ours after five minutes; what an administrator leaves open is named
here, by process, role and program, never by its query.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings

from audit.sealing.statements import first_unsealed, oldest_writer


@dataclass(frozen=True, slots=True)
class Lag:
    """Seconds since the oldest unsealed event was begun, and the oldest open writer."""

    seconds: float
    blocker: dict[str, Any] | None
    blocked_seconds: float = 0.0

    @property
    def is_alarm(self) -> bool:
        """Whether somebody should look."""
        return self.seconds > settings.SEAL_LAG_SECONDS


def read_lag() -> Lag:
    """As of now; of the whole installation. Opens no tenant's table."""
    begun, at = first_unsealed()
    seconds = 0.0 if begun is None else max(0.0, (at - begun).total_seconds())
    blocker = oldest_writer() if seconds > settings.SEAL_LAG_SECONDS / 2 else None
    began = blocker["began_at"] if blocker else None
    return Lag(seconds, blocker, 0.0 if began is None else (at - began).total_seconds())
