"""What every page shows around its content: tenant, role, time, rule set, navigation, looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import get_language, to_locale
from django.utils.translation import gettext_lazy as _

from dashboard.keeping import SECRETS
from tenants.actors import Actor
from tenants.clock import wall_clock
from tenants.context import actor_or_none
from tenants.models import Membership
from tenants.roles import Action, allows
from tenants.snapshots import TenantSettings, tenant_settings

THEME_COOKIE = "hub_theme"
THEMES = ("system", "light", "dark")

ROLE_NAMES: dict[str, str | Promise] = {
    "admin": _("Admin"),
    "officer": _("Officer"),
    "auditor": _("Auditor"),
    "viewer": _("Viewer"),
}


@dataclass(frozen=True, slots=True)
class Section:
    """An entry of the navigation, shown to those who may do one of its actions."""

    name: str | Promise
    url: str
    icon: str
    actions: tuple[Action, ...]


SECTIONS = (
    Section(_("Overview"), "overview", "squares-2x2", (Action.SEE_FIGURES,)),
    Section(_("Memories"), "memories", "circle-stack", (Action.SEE_FIGURES,)),
    Section(_("Retention"), "retention", "clock", (Action.SEE_FIGURES,)),
    Section(_("Holds"), "holds", "lock-closed", (Action.SEE_FIGURES,)),
    Section(_("Requests"), "requests", "inbox", (Action.SEE_FIGURES,)),
    Section(_("Personal data"), "privacy", "finger-print", (Action.SEE_FIGURES,)),
    Section(_("Audit"), "audit", "shield-check", (Action.READ_EVENTS,)),
    Section(_("Access"), "members", "key", (Action.ADMINISTER,)),
    Section(_("Settings"), "settings", "adjustments-horizontal", (Action.ADMINISTER,)),
)
"""Later pages add their line here."""


class Shell:
    """Looked up as far as a template asks: a partial pays for nothing."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    @cached_property
    def actor(self) -> Actor | None:
        """Who acts, when it is somebody of a tenant."""
        actor = actor_or_none()
        return actor if actor is not None and actor.roles else None

    @cached_property
    def memberships(self) -> Sequence[Membership]:
        """The person's tenants, for the switcher."""
        user = getattr(self._request, "user", None)
        if user is None or not user.is_authenticated:
            return []
        return list(Membership.objects.effective().of_person(user))

    @cached_property
    def here(self) -> Membership | None:
        """The membership by which they act."""
        if self.actor is None:
            return None
        found = (one for one in self.memberships if one.tenant_id == self.actor.tenant_id)
        return next(found, None)

    @cached_property
    def settings(self) -> TenantSettings:
        """The tenant's settings."""
        return tenant_settings()

    @cached_property
    def sections(self) -> list[Section]:
        """The sections that this person may open."""
        actor = self.actor
        if actor is None:
            return []
        return [one for one in SECTIONS if any(allows(actor, action) for action in one.actions)]

    @property
    def current(self) -> str:
        """The section that the address belongs to."""
        first = self._request.path.split("/")[1]
        return {"": "overview", "access": "members", "jobs": "audit"}.get(first, first)

    @cached_property
    def may(self) -> dict[str, bool]:
        """By name of an action, for buttons: `shell.may.READ_VALUES`."""
        actor = self.actor
        return {action.name: actor is not None and allows(actor, action) for action in Action}

    @cached_property
    def at(self) -> datetime:
        """As of when the page speaks."""
        return wall_clock()

    @property
    def whose(self) -> str:
        """Who is here and in which tenant, for what the browser keeps of forms; "" for nobody."""
        user = getattr(self._request, "user", None)
        if user is None or not user.is_authenticated:
            return ""
        return f"{user.pk}:{self.here.tenant.slug if self.here else ''}"

    @property
    def unkept(self) -> str:
        """The names of fields that the browser never keeps."""
        return " ".join(sorted(SECRETS))

    @property
    def role(self) -> str | Promise:
        """The person's role here."""
        return ROLE_NAMES.get(self.here.role, "") if self.here else ""

    @property
    def theme(self) -> str:
        """`light`, `dark`, or `system`."""
        chosen = self._request.COOKIES.get(THEME_COOKIE, "system")
        return chosen if chosen in THEMES else "system"

    @property
    def language(self) -> Literal["en", "zh"]:
        """`en` or `zh`, as the texts of rules and events know it."""
        return "zh" if (get_language() or "en").startswith("zh") else "en"

    @property
    def html_language(self) -> str:
        """As the attribute `lang` wants it."""
        return "zh-Hans" if self.language == "zh" else "en"

    @property
    def languages(self) -> list[tuple[str, str, str]]:
        """(code, name in itself, attribute `lang`)."""
        return [
            (code, str(name), to_locale(code).replace("_", "-"))
            for code, name in settings.LANGUAGES
        ]

    @property
    def initials(self) -> str:
        """For the round mark of the person's menu."""
        name = self._request.user.get_full_name()  # type: ignore[union-attr]
        words = name.split("@")[0].replace(".", " ").split()
        if len(words) == 1:
            return words[0][:2].upper()
        return "".join(word[0] for word in words[:2]).upper()


def shell(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `shell` in every template."""
    return {"shell": Shell(request)}


def language_of(request: HttpRequest) -> Literal["en", "zh"]:
    """`en` or `zh` of this request."""
    return Shell(request).language
