"""OpenAPI of a tenant's own rules, patterns and allowed values for personal data."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from pydantic import Field

from api.openapi.access import Body
from api.openapi.shapes import PAGE_PARAMETERS, Shape, answers, page_shape

ActionName = Literal["flag", "mask", "encrypt", "tokenise", "redact", "quarantine", "reject"]
Labels = Annotated[list[str], Field(default_factory=list, max_length=64)]
Words = Annotated[list[Annotated[str, Field(max_length=24)]], Field(max_length=20)]


class PiiRuleRequest(Body):
    """An action for an entity ("*": all) below a prefix ([]: everywhere), for a kind (null: all).

    Rules only tighten: of all that fit, and the tenant's own action, the strictest wins.
    """

    entity: Annotated[str, Field(min_length=1, max_length=40)]
    action: ActionName
    namespace_prefix: Labels
    kind: Annotated[str, Field(min_length=1, max_length=63)] | None = None


class PiiRuleShape(Shape):
    """A rule. `in_force` is what wins in its own place; null for "*"."""

    id: UUID
    entity: str
    action: ActionName
    namespace_prefix: list[str]
    kind: str | None
    in_force: ActionName | None


class PiiPatternRequest(Body):
    """A pattern in RE2 for an entity of the tenant's own; one of `words` must stand near it."""

    entity: Annotated[str, Field(max_length=40)]
    pattern: Annotated[str, Field(max_length=512)]
    words: Annotated[Words, Field(default_factory=list)]
    score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.7


class PiiPatternShape(Shape):
    """A pattern."""

    id: UUID
    entity: str
    pattern: str
    words: list[str]
    score: float


class AllowedRequest(Body):
    """A value that is nobody's personal data; it is kept in the clear."""

    value: Annotated[str, Field(max_length=256)]
    note: Annotated[str, Field(max_length=200)] = ""


class AllowedShape(Shape):
    """An allowed value."""

    id: UUID
    value: str
    note: str


_TAGS = ["privacy"]
_GONE = {204: OpenApiResponse(description="It applies no more; what is stored is scanned.")}
list_rules = extend_schema(
    operation_id="list_privacy_rules", tags=_TAGS, summary="What is done where",
    parameters=PAGE_PARAMETERS, responses=answers({200: page_shape(PiiRuleShape)}),
)  # fmt: skip
add_rule = extend_schema(
    operation_id="add_privacy_rule", tags=_TAGS, summary="Tighten what is done (admins)",
    request=PiiRuleRequest, responses=answers({201: PiiRuleShape}, 409),
)  # fmt: skip
get_rule = extend_schema(
    operation_id="get_privacy_rule", tags=_TAGS, summary="One rule",
    responses=answers({200: PiiRuleShape}),
)  # fmt: skip
remove_rule = extend_schema(
    operation_id="remove_privacy_rule", tags=_TAGS, summary="Take a rule away (admins)",
    responses=answers(_GONE),
)  # fmt: skip
list_patterns = extend_schema(
    operation_id="list_privacy_patterns", tags=_TAGS, summary="The tenant's patterns, by entity",
    parameters=PAGE_PARAMETERS, responses=answers({200: page_shape(PiiPatternShape)}),
)  # fmt: skip
add_pattern = extend_schema(
    operation_id="add_privacy_pattern", tags=_TAGS, summary="Add a pattern (admins)",
    request=PiiPatternRequest, responses=answers({201: PiiPatternShape}, 409),
)  # fmt: skip
get_pattern = extend_schema(
    operation_id="get_privacy_pattern", tags=_TAGS, summary="One pattern",
    responses=answers({200: PiiPatternShape}),
)  # fmt: skip
remove_pattern = extend_schema(
    operation_id="remove_privacy_pattern", tags=_TAGS, summary="Take a pattern away (admins)",
    responses=answers(_GONE),
)  # fmt: skip
list_allowed = extend_schema(
    operation_id="list_allowed_values", tags=_TAGS, summary="Values that are never reported",
    parameters=PAGE_PARAMETERS, responses=answers({200: page_shape(AllowedShape)}),
)  # fmt: skip
add_allowed = extend_schema(
    operation_id="allow_value", tags=_TAGS, summary="Allow a value (admins)",
    request=AllowedRequest, responses=answers({201: AllowedShape}, 409),
)  # fmt: skip
get_allowed = extend_schema(
    operation_id="get_allowed_value", tags=_TAGS, summary="One allowed value",
    responses=answers({200: AllowedShape}),
)  # fmt: skip
remove_allowed = extend_schema(
    operation_id="remove_allowed_value", tags=_TAGS, summary="Report a value again (admins)",
    responses=answers(_GONE),
)  # fmt: skip
