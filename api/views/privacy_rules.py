"""A tenant's own rules, patterns and allowed values for personal data; admins change them.

They are few (`privacy.configuring` says how many), so one page has them all.
"""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request

from api.base import HubView, parsed
from api.openapi import privacy_rules as shapes
from api.openapi.privacy_rules import AllowedRequest, PiiPatternRequest, PiiRuleRequest
from api.paging import PAGE_FIELDS, page_asked, page_document
from api.rendering import Response
from api.repeating import read_again, repeatable
from memories.namespaces import check_prefix, decode, encode
from memories.ops import BUILT_IN_KINDS
from memoryhub.errors import Invalid
from privacy.choosing import ANY
from privacy.configuring import (
    add_pattern,
    add_policy,
    allow_value,
    list_rules,
    open_rule,
    remove_rule,
    weigh,
)
from privacy.detecting import PatternSpec
from privacy.models import AllowedValue, PiiPattern, PiiPolicy
from tenants.authorising import require
from tenants.roles import Action
from tenants.snapshots import tenant_settings

AT = "/api/v1/privacy"


class PrivacyRulesView(HubView):
    """What is done where, beyond the tenant's settings."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.list_rules
    def get(self, request: Request) -> Response:
        return _page(request, [present_rule(row) for row in list_rules().policies])

    @shapes.add_rule
    @repeatable(read_again, at=f"{AT}/rules/{{id}}")
    def post(self, request: Request) -> Response:
        require(Action.ADMINISTER)
        asked = parsed(PiiRuleRequest, request)
        known = {*BUILT_IN_KINDS, *tenant_settings().kinds}
        if asked.kind is not None and asked.kind not in known:
            raise Invalid.at("kind", "unknown_kind", "There is no such kind of memory.")
        prefix = encode(check_prefix(asked.namespace_prefix))
        row = add_policy(
            entity=asked.entity, action=asked.action, prefix=prefix, kind=asked.kind or ""
        )
        return _made(present_rule(row), f"{AT}/rules/{row.id}")


class PrivacyRuleView(HubView):
    """One of them."""

    @shapes.get_rule
    def get(self, request: Request, rule_id: UUID) -> Response:
        return Response(present_rule(open_rule(PiiPolicy, rule_id)))

    @shapes.remove_rule
    def delete(self, request: Request, rule_id: UUID) -> Response:
        remove_rule(PiiPolicy, rule_id)
        return Response(status=204)


class PatternsView(HubView):
    """What is looked for beside the built-in kinds."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.list_patterns
    def get(self, request: Request) -> Response:
        return _page(request, [present_pattern(row) for row in list_rules().patterns])

    @shapes.add_pattern
    @repeatable(read_again, at=f"{AT}/patterns/{{id}}")
    def post(self, request: Request) -> Response:
        require(Action.ADMINISTER)
        asked = parsed(PiiPatternRequest, request)
        row = add_pattern(PatternSpec(asked.entity, asked.pattern, tuple(asked.words), asked.score))
        return _made(present_pattern(row), f"{AT}/patterns/{row.id}")


class PatternView(HubView):
    """One of them."""

    @shapes.get_pattern
    def get(self, request: Request, pattern_id: UUID) -> Response:
        return Response(present_pattern(open_rule(PiiPattern, pattern_id)))

    @shapes.remove_pattern
    def delete(self, request: Request, pattern_id: UUID) -> Response:
        remove_rule(PiiPattern, pattern_id)
        return Response(status=204)


class AllowedView(HubView):
    """Values that are nobody's personal data."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.list_allowed
    def get(self, request: Request) -> Response:
        return _page(request, [present_allowed(row) for row in list_rules().allowed])

    @shapes.add_allowed
    @repeatable(read_again, at=f"{AT}/allowed/{{id}}")
    def post(self, request: Request) -> Response:
        require(Action.ADMINISTER)
        asked = parsed(AllowedRequest, request)
        row = allow_value(asked.value, note=asked.note)
        return _made(present_allowed(row), f"{AT}/allowed/{row.id}")


class AllowedValueView(HubView):
    """One of them."""

    @shapes.get_allowed
    def get(self, request: Request, allowed_id: UUID) -> Response:
        return Response(present_allowed(open_rule(AllowedValue, allowed_id)))

    @shapes.remove_allowed
    def delete(self, request: Request, allowed_id: UUID) -> Response:
        remove_rule(AllowedValue, allowed_id)
        return Response(status=204)


def present_rule(row: PiiPolicy) -> dict[str, Any]:
    """A rule, and what is in force in its place."""
    won = None
    if row.entity != ANY:
        won = weigh(row.entity, namespace=row.namespace_prefix, kind=row.kind).action
    return {
        "id": row.id, "entity": row.entity, "action": row.action,
        "namespace_prefix": list(decode(row.namespace_prefix)), "kind": row.kind or None,
        "in_force": won,
    }  # fmt: skip


def present_pattern(row: PiiPattern) -> dict[str, Any]:
    """A pattern as it was written."""
    return {
        "id": row.id, "entity": row.entity, "pattern": row.pattern, "words": row.words,
        "score": row.score,
    }  # fmt: skip


def present_allowed(row: AllowedValue) -> dict[str, Any]:
    """An allowed value: in the clear, that is its point."""
    return {"id": row.id, "value": row.value, "note": row.note}


def _page(request: Request, items: list[Any]) -> Response:
    total = len(items) if page_asked(request).count else None
    return Response(page_document(items, end=None, total=total))


def _made(document: dict[str, Any], where: str) -> Response:
    return Response(document, status=201, headers={"Location": where})
