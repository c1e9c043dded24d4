"""The forms of the pages: what people type, checked and turned into what use cases take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from dashboard.failing import faults_of, say_fault
from dashboard.shell import ROLE_NAMES
from memories.namespaces import decode, encode, parse_path
from memoryhub.errors import HubError, Invalid
from tenants.access.configuring import list_zones
from tenants.models import Tenant, User
from tenants.roles import Scope

LANGUAGE_NAMES = (("en", "English"), ("zh-hans", "简体中文"))


class HubForm(forms.Form):
    """Base: fields draw themselves as our parts; faults of a use case find their field."""

    required_css_class = "needed"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            widget = field.widget
            if not isinstance(widget, forms.CheckboxInput | forms.CheckboxSelectMultiple):
                widget.attrs.setdefault("class", "input")
            if field.help_text:
                widget.attrs.setdefault("aria-describedby", f"id_{name}_help")

    def add_fault(self, error: HubError) -> None:
        """A refusal of the use case, at its field where it names one."""
        if isinstance(error, Invalid):
            for name, text in faults_of(error).items():
                self.add_error(name if name in self.fields else None, str(text))
        else:
            self.add_error(None, str(say_fault(error.code, error.detail)))


class PrefixField(forms.CharField):
    """Namespace prefixes, one a line, as stored paths."""

    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "placeholder": "support/"})

    def to_python(self, value: Any) -> Any:
        lines = [line.strip().strip("/") for line in (value or "").splitlines()]
        try:
            return [encode(parse_path(line)) for line in lines if line]
        except Invalid as error:
            raise ValidationError(str(say_fault(error.code, error.detail))) from None

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value


class MemberForm(HubForm):
    """A role, and where it applies."""

    role = forms.ChoiceField(label=_("Role"), choices=tuple(ROLE_NAMES.items()))
    prefixes = PrefixField(
        label=_("Namespaces"), required=False,
        help_text=_("One prefix a line. Empty: the whole tenant."),
    )  # fmt: skip


class InvitationForm(MemberForm):
    """Whom to invite."""

    email = forms.EmailField(label=_("E-mail"), max_length=254)
    name = forms.CharField(label=_("Name"), max_length=200, required=False)
    field_order = ("email", "name", "role", "prefixes")


class KeyForm(HubForm):
    """A machine's key."""

    name = forms.CharField(
        label=_("Name"), max_length=200,
        help_text=_("Who will hold it, for example support-copilot. Events name it."),
    )  # fmt: skip
    scopes = forms.MultipleChoiceField(
        label=_("Scopes"), choices=[(scope.value, scope.value) for scope in Scope],
        widget=forms.CheckboxSelectMultiple,
    )  # fmt: skip
    prefixes = PrefixField(
        label=_("Namespaces"), required=False,
        help_text=_("One prefix a line. Empty: the whole tenant. The key sees nothing else."),
    )  # fmt: skip
    networks = forms.CharField(
        label=_("Networks"), required=False,
        widget=forms.Textarea(attrs={"rows": 2, "placeholder": "192.0.2.0/24"}),
        help_text=_("One a line. Empty: from anywhere."),
    )  # fmt: skip
    days = forms.TypedChoiceField(
        label=_("Ends after"), coerce=int, required=False,
        choices=(
            ("30", _("30 days")), ("90", _("90 days")), ("365", _("a year")),
            ("0", _("never, until it is revoked")),
        ),
    )  # fmt: skip

    def clean_networks(self) -> list[str]:
        """The lines."""
        return [line.strip() for line in self.cleaned_data["networks"].splitlines() if line.strip()]


class SettingsForm(HubForm):
    """A tenant's settings; `version` says which ones were looked at."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    name = forms.CharField(label=_("Name"), max_length=200)
    timezone = forms.CharField(
        label=_("Time zone"), max_length=63, widget=forms.TextInput(attrs={"list": "zones"}),
        help_text=_("Dates are shown in it, and calendar months are counted in it."),
    )  # fmt: skip
    locale = forms.ChoiceField(label=_("Language"), choices=LANGUAGE_NAMES)
    default_ttl_days = forms.FloatField(
        label=_("Default lifetime, in days"), required=False, min_value=0.001,
        help_text=_("For what agents write without a lifetime. Empty: no end."),
    )  # fmt: skip
    refresh_on_read = forms.BooleanField(
        label=_("An agent’s read starts the lifetime again"), required=False
    )
    trash_days = forms.IntegerField(
        label=_("Days in the trash"), min_value=0, max_value=3650,
        help_text=_("Between leaving use and being destroyed. Until then it can be restored."),
    )  # fmt: skip
    notice_days = forms.IntegerField(
        label=_("Days of notice"), min_value=1, max_value=365,
        help_text=_("What new rules or settings bring forward is not destroyed sooner than this."),
    )  # fmt: skip
    versions_kept = forms.IntegerField(label=_("Versions kept"), min_value=1, max_value=1000)
    recency = forms.FloatField(
        label=_("Weight of freshness in search"), min_value=0, max_value=1,
        help_text=_("0: only meaning counts. 1: only freshness."),
        widget=forms.NumberInput(attrs={"step": "0.05"}),
    )  # fmt: skip
    default_decay = forms.FloatField(
        label=_("Freshness left after a day"), min_value=0.01, max_value=1,
        help_text=_("For facts and episodes; profiles and documents do not age."),
        widget=forms.NumberInput(attrs={"step": "0.01"}),
    )  # fmt: skip
    kinds = forms.CharField(
        label=_("Own kinds"), required=False,
        help_text=_("Beside the built-in ones, separated by commas."),
    )  # fmt: skip
    activation_percent = forms.FloatField(
        label=_("Type the count above, in %"), min_value=0, max_value=100,
        help_text=_("When new rules take more than this share out of use."),
        widget=forms.NumberInput(attrs={"step": "any"}),
    )  # fmt: skip
    data_percent = forms.FloatField(
        label=_("Simulate again above, in %"), min_value=0, max_value=100,
        help_text=_("When more than this share was written since the simulation."),
        widget=forms.NumberInput(attrs={"step": "any"}),
    )  # fmt: skip
    backup_retention_days = forms.IntegerField(
        label=_("Days backups are kept"), min_value=0, max_value=3650,
        help_text=_("Certificates of erasure say when the last copy ends."),
    )  # fmt: skip
    quota_memories = forms.IntegerField(
        label=_("Most memories"), required=False, min_value=0, max_value=10**15,
        help_text=_("Not counting the trash. Empty: no limit."),
    )  # fmt: skip
    quota_megabytes = forms.FloatField(
        label=_("Most megabytes"), required=False, min_value=0, max_value=10**12,
        help_text=_("Of all values as stored. Empty: no limit."),
        widget=forms.NumberInput(attrs={"step": "any"}),
    )  # fmt: skip
    quota_requests = forms.IntegerField(
        label=_("Requests a minute"), required=False, min_value=1, max_value=10**8,
        help_text=_("Of each key. Empty: no limit."),
    )  # fmt: skip
    confirm_count = forms.IntegerField(
        label=_("How many purges come earlier"), required=False, min_value=0,
        help_text=_("Asked for when a change would bring destruction forward."),
    )  # fmt: skip

    @classmethod
    def of(cls, tenant: Tenant, given: Mapping[str, Any] | None = None) -> SettingsForm:
        """Filled with the tenant's settings, or with what was typed."""
        if given is not None:
            return cls(given)
        ttl = tenant.default_ttl_minutes
        return cls(initial={
            "version": tenant.version, "name": tenant.name, "timezone": tenant.timezone,
            "locale": tenant.locale, "default_ttl_days": None if ttl is None else ttl / 1440,
            "refresh_on_read": tenant.refresh_on_read, "trash_days": tenant.trash_days,
            "notice_days": tenant.notice_days, "versions_kept": tenant.versions_kept,
            "recency": tenant.recency, "default_decay": tenant.default_decay,
            "kinds": ", ".join(tenant.kinds),
            "activation_percent": round(100 * tenant.activation_share, 4),
            "data_percent": round(100 * tenant.data_share, 4),
            "backup_retention_days": tenant.backup_retention_days,
            "quota_memories": tenant.quota_memories,
            "quota_megabytes": None if tenant.quota_bytes is None else tenant.quota_bytes / 1e6,
            "quota_requests": tenant.quota_requests_per_minute,
        })  # fmt: skip

    def clean_timezone(self) -> str:
        """A zone that exists."""
        name: str = self.cleaned_data["timezone"]
        if name not in list_zones():
            raise ValidationError(str(say_fault("unknown_timezone")))
        return name

    def change(self) -> dict[str, Any]:
        """As `parse_settings` takes it."""
        data = dict(self.cleaned_data)
        days = data.pop("default_ttl_days")
        data["default_ttl_minutes"] = None if days is None else days * 1440
        for name in ("activation", "data"):
            data[f"{name}_share"] = round(data.pop(f"{name}_percent") / 100, 6)
        megabytes = data.pop("quota_megabytes")
        data["quotas"] = {
            "memories": data.pop("quota_memories"),
            "bytes": None if megabytes is None else round(megabytes * 1e6),
            "requests_per_minute": data.pop("quota_requests"),
        }
        if data["confirm_count"] is None:
            del data["confirm_count"]
        data["kinds"] = [kind.strip() for kind in data["kinds"].split(",") if kind.strip()]
        return data


class SweepScopeForm(HubForm):
    """How often, and whether, a scope is swept."""

    interval_minutes = forms.FloatField(
        label=_("Every … minutes"), min_value=0.1, max_value=525_600,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )  # fmt: skip
    enabled = forms.BooleanField(
        label=_("Destroys what is due"), required=False,
        help_text=_("Without it nothing below is destroyed; what expires is hidden all the same."),
    )  # fmt: skip


class NewSweepScopeForm(SweepScopeForm):
    """For which prefix."""

    namespace_prefix = forms.CharField(
        label=_("Namespace"), max_length=1024,
        widget=forms.TextInput(attrs={"placeholder": "support/tickets/", "spellcheck": "false"}),
    )  # fmt: skip
    field_order = ("namespace_prefix", "interval_minutes", "enabled")

    def clean_namespace_prefix(self) -> str:
        """As a stored path, not empty."""
        try:
            labels = parse_path(self.cleaned_data["namespace_prefix"].strip().strip("/"))
        except Invalid as error:
            raise ValidationError(str(say_fault(error.code, error.detail))) from None
        if not labels:
            raise ValidationError(str(say_fault("own_scope")))
        return encode(labels)


class QuarantineForm(HubForm):
    """What becomes of a quarantined memory, and why."""

    decision = forms.ChoiceField(
        label=_("Decision"),
        choices=(
            ("redact", _("Redact: use it without what was found")),
            ("release", _("Release: it is no secret")),
            ("destroy", _("Destroy")),
        ),
    )  # fmt: skip
    reason = forms.CharField(
        label=_("Reason"), max_length=1000, widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Kept in the event, with personal data masked."),
    )  # fmt: skip


class DetectorForm(HubForm):
    """A text to try the detectors on."""

    sample = forms.CharField(
        label=_("Text"), max_length=20_000, widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_("It is looked at and kept nowhere."),
    )  # fmt: skip


class JoinForm(HubForm):
    """A new person's name and password."""

    name = forms.CharField(label=_("Your name"), max_length=200)
    password = forms.CharField(
        label=_("Password"), max_length=1024, strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_("At least 12 characters. A sentence is a good one."),
    )  # fmt: skip

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        self.user = user
        super().__init__(*args, **kwargs)

    def clean_password(self) -> str:
        """Good enough by the installation's rules."""
        password: str = self.cleaned_data["password"]
        validate_password(password, self.user)
        return password


def shown_path(stored: str) -> str:
    """A stored prefix as people read it; "" is everything."""
    return "/".join(decode(stored)) + "/" if stored else "/"


class ReportForm(HubForm):
    """A period in the tenant's zone, both days included."""

    since = forms.DateField(
        label=_("From, included"), widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
    )
    until = forms.DateField(
        label=_("To, included"), widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
    )
    lang = forms.ChoiceField(
        label=_("Language"), choices=(("en", "English"), ("zh", "简体中文")),
        help_text=_("The other language comes as a second document."),
    )  # fmt: skip


class KnownForm(HubForm):
    """Whose knowledge, when, where."""

    agent = forms.ChoiceField(label=_("Agent"))
    at = forms.DateTimeField(
        label=_("Instant"),
        widget=forms.DateTimeInput(
            format="%Y-%m-%dT%H:%M:%S", attrs={"type": "datetime-local", "step": "1"}
        ),
        help_text=_("In the tenant's time zone."),
    )  # fmt: skip
    ns = forms.CharField(label=_("Namespace"), required=False, max_length=1024)

    def __init__(self, *args: Any, agents: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["agent"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = agents
