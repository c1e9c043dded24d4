"""Why somebody does what they do: asked of people, and kept in the event.

An event holds no clear personal data, so what looks like it is masked in the reason.
"""

from __future__ import annotations

from memories.masking import mask_text
from memoryhub.errors import Invalid
from tenants.clock import wall_clock

REASON_CHARACTERS = 1000


def check_reason(reason: object) -> str:
    """Why somebody does it: a text that is not empty."""
    if not isinstance(reason, str) or not reason.strip():
        raise Invalid.at("reason", "required", "Say why.")
    if len(reason) > REASON_CHARACTERS:
        detail = f"A reason has at most {REASON_CHARACTERS} characters."
        raise Invalid.at("reason", "too_long", detail)
    return mask_text(reason.strip(), today=wall_clock().date())
