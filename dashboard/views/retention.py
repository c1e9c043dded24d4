"""Retention, to be read: the rules in force, the versions, one version, what differs, the text."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.figures import keep_large
from dashboard.keeping import take_kept_form
from dashboard.pages import page
from dashboard.ruling import (
    STATE_NAMES,
    compare_versions,
    list_rules,
    run_version_examples,
)
from dashboard.shell import language_of
from memories.overseeing import find_rehearsal
from memories.reaching import Counted, measure_reach
from memoryhub.errors import Missing
from policies.approving import approvals_needed, find_approvers
from policies.documents import write_document
from policies.evaluating import LARGEST_NUMBER
from policies.models import RuleSet
from policies.versions import find_active, find_version, rules_of
from tenants.clock import wall_clock
from tenants.context import current_actor
from tenants.roles import Action

LISTED = 50
STEPS = ("draft", "simulated", "approved", "active")
EDITABLE = ("draft", "simulated", "approved")


@page(Action.SEE_FIGURES)
def retention(request: HttpRequest) -> HttpResponse:
    """The rules in force as sentences, and the drafts that are under way."""
    with transaction.atomic():
        active = find_active()
        drafts = list(RuleSet.objects.all().in_states(*EDITABLE).order_by("-n")[:5])
    context: dict[str, Any] = {"active": active, "drafts": drafts, "states": STATE_NAMES}
    if active is not None:
        counted = measure_reach_of(active)
        lines = list_rules(active, language_of(request), reaches=counted.reaches)
        context |= {"lines": lines, "in_use": counted.in_use}
    return render(request, "hub/retention/rules.html", context)


@page(Action.SEE_FIGURES)
def rule_versions(request: HttpRequest) -> HttpResponse:
    """All versions, newest first."""
    with transaction.atomic():
        versions = list(RuleSet.objects.all().order_by("-n")[:LISTED])
    context = {"versions": versions, "states": STATE_NAMES}
    return render(request, "hub/retention/versions.html", context)


@page(Action.SEE_FIGURES)
def rule_version(request: HttpRequest, n: int) -> HttpResponse:
    """One version: where it stands, its rules, what differs from the rules in force."""
    with transaction.atomic():
        version, active = open_version(n), find_active()
        context = standing_of(version, active)
    other = _other_than(version, active)
    lang = language_of(request)
    counted = measure_reach_of(version)
    context |= {
        "lines": list_rules(version, lang, reaches=counted.reaches), "in_use": counted.in_use,
        "compared": compare_versions(version, other, lang),
        "examples": run_version_examples(version), "kept_note": take_kept_form(request),
    }  # fmt: skip
    return render(request, "hub/retention/version.html", context)


@page(Action.SEE_FIGURES)
def rule_difference(request: HttpRequest, n: int) -> HttpResponse:
    """Against any other version: `?against=` a number; without one, the version in force."""
    given = request.GET.get("against", "")
    with transaction.atomic():
        version, active = open_version(n), find_active()
        is_number = given.isascii() and given.isdecimal() and len(given) < 10
        other = find_version(int(given)) if is_number else _other_than(version, active)
        numbers = [one.n for one in RuleSet.objects.all().order_by("-n")[:LISTED] if one.n != n]
        context = standing_of(version, active)
    compared = compare_versions(version, other, language_of(request))
    context |= {"compared": compared, "numbers": numbers}
    return render(request, "hub/retention/difference.html", context)


@page(Action.SEE_FIGURES)
def rule_document(request: HttpRequest, n: int) -> HttpResponse:
    """The version as a YAML file, as `apply_rules` takes it."""
    with transaction.atomic():
        version = open_version(n)
    text = write_document({"note": version.note, "rules": version.rules, "cases": version.cases})
    answer = HttpResponse(text, content_type="application/yaml; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="rules-{n}.yaml"'
    return answer


def measure_reach_of(version: RuleSet) -> Counted:
    """Whom its rules speak about; in a large tenant as of some minutes ago."""
    return keep_large(
        "reach", lambda: measure_reach(rules_of(version)), size=lambda found: found.in_use,
        about=version.hash,
    )  # fmt: skip


def open_version(n: int) -> RuleSet:
    """The version; Missing for a number that no column can hold."""
    if n > LARGEST_NUMBER:
        raise Missing("There is no such rule set.")
    return find_version(n)


def standing_of(version: RuleSet, active: RuleSet | None) -> dict[str, Any]:
    """What all pages of a version say above: its state, its steps, who may be the second person.

    Inside a transaction.
    """
    me = current_actor().id
    needed = approvals_needed(version, active)
    rehearsal = find_rehearsal(version)
    return {
        "version": version, "states": STATE_NAMES, "active": active, "at": wall_clock(),
        "is_author": me in (version.created_by, version.written_by),
        "has_approved": any(one["id"] == me for one in version.approvals),
        "is_editable": version.state in EDITABLE,
        "is_reached": {step: _is_reached(version, step) for step in STEPS},
        "needed": needed, "missing": max(needed - len(version.approvals), 0),
        "approvers": find_approvers(version) if version.state in EDITABLE else [],
        "job": rehearsal, "job_id": None if rehearsal is None else str(rehearsal.id),
    }  # fmt: skip


def _is_reached(version: RuleSet, step: str) -> bool:
    if version.state == "superseded":
        return True
    return STEPS.index(version.state) >= STEPS.index(step)


def _other_than(version: RuleSet, active: RuleSet | None) -> RuleSet | None:
    """What a version is compared with: the one in force; itself being that, what it came after."""
    if active is None or active.n != version.n:
        return active
    older = RuleSet.objects.all().filter(n__lt=version.n, activated_at__isnull=False)
    with transaction.atomic():
        found: RuleSet | None = older.order_by("-n").first()
    return found


def job_of(version: RuleSet) -> UUID | None:
    """The job that simulates the version, or did."""
    return UUID(version.staged["job"]) if version.staged else None
