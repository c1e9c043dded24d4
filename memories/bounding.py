"""How much one answer may hold: values are counted before they are read into this process.

A page of 1,000 items of 1 MiB is a gigabyte here and again on the wire. Whoever asks for that is
told to ask for less, before anything is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.conf import settings

from memories.statements.lookup import count_bytes
from memoryhub.errors import Invalid


class Budget:
    """Bytes of values that the rest of an answer may hold."""

    def __init__(self, most: int | None = None) -> None:
        self._left = settings.MAX_RESPONSE_BYTES if most is None else most

    def spend(self, size: int) -> None:
        """Raises Invalid `response_too_large` when there is less left."""
        self._left -= size
        if self._left < 0:
            most = settings.MAX_RESPONSE_BYTES // (1024 * 1024)
            detail = f"The values would take more than {most} MiB: ask for fewer at once."
            raise Invalid.at("limit", "response_too_large", detail)

    def spend_page(self, ids: Sequence[UUID]) -> None:
        """The same for a page of memories; small pages fit whatever is in them."""
        if not self.fits(len(ids)):
            self.spend(count_bytes(ids))

    def fits(self, count: int) -> bool:
        """Whether there is room for so many memories whatever is in them."""
        return bool(count * settings.MAX_VALUE_BYTES <= self._left)
