"""Values as people see them: what looks like personal data is masked, wherever it stands.

This is the display's own guard. It does not rely on what was found as the value was written (an
older detector, a restored backup): every string is looked at again, as it is shown.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from memories.filter_sql import to_json
from memories.strict_json import read_exactly
from privacy.detecting import find
from privacy.detecting.spans import POSSIBLE, Span
from privacy.detecting.walking import find_in_value, replace_in_value
from privacy.masking import apply_masks, mask_span

OPENS, CLOSES = "\ue0f0", "\ue0f1"
"""Around each mask in a marked value: private-use characters, so that a page can draw it."""


@dataclass(frozen=True, slots=True)
class Masked:
    """A value to be shown, with how often each kind of personal data was masked in it."""

    value: Any
    found: Counter[str] = field(default_factory=Counter)
    places: tuple[tuple[str, str], ...] = ()
    """(entity, path) of each finding, in the order of the value."""


def mask_json(text: str, *, today: date, mark: bool = False) -> Masked:
    """The JSON value in `text`, masked; with `mark` each mask stands between OPENS and CLOSES.

    For a page, which shows numbers as Python does; `mask_json_text` keeps all their digits.
    """
    return _mask(json.loads(text), today, mark=mark)


def _mask(value: Any, today: date, *, mark: bool = False) -> Masked:
    located = find_in_value(value, today=today)
    shown = replace_in_value(value, located, _marked if mark else mask_span)
    places = tuple((span.entity, place.path) for place in located for span in place.spans)
    return Masked(shown, Counter(entity for entity, _ in places), places)


def mask_json_text(text: str, today: date) -> str:
    """JSON text, masked, as JSON text; every number as it was."""
    return to_json(_mask(read_exactly(text), today).value)


def mask_text(text: str, *, today: date) -> str:
    """A key, a subject or another short text, masked."""
    return apply_masks(text, find(text, today=today, at_least=POSSIBLE))


def _marked(span: Span) -> str:
    return f"{OPENS}{mask_span(span)}{CLOSES}"
