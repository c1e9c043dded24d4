"""What looks personal and is not: our own tokens, UUIDs and hashes.

These stretches are hidden before the other detectors read the text. Company numbers, order numbers,
times and versions are told by their form or by the words beside them, so they are judged where the
candidate is (`identities`, `numbers`, `networks`). Dates are not hidden: an identity number may be
written with one inside.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from privacy.detecting.folding import FILLER

VAULT_ID = r"(?=[0-9]{0,9}[A-Za-z])(?![0-9A-Za-z]{0,4}[0-9]{6})[0-9A-Za-z]{4,10}"
"""Letters and digits with at least one letter, and never six digits in a row: nobody can pass a
number off as a token to keep it from being seen."""

TOKEN = re.compile(rf"⟦[a-z][a-z0-9_]{{1,39}}:{VAULT_ID}⟧")

_IMPERSONAL = re.compile(
    r"(?<![0-9A-Za-z])(?:"
    # UUID
    r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"
    # hash: hexadecimal of the usual lengths, with at least one letter
    r"|(?=[0-9]{0,127}[A-Fa-f])(?:[0-9A-Fa-f]{128}|[0-9A-Fa-f]{96}|[0-9A-Fa-f]{64}|"
    r"[0-9A-Fa-f]{56}|[0-9A-Fa-f]{40}|[0-9A-Fa-f]{32})"
    r")(?![0-9A-Za-z])"
)


def hide_tokens(text: str) -> str:
    """The text with the tokens of the vault made unreadable; places stay."""
    return TOKEN.sub(_fill, text) if "⟦" in text else text


def hide_impersonal(text: str) -> str:
    """The text with UUIDs and hashes made unreadable; places stay."""
    return _IMPERSONAL.sub(_fill, text) if "-" in text or len(text) >= 32 else text


def _fill(match: re.Match[str]) -> str:
    return FILLER * (match.end() - match.start())


class TokenPlaces:
    """Where the tokens are, to keep other people's detectors from reporting them."""

    def __init__(self, text: str) -> None:
        found = list(TOKEN.finditer(text)) if "⟦" in text else []
        self._starts = [match.start() for match in found]
        self._ends = [match.end() for match in found]

    def touch(self, start: int, end: int) -> bool:
        """Whether a token and `start:end` share a character."""
        before = bisect_right(self._starts, end - 1)
        return before > 0 and self._ends[before - 1] > start
