"""`UNSET`: an option that was not given, so that `None` can mean JSON null."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Final


class Unset(enum.Enum):
    """The type of `UNSET`; annotate options as `T | Unset`."""

    UNSET = "UNSET"

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset.UNSET
"""The option is left out of the request: the hub keeps what it has, or its default."""


def without_unset(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that were given; null stays."""
    return {name: value for name, value in fields.items() if value is not UNSET}
