"""Forms of personal data: rules by place, patterns with a sample, allowed values, revealing."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from dashboard.failing import say_fault
from dashboard.forms import HubForm
from dashboard.hold_forms import LinesField
from dashboard.wording import ACTION_NAMES, ENTITY_NAMES, KIND_NAMES
from memories.namespaces import encode, parse_path
from memories.ops import BUILT_IN_KINDS
from memoryhub.errors import Invalid
from privacy.choosing import ANY
from privacy.configuring import known_entities
from privacy.detecting import PatternSpec
from tenants.snapshots import tenant_settings

WORDS_KEPT = 20


class PlaceField(forms.CharField):
    """One namespace prefix as a stored path; empty is the whole tenant."""

    widget = forms.TextInput(attrs={"placeholder": "support/tickets/", "spellcheck": "false"})

    def to_python(self, value: Any) -> Any:
        text = (value or "").strip().strip("/")
        try:
            return encode(parse_path(text)) if text else ""
        except Invalid as error:
            raise ValidationError(str(say_fault(error.code, error.detail))) from None


class WhereForm(HubForm):
    """A kind of personal data in a place: to ask what is in force there."""

    entity = forms.ChoiceField(label=_("Personal data"))
    namespace_prefix = PlaceField(label=_("Namespace"), required=False, max_length=1024)
    kind = forms.ChoiceField(label=_("Kind of memory"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        entities = [(one, ENTITY_NAMES.get(one, one)) for one in known_entities()]
        kinds = [*BUILT_IN_KINDS, *sorted(tenant_settings().kinds)]
        self._offer("entity", entities)
        self._offer(
            "kind", [("", _("all kinds")), *((one, KIND_NAMES.get(one, one)) for one in kinds)]
        )

    def _offer(self, name: str, choices: list[Any]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices


class PiiRuleForm(WhereForm):
    """A rule that tightens what is done there."""

    action = forms.ChoiceField(
        label=_("At least"), choices=tuple(ACTION_NAMES.items()), initial="redact",
        help_text=_("From the mildest to the strictest; of all that apply the strictest wins."),
    )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["entity"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(ANY, _("every kind")), *field.choices]  # type: ignore[misc]


class OwnActionForm(HubForm):
    """The tenant's own action for a kind; also a milder one than the default."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    entity = forms.ChoiceField(label=_("Personal data"))
    action = forms.ChoiceField(
        label=_("What is done"), choices=tuple(ACTION_NAMES.items()), initial="mask",
        help_text=_("In the whole tenant. It takes the default's place, also with a milder one."),
    )  # fmt: skip

    def __init__(self, *args: Any, entities: list[tuple[str, Any]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["entity"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = entities


class PatternForm(HubForm):
    """A pattern, and a sample to try it on."""

    entity = forms.CharField(
        label=_("Name"), max_length=40, widget=forms.TextInput(attrs={"placeholder": "badge"}),
        help_text=_("Small letters, digits and _. It stands in tokens and reports."),
    )  # fmt: skip
    pattern = forms.CharField(
        label=_("Pattern"), max_length=512, strip=False,
        widget=forms.TextInput(attrs={"placeholder": "BD-[0-9]{5}", "spellcheck": "false"}),
        help_text=_(
            "In RE2's syntax, which always ends quickly: no look-around, no back-references."
        ),
    )  # fmt: skip
    words = LinesField(
        label=_("Words near it"), required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("One a line. With words, one must stand within 24 characters of a match."),
    )  # fmt: skip
    sample = forms.CharField(
        label=_("Sample"), required=False, max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("To try it. It is looked at and kept nowhere."),
    )  # fmt: skip

    def spec(self) -> PatternSpec:
        """As the detectors take it."""
        data = self.cleaned_data
        return PatternSpec(data["entity"], data["pattern"], tuple(data["words"]))


class AllowedForm(HubForm):
    """A value that is nobody's personal data."""

    value = forms.CharField(
        label=_("Value"), max_length=256, widget=forms.TextInput(attrs={"spellcheck": "false"}),
        help_text=_("Kept in the clear: a hotline, a shared mailbox, or @example.com."),
    )  # fmt: skip
    note = forms.CharField(label=_("Whose it is"), max_length=200, required=False)


def _reason() -> forms.CharField:
    return forms.CharField(
        label=_("Reason"), max_length=1000, widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Kept in the event, with personal data masked."),
    )  # fmt: skip


class RevealForm(HubForm):
    """Which text, why, and the second factor of whoever has one."""

    path = forms.CharField(
        label=_("Place in the content"), max_length=2048,
        widget=forms.TextInput(attrs={"placeholder": "customer.id", "spellcheck": "false"}),
    )  # fmt: skip
    reason = _reason()
    code = forms.CharField(
        label=_("Code of your second factor"), max_length=12,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )  # fmt: skip

    def __init__(self, *args: Any, needs_code: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not needs_code:
            del self.fields["code"]


class ReasonForm(HubForm):
    """Why."""

    reason = _reason()


class LabelForm(ReasonForm):
    """Another label, or none."""

    label = forms.CharField(
        label=_("Label"), max_length=256, required=False,
        help_text=_("Rules can speak of labels. Empty: no label."),
    )  # fmt: skip
    field_order = ("label", "reason")
