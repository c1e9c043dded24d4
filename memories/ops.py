"""What may be asked of the store: each operation as a checked, frozen model. Pure.

The models are the wire's shapes (API.md, "Store") and what the use cases take. `fields_set` tells
absent from null: a put without `ttl` takes the tenant's default, `ttl: null` means never.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from memories.filter_sql import to_json
from memories.namespaces import check_item_namespace, check_prefix, check_raw_namespace
from memories.paths import check_index
from memoryhub.errors import Invalid, invalid_from
from tenants.roles import Action

KEY_BYTES = 512
LIST_LENGTH = 64
LIST_ITEM_BYTES = 256
SOURCE_BYTES = 4096
LIMIT = 1000
DEPTH = 10_000
QUERY_CHARACTERS = 20_000
TTL_MINUTES = 525_600_000
"""A thousand years. Near the year 10,000 a refresh would make dates that nobody can read."""

BUILT_IN_KINDS = (
    "fact", "episode", "procedure", "profile", "organization", "entity", "document", "intent",
    "summary",
)  # fmt: skip


def _key(text: str) -> str:
    if not text:
        raise PydanticCustomError("hub_empty", "A key has at least one character.")
    if "\x00" in text:  # from a query string; bodies are looked through as they are parsed
        raise PydanticCustomError("hub_nul", "U+0000 cannot be stored.")
    if len(text.encode("utf-8", "surrogatepass")) > KEY_BYTES:
        raise PydanticCustomError("hub_too_long", f"A key has at most {KEY_BYTES} bytes.")
    return text


def _words(words: list[str]) -> list[str]:
    """A set: order kept, repetitions dropped."""
    for word in words:
        if not word or len(word.encode("utf-8", "surrogatepass")) > LIST_ITEM_BYTES:
            raise PydanticCustomError("hub_invalid_item", f"Each has 1 to {LIST_ITEM_BYTES} bytes.")
    return list(dict.fromkeys(words))


def _positive(minutes: float) -> float:
    if not minutes > 0:
        raise PydanticCustomError("hub_invalid_ttl", "A TTL is more than 0 minutes.")
    return minutes


def _index(given: Any) -> Any:
    if given is not None and given is not False and not isinstance(given, list):
        raise PydanticCustomError("hub_invalid_index", "`index` is false or a list of paths.")
    return given


def _uuid(given: Any) -> Any:
    if not isinstance(given, str):
        raise PydanticCustomError("hub_invalid_id", "An id is a UUID in text.")
    try:
        return UUID(given)
    except ValueError:
        raise PydanticCustomError("hub_invalid_id", "An id is a UUID in text.") from None


Key = Annotated[str, AfterValidator(_key)]
Words = Annotated[list[str], Field(max_length=LIST_LENGTH), AfterValidator(_words)]
Ttl = Annotated[float, Field(allow_inf_nan=False, le=TTL_MINUTES), AfterValidator(_positive)]
Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Identifier = Annotated[UUID, BeforeValidator(_uuid)]


T = TypeVar("T", bound="Op")


class Op(BaseModel):
    """Base: unknown fields refused, nothing coerced, nothing changed afterwards."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    def gives(self, name: str) -> bool:
        """Whether the field was sent, null included."""
        return name in self.model_fields_set


class Dedup(Op):
    """How near a memory must be to be the same; default the profile's calibrated threshold."""

    threshold: Fraction | None = None


def _dedup(given: Any) -> Any:
    """`true` is an empty object, `false` is absent: a fault has one path then, not one a type."""
    if isinstance(given, bool):
        return Dedup() if given else None
    if not isinstance(given, dict | Dedup):
        raise PydanticCustomError("hub_invalid_type", "`dedup` is a boolean or an object.")
    return given


class PutOp(Op):
    """Write a whole value under (namespace, key)."""

    namespace: list[Any]
    key: Key
    value: dict[str, Any] | None
    index: Annotated[Any, BeforeValidator(_index)] = None
    ttl: Ttl | None = None
    kind: Annotated[str, Field(min_length=1, max_length=63)] = "fact"
    subjects: Words = []
    tags: Words = []
    importance: Fraction = 0.5
    decay: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] | None = None
    derived_from: Annotated[list[Identifier], Field(max_length=LIST_LENGTH)] = []
    source: Any = None
    session_id: Annotated[str, Field(max_length=64)] | None = None
    dedup: Annotated[
        Dedup | None,
        BeforeValidator(_dedup),
        WithJsonSchema({"anyOf": [{"type": "boolean"}, Dedup.model_json_schema()]}),
    ] = None
    if_version: Annotated[int, Field(ge=0, le=2_147_483_647)] | None = None
    wait: bool = True

    @property
    def tier(self) -> Literal["long", "short"]:
        """What a caller writes is long-term memory."""
        return "long"

    @property
    def right(self) -> Action:
        """What the writer must be allowed to do."""
        return Action.PUT


class ShortTermOp(PutOp):
    """A put of the hub's own into short-term memory, by whoever may use sessions. Never parsed from
    a request; its kind need not be one that callers may write."""

    @property
    def tier(self) -> Literal["long", "short"]:
        return "short"

    @property
    def right(self) -> Action:
        return Action.USE_SESSIONS


class GetOp(Op):
    """Read one item."""

    namespace: list[Any]
    key: Key
    refresh_ttl: bool | None = None


class DeleteOp(Op):
    """Take one item out of use. People give a reason."""

    namespace: list[Any]
    key: Key
    reason: str | None = None


class SearchOp(Op):
    """Find memories below a prefix."""

    namespace_prefix: list[Any]
    query: Annotated[str, Field(max_length=QUERY_CHARACTERS)] | None = None
    filter: Any = None
    limit: Annotated[int, Field(ge=0, le=LIMIT)] = 10
    offset: Annotated[int, Field(ge=0, le=DEPTH)] = 0
    refresh_ttl: bool | None = None
    mode: Literal["hybrid", "vector", "text"] | None = None
    kinds: Words | None = None
    subjects: Words | None = None
    tags: Words | None = None
    tier: Literal["long", "short"] = "long"
    min_score: Annotated[float, Field(allow_inf_nan=False)] | None = None
    recency: Fraction | None = None
    include_archived: bool = False
    explain: bool = False

    @property
    def right(self) -> Action:
        """What the reader must be allowed to do."""
        return Action.READ_VALUES


class RecallOp(SearchOp):
    """A search of the hub's own for a session, by whoever may use sessions. Of tier `short` it is
    about the session's one namespace, which is looked through whole."""

    @property
    def right(self) -> Action:
        return Action.USE_SESSIONS


class ListNamespacesOp(Op):
    """List namespaces by pattern."""

    prefix: list[Any] | None = None
    suffix: list[Any] | None = None
    max_depth: Annotated[int, Field(ge=1, le=64)] | None = None
    limit: Annotated[int, Field(ge=0, le=LIMIT)] = 100
    offset: Annotated[int, Field(ge=0, le=DEPTH)] = 0


class DeleteNamespaceOp(Op):
    """Take everything below a prefix out of use."""

    namespace_prefix: list[Any]
    dry_run: bool = True
    """As API.md writes it: nothing is deleted unless the caller says so."""
    reason: str | None = None


def parse_put(body: Any) -> PutOp:
    """A put over HTTP: the root `langgraph` is reserved, the value is there."""
    op = _parse(PutOp, body)
    check_item_namespace(op.namespace)
    if op.value is None:
        raise Invalid.at("value", "required", "The value is an object.")
    return _checked_put(op)


def parse_raw_put(body: Any) -> PutOp:
    """A put inside a batch: the root `langgraph` is accepted, `value: null` deletes."""
    op = _parse(PutOp, body)
    check_raw_namespace(op.namespace)
    return _checked_put(op)


def _checked_put(op: PutOp) -> PutOp:
    if isinstance(op.index, list):
        check_index(op.index)
    if len(to_json(op.source).encode("utf-8", "surrogatepass")) > SOURCE_BYTES:
        raise Invalid.at("source", "too_long", f"A source has at most {SOURCE_BYTES} bytes.")
    return op


def parse_get(body: Any) -> GetOp:
    """A read of one item."""
    op = _parse(GetOp, body)
    check_prefix(op.namespace, path="namespace")
    return op


def parse_delete(body: Any) -> DeleteOp:
    """A delete of one item."""
    op = _parse(DeleteOp, body)
    check_prefix(op.namespace, path="namespace")
    return op


def parse_search(body: Any) -> SearchOp:
    """A search; `mode` without a query is refused, and pages end at offset + limit 10,000."""
    op = _parse(SearchOp, body)
    check_prefix(op.namespace_prefix, path="namespace_prefix")
    if op.mode is not None and not op.query:
        raise Invalid.at("mode", "query_required", "A mode goes with a query.")
    if op.offset + op.limit > DEPTH:
        raise Invalid.at("offset", "out_of_range", f"offset + limit is at most {DEPTH}.")
    return op


def parse_list_namespaces(body: Any) -> ListNamespacesOp:
    """A listing of namespaces."""
    op = _parse(ListNamespacesOp, body)
    for name in ("prefix", "suffix"):
        if getattr(op, name) is not None:
            check_prefix(getattr(op, name), path=name)
    if op.offset + op.limit > DEPTH:
        raise Invalid.at("offset", "out_of_range", f"offset + limit is at most {DEPTH}.")
    return op


def parse_delete_namespace(body: Any) -> DeleteNamespaceOp:
    """A delete by prefix; the empty prefix would be everything and is refused."""
    op = _parse(DeleteNamespaceOp, body)
    if not check_prefix(op.namespace_prefix, path="namespace_prefix"):
        raise Invalid.at("namespace_prefix", "empty", "Name at least one label.")
    return op


def parse_batch(body: Any, *, most: int) -> list[Op]:
    """The operations of a batch; a fault in one names it, `ops[3].value.a`."""
    if not isinstance(body, dict):
        raise Invalid.at("", "invalid_type", "The body is an object.")
    unknown = sorted(set(body) - {"ops"})
    if unknown:
        raise Invalid.at(unknown[0], "unknown_field", "There is no such field.")
    raw = body.get("ops")
    if not isinstance(raw, list):
        raise Invalid.at("ops", "required", "`ops` is a list of operations.")
    if len(raw) > most:
        raise Invalid.at("ops", "too_many_ops", f"A batch has at most {most} operations.")
    return [_parse_in_batch(entry, f"ops[{number}]") for number, entry in enumerate(raw)]


_IN_BATCH = {
    "get": parse_get,
    "put": parse_raw_put,
    "delete": parse_delete,
    "search": parse_search,
    "list_namespaces": parse_list_namespaces,
}


def _parse_in_batch(entry: Any, path: str) -> Op:
    if not isinstance(entry, dict):
        raise Invalid.at(path, "invalid_type", "An operation is an object.")
    name = entry.get("op")
    parse = _IN_BATCH.get(name) if isinstance(name, str) else None
    if parse is None:
        known = ", ".join(_IN_BATCH)
        raise Invalid.at(f"{path}.op", "unknown_op", f"The operations are: {known}.")
    try:
        return parse({field: value for field, value in entry.items() if field != "op"})
    except Invalid as fault:
        raise fault.under(path) from None


def _parse(model: type[T], body: Any) -> T:
    try:
        return model.model_validate(body)
    except ValidationError as fault:
        raise invalid_from(fault) from None
