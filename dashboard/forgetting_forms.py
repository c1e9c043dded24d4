"""Forms of the review queue and of findings."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from dashboard.forms import HubForm


def _reason() -> forms.CharField:
    return forms.CharField(
        label=_("Reason"), max_length=1000, widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Kept in the event, with personal data masked."),
    )  # fmt: skip


class ReviewForm(HubForm):
    """What becomes of a memory that waits for review, and why."""

    decision = forms.ChoiceField(
        label=_("Decision"),
        choices=(
            ("keep", _("Keep: back into use, the rules count from today")),
            ("label", _("Label: let the rules speak again")),
            ("destroy", _("Destroy: no further days in the trash")),
        ),
    )  # fmt: skip
    label = forms.CharField(
        label=_("Label"), max_length=256, required=False,
        help_text=_("Only with the decision to label."),
    )  # fmt: skip
    reason = _reason()

    def clean(self) -> dict[str, Any]:
        """A label belongs to the decision to label, and to no other."""
        cleaned: dict[str, Any] = super().clean() or {}
        cleaned["label"] = cleaned.get("label") or None
        if (cleaned.get("decision") == "label") != (cleaned["label"] is not None):
            raise ValidationError({"label": _("Give a label with the decision to label only.")})
        return cleaned


class CloseForm(HubForm):
    """Why a finding needs nobody any more."""

    reason = _reason()
