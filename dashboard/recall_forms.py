"""The form of a golden question."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from conversations.golden import QUESTION_CHARACTERS
from dashboard.failing import say_fault
from dashboard.forms import HubForm
from memories.namespaces import Labels, parse_path
from memoryhub.errors import Invalid


class GoldenQuestionForm(HubForm):
    """A question, where it is asked, and which memories answer it."""

    question = forms.CharField(
        label=_("Question"), max_length=QUESTION_CHARACTERS,
        help_text=_("As an agent would ask it. Personal data in it is masked."),
    )  # fmt: skip
    namespace_prefix = forms.CharField(
        label=_("Namespace"), max_length=1024, required=False,
        widget=forms.TextInput(attrs={"placeholder": "users/u1/", "spellcheck": "false"}),
        help_text=_("Where it is asked. Empty: everywhere."),
    )  # fmt: skip
    expected = forms.CharField(
        label=_("Memories that answer it"),
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=_("Their ids, one a line; a memory’s page shows its id."),
    )  # fmt: skip

    def clean_namespace_prefix(self) -> Labels:
        """As labels."""
        text = self.cleaned_data["namespace_prefix"].strip().strip("/")
        try:
            return parse_path(text) if text else ()
        except Invalid as error:
            raise ValidationError(str(say_fault(error.code, error.detail))) from None

    def clean_expected(self) -> list[UUID]:
        """As ids."""
        try:
            return [UUID(word) for word in self.cleaned_data["expected"].replace(",", " ").split()]
        except ValueError:
            raise ValidationError(_now("An id looks like 0192f3a4-….")) from None
