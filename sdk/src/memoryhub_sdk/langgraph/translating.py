"""LangGraph's operations to the wire and back. Pure.

Everything that can be wrong with an operation is found here, before anything is sent or queued
together with other calls: so a bad call fails alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.store.base import (
    NOT_PROVIDED,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from memoryhub_sdk.encoding import encode_json
from memoryhub_sdk.endpoints.batches import Encoded
from memoryhub_sdk.errors import InvalidRequest
from memoryhub_sdk.namespaces import fault_in
from memoryhub_sdk.unset import UNSET, without_unset


@dataclass(frozen=True, slots=True)
class Asked:
    """One operation, checked and encoded.

    `target` is what it writes, None for a read. Without `content` there is nothing to ask, and
    `known` is the answer.
    """

    op: Op
    content: bytes | None
    target: tuple[tuple[str, ...], str] | None = None
    known: Any = None

    @property
    def entry(self) -> Encoded | None:
        """What is sent of it."""
        return None if self.content is None else Encoded(self.content, self.target is not None)

    def result_of(self, answer: Any) -> Result:
        """LangGraph's result out of the wire's."""
        if isinstance(self.op, GetOp):
            return None if answer is None else _item_of(answer)
        if isinstance(self.op, SearchOp):
            found = answer["items"] if isinstance(answer, Mapping) else answer
            return [_search_item_of(one) for one in found]
        if isinstance(self.op, ListNamespacesOp):
            listed = answer["namespaces"] if isinstance(answer, Mapping) else answer
            return [tuple(labels) for labels in listed]
        return None


def ask(ops: Iterable[Op], *, fields: Sequence[str] | None) -> list[Asked]:
    """Check and encode operations; nothing is sent when one of them is wrong.

    `fields` are indexed by puts that do not say what to index. Raises ValueError for an unknown
    operation, `InvalidNamespaceError`, and `InvalidRequest` (a ValueError) with the path of what
    JSON cannot hold.
    """
    listed = list(ops)
    alone = len(listed) == 1
    return [
        _ask_one(op, path="" if alone else f"ops[{position}]", fields=fields)
        for position, op in enumerate(listed)
    ]


def _ask_one(op: Op, *, path: str, fields: Sequence[str] | None) -> Asked:
    if isinstance(op, (GetOp, PutOp)) and len(op.namespace) == 0:
        return _ask_nowhere(op)
    if isinstance(op, GetOp):
        return Asked(op, encode_json(_get(op), path=path))
    if isinstance(op, PutOp):
        body = _delete(op) if op.value is None else _put(op, path, fields)
        return Asked(op, encode_json(body, path=path), (tuple(op.namespace), str(op.key)))
    if isinstance(op, SearchOp):
        return Asked(op, encode_json(_search(op), path=path))
    if isinstance(op, ListNamespacesOp):
        listing = _list_namespaces(op)
        if listing is None:
            return Asked(op, None, known=[])
        return Asked(op, encode_json(listing, path=path))
    raise ValueError(f"Unknown operation type: {type(op)}")


def _ask_nowhere(op: GetOp | PutOp) -> Asked:
    """The empty namespace holds nothing: reads and deletes are answered, puts refused."""
    if isinstance(op, PutOp) and op.value is not None:
        raise InvalidNamespaceError("Namespace cannot be empty.")
    return Asked(op, None)


def _get(op: GetOp) -> dict[str, Any]:
    return {
        "op": "get",
        "namespace": _labels(op.namespace),
        "key": str(op.key),
        "refresh_ttl": op.refresh_ttl,
    }


def _put(op: PutOp, path: str, fields: Sequence[str] | None) -> dict[str, Any]:
    if not isinstance(op.value, Mapping):
        place, kind = f"{path}.value".lstrip("."), type(op.value).__name__
        raise InvalidRequest.at(place, "not_json", f"a value is a mapping, not {kind}")
    index: Any = op.index
    if index is None:
        index = UNSET if fields is None else list(fields)
    ttl: Any = op.ttl
    body = {
        "op": "put",
        "namespace": _labels(op.namespace),
        "key": str(op.key),
        "value": op.value,
        "index": index,
        "ttl": UNSET if ttl is NOT_PROVIDED else ttl,
    }
    return without_unset(body)


def _delete(op: PutOp) -> dict[str, Any]:
    return {"op": "delete", "namespace": _labels(op.namespace), "key": str(op.key)}


def _search(op: SearchOp) -> dict[str, Any]:
    body: dict[str, Any] = {
        "op": "search",
        "namespace_prefix": _labels(op.namespace_prefix, may_be_empty=True),
        "limit": op.limit,
        "offset": op.offset,
        "refresh_ttl": op.refresh_ttl,
    }
    if op.filter:
        body["filter"] = op.filter
    if op.query:  # LangGraph's scores: the bare metric, no text search, no freshness
        body |= {"query": op.query, "mode": "vector", "recency": 0}
    return body


def _list_namespaces(op: ListNamespacesOp) -> dict[str, Any] | None:
    conditions = op.match_conditions or ()
    for condition in conditions:
        if condition.match_type not in ("prefix", "suffix"):
            raise ValueError(f"Unknown match type: {condition.match_type!r}")
    prefix = _all_of(_paths(conditions, "prefix"))
    suffix = _all_of([path[::-1] for path in _paths(conditions, "suffix")])
    if prefix is None or suffix is None:
        return None
    body: dict[str, Any] = {"op": "list_namespaces", "limit": op.limit, "offset": op.offset}
    if prefix:
        body["prefix"] = prefix
    if suffix:
        body["suffix"] = suffix[::-1]
    if op.max_depth is not None:
        body["max_depth"] = op.max_depth
    return body


def _paths(conditions: Iterable[MatchCondition], match_type: str) -> list[list[str]]:
    """The paths of one type. A bare string counts as one label, not as its letters."""
    return [
        _labels((one.path,) if isinstance(one.path, str) else one.path, may_be_empty=True)
        for one in conditions
        if one.match_type == match_type
    ]


def _all_of(paths: Iterable[list[str]]) -> list[str] | None:
    """The one pattern that matches what all of them match, anchored at the start; None: nothing."""
    merged: list[str] = []
    for path in paths:
        for at, label in enumerate(path):
            if at == len(merged):
                merged.append(label)
            elif merged[at] == "*":
                merged[at] = label
            elif label not in ("*", merged[at]):
                return None
    return merged


def _labels(namespace: Any, *, may_be_empty: bool = False) -> list[str]:
    fault = fault_in(namespace, may_be_empty=may_be_empty)
    if fault:
        raise InvalidNamespaceError(fault)
    return list(namespace)


def _item_of(answer: Mapping[str, Any]) -> Item:
    return Item(
        value=answer["value"],
        key=answer["key"],
        namespace=tuple(answer["namespace"]),
        created_at=answer["created_at"],
        updated_at=answer["updated_at"],
    )


def _search_item_of(answer: Mapping[str, Any]) -> SearchItem:
    return SearchItem(
        namespace=tuple(answer["namespace"]),
        key=answer["key"],
        value=answer["value"],
        created_at=answer["created_at"],
        updated_at=answer["updated_at"],
        score=answer.get("score"),
    )
