"""A tenant's own patterns, run by RE2, which takes time linear in the text whatever the pattern.

The limits keep a tenant from spending everybody's memory: on the pattern's length, on the size of
the program RE2 makes of it, on how many there are, and on matches in one text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import re2  # type: ignore[import-untyped]

from memoryhub.errors import FieldError, Invalid
from privacy.detecting import contexts
from privacy.detecting.folding import Folded
from privacy.detecting.spans import BUILT_IN, EXTRAS, LIKELY, Hit

MAX_PATTERNS = 50
MAX_LENGTH = 512
MAX_PROGRAM = 5_000
MAX_MATCHES = 10_000
MAX_WORDS = 20

NAME = re.compile(r"[a-z][a-z0-9_]{1,39}")


@dataclass(frozen=True, slots=True)
class PatternSpec:
    """As a tenant writes it: the entity, RE2 syntax, words of which one must stand near."""

    entity: str
    pattern: str
    words: tuple[str, ...] = ()
    score: float = 0.7


@dataclass(frozen=True, slots=True)
class Pattern:
    """A spec that compiled."""

    spec: PatternSpec
    compiled: Any
    near: re.Pattern[str] | None

    def find(self, folded: Folded) -> Iterator[Hit]:
        """Matches in the folded text, at most MAX_MATCHES, empty ones left out."""
        for count, match in enumerate(self.compiled.finditer(folded.text)):
            if count >= MAX_MATCHES:
                return
            start, end = match.span()
            if start == end:
                continue
            if self.near and not contexts.stands_near(folded.text, start, end, self.near):
                continue
            name = f"pattern.{self.spec.entity}"
            yield Hit(self.spec.entity, start, end, self.spec.score, name, validated=False)


def compile_patterns(specs: Sequence[PatternSpec]) -> tuple[Pattern, ...]:
    """Compile all; raises `Invalid` with an error for each refused (`patterns[2].pattern`)."""
    if len(specs) > MAX_PATTERNS:
        raise Invalid.at("patterns", "too_many", f"At most {MAX_PATTERNS} patterns")
    errors: list[FieldError] = []
    compiled: list[Pattern] = []
    for place, spec in enumerate(specs):
        faults = [error.under(f"patterns[{place}]") for error in _faults(spec)]
        if not faults:
            program = _compile(spec.pattern)
            if isinstance(program, str):
                faults = [FieldError(f"patterns[{place}].pattern", "bad_pattern", program)]
            else:
                near = contexts.words("|".join(spec.words)) if spec.words else None
                compiled.append(Pattern(spec, program, near))
        errors.extend(faults)
    if errors:
        raise Invalid(errors)
    return tuple(compiled)


def _faults(spec: PatternSpec) -> Iterator[FieldError]:
    if not NAME.fullmatch(spec.entity):
        yield FieldError("entity", "bad_name", "2 to 40 of a–z, 0–9 and _, a letter first")
    elif spec.entity in BUILT_IN or spec.entity in EXTRAS:
        yield FieldError("entity", "taken", "This is a built-in entity")
    if not spec.pattern:
        yield FieldError("pattern", "empty", "A pattern must not be empty")
    if len(spec.pattern) > MAX_LENGTH:
        yield FieldError("pattern", "too_long", f"At most {MAX_LENGTH} characters")
    if len(spec.words) > MAX_WORDS or not all(_is_word(word) for word in spec.words):
        yield FieldError("words", "bad_words", f"At most {MAX_WORDS} words of 1 to 24 characters")
    if not LIKELY <= spec.score <= 1:
        yield FieldError("score", "out_of_range", f"Between {LIKELY} and 1")


def _is_word(word: str) -> bool:
    return 1 <= len(word.strip()) <= contexts.WINDOW and "|" not in word


def _compile(pattern: str) -> Any:
    """The program, or the reason why there is none."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 20
    try:
        program = re2.compile(pattern, options=options)
    except re2.error as refused:
        reason = refused.args[0] if refused.args else ""
        return reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
    except UnicodeEncodeError:
        return "the pattern is not valid Unicode"
    if program.programsize > MAX_PROGRAM:
        return "the pattern is too large once repeated"
    if program.search("") is not None:
        return "the pattern matches an empty text"
    return program


def find_patterns(folded: Folded, patterns: Iterable[Pattern]) -> Iterator[Hit]:
    """What the tenant's patterns find."""
    for pattern in patterns:
        yield from pattern.find(folded)
