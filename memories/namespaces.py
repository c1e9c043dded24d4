"""Namespaces: labels checked, stored as one text, compared by whole label, narrowed to prefixes.

A namespace is a tuple of labels. It is stored as its labels, each with `%`, `/` and U+0000–001F
percent-encoded, joined and ended by `/`: `("a", "b/c")` is `a/b%2Fc/`, the empty namespace is `""`.
Because every stored path ends in `/`, "lies below" is "starts with", a prefix is one range of an
index in C collation, and `("foo",)` can never match `("foobar",)`. Pure: no Django, no settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memoryhub.errors import FieldError, Invalid

Labels = tuple[str, ...]

RESERVED_ROOT = "langgraph"
ANY_LABEL = "*"

_TO_ESCAPE = re.compile(r"[%/\x00-\x1f]")
_ESCAPED = re.compile(r"%(25|2F|[01][0-9A-F])")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_REGEX_SPECIAL = re.compile(r"[^0-9A-Za-z_/\u0080-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a namespace may be; bytes count the stored (encoded) form in UTF-8."""

    label_bytes: int = 256
    labels: int = 12
    stored_bytes: int = 1024


DEFAULT_LIMITS = Limits()


# --- checking -------------------------------------------------------------------------------------


def check_prefix(
    labels: object, *, path: str = "namespace_prefix", limits: Limits = DEFAULT_LIMITS
) -> Labels:
    """The labels as a tuple, for every verb but put: empty and root `langgraph` are allowed.

    Raises `Invalid` that names each bad label, `namespace_prefix[1]`.
    """
    if isinstance(labels, str | bytes) or not isinstance(labels, Sequence):
        raise Invalid.at(path, "invalid_namespace", "A namespace is a list of labels.")
    if len(labels) > limits.labels:
        raise Invalid.at(path, "too_many_labels", f"At most {limits.labels} labels are allowed.")
    faults = [
        fault
        for index, label in enumerate(labels)
        if (fault := _find_fault(label, f"{path}[{index}]", limits)) is not None
    ]
    if faults:
        raise Invalid(faults)
    checked: Labels = tuple(labels)
    if len(encode(checked).encode()) > limits.stored_bytes:
        detail = f"A namespace takes at most {limits.stored_bytes} bytes as stored."
        raise Invalid.at(path, "namespace_too_long", detail)
    return checked


def check_raw_namespace(
    labels: object, *, path: str = "namespace", limits: Limits = DEFAULT_LIMITS
) -> Labels:
    """The labels of a put inside a batch: not empty, root `langgraph` allowed."""
    checked = check_prefix(labels, path=path, limits=limits)
    if not checked:
        raise Invalid.at(path, "empty_namespace", "A namespace needs at least one label.")
    return checked


def check_item_namespace(
    labels: object, *, path: str = "namespace", limits: Limits = DEFAULT_LIMITS
) -> Labels:
    """The labels of a PUT: not empty, and the root is not `langgraph`."""
    checked = check_raw_namespace(labels, path=path, limits=limits)
    if checked[0] == RESERVED_ROOT:
        detail = f"The root label {RESERVED_ROOT!r} is reserved."
        raise Invalid.at(f"{path}[0]", "reserved_namespace", detail)
    return checked


def _find_fault(label: object, path: str, limits: Limits) -> FieldError | None:
    """What is wrong with one label, or None."""
    if not isinstance(label, str):
        return FieldError(path, "invalid_label", "A label is a string.")
    if not label:
        return FieldError(path, "empty_label", "A label cannot be empty.")
    if _LONE_SURROGATE.search(label):
        return FieldError(path, "lone_surrogate", "The text contains a lone surrogate.")
    if "\x00" in label:
        return FieldError(path, "nul_character", "The text contains U+0000.")
    if "." in label:
        return FieldError(path, "dot_in_label", "A label cannot contain a dot.")
    if len(_encode_label(label).encode()) > limits.label_bytes:
        detail = f"A label takes at most {limits.label_bytes} bytes as stored."
        return FieldError(path, "label_too_long", detail)
    return None


# --- the stored form ------------------------------------------------------------------------------


def encode(labels: Iterable[str]) -> str:
    """The stored path of checked labels: `("a", "b")` is `a/b/`, `()` is `""`."""
    return "".join(f"{_encode_label(label)}/" for label in labels)


def decode(stored: str) -> Labels:
    """The labels of a stored path, the exact inverse of `encode`."""
    labels = stored.split("/")[:-1]
    return tuple(map(_decode_label, labels) if "%" in stored else labels)


def parse_dotted(text: str) -> Labels:
    """The labels of a query string, `a.b`; unchecked, so `a..b` has an empty label to refuse."""
    return tuple(text.split(".")) if text else ()


def parse_path(text: str, *, path: str = "namespace", limits: Limits = DEFAULT_LIMITS) -> Labels:
    """The labels of a stored path that a person typed; the last `/` may be left out."""
    stored = text if text.endswith("/") or not text else f"{text}/"
    labels = check_prefix(decode(stored), path=path, limits=limits)
    if encode(labels) != stored:
        detail = "Write % as %25 and / inside a label as %2F."
        raise Invalid.at(path, "invalid_namespace", detail)
    return labels


def _encode_label(label: str) -> str:
    return _TO_ESCAPE.sub(lambda found: f"%{ord(found[0]):02X}", label)


def _decode_label(part: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), part)


# --- prefixes -------------------------------------------------------------------------------------


def is_under(stored: str, prefix: str) -> bool:
    """Whether a stored path is the prefix (a stored path too) or lies below it."""
    return stored.startswith(prefix)


def prefix_bounds(prefix: str) -> tuple[str, str | None]:
    """The half-open range of all paths under a prefix, in C collation; None means no upper end."""
    if not prefix:
        return "", None
    return prefix, prefix[:-1] + chr(ord("/") + 1)


def covers(prefixes: Iterable[str], stored: str) -> bool:
    """Whether one of a caller's prefixes contains this path. No prefixes cover nothing."""
    return any(is_under(stored, prefix) for prefix in prefixes)


def narrow(prefixes: Iterable[str], asked: str) -> tuple[str, ...]:
    """What a caller limited to `prefixes` may see under `asked`: disjoint stored prefixes, sorted.

    `()` is nothing, `("",)` is everything. A caller without limits has the prefixes `("",)`;
    no prefixes at all see nothing.
    """
    limited = tuple(prefixes)
    if covers(limited, asked):
        return (asked,)
    kept: list[str] = []
    for prefix in sorted(prefix for prefix in limited if is_under(prefix, asked)):
        if not kept or not is_under(prefix, kept[-1]):
            kept.append(prefix)
    return tuple(kept)


# --- listing --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NamespacePattern:
    """What list_namespaces asks for: both ends ANDed, `*` stands for one label."""

    prefix: Labels = ()
    suffix: Labels = ()


def matches(pattern: NamespacePattern, labels: Sequence[str]) -> bool:
    """Whether labels begin and end as asked; a pattern longer than the labels never matches."""
    longest = max(len(pattern.prefix), len(pattern.suffix))
    if longest > len(labels):
        return False
    head = labels[: len(pattern.prefix)]
    tail = labels[len(labels) - len(pattern.suffix) :]
    return _all_match(pattern.prefix, head) and _all_match(pattern.suffix, tail)


def to_regex(pattern: NamespacePattern) -> str | None:
    """The pattern as a Postgres regular expression (ARE) over the stored path; None: all match.

    The prefix is a lookahead, because prefix and suffix may overlap.
    """
    if not pattern.prefix and not pattern.suffix:
        return None
    head = f"^(?={_regex_of(pattern.prefix)})" if pattern.prefix else "^"
    return f"{head}(?:.*/)?{_regex_of(pattern.suffix)}$" if pattern.suffix else head


def literal_prefix(pattern: NamespacePattern) -> str:
    """The stored prefix before the first `*`, to narrow the scan by `prefix_bounds`."""
    wild = pattern.prefix.index(ANY_LABEL) if ANY_LABEL in pattern.prefix else None
    return encode(pattern.prefix[:wild])


def truncate(labels: Labels, max_depth: int | None) -> Labels:
    """The first `max_depth` labels; None keeps all."""
    return labels if max_depth is None else labels[:max_depth]


def _all_match(wanted: Sequence[str], labels: Sequence[str]) -> bool:
    return all(want in (ANY_LABEL, label) for want, label in zip(wanted, labels, strict=True))


def _regex_of(wanted: Labels) -> str:
    parts = ("[^/]+" if label == ANY_LABEL else _quote(_encode_label(label)) for label in wanted)
    return "".join(f"{part}/" for part in parts)


def _quote(text: str) -> str:
    """Literal text inside an ARE: every ASCII character that is not alphanumeric is escaped."""
    return _REGEX_SPECIAL.sub(lambda found: "\\" + found[0], text)
