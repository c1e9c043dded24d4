"""How large a value is: as JSON text, with its numbers as Postgres writes them out."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from django.conf import settings

from memoryhub.errors import Invalid

_EXPONENT = re.compile(r"[0-9][eE]")


def check_value_size(value: Any, text: str) -> None:
    """Raises Invalid `value_too_large`. `text` is the value as JSON."""
    size = len(text.encode())
    if _EXPONENT.search(text):
        size += _expansion(value)
    if size > settings.MAX_VALUE_BYTES:
        most = settings.MAX_VALUE_BYTES
        raise Invalid.at("value", "value_too_large", f"A value has at most {most} bytes.")


def _expansion(value: Any) -> int:
    """How much longer the numbers get: 1e999 is stored with all its zeros."""
    match value:
        case dict():
            return sum(_expansion(each) for each in value.values())
        case list():
            return sum(_expansion(each) for each in value)
        case Decimal() | float() if value:
            return abs(Decimal(value).adjusted())
    return 0
