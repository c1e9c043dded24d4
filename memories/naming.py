"""Whether a text names a person: by their identifier, as a word of its own. Pure.

`u1` is not named by `u12`, but by `u1's note` and `users/u1/`. Where the script has no spaces, the
identifier is looked for as it stands. The pattern means the same to Python and to Postgres.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from memories.namespaces import decode, encode

SHORTEST = 2
BLANK = "…"
_SPECIAL = re.compile(r"([\\^$.|?*+()\[\]{}])")


def pattern_of(subject: str) -> str:
    """A regular expression for texts that name the person; "" for one too short to look for."""
    if len(subject.strip()) < SHORTEST:
        return ""
    dotless = subject.replace("%", "%25").replace(".", "%2E")  # as agents put it into a label
    forms = {subject, json.dumps(subject, ensure_ascii=False)[1:-1], dotless}
    forms |= {encode((form,))[:-1] for form in (subject, dotless)}
    words = "|".join(_SPECIAL.sub(r"\\\1", form) for form in sorted(forms))
    before = "(^|[^a-zA-Z0-9_])" if _is_wordly(subject[0]) else ""
    after = "($|[^a-zA-Z0-9_])" if _is_wordly(subject[-1]) else ""
    return f"{before}({words}){after}"


def _is_wordly(letter: str) -> bool:
    return letter.isascii() and (letter.isalnum() or letter == "_")


@lru_cache(maxsize=64)
def _compiled(subject: str) -> re.Pattern[str] | None:
    pattern = pattern_of(subject)
    return re.compile(pattern) if pattern else None


def is_named(subject: str, text: str) -> bool:
    """Whether the text names the person."""
    compiled = _compiled(subject)
    return subject == text if compiled is None else compiled.search(text) is not None


def blank_name(text: str, subject: str) -> str:
    """The text with the person's identifier left blank."""
    return text.replace(subject, BLANK) if is_named(subject, text) else text


def without_name(path: str, subject: str) -> str:
    """A stored namespace path in which the labels that name the person are blank."""
    labels = decode(path)
    if not any(is_named(subject, label) for label in labels):
        return path
    return encode(tuple(BLANK if is_named(subject, label) else label for label in labels))
