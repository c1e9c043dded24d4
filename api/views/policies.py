"""Rule sets, and what-if questions (API.md, Governance)."""

from __future__ import annotations

from typing import Any, ClassVar, cast, get_args

from django.db import transaction
from rest_framework.request import Request

from api.base import HubView, body_of, parsed
from api.openapi import policies as shapes
from api.openapi.policies import ActivateRequest, ApproveRequest, DraftRequest, RulesRequest
from api.paging import PAGE_FIELDS, page_asked, page_of
from api.rendering import Response
from api.repeating import read_again, repeatable
from api.views.jobs import accepted
from memories.activating import activate_rules
from memories.staging import simulate_rules
from memoryhub.errors import Invalid, Missing
from policies.approving import approve_rules
from policies.comparing import compare_rules
from policies.drafting import delete_draft, draft_rules, write_rules
from policies.evaluating import LARGEST_NUMBER, evaluate_what_if
from policies.models import RuleSet
from policies.presenting import present_line, present_version
from policies.versions import find_active, find_version
from policies.wording import Lang
from tenants.authorising import require
from tenants.roles import Action

ROOT = "/api/v1/policies/rulesets"


class RuleSetsView(HubView):
    """Versions of the rules."""

    query_fields: ClassVar = (*PAGE_FIELDS, "state")

    @shapes.list_rulesets
    def get(self, request: Request) -> Response:
        require(Action.SEE_FIGURES)
        rows = RuleSet.objects.all()
        state = request.query_params.get("state")
        if state is not None:
            if state not in get_args(shapes.State):
                known = ", ".join(get_args(shapes.State))
                raise Invalid.at("state", "unknown_value", f"The states are: {known}.")
            rows = rows.in_states(state)
        return Response(page_of(rows, page_asked(request), by=("n",), present=present_line))

    @shapes.draft_ruleset
    @repeatable(read_again)
    def post(self, request: Request) -> Response:
        asked = parsed(DraftRequest, request)
        version = draft_rules(based_on=asked.based_on, note=asked.note)
        headers = {"Location": f"{ROOT}/{version.n}"}
        return Response(present_version(version), status=201, headers=headers)


class RuleSetView(HubView):
    """One version."""

    @shapes.get_ruleset
    def get(self, request: Request, n: int) -> Response:
        require(Action.SEE_FIGURES)
        with transaction.atomic():
            return Response(present_version(find_version(_checked(n))))

    @shapes.write_ruleset
    def put(self, request: Request, n: int) -> Response:
        asked = parsed(RulesRequest, request)
        version = write_rules(_checked(n), rules=asked.rules, cases=asked.cases, note=asked.note)
        return Response(present_version(version))

    @shapes.delete_ruleset
    def delete(self, request: Request, n: int) -> Response:
        delete_draft(_checked(n))
        return Response(status=204)


class ActiveRuleSetView(HubView):
    """The version in force."""

    @shapes.get_active_ruleset
    def get(self, request: Request) -> Response:
        require(Action.SEE_FIGURES)
        with transaction.atomic():
            version = find_active()
        if version is None:
            raise Missing("No rules are in force.")
        return Response(present_version(version))


class RuleSetDiffView(HubView):
    """What differs between two versions."""

    query_fields: ClassVar = ("against",)

    @shapes.diff_ruleset
    def get(self, request: Request, n: int) -> Response:
        require(Action.SEE_FIGURES)
        against = request.query_params.get("against", "active")
        with transaction.atomic():
            version = find_version(_checked(n))
            if against == "active":
                other = find_active()
            elif against.isascii() and against.isdecimal() and len(against) < 10:
                other = find_version(int(against))
            else:
                raise Invalid.at("against", "invalid_type", "Give a number, or active.")
        before: Any = [] if other is None else other.rules
        return Response(compare_rules(before, version.rules))


class RuleSetSimulateView(HubView):
    """A rehearsal, as a job."""

    @shapes.simulate_ruleset
    @repeatable(read_again)
    def post(self, request: Request, n: int) -> Response:
        return accepted(simulate_rules(_checked(n)))


class RuleSetApproveView(HubView):
    """Approval by another person."""

    @shapes.approve_ruleset
    def post(self, request: Request, n: int) -> Response:
        asked = parsed(ApproveRequest, request)
        return Response(present_version(approve_rules(_checked(n), reason=asked.reason)))


class RuleSetActivateView(HubView):
    """Into force."""

    @shapes.activate_ruleset
    def post(self, request: Request, n: int) -> Response:
        asked = parsed(ActivateRequest, request)
        version = activate_rules(_checked(n), confirm_count=asked.confirm_count)
        return Response(present_version(version))


class EvaluateView(HubView):
    """What if."""

    query_fields: ClassVar = ("lang",)

    @shapes.evaluate
    def post(self, request: Request) -> Response:
        lang = request.query_params.get("lang", "en")
        if lang not in get_args(Lang):
            raise Invalid.at("lang", "unknown_value", "The languages are en and zh.")
        return Response(evaluate_what_if(body_of(request), lang=cast("Lang", lang)))


def _checked(n: int) -> int:
    """A number that a column can hold; others are nobody's."""
    if n > LARGEST_NUMBER:
        raise Missing("There is no such rule set.")
    return n
