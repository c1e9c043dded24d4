"""The five store operations, each written once: for a request of its own and inside a batch.

Options default to `UNSET`: on a new memory the hub's default holds, on an update the hub keeps what
it has (value, index and ttl excepted). `ttl` is in minutes; None means never.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, ClassVar, Literal, TypeAlias

from memoryhub_sdk import namespaces
from memoryhub_sdk.decoding import decode, decode_each, decode_optional
from memoryhub_sdk.errors import InvalidRequest
from memoryhub_sdk.models import Memory, Namespace, SearchItem, SearchResult, Written
from memoryhub_sdk.unset import UNSET, Unset


@dataclass(frozen=True, slots=True)
class Get:
    """Read one item: a `Memory`, or None. `refresh_ttl` None: as the tenant has it."""

    op: ClassVar[str] = "get"
    writes: ClassVar[bool] = False

    namespace: Sequence[str]
    key: str
    _: KW_ONLY
    refresh_ttl: bool | Unset | None = UNSET

    def read(self, result: Any) -> Memory | None:
        """Out of a batch's result."""
        return decode_optional(Memory, result)


@dataclass(frozen=True, slots=True)
class Put:
    """Write one item, the whole value; None is no value, use `Delete`.

    `if_version` 0 means it must not exist; another version raises `VersionMismatch`. `wait` False
    does not wait for the embedding.
    """

    op: ClassVar[str] = "put"
    writes: ClassVar[bool] = True

    namespace: Sequence[str]
    key: str
    value: Mapping[str, Any]
    _: KW_ONLY
    index: Literal[False] | Sequence[str] | Unset = UNSET
    ttl: float | Unset | None = UNSET
    kind: str | Unset = UNSET
    subjects: Iterable[str] | Unset = UNSET
    tags: Iterable[str] | Unset = UNSET
    importance: float | Unset = UNSET
    decay: float | Unset = UNSET
    derived_from: Iterable[str] | Unset = UNSET
    source: Any = UNSET
    session_id: str | Unset = UNSET
    dedup: bool | Mapping[str, float] | Unset = UNSET
    if_version: int | Unset = UNSET
    wait: bool | Unset = UNSET

    def read(self, result: Any) -> Written | None:
        """Out of a batch's result; None when a later delete in the batch undid it."""
        return decode_optional(Written, result)


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete one item; silent when it is not there."""

    op: ClassVar[str] = "delete"
    writes: ClassVar[bool] = True

    namespace: Sequence[str]
    key: str

    def read(self, result: Any) -> None:
        """Out of a batch's result."""
        return None


@dataclass(frozen=True, slots=True)
class Search:
    """Find items below a prefix, best first; without a query the newest first.

    `filter` sees fields of the value: `{"k": v}` or `{"k": {"$gt": 9}}`. `subjects` match any,
    `tags` all. `recency` 0 to 1 is the share of freshness in the score.
    """

    op: ClassVar[str] = "search"
    writes: ClassVar[bool] = False

    namespace_prefix: Sequence[str]
    query: str | Unset | None = UNSET
    _: KW_ONLY
    filter: Mapping[str, Any] | Unset | None = UNSET
    limit: int | Unset = UNSET
    offset: int | Unset = UNSET
    refresh_ttl: bool | Unset | None = UNSET
    mode: Literal["hybrid", "vector", "text"] | Unset = UNSET
    kinds: Iterable[str] | Unset = UNSET
    subjects: Iterable[str] | Unset = UNSET
    tags: Iterable[str] | Unset = UNSET
    tier: str | Unset = UNSET
    min_score: float | Unset = UNSET
    recency: float | Unset = UNSET
    include_archived: bool | Unset = UNSET
    explain: bool | Unset = UNSET

    def read(self, result: Any) -> SearchResult:
        """Out of an answer or a batch's result."""
        if isinstance(result, list):
            return SearchResult(items=decode_each(SearchItem, result))
        return decode(SearchResult, result)


@dataclass(frozen=True, slots=True)
class ListNamespaces:
    """List namespaces; `*` in prefix and suffix is one label. `max_depth` cuts and merges."""

    op: ClassVar[str] = "list_namespaces"
    writes: ClassVar[bool] = False

    prefix: Sequence[str] | Unset | None = UNSET
    suffix: Sequence[str] | Unset | None = UNSET
    _: KW_ONLY
    max_depth: int | Unset | None = UNSET
    limit: int | Unset = UNSET
    offset: int | Unset = UNSET

    def read(self, result: Any) -> list[Namespace]:
        """Out of an answer or a batch's result."""
        listed = result["namespaces"] if isinstance(result, Mapping) else result
        return [tuple(labels) for labels in listed]


StoreOp: TypeAlias = Get | Put | Delete | Search | ListNamespaces
StoreResult: TypeAlias = Memory | Written | SearchResult | list[Namespace] | None

_PATTERNS = frozenset({"prefix", "suffix"})
_MAY_BE_EMPTY = _PATTERNS | {"namespace_prefix"}
_NAMESPACES = _MAY_BE_EMPTY | {"namespace"}
_SETS = frozenset({"subjects", "tags", "kinds", "derived_from"})


def body_of(operation: StoreOp) -> dict[str, Any]:
    """The fields that were given, as the wire wants them; bad namespaces are refused here."""
    body: dict[str, Any] = {}
    for field in fields(operation):
        name, value = field.name, getattr(operation, field.name)
        if value is UNSET:
            continue
        if name in _NAMESPACES and not (value is None and name in _PATTERNS):
            value = namespaces.checked(value, path=name, may_be_empty=name in _MAY_BE_EMPTY)
        elif name in _SETS:
            value = _listed(value, name)
        body[name] = value
    return body


def batched(operation: StoreOp) -> dict[str, Any]:
    """The operation as an entry of a batch."""
    return {"op": operation.op, **body_of(operation)}


def _listed(values: Iterable[str], path: str) -> list[str]:
    if isinstance(values, (str, bytes)):
        raise InvalidRequest.at(path, "not_a_list", "a list of strings, not a bare string")
    return list(values)
