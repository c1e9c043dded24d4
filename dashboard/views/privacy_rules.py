"""What is done with personal data where: rules, the tenant's patterns, allowed values."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from dashboard.keeping import take_kept_form
from dashboard.pages import page
from dashboard.patterns import explain_refusal
from dashboard.privacy_forms import (
    AllowedForm,
    OwnActionForm,
    PatternForm,
    PiiRuleForm,
    WhereForm,
)
from dashboard.wording import ACTION_NAMES, ENTITY_NAMES
from memories.redating import change_settings
from memoryhub.errors import HubError, Invalid, Missing
from privacy.choosing import ANY
from privacy.configuring import (
    InForce,
    Rules,
    add_pattern,
    add_policy,
    allow_value,
    list_rules,
    open_rule,
    remove_rule,
    try_pattern,
    weigh,
)
from privacy.detecting import BUILT_IN, EXTRAS
from privacy.masking import mask_span
from privacy.models import AllowedValue, PiiPattern, PiiPolicy
from tenants.access.configuring import parse_settings
from tenants.authorising import require
from tenants.clock import wall_clock
from tenants.roles import Action
from tenants.snapshots import tenant_settings

FORM = ("GET", "HEAD", "POST")
SORTS: dict[str, tuple[type[Any], str]] = {
    "rules": (PiiPolicy, "privacy_rules"),
    "patterns": (PiiPattern, "privacy_patterns"),
    "allowed": (AllowedValue, "privacy_allowed"),
}


@page(Action.SEE_FIGURES, methods=FORM)
def rules(request: HttpRequest) -> HttpResponse:
    """The tenant's actions, the rules by place, and what wins where; admins change them."""
    kept = take_kept_form(request)
    given = _posted(request) or kept
    is_own = given is not None and "own" in given
    form = PiiRuleForm(None if is_own else given)
    own = OwnActionForm(
        given if is_own else None, initial={"version": tenant_settings().version},
        entities=[(one, ENTITY_NAMES[one]) for one in (*BUILT_IN, *EXTRAS)],
    )  # fmt: skip
    sent = own if is_own else form
    if request.method == "POST" and sent.is_valid():
        try:
            said = _set_own(own.cleaned_data) if is_own else _add_rule(form.cleaned_data)
        except HubError as error:
            sent.add_fault(error)
        else:
            messages.success(request, said)
            return redirect("privacy_rules")
    asked = WhereForm(request.GET if "entity" in request.GET else None)
    context = {
        "form": form, "own": own, "asked": asked, "was_kept": kept is not None,
        "answer": _answered(asked), "kinds": _list_actions(), "lines": _list_lines(list_rules()),
    }  # fmt: skip
    return render(request, "hub/privacy/rules.html", context, status=_status(request))


@page(Action.SEE_FIGURES, methods=FORM)
def patterns(request: HttpRequest) -> HttpResponse:
    """The tenant's patterns. `try` only looks at the sample."""
    kept = take_kept_form(request)
    form = PatternForm(_posted(request) or kept)
    tried: list[dict[str, Any]] | None = None
    if request.method == "POST" and form.is_valid():
        try:
            if "try" in request.POST:
                tried = _try(form)
            else:
                add_pattern(form.spec())
                messages.success(request, _("The pattern was added; what is stored is scanned."))
                return redirect("privacy_patterns")
        except Invalid as error:
            explain_refusal(form, error)
        except HubError as error:
            form.add_fault(error)
    context = {
        "form": form, "rows": list_rules().patterns, "tried": tried, "was_kept": kept is not None,
    }  # fmt: skip
    status = 200 if tried is not None else _status(request)
    return render(request, "hub/privacy/patterns.html", context, status=status)


@page(Action.SEE_FIGURES, methods=FORM)
def allowed(request: HttpRequest) -> HttpResponse:
    """Values that are never reported."""
    kept = take_kept_form(request)
    form = AllowedForm(_posted(request) or kept)
    if request.method == "POST" and form.is_valid():
        try:
            allow_value(form.cleaned_data["value"], note=form.cleaned_data["note"])
        except HubError as error:
            form.add_fault(error)
        else:
            messages.success(request, _("The value is allowed from now on."))
            return redirect("privacy_allowed")
    context = {"form": form, "rows": list_rules().allowed, "was_kept": kept is not None}
    return render(request, "hub/privacy/allowed.html", context, status=_status(request))


@page(Action.ADMINISTER, methods=FORM)
def remove(request: HttpRequest, sort: str, rule_id: UUID) -> HttpResponse:
    """First what changes without it, then it goes."""
    if sort not in SORTS:
        raise Missing("There is no such rule.")
    model, back = SORTS[sort]
    row = open_rule(model, rule_id)
    if request.method == "POST":
        remove_rule(model, rule_id)
        messages.success(request, _("It was removed; what is stored is looked at again."))
        return redirect(back)
    line = _line(row) if sort == "rules" else None
    context = {"row": row, "sort": sort, "back": back, "line": line}
    return render(request, "hub/privacy/remove.html", context)


def _posted(request: HttpRequest) -> Any:
    """What was sent, by somebody who may change it."""
    if request.method != "POST":
        return None
    require(Action.ADMINISTER)
    return request.POST


def _status(request: HttpRequest) -> int:
    return 422 if request.method == "POST" else 200


def _set_own(data: dict[str, Any]) -> str:
    pii = {**tenant_settings().pii, data["entity"]: data["action"]}
    change_settings(parse_settings({"version": data["version"], "pii": pii}))
    return _("The action was changed; what is stored is looked at again.")


def _add_rule(data: dict[str, Any]) -> str:
    add_policy(
        entity=data["entity"], action=data["action"], prefix=data["namespace_prefix"],
        kind=data["kind"],
    )  # fmt: skip
    return _("The rule was added; what is stored is looked at again.")


def _list_actions() -> list[tuple[str | Promise, str, str | Promise]]:
    """(name, entity, what is done) in the whole tenant."""
    shown = []
    for entity in (*BUILT_IN, *EXTRAS):
        if entity in EXTRAS and entity not in tenant_settings().pii:
            said: str | Promise = _("not looked for")
        else:
            said = ACTION_NAMES[weigh(entity).base]
        shown.append((ENTITY_NAMES[entity], entity, said))
    return shown


def _list_lines(found: Rules) -> list[dict[str, Any]]:
    return [_line(row) for row in found.policies]


def _line(row: PiiPolicy) -> dict[str, Any]:
    """A rule in words, with what wins in its place."""
    is_any = row.entity == ANY
    won = None if is_any else weigh(row.entity, namespace=row.namespace_prefix, kind=row.kind)
    return {
        "row": row, "name": _("every kind") if is_any else ENTITY_NAMES.get(row.entity, row.entity),
        "action": ACTION_NAMES[row.action],
        "won": None if won is None else ACTION_NAMES[won.action],
        "is_beaten": won is not None and won.action != row.action,
    }  # fmt: skip


def _answered(asked: WhereForm) -> dict[str, Any] | None:
    """What is in force in the place that was asked about, and why."""
    if not asked.is_bound or not asked.is_valid():
        return None
    data = asked.cleaned_data
    found: InForce = weigh(data["entity"], namespace=data["namespace_prefix"], kind=data["kind"])
    grounds = [(_("the tenant's own action"), ACTION_NAMES[found.base], found.base == found.action)]
    for rule in found.rules:
        where = rule.prefix or "/"
        grounds.append((where, ACTION_NAMES[rule.action], rule.action == found.action))
    return {
        "name": ENTITY_NAMES.get(data["entity"], data["entity"]),
        "action": ACTION_NAMES[found.action], "grounds": grounds,
    }  # fmt: skip


def _try(form: PatternForm) -> list[dict[str, Any]]:
    sample = form.cleaned_data["sample"]
    spans = try_pattern(form.spec(), sample, today=wall_clock().date())
    return [
        {"text": span.text, "shown": mask_span(span), "start": span.start, "end": span.end}
        for span in spans
    ]
