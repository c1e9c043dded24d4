"""Who may do what: the people of a tenant, their roles, and invitations."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from dashboard.forms import InvitationForm, MemberForm
from dashboard.keeping import take_kept_form
from dashboard.pages import page
from dashboard.wording import ROLE_SENSES
from memoryhub.errors import HubError, Missing
from tenants.access.inviting import invite_person
from tenants.access.members import (
    Member,
    change_member,
    list_members,
    open_member,
    remove_member,
    renew_invitation,
)
from tenants.access.reviewing import EVERY, confirm_access, list_access
from tenants.roles import Action

FORM = ("GET", "HEAD", "POST")


@page(Action.ADMINISTER)
def members(request: HttpRequest) -> HttpResponse:
    """Everybody who belongs here."""
    return render(request, "hub/members.html", {"members": list_members()})


@page(Action.ADMINISTER, methods=FORM)
def invite(request: HttpRequest) -> HttpResponse:
    """Invite somebody; the link is shown once."""
    kept = take_kept_form(request)
    form = InvitationForm(request.POST or kept or None, initial={"role": "viewer"})
    context: dict[str, Any] = {"form": form, "senses": ROLE_SENSES, "was_kept": kept is not None}
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            membership, token = invite_person(
                data["email"], role=data["role"], name=data["name"],
                prefixes=tuple(data["prefixes"]),
            )  # fmt: skip
        except HubError as error:
            form.add_fault(error)
        else:
            return _show_link(request, Member(membership, False), token)
    status = 422 if request.method == "POST" else 200
    return render(request, "hub/invite.html", context, status=status)


@page(Action.ADMINISTER, methods=("POST",))
def renew(request: HttpRequest, member_id: UUID) -> HttpResponse:
    """Another link for somebody who has not come yet."""
    token = renew_invitation(member_id)
    return _show_link(request, open_member(member_id), token)


def _show_link(request: HttpRequest, member: Member, token: str) -> HttpResponse:
    address = request.build_absolute_uri(reverse("invitation", args=[token]))
    return render(request, "hub/invited.html", {"member": member, "address": address})


@page(Action.ADMINISTER, methods=FORM)
def member(request: HttpRequest, member_id: UUID) -> HttpResponse:
    """One person's role here."""
    found = open_member(member_id)
    kept = take_kept_form(request)
    initial = {"role": found.row.role, "prefixes": found.row.prefixes}
    form = MemberForm(request.POST or kept or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            change_member(member_id, role=data["role"], prefixes=data["prefixes"])
        except HubError as error:
            form.add_fault(error)
        else:
            messages.success(request, _("The role was changed."))
            return redirect("members")
    context = {"form": form, "member": found, "senses": ROLE_SENSES, "was_kept": kept is not None}
    return render(
        request, "hub/member.html", context, status=422 if request.method == "POST" else 200
    )


@page(Action.ADMINISTER, methods=FORM)
def remove(request: HttpRequest, member_id: UUID) -> HttpResponse:
    """Take a person's membership away; first what that means."""
    found = open_member(member_id)
    fault = None
    if request.method == "POST":
        try:
            remove_member(member_id)
        except HubError as error:
            fault = error
        else:
            messages.success(request, _("The person belongs here no more."))
            return redirect("members")
    form = MemberForm({"role": found.row.role})
    form.is_valid()
    if fault is not None:
        form.add_fault(fault)
    context = {"member": found, "form": form, "fault": fault}
    return render(request, "hub/remove.html", context, status=409 if fault else 200)


@page(Action.ADMINISTER)
def review_access(request: HttpRequest) -> HttpResponse:
    """Every person and key with what it may do and when it was confirmed; the most urgent first."""
    found = list_access()
    context = {
        "lines": found, "overdue": sum(one.is_overdue for one in found), "every": EVERY.days,
    }  # fmt: skip
    return render(request, "hub/access_review.html", context)


@page(Action.ADMINISTER, methods=("POST",))
def confirm_one(request: HttpRequest, kind: str, identifier: str) -> HttpResponse:
    """One of them is to stay as it is. Sent twice it is confirmed once more, no harm done."""
    if kind not in ("member", "key"):
        raise Missing
    confirm_access("key" if kind == "key" else "member", identifier)
    messages.success(request, _("Confirmed. The next look is due in 90 days."))
    return redirect("review_access")
