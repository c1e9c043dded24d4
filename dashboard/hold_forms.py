"""The forms of legal holds: what is placed, and why a step is taken."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from dashboard.forms import HubForm, PrefixField
from policies.placing import MATTER_CHARACTERS, REASON_CHARACTERS, HoldScope, Matter


class LinesField(forms.CharField):
    """Several texts, one a line."""

    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false"})

    def to_python(self, value: Any) -> Any:
        return [line.strip() for line in (value or "").splitlines() if line.strip()]

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, list | tuple) else value


class IdsField(LinesField):
    """Ids of memories, one a line."""

    def to_python(self, value: Any) -> Any:
        try:
            return [UUID(line) for line in super().to_python(value)]
        except ValueError:
            raise ValidationError(_("Write one id a line, as a memory’s page shows it.")) from None


def _reason() -> forms.CharField:
    return forms.CharField(
        label=_("Reason"), max_length=REASON_CHARACTERS, widget=forms.Textarea(attrs={"rows": 2})
    )


class HoldForm(HubForm):
    """A hold to be placed: for what, why, and over what."""

    matter = forms.CharField(
        label=_("Matter"), max_length=MATTER_CHARACTERS,
        help_text=_("As your counsel calls it, for example “Doe v. Acme, 2026-114”."),
    )  # fmt: skip
    custodian = forms.CharField(
        label=_("Custodian"), max_length=MATTER_CHARACTERS, help_text=_("Who answers for it.")
    )
    reason = _reason()
    subjects = LinesField(
        label=_("Subjects"), required=False,
        help_text=_("One a line. Also what is written about them later."),
    )  # fmt: skip
    namespaces = PrefixField(
        label=_("Namespaces"), required=False,
        help_text=_("One prefix a line. Also what is written there later."),
    )  # fmt: skip
    memories = IdsField(label=_("Memories"), required=False, help_text=_("One id a line."))

    def scope(self) -> HoldScope:
        """What was typed so far; what is not understood is left out."""
        given = self.cleaned_data
        return HoldScope(
            tuple(given.get("subjects") or ()),
            tuple(given.get("namespaces") or ()),
            tuple(given.get("memories") or ()),
        )

    def matter_of(self) -> Matter:
        """For what and why."""
        given = self.cleaned_data
        return Matter(given["matter"], given["reason"], given["custodian"])


class StepForm(HubForm):
    """Why a release is asked for, made or withdrawn."""

    reason = _reason()
