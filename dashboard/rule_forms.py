"""Forms of the rules: one rule, the examples of a set, the set as text, the steps of approval."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from dashboard.failing import say_fault
from dashboard.forms import HubForm
from dashboard.wording import KIND_NAMES
from memories.namespaces import encode, parse_path
from memoryhub.errors import HubError, Invalid

UNITS = ("months", "days", "hours", "minutes")
CHOICE_KINDS = (
    ("expire", _("Expire"), _("an ordinary end; a narrower rule overrides it")),
    ("keep", _("Keep"), _("a minimum: the bytes stay")),
    ("cap", _("Cap"), _("a maximum; nothing overrides it")),
    ("archive", _("Archive"), _("out of search; a read brings it back")),
    ("anonymise", _("Anonymise"), _("mask personal data in place")),
    ("degrade", _("Degrade"), _("lower the rank")),
)
RULE_KINDS: dict[str, str | Promise] = {value: name for value, name, _sense in CHOICE_KINDS}
ENDS = (
    ("trash", _("to the trash, restorable")), ("review", _("hidden until a person decides")),
    ("archive", _("to the archive, never destroyed")),
)  # fmt: skip
ANCHORS = (
    ("created", _("creation")), ("updated", _("the last change of content")),
    ("accessed", _("the last read by an agent")), ("event", _("an event")),
)  # fmt: skip

RULE_FAULTS: dict[tuple[str, str], str | Promise] = {
    ("key", "duplicate_key"): _("Another rule of this set has this key."),
    ("key", "out_of_range"): _("A key has at most 128 printable characters."),
    ("after", "required"): _("Say after how long, or below which strength."),
    ("after", "ends_at_creation"): _("This would end every memory at its creation."),
    ("fallback", "ends_at_creation"): _("This would end every memory at its creation."),
    ("fallback", "required"): _("A cap counted from an event needs a fallback."),
    ("fallback", "not_together"): _("Only a rule counted from an event has a fallback."),
    ("anchor", "not_together"): _("A cap counts from the creation or from an event."),
    ("anchor", "unknown_value"): _("Name the event."),
    ("citation", "citation_required"): _("A statutory rule cites its law."),
    ("strength_below", "out_of_range"): _("A strength lies between 0 and 1."),
    ("unless_accessed", "out_of_range"): _("Give a whole number of reads, 1 or more."),
    ("weight", "out_of_range"): _("A weight lies between 0 and 1."),
}
FIELD_OF = {"class": "data_class", "after": "after_days", "fallback": "fallback_days"}
PLACE = re.compile(r"rules\[(\d+)\]\.?([a-z_]*)")


def _number(label: Any, **attributes: Any) -> forms.FloatField:
    widget = forms.NumberInput(attrs={"step": "any", "min": "0", **attributes})
    return forms.FloatField(label=label, required=False, min_value=0, widget=widget)


class RuleForm(HubForm):
    """One rule. What a kind of rule does not have is not shown and not sent."""

    key = forms.CharField(
        label=_("Name of the rule"), max_length=128,
        help_text=_("Stands in explanations and events, for example support-tickets."),
    )  # fmt: skip
    kind = forms.ChoiceField(
        label=_("What the rule does"), choices=[one[:2] for one in CHOICE_KINDS],
        initial="expire", widget=forms.RadioSelect,
    )  # fmt: skip
    timing = forms.ChoiceField(
        label=_("When"), initial="after", widget=forms.RadioSelect,
        choices=(("after", _("after a time")), ("strength", _("when its strength has faded"))),
    )  # fmt: skip
    after_months, after_days = _number(_("Months"), step="1"), _number(_("Days"))
    after_hours, after_minutes = _number(_("Hours")), _number(_("Minutes"))
    strength_below = _number(_("Strength below"), max="1")
    anchor = forms.ChoiceField(label=_("Counted from"), choices=ANCHORS, initial="created")
    event = forms.CharField(
        label=_("Event"), required=False, max_length=128,
        widget=forms.TextInput(attrs={"placeholder": "ticket.closed", "spellcheck": "false"}),
    )  # fmt: skip
    fallback_months, fallback_days = _number(_("Months"), step="1"), _number(_("Days"))
    fallback_hours, fallback_minutes = _number(_("Hours")), _number(_("Minutes"))
    namespace = forms.CharField(
        label=_("Namespace"), required=False, max_length=1024,
        widget=forms.TextInput(attrs={"placeholder": "support/tickets/", "spellcheck": "false"}),
        help_text=_("A deeper namespace wins over a broader one, a kind or a class."),
    )  # fmt: skip
    memory_kind = forms.CharField(
        label=_("Kind"), required=False, max_length=63,
        widget=forms.TextInput(attrs={"list": "kinds", "placeholder": _("any")}),
    )  # fmt: skip
    data_class = forms.CharField(
        label=_("Data class"), required=False, max_length=128,
        widget=forms.TextInput(attrs={"list": "classes", "placeholder": _("any")}),
    )  # fmt: skip
    label = forms.CharField(
        label=_("Label"), required=False, max_length=256,
        widget=forms.TextInput(attrs={"placeholder": _("any")}),
    )  # fmt: skip
    end = forms.ChoiceField(label=_("At the end"), choices=ENDS, initial="trash", required=False)
    unless_accessed = forms.IntegerField(
        label=_("Spare what was read at least … times"), required=False,
        widget=forms.NumberInput(attrs={"min": "1", "step": "1"}),
    )  # fmt: skip
    weight = _number(_("Weight in search"), max="1")
    statutory = forms.BooleanField(
        label=_("Statutory"), required=False,
        help_text=_("The law asks for it: it outranks an erasure. Needs a second approver."),
    )  # fmt: skip
    citation = forms.CharField(label=_("Ground"), required=False, max_length=500)
    locked = forms.BooleanField(
        label=_("Locked"), required=False,
        help_text=_("Once in force it can only become stricter."),
    )  # fmt: skip
    owner = forms.CharField(label=_("Owner"), required=False, max_length=200)
    review_by = forms.DateField(
        label=_("Review by"), required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )  # fmt: skip
    seen = forms.CharField(widget=forms.HiddenInput, required=False)
    """The hash of the version that the editor saw."""

    @classmethod
    def of(cls, rule: Mapping[str, Any], *, seen: str) -> RuleForm:
        """Filled with a rule in the wire format; {} is a new one."""
        anchor = str(rule.get("anchor", "created"))
        is_event = anchor.startswith("event:")
        initial: dict[str, Any] = {
            **{name: rule[name] for name in rule if name in cls.base_fields},
            "namespace": encode(tuple(rule.get("namespace", ()))),
            "data_class": rule.get("class"),
            "timing": "strength" if "strength_below" in rule else "after",
            "anchor": "event" if is_event else anchor,
            "event": anchor.partition(":")[2] if is_event else "",
            "seen": seen,
        }
        for name in ("after", "fallback"):
            for unit, number in rule.get(name, {}).items():
                initial[f"{name}_{unit}"] = f"{number:g}"
        return cls(initial=initial)

    def clean_namespace(self) -> list[str]:
        """The labels."""
        text = self.cleaned_data["namespace"].strip().strip("/")
        try:
            return list(parse_path(text)) if text else []
        except Invalid as error:
            raise ValidationError(
                str(say_fault(error.code, error.detail)), code=error.errors[0].code
            ) from None

    def as_wire(self) -> dict[str, Any]:
        """The rule in the wire format, unchecked; fields that its kind does not have are left."""
        data = self.cleaned_data
        kind, is_event = data["kind"], data["anchor"] == "event"
        wire: dict[str, Any] = {
            "key": data["key"].strip(), "kind": kind, "namespace": data["namespace"],
            "anchor": f"event:{data['event'].strip()}" if is_event else data["anchor"],
            "memory_kind": data["memory_kind"].strip(), "class": data["data_class"].strip(),
            "label": data["label"], "citation": data["citation"].strip(),
            "owner": data["owner"].strip(), "locked": data["locked"],
        }  # fmt: skip
        if data["timing"] == "strength":
            wire["strength_below"] = data["strength_below"]
        else:
            wire["after"] = self._period("after")
        if is_event:
            wire["fallback"] = self._period("fallback")
        if kind == "expire":
            wire["end"] = data["end"]
        if kind in ("expire", "archive", "degrade"):
            wire["unless_accessed"] = data["unless_accessed"]
        if kind == "degrade":
            wire["weight"] = data["weight"] or 0
        if kind == "keep":
            wire["statutory"] = data["statutory"]
        if data["review_by"] is not None:
            wire["review_by"] = data["review_by"].isoformat()
        return {
            n: value for n, value in wire.items() if value not in (None, "") and value is not False
        }

    def _period(self, name: str) -> dict[str, float] | None:
        given = {unit: self.cleaned_data[f"{name}_{unit}"] for unit in UNITS}
        numbers = {unit: number for unit, number in given.items() if number is not None}
        return {u: int(n) if n == int(n) else n for u, n in numbers.items()} or None

    def add_fault(self, error: HubError) -> None:
        """A refusal at its field, in the person's language, with the API's code."""
        if not isinstance(error, Invalid):
            super().add_fault(error)
            return
        for fault in error.errors:
            found = PLACE.match(fault.path)
            name = found[2] if found else ""
            said = RULE_FAULTS.get((name, fault.code)) or say_fault(fault.code, fault.detail)
            field = FIELD_OF.get(name, name)
            where = field if field in self.fields else None
            self.add_error(where, ValidationError(str(said), code=fault.code))


def faults_in_words(error: Invalid) -> list[tuple[str, str, str]]:
    """(path, code, what is wrong) of each fault of a whole set."""
    said = []
    for fault in error.errors:
        found = PLACE.match(fault.path)
        known = RULE_FAULTS.get((found[2], fault.code)) if found else None
        said.append((fault.path, fault.code, str(known or say_fault(fault.code, fault.detail))))
    return said


class DocumentForm(HubForm):
    """The whole set as text, typed or from a file."""

    text = forms.CharField(
        label=_("Rules, examples and note"), required=False, strip=False,
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "false", "class": "input mono"}),
        help_text=_("YAML or JSON, as apply_rules takes it. What is left out is emptied."),
    )  # fmt: skip
    file = forms.FileField(label=_("Or a file"), required=False)
    seen = forms.CharField(widget=forms.HiddenInput)

    def read(self) -> str:
        """The file where one was given, else the text. Raises Invalid."""
        given = self.cleaned_data.get("file")
        if given is None:
            return str(self.cleaned_data["text"])
        if given.size > 2_000_000:
            raise Invalid.at("file", "too_long", "The file is too large.")
        try:
            return str(given.read().decode())
        except UnicodeDecodeError:
            raise Invalid.at("file", "malformed", "The file is not UTF-8.") from None


class CasesForm(HubForm):
    """The examples of a set, as JSON."""

    cases = forms.CharField(
        label=_("Examples"), required=False, strip=False,
        widget=forms.Textarea(attrs={"rows": 20, "spellcheck": "false", "class": "input mono"}),
        help_text=_("A JSON list in the case format: a memory, an instant, what is expected."),
    )  # fmt: skip
    seen = forms.CharField(widget=forms.HiddenInput)

    def clean_cases(self) -> list[Any]:
        """The list, unchecked."""
        text = self.cleaned_data["cases"].strip()
        try:
            cases = json.loads(text) if text else []
        except ValueError as error:
            raise ValidationError(str(error), code="malformed") from None
        if not isinstance(cases, list):
            raise ValidationError(_("Give a list of examples."), code="invalid_type")
        return cases


class NoteForm(HubForm):
    """Why the rules change."""

    note = forms.CharField(
        label=_("Note"), required=False, max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("What this version is for. Shown in the list and in the audit."),
    )  # fmt: skip
    seen = forms.CharField(widget=forms.HiddenInput)


class ApprovalForm(HubForm):
    """Why it is approved."""

    reason = forms.CharField(
        label=_("Why do you approve?"), max_length=1000, widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Goes into the audit and into every report that covers this day."),
    )  # fmt: skip


class ActivationForm(HubForm):
    """The count, where it is asked for."""

    confirm_count = forms.IntegerField(
        label=_("Type the count"), required=False, min_value=0,
        widget=forms.NumberInput(attrs={"autocomplete": "off"}),
    )  # fmt: skip


def kinds_known(own: Iterable[str]) -> list[tuple[str, str]]:
    """(value, name) of every kind, the tenant's own included."""
    return [(kind, str(name)) for kind, name in KIND_NAMES.items()] + [(one, one) for one in own]
