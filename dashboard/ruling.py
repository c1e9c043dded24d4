"""Rules as the pages show them: sentences, whom they reach, what changed, examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from dashboard.rule_forms import RULE_KINDS
from memories.namespaces import encode
from memories.reaching import Reach
from policies.cases import parse_cases, run_examples
from policies.comparing import Difference, compare_rules
from policies.facts import Duration, Rule
from policies.models import RuleSet
from policies.parsing import parse_rules
from policies.rendering import Part, render_rule, show_duration
from policies.versions import rules_of
from policies.wording import Lang
from tenants.snapshots import tenant_settings

Wire = Mapping[str, Any]

STATE_NAMES: dict[str, str | Promise] = {
    "draft": _("draft"),
    "simulated": _("simulated"),
    "approved": _("approved"),
    "active": _("in force"),
    "superseded": _("superseded"),
}
PROPERTY_NAMES: dict[str, str | Promise] = {
    "kind": _("what it does"), "after": _("after"), "strength_below": _("strength below"),
    "anchor": _("counted from"), "fallback": _("fallback"), "namespace": _("namespace"),
    "memory_kind": _("kind"), "class": _("data class"), "label": _("label"),
    "unless_accessed": _("spared when read"), "end": _("at the end"), "weight": _("weight"),
    "statutory": _("statutory"), "citation": _("ground"), "locked": _("locked"),
    "owner": _("owner"), "review_by": _("review by"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One rule of a list. `found` is the query that shows its memories, None where none can."""

    place: int
    rule: Rule
    wire: Wire
    kind_name: str | Promise
    parts: Sequence[Part]
    reach: Reach | None
    found: str | None
    since: str | None


def say_parts(rule: Rule, lang: Lang) -> Sequence[Part]:
    """The rule's sentence, with the tenant's trash."""
    return render_rule(rule, lang, trash_days=tenant_settings().trash_days)


def list_rules(
    version: RuleSet, lang: Lang, *, reaches: Sequence[Reach] | None = None
) -> list[RuleLine]:
    """The rules of a version in its order."""
    return [
        RuleLine(
            place=place, rule=rule, wire=wire, kind_name=RULE_KINDS[rule.kind],
            parts=say_parts(rule, lang), reach=reaches[place] if reaches else None,
            found=query_of(rule), since=version.since.get(rule.key),
        )
        for place, (rule, wire) in enumerate(zip(rules_of(version), version.rules, strict=True))
    ]  # fmt: skip


def query_of(rule: Rule) -> str | None:
    """The filters of the list of memories that show whom the rule speaks about, where they can."""
    others = (rule.data_class, rule.label, rule.unless_accessed, rule.strength_below)
    if any(other is not None for other in others):
        return None
    filters = {"ns": encode(rule.namespace), "kind": rule.memory_kind or ""}
    return "?" + urlencode({name: value for name, value in filters.items() if value})


@dataclass(frozen=True, slots=True)
class Changed:
    """A rule in two versions: its sentences, and the fields that differ: name, before, after."""

    key: str
    before: Sequence[Part]
    after: Sequence[Part]
    fields: list[tuple[str | Promise, Any, Any]]


@dataclass(frozen=True, slots=True)
class Compared:
    """What differs between two versions, in sentences."""

    against: int
    added: list[tuple[Rule, Sequence[Part]]]
    removed: list[tuple[Rule, Sequence[Part]]]
    changed: list[Changed]
    is_order_other: bool

    @property
    def is_same(self) -> bool:
        """Whether the rules are the same, their order apart."""
        return not (self.added or self.removed or self.changed)


def compare_versions(version: RuleSet, other: RuleSet | None, lang: Lang) -> Compared:
    """`other` is None where no rules are in force yet: everything is added then."""
    before = [] if other is None else other.rules
    found: Difference = compare_rules(before, version.rules)
    keys = [rule["key"] for rule in version.rules]
    old_keys = [rule["key"] for rule in before]
    return Compared(
        against=0 if other is None else other.n,
        added=[_said(wire, lang) for wire in found["added"]],
        removed=[_said(wire, lang) for wire in found["removed"]],
        changed=[
            Changed(
                one["key"], _said(one["before"], lang)[1], _said(one["after"], lang)[1],
                _fields(one["before"], one["after"], lang),
            )
            for one in found["changed"]
        ],
        is_order_other=[key for key in keys if key in old_keys]
        != [key for key in old_keys if key in keys],
    )  # fmt: skip


def _said(wire: Wire, lang: Lang) -> tuple[Rule, Sequence[Part]]:
    (rule,) = parse_rules([wire])
    return rule, say_parts(rule, lang)


def _fields(before: Wire, after: Wire, lang: Lang) -> list[tuple[str | Promise, Any, Any]]:
    names = [name for name in PROPERTY_NAMES if before.get(name) != after.get(name)]
    return [
        (PROPERTY_NAMES[name], _shown(before.get(name), lang), _shown(after.get(name), lang))
        for name in names
    ]


def _shown(value: Any, lang: Lang) -> Any:
    if isinstance(value, dict):
        return show_duration(Duration(**value), lang)
    return encode(tuple(value)) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example of the set and how it came out, each field as (name, expected, got, ok)."""

    name: str
    because: str
    passed: bool
    fields: list[tuple[str, Any, Any, bool]]


def run_version_examples(version: RuleSet) -> list[Example]:
    """The examples of a version under its own rules."""
    return run_cases_of(version.cases, rules_of(version))


def run_cases_of(cases: Sequence[Any], rules: Sequence[Rule]) -> list[Example]:
    """Examples in the wire format under these rules. Raises Invalid."""
    return [
        Example(
            one.name, one.because, one.passed,
            [
                (name, expected, one.got[name], name not in one.differs)
                for name, expected in one.expected.items()
            ],
        )
        for one in run_examples(parse_cases(cases), rules)
    ]  # fmt: skip
