"""One's own account: sessions, password, second factor, looks; choosing a tenant; joining one."""

from __future__ import annotations

from typing import Any

from allauth.account import views as account_views
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes import views as code_views
from allauth.mfa.totp import views as totp_views
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from dashboard.failing import show_failure
from dashboard.forms import JoinForm
from dashboard.pages import personal
from dashboard.shell import THEME_COOKIE, THEMES, Shell
from memoryhub.errors import HubError, Missing
from tenants.access.inviting import (
    accept_signed_in,
    accept_with_password,
    open_invitation,
)
from tenants.access.signing_in import (
    end_session,
    enter_tenant,
    record_of_account,
    switch_tenant,
)
from tenants.models import User

YEAR = 365 * 86_400


@personal()
def account(request: HttpRequest) -> HttpResponse:
    """Where one is signed in, and how one signs in."""
    user = person(request)
    sessions = sorted(
        UserSession.objects.purge_and_list(user), key=lambda one: one.created_at, reverse=True
    )
    factors = {one.type for one in Authenticator.objects.filter(user=user)}
    context = {
        "sessions": sessions,
        "has_factor": Authenticator.Type.TOTP in factors,
        "has_codes": Authenticator.Type.RECOVERY_CODES in factors,
    }
    return render(request, "hub/account.html", context)


@personal(methods=("POST",))
def end_own_session(request: HttpRequest, session_id: int) -> HttpResponse:
    """End one of one's own sessions."""
    end_session(person(request), session_id)
    messages.success(request, _("The session has ended."))
    return redirect("account")


@personal()
def tenants(request: HttpRequest) -> HttpResponse:
    """One's tenants, to choose from."""
    memberships = Shell(request).memberships
    return render(request, "hub/tenants.html", {"memberships": memberships})


@personal(methods=("POST",))
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Act in another of one's tenants from now on."""
    switch_tenant(request, slug)
    return redirect("overview")


@require_POST
def preferences(request: HttpRequest) -> HttpResponse:
    """Theme and language, in cookies: they hold before one signs in, too."""
    target = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(target, allowed_hosts={request.get_host()}):
        target = "/"
    response = HttpResponseRedirect(target)
    options: dict[str, Any] = {
        "max_age": YEAR, "samesite": "Lax", "secure": settings.SESSION_COOKIE_SECURE,
    }  # fmt: skip
    theme, language = request.POST.get("theme"), request.POST.get("language")
    if theme in THEMES:
        response.set_cookie(THEME_COOKIE, theme, **options)
    if language in dict(settings.LANGUAGES):
        response.set_cookie(settings.LANGUAGE_COOKIE_NAME, language, **options)
    return response


def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Join a tenant: a new person chooses a password, a known one signs in first."""
    try:
        found = open_invitation(token)
        signed_in = request.user.is_authenticated
        is_theirs = signed_in and request.user.pk == found.membership.user_id
        form = JoinForm(
            request.POST or None, user=found.membership.user,
            initial={"name": found.membership.user.name},
        )  # fmt: skip
        if request.method == "POST":
            if is_theirs:
                membership = accept_signed_in(token, person(request))
                enter_tenant(request, membership)
                return redirect("overview")
            if found.is_new and not signed_in and form.is_valid():
                data = form.cleaned_data
                accept_with_password(token, name=data["name"], password=data["password"])
                return redirect("account_login")
    except HubError as error:
        return show_failure(request, error)
    context = {
        "invitation": found, "form": form, "is_theirs": is_theirs, "signed_in": signed_in,
    }  # fmt: skip
    is_fault = request.method == "POST"
    return render(request, "hub/invitation.html", context, status=422 if is_fault else 200)


class ActivateFactor(totp_views.ActivateTOTPView):
    """allauth's page, with an event."""

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        record_of_account("access.factor", person(self.request), change="activated")
        return response


class DeactivateFactor(totp_views.DeactivateTOTPView):
    """allauth's page, with an event."""

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        record_of_account("access.factor", person(self.request), change="deactivated")
        return response


class NewCodes(code_views.GenerateRecoveryCodesView):
    """allauth's page, with an event."""

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        record_of_account("access.factor", person(self.request), change="codes")
        return response


class Codes(code_views.ViewRecoveryCodesView):
    """allauth's page, with an event: whoever has a code comes in without the second factor."""

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        if context["can_view_codes"]:
            record_of_account("access.codes", person(self.request))
        return super().render_to_response(context, **kwargs)


class CodesFile(code_views.DownloadRecoveryCodesView):
    """allauth's file, with an event."""

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        record_of_account("access.codes", person(self.request))
        return super().render_to_response(context, **kwargs)


sign_in = account_views.login
sign_out = account_views.logout


@personal()
def styleguide(request: HttpRequest) -> HttpResponse:
    """Every part in every state; for staff, who build pages."""
    if not person(request).is_staff:
        return show_failure(request, Missing())
    return render(request, "hub/styleguide.html")


def person(request: HttpRequest) -> User:
    """The signed-in person."""
    assert isinstance(request.user, User)
    return request.user
