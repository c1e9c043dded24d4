"""The forms of subject requests: the intake, and one for each step."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from dashboard.forms import HubForm

KINDS = (
    ("access", _("Access: give them what is stored about them")),
    ("erasure", _("Erasure: destroy what is stored about them")),
    ("restriction", _("Restriction: keep it, and let nobody use it")),
)
GROUNDS = (
    ("rights_of_others", _("Rights of other people")),
    ("legal_claims", _("Legal claims")),
    ("legal_obligation", _("A legal obligation")),
    ("public_interest", _("Public interest")),
    ("another_person", _("It is about somebody else")),
)


def _reason(label: Any, help_text: Any = "") -> forms.CharField:
    return forms.CharField(
        label=label, max_length=1000, help_text=help_text,
        widget=forms.Textarea(attrs={"rows": 3}),
    )  # fmt: skip


SEALED = _("Sealed under a key of the person’s own, which an erasure destroys.")


class RequestForm(HubForm):
    """Who asks for what."""

    kind = forms.ChoiceField(label=_("What is asked"), choices=KINDS, widget=forms.RadioSelect)
    subject = forms.CharField(
        label=_("Person"), max_length=256,
        help_text=_("The identifier by which memories are filed, for example a customer number."),
    )  # fmt: skip
    received_at = forms.DateField(
        label=_("Received on"), required=False, widget=forms.DateInput(attrs={"type": "date"}),
        help_text=_("The month runs from here. Empty: now."),
    )  # fmt: skip
    reason = _reason(_("What they wrote, in a sentence"), SEALED)


class IdentityForm(HubForm):
    """How it was verified who asks."""

    method = forms.CharField(
        label=_("How"), max_length=200, help_text=_("For example: signed in, passport, call back.")
    )
    reference = forms.CharField(label=_("Reference"), max_length=200, help_text=SEALED)


class ExclusionForm(HubForm):
    """Why some memories stay."""

    ground = forms.ChoiceField(label=_("Ground"), choices=GROUNDS)
    text = _reason(_("Why"), SEALED)


class DecisionForm(HubForm):
    """Grant or refuse."""

    grant = forms.ChoiceField(
        label=_("Decision"), widget=forms.RadioSelect,
        choices=(("yes", _("Grant it")), ("no", _("Refuse it"))),
    )  # fmt: skip
    reason = _reason(_("Reason"), SEALED)


class ReasonForm(HubForm):
    """Why."""

    reason = _reason(_("Reason"), SEALED)


FORMS: dict[str, type[HubForm]] = {
    "identity": IdentityForm,
    "exclusions": ExclusionForm,
    "decide": DecisionForm,
    "approve": ReasonForm,
    "extend": ReasonForm,
    "withdraw": ReasonForm,
}
