"""Rules being written: a new draft, one rule in the editor, examples, the set as text, the note."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from dashboard.keeping import take_kept_form
from dashboard.pages import page
from dashboard.rule_forms import (
    CHOICE_KINDS,
    CasesForm,
    DocumentForm,
    NoteForm,
    RuleForm,
    faults_in_words,
    kinds_known,
)
from dashboard.ruling import Example, run_cases_of, say_parts
from dashboard.views.retention import open_version, standing_of
from memories.reaching import measure_reach
from memoryhub.errors import HubError, Invalid, Missing
from policies.documents import read_document, write_document
from policies.drafting import delete_draft, draft_rules
from policies.editing import Content, copy_rule, drop_rule, edit_version, move_rule, put_rule
from policies.facts import Rule
from policies.models import RuleSet
from policies.parsing import parse_rules
from policies.versions import find_active, rules_of
from policies.wording import CLASS_NAMES
from tenants.roles import Action
from tenants.snapshots import tenant_settings

FORM = ("GET", "HEAD", "POST")
POST = ("POST",)
NEW = "new"


@page(Action.DRAFT_RULES, methods=POST)
def new_draft(request: HttpRequest) -> HttpResponse:
    """A draft with the content of the version named, or of the one in force."""
    text = request.POST.get("based_on", "")
    based_on = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
    note = _("Back to version %(n)s") % {"n": based_on} if based_on is not None else ""
    version = draft_rules(based_on=based_on, note=note)
    messages.success(request, _("Draft %(n)s is made. Nothing changes until it is activated.")
                     % {"n": version.n})  # fmt: skip
    return redirect("rule_version", n=version.n)


@page(Action.DRAFT_RULES, methods=POST)
def drop_draft(request: HttpRequest, n: int) -> HttpResponse:
    """Throw a draft away."""
    with transaction.atomic():
        version = open_version(n)
    delete_draft(version.n)
    messages.success(request, _("Draft %(n)s is thrown away.") % {"n": n})
    return redirect("retention")


@page(Action.DRAFT_RULES, methods=FORM)
def edit_rule(request: HttpRequest, n: int, place: str) -> HttpResponse:
    """One rule: the form left, right what it says and whom it reaches."""
    version, wire, number = _open_rule(n, place)
    kept = take_kept_form(request)
    given = request.POST if request.method == "POST" else kept
    form = RuleForm.of(wire, seen=version.hash) if given is None else RuleForm(given)
    context = _editor(version, place, number) | {"form": form, "was_kept": kept is not None}
    status = 200
    if request.method == "POST" and form.is_valid():
        change = partial(put_rule, place=number, rule=form.as_wire())
        if request.POST.get("do") == "preview":
            _check_rule(form, version, change)
        elif _save(form, version, change):
            messages.success(request, _("The rule is saved."))
            return redirect("rule_version", n=n)
    if request.method == "POST":
        status = 422 if form.errors else 200
    context |= _preview(form, wire)
    return render(request, "hub/retention/editor.html", context, status=status)


@page(Action.DRAFT_RULES, methods=POST)
def preview_rule(request: HttpRequest, n: int, place: str) -> HttpResponse:
    """What the rule in the form says, while it is being written."""
    version, _wire, number = _open_rule(n, place)
    form = RuleForm(request.POST)
    if form.is_valid():
        _check_rule(form, version, partial(put_rule, place=number, rule=form.as_wire()))
    context = {"form": form, "version": version, **_preview(form, {})}
    return render(request, "hub/retention/editor.html#says", context)


@page(Action.DRAFT_RULES, methods=POST)
def arrange_rule(request: HttpRequest, n: int, place: int) -> HttpResponse:
    """Up, down, a copy, or away: what the button says."""
    with transaction.atomic():
        version = open_version(n)
    changes: dict[str, Callable[[Content], Content]] = {
        "up": partial(move_rule, place=place, by=-1),
        "down": partial(move_rule, place=place, by=1),
        "copy": partial(copy_rule, place=place),
        "drop": partial(drop_rule, place=place),
    }
    change = changes.get(request.POST.get("do", ""))
    if change is None:
        raise Invalid.at("do", "unknown_value", "Say what to do.")
    edit_version(n, seen=request.POST.get("seen", version.hash), edit=change)
    return redirect("rule_version", n=n)


@page(Action.DRAFT_RULES, methods=FORM)
def edit_cases(request: HttpRequest, n: int) -> HttpResponse:
    """The examples of the set: written as JSON, run at once."""
    with transaction.atomic():
        version = open_version(n)
        context = standing_of(version, find_active())
    kept = take_kept_form(request)
    shown = json.dumps(version.cases, indent=2, ensure_ascii=False) if version.cases else ""
    initial = {"cases": shown, "seen": version.hash}
    given = request.POST if request.method == "POST" else kept
    form = CasesForm(given, initial=initial)
    examples: list[Example] = []
    if request.method == "POST" and form.is_valid():
        cases = form.cleaned_data["cases"]
        if request.POST.get("do") == "save" and _save(
            form, version, lambda content: replace(content, cases=cases)
        ):
            messages.success(request, _("The examples are saved."))
            return redirect("edit_cases", n=n)
        examples = _run(form, cases, rules_of(version))
    elif request.method != "POST":
        examples = _run(form, version.cases, rules_of(version))
    context |= {"form": form, "examples": examples, "was_kept": kept is not None}
    status = 422 if form.errors else 200
    return render(request, "hub/retention/cases.html", context, status=status)


@page(Action.DRAFT_RULES, methods=FORM)
def edit_document(request: HttpRequest, n: int) -> HttpResponse:
    """The whole set as YAML or JSON, typed or uploaded."""
    with transaction.atomic():
        version = open_version(n)
        context = standing_of(version, find_active())
    kept = take_kept_form(request)
    text = write_document({"note": version.note, "rules": version.rules, "cases": version.cases})
    initial = {"text": text, "seen": version.hash}
    form = DocumentForm(request.POST or kept or None, request.FILES or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            read = read_document(form.read())
        except Invalid as error:
            form.add_error(None, error.errors[0].detail)
        else:
            if _save(form, version, lambda content: _replaced(content, read)):
                messages.success(request, _("The rules are saved."))
                return redirect("rule_version", n=n)
    context |= {"form": form, "was_kept": kept is not None}
    status = 422 if request.method == "POST" else 200
    return render(request, "hub/retention/document.html", context, status=status)


@page(Action.DRAFT_RULES, methods=POST)
def write_note(request: HttpRequest, n: int) -> HttpResponse:
    """What this version is for."""
    form = NoteForm(request.POST)
    if not form.is_valid():
        raise Invalid.at("note", "too_long", "A note has at most 2000 characters.")
    note = form.cleaned_data["note"]
    edit_version(n, seen=form.cleaned_data["seen"], edit=lambda one: replace(one, note=note))
    messages.success(request, _("The note is saved."))
    return redirect("rule_version", n=n)


def _open_rule(n: int, place: str) -> tuple[RuleSet, dict[str, Any], int]:
    """The version, the rule at the place ({} for a new one), and the place as a number."""
    with transaction.atomic():
        version = open_version(n)
    if place == NEW:
        return version, {}, len(version.rules)
    if not (place.isascii() and place.isdecimal() and len(place) < 6):
        raise Missing("There is no such rule.")
    if int(place) >= len(version.rules):
        raise Missing("There is no such rule.")
    return version, version.rules[int(place)], int(place)


def _editor(version: RuleSet, place: str, number: int) -> dict[str, Any]:
    return {
        "version": version, "place": place, "number": number + 1, "kind_choices": CHOICE_KINDS,
        "kinds": kinds_known(sorted(tenant_settings().kinds)), "classes": CLASS_NAMES,
        "is_new": place == NEW,
    }  # fmt: skip


def _save(form: Any, version: RuleSet, change: Callable[[Content], Content]) -> bool:
    """Write the change; a refusal goes into the form."""
    seen = form.cleaned_data.get("seen") or version.hash
    try:
        edit_version(version.n, seen=seen, edit=change)
    except Invalid as error:
        _add_faults(form, error)
    except HubError as error:
        form.add_fault(error)
    else:
        return True
    return False


def _add_faults(form: Any, error: Invalid) -> None:
    if isinstance(form, RuleForm):
        form.add_fault(error)
        return
    for path, code, said in faults_in_words(error):
        form.add_error(None, f"{path}: {said} ({code})")


def _check_rule(form: RuleForm, version: RuleSet, change: Callable[[Content], Content]) -> None:
    """The faults that saving would have, without saving."""
    try:
        content = change(Content(version.rules, version.cases, version.note))
        parse_rules(content.rules)
    except Invalid as error:
        form.add_fault(error)


def _preview(form: RuleForm, wire: dict[str, Any]) -> dict[str, Any]:
    """The rule of the form in words and numbers, as far as it can be read."""
    if form.is_bound:
        wire = form.as_wire() if form.is_valid() else {}
    rule = _readable(wire)
    if rule is None:
        return {"says": None}
    counted = measure_reach([rule])
    return {
        "says": {lang: say_parts(rule, lang) for lang in ("en", "zh")},
        "rule": rule, "reach": counted.reaches[0], "in_use": counted.in_use,
    }  # fmt: skip


def _readable(wire: dict[str, Any]) -> Rule | None:
    try:
        return parse_rules([wire])[0] if wire else None
    except Invalid:
        return None


def _run(form: CasesForm, cases: Any, rules: Any) -> list[Example]:
    try:
        return run_cases_of(cases, rules)
    except Invalid as error:
        _add_faults(form, error)
        return []


def _replaced(content: Content, read: dict[str, Any]) -> Content:
    note = read.get("note")
    return Content(
        read.get("rules") or [], read.get("cases") or [],
        content.note if note is None else str(note),
    )  # fmt: skip
