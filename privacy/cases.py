"""Run one case of the format of `cases/pii.json`: a text and the exact spans to be found in it.

`{"text": …, "found": [[entity, text], …], "note": …}`, and of our own: `"value"` instead of the
text for JSON, `"allow"`, and `"patterns"` as `[[entity, pattern, words…], …]`. Cases are judged as
a write would be: what is POSSIBLE counts. A case that expects `person` or `cn_address`, or names
them under `"extras"`, turns those on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from memoryhub.errors import Invalid
from privacy.detecting import EXTRAS, Detector, PatternSpec, Span, compile_patterns
from privacy.detecting.people import AddressDetector, PersonDetector
from privacy.detecting.walking import find_in_value

Finding = tuple[str, str]

_DETECTORS: dict[str, type[Detector]] = {"person": PersonDetector, "cn_address": AddressDetector}


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What was expected, what came, and why: `passed` if both are the same findings."""

    text: str
    note: str
    expected: tuple[Finding, ...]
    got: tuple[Finding, ...]
    because: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return Counter(self.expected) == Counter(self.got)


def run_case(case: Mapping[str, Any], *, today: date) -> CaseResult:
    """Run one case; raises `Invalid` if it is not of the format."""
    value = case.get("value", case.get("text"))
    if value is None or ("value" not in case and not isinstance(value, str)):
        raise Invalid.at("text", "required", "A case has a text")
    expected = _expected(case.get("found"))
    wanted = {*case.get("extras", ()), *(entity for entity, _ in expected)}
    located = find_in_value(
        value,
        today=today,
        allow=tuple(case.get("allow", ())),
        patterns=compile_patterns(
            [PatternSpec(name, form, tuple(near)) for name, form, *near in case.get("patterns", ())]
        ),
        detectors=[_DETECTORS[entity]() for entity in EXTRAS if entity in wanted],
    )
    spans = [span for one in located for span in one.spans]
    return CaseResult(
        text=value if isinstance(value, str) else repr(value),
        note=str(case.get("note", "")),
        expected=expected,
        got=tuple((span.entity, span.text) for span in spans),
        because=tuple(map(_reason, spans)),
    )


def _expected(found: Any) -> tuple[Finding, ...]:
    if not isinstance(found, list) or not all(_is_finding(one) for one in found):
        raise Invalid.at("found", "invalid", "`found` is a list of [entity, text]")
    return tuple((entity, text) for entity, text in found)


def _is_finding(one: Any) -> bool:
    return isinstance(one, list) and len(one) == 2 and all(isinstance(part, str) for part in one)


def _reason(span: Span) -> str:
    return f"{span.entity} at {span.start}–{span.end} by {span.detector}, score {span.score:.2f}"
