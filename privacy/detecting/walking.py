"""Over a JSON value: every string, whole number and key, with the path of each finding.

A leaf is read with the keys above it before it (`bank card: "6222…"`), so that a key is a context
word like any other, names a secret (`{"password": "…"}`), or says that a number is an order
number. Keys are read themselves too. A path shows a key with personal data masked, so that it may
be logged; `steps` has the true keys, for replacing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Any

from privacy import detecting
from privacy.detecting.patterns import Pattern
from privacy.detecting.spans import POSSIBLE, Detector, Span
from privacy.masking import apply_masks, replace_spans

Steps = tuple[str | int, ...]

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_.-]")
_PLAIN_KEY = re.compile(r"[^\s.\[\]\"'\\]+")
_LONGEST_LABEL = 48


@dataclass(frozen=True, slots=True)
class Located:
    """The spans of one string: a value at `path`, or the key that `path` ends with."""

    path: str
    in_key: bool
    spans: tuple[Span, ...]
    steps: Steps = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Reader:
    today: date
    allow: Collection[str]
    patterns: tuple[Pattern, ...]
    detectors: tuple[Detector, ...]
    at_least: float

    def read(self, text: str) -> list[Span]:
        return detecting.find(
            text,
            today=self.today,
            allow=self.allow,
            patterns=self.patterns,
            detectors=self.detectors,
            at_least=self.at_least,
        )

    def read_under(self, text: str, label: str) -> list[Span]:
        """The spans of `text`, read with a label before it; those that reach into it are redone."""
        quote = "" if '"' in text or "\n" in text else '"'
        lead = f"{label}: {quote}"
        spans = self.read(f"{lead}{text}{quote}")
        inside = [_moved(span, -len(lead)) for span in spans if span.start >= len(lead)]
        inside = [span for span in inside if span.end <= len(text)]
        if len(inside) == len([span for span in spans if span.end > len(lead)]):
            return inside
        return self.read(text)


def _moved(span: Span, by: int) -> Span:
    return replace(span, start=span.start + by, end=span.end + by)


def find_in_value(
    value: Any,
    *,
    today: date,
    allow: Collection[str] = (),
    patterns: Iterable[Pattern] = (),
    detectors: Iterable[Detector] = (),
    at_least: float = POSSIBLE,
) -> list[Located]:
    """Personal data anywhere in a JSON value, the keys of an object before its values.

    A plain string has the path `""`. This is the door of writes, so it asks for what is POSSIBLE
    unless told otherwise.
    """
    reader = _Reader(today, allow, tuple(patterns), tuple(detectors), at_least)
    return list(_walk(value, reader))


def _walk(value: Any, reader: _Reader) -> Iterator[Located]:
    waiting: list[tuple[Any, Steps, str]] = [(value, (), "")]
    while waiting:
        here, steps, path = waiting.pop()
        if isinstance(here, dict):
            below = []
            for key, item in here.items():
                spans = tuple(reader.read(key))
                under = path + _key_in_path(apply_masks(key, spans), bool(path))
                if spans:
                    yield Located(under, True, spans, (*steps, key))
                below.append((item, (*steps, key), under))
            waiting.extend(reversed(below))
        elif isinstance(here, list | tuple):
            items = enumerate(here)
            waiting.extend(
                reversed([(item, (*steps, place), f"{path}[{place}]") for place, item in items])
            )
        else:
            spans = tuple(_read_leaf(here, steps, reader))
            if spans:
                yield Located(path, False, spans, steps)


def _read_leaf(leaf: Any, steps: Steps, reader: _Reader) -> list[Span]:
    text = leaf_text(leaf)
    if not text:
        return []
    label = label_of(steps)
    return reader.read_under(text, label) if label else reader.read(text)


def leaf_text(leaf: Any) -> str:
    """What a leaf is read as: a number is read if it is whole; null, true and fractions are not."""
    if isinstance(leaf, str):
        return leaf
    if isinstance(leaf, bool) or not isinstance(leaf, int | float | Decimal):
        return ""
    if isinstance(leaf, Decimal):  # a number whose digits a float would not keep
        return str(int(leaf)) if leaf.adjusted() < 40 and leaf == leaf.to_integral_value() else ""
    if isinstance(leaf, float):
        return str(int(leaf)) if leaf.is_integer() and abs(leaf) < 1e19 else ""
    return str(leaf) if -(10**40) < leaf < 10**40 else ""


def label_of(steps: Steps) -> str:
    """The last two keys as words: `("user", "bankCard", 0)` gives `user bank Card`."""
    keys = [step for step in steps if isinstance(step, str)][-2:]
    return _CAMEL.sub(" ", " ".join(keys))[-_LONGEST_LABEL:].strip()


def _key_in_path(key: str, inside: bool) -> str:
    if _PLAIN_KEY.fullmatch(key):
        return f".{key}" if inside else key
    return '["' + key.replace("\\", "\\\\").replace('"', '\\"') + '"]'


def replace_in_value(value: Any, found: Iterable[Located], render: Callable[[Span], str]) -> Any:
    """A copy of the value with every span replaced by `render(span)`; what is not found is shared.

    A whole number that is replaced becomes a string. Of two keys that become alike the later one
    gets ` (2)`.
    """
    copied: set[int] = set()
    holder: list[Any] = [value]
    listed = sorted(found, key=lambda located: (located.in_key, -len(located.steps)))
    for located in listed:
        parent, last = _own(holder, located.steps, copied)
        if located.in_key:
            _rename(parent, last, replace_spans(last, located.spans, render))
        else:
            parent[last] = replace_spans(leaf_text(parent[last]), located.spans, render)
    return holder[0]


def _own(holder: list[Any], steps: Steps, copied: set[int]) -> tuple[Any, Any]:
    """The container of the last step and that step, each container on the way copied once."""
    parent: Any = holder
    step: Any = 0
    for following in steps:
        child = parent[step]
        if id(child) not in copied:
            child = dict(child) if isinstance(child, dict) else list(child)
            copied.add(id(child))
            parent[step] = child
        parent, step = child, following
    return parent, step


def _rename(parent: dict[str, Any], old: str, new: str) -> None:
    """Rename a key in its place."""
    name, count = new, 1
    while name in parent and name != old:
        count += 1
        name = f"{new} ({count})"
    items = [(name if key == old else key, item) for key, item in parent.items()]
    parent.clear()
    parent.update(items)
