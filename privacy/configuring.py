"""A tenant's own rules, patterns and allowed values: listed, added, removed, by its admins.

Every change is an event, changes the settings version (so every process reads the rules again), and
makes the next scan look at everything that is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any, TypeVar
from uuid import UUID

from django.db import IntegrityError, transaction

from audit.recording import Facts, Target, record
from audit.repeating import settle
from memoryhub.errors import Conflict, FieldError, Invalid, Missing
from privacy.choosing import ANY, PolicyRule, Scope, choose_action, rules_that_fit
from privacy.detecting import (
    BUILT_IN,
    EXTRAS,
    POSSIBLE,
    Pattern,
    PatternSpec,
    Span,
    compile_patterns,
    find,
)
from privacy.detecting.patterns import MAX_PATTERNS, NAME
from privacy.masking import Action
from privacy.models import AllowedValue, PiiPattern, PiiPolicy
from privacy.regimes import outside_detectors, privacy_regime, touch
from tenants.authorising import require
from tenants.managers import TenantModel
from tenants.roles import Action as Right

MOST_ALLOWED = 1000
MOST_POLICIES = 200
LONGEST_VALUE = 256
LONGEST_PREFIX = 1024
LONGEST_KIND = 63
M = TypeVar("M", bound=TenantModel)


@dataclass(frozen=True, slots=True)
class Rules:
    """All that a tenant says of personal data beside its settings."""

    policies: list[PiiPolicy]
    patterns: list[PiiPattern]
    allowed: list[AllowedValue]


def list_rules() -> Rules:
    """The tenant's rules, for those who may see figures."""
    require(Right.SEE_FIGURES)
    with transaction.atomic():
        return Rules(
            list(PiiPolicy.objects.all().order_by("namespace_prefix", "kind", "entity")),
            list(PiiPattern.objects.all().order_by("entity")),
            list(AllowedValue.objects.all().order_by("id")),
        )


def add_policy(*, entity: str, action: str, prefix: str = "", kind: str = "") -> PiiPolicy:
    """A stricter action below a stored prefix, for a kind of memory, or for both.

    Raises Invalid, and Conflict `exists` or `too_many`.
    """
    require(Right.ADMINISTER)
    faults = []
    if entity != ANY and not _may_be_reported(entity):
        detail = "Name a kind of personal data that is looked for, or *."
        faults.append(FieldError("entity", "unknown_entity", detail))
    if action not in tuple(Action):
        detail = f"The actions are: {', '.join(Action)}."
        faults.append(FieldError("action", "unknown_action", detail))
    if (prefix and not prefix.endswith("/")) or len(prefix.encode()) > LONGEST_PREFIX:
        detail = "A prefix is a path such as users/u1/."
        faults.append(FieldError("namespace_prefix", "invalid_prefix", detail))
    if len(kind) > LONGEST_KIND:
        faults.append(FieldError("kind", "unknown_kind", "There is no such kind of memory."))
    if faults:
        raise Invalid(faults)
    made = PiiPolicy(entity=entity, action=action, namespace_prefix=prefix, kind=kind)
    return _add(made, most=MOST_POLICIES, name=f"policy {entity} {action}")


def add_pattern(spec: PatternSpec) -> PiiPattern:
    """A pattern in RE2 for a kind of the tenant's own. Raises Invalid for what does not compile."""
    require(Right.ADMINISTER)
    compile_one(spec)
    made = PiiPattern(
        entity=spec.entity, pattern=spec.pattern, words=list(spec.words), score=spec.score
    )
    return _add(made, most=MAX_PATTERNS, name=f"pattern {spec.entity}")


def compile_one(spec: PatternSpec) -> Pattern:
    """The pattern as it would run. Raises Invalid with the paths of a form: `pattern`, `words`."""
    try:
        return compile_patterns([spec])[0]
    except Invalid as refused:
        faults = [
            FieldError(one.path.removeprefix("patterns[0]."), one.code, one.detail)
            for one in refused.errors
        ]
        raise Invalid(faults) from None


def try_pattern(spec: PatternSpec, sample: str, *, today: date) -> list[Span]:
    """What the pattern finds in a sample, beside our detectors; nothing is kept."""
    require(Right.ADMINISTER)
    spans = find(sample, today=today, patterns=(compile_one(spec),), at_least=POSSIBLE)
    return [span for span in spans if span.entity == spec.entity]


@dataclass(frozen=True, slots=True)
class InForce:
    """What is done with an entity in one place: the tenant's own action, the rules that speak of
    it there, and the strictest of all, which wins."""

    base: Action
    rules: list[PolicyRule]
    action: Action


def weigh(entity: str, *, namespace: str = "", kind: str = "") -> InForce:
    """What is in force for an entity in a place (a stored path)."""
    require(Right.SEE_FIGURES)
    with transaction.atomic():  # learns of what was changed a moment ago
        regime, scope = privacy_regime(), Scope(namespace, kind)
    return InForce(
        choose_action(entity, replace(regime, rules=()), scope),
        rules_that_fit(entity, regime, scope),
        choose_action(entity, regime, scope),
    )


def allow_value(value: str, *, note: str = "") -> AllowedValue:
    """A value that is nobody's personal data. It is kept in the clear: that is its point."""
    require(Right.ADMINISTER)
    if not value.strip() or len(value) > LONGEST_VALUE or "\x00" in value:
        raise Invalid.at("value", "invalid_value", f"1 to {LONGEST_VALUE} characters.")
    made = AllowedValue(value=value.strip(), note=note[:200])
    return _add(made, most=MOST_ALLOWED, name="allowed value")


def open_rule(model: type[M], identifier: UUID) -> M:
    """One rule, pattern or allowed value. Raises Missing."""
    require(Right.SEE_FIGURES)
    with transaction.atomic():
        row: M | None = model.objects.all().with_id(identifier).first()
    if row is None:
        raise Missing("There is no such rule.")
    return row


def remove_rule(model: type[PiiPolicy | PiiPattern | AllowedValue], identifier: UUID) -> None:
    """Take one away. Raises Missing."""
    require(Right.ADMINISTER)
    with transaction.atomic():
        row: Any = model.objects.all().with_id(identifier).first()
        if row is None:
            raise Missing("There is no such rule.")
        row.delete()
        _changed(str(identifier), f"{model._meta.model_name} removed")


def known_entities() -> tuple[str, ...]:
    """Kinds of personal data that the tenant's detectors may report."""
    with transaction.atomic():
        own = PiiPattern.objects.all().order_by("entity").values_list("entity", flat=True)
        named = [one for each in outside_detectors() for one in getattr(each, "entities", ())]
        return tuple(dict.fromkeys((*BUILT_IN, *EXTRAS, *own, *named)))


def _may_be_reported(entity: str) -> bool:
    """A detector from outside may report kinds that it names nowhere (`entities`, if it does)."""
    is_open = bool(outside_detectors()) and NAME.fullmatch(entity) is not None
    return is_open or entity in known_entities()


def _add(row: M, *, most: int, name: str) -> M:
    try:
        with transaction.atomic():
            if type(row).objects.all().count() >= most:
                raise Conflict(f"There are {most} already.", code="too_many")
            row.save(force_insert=True)
            _changed(str(row.id), name)
            settle({"id": str(row.id)}, status=201)
    except IntegrityError:
        raise Conflict("There is one already.", code="exists") from None
    return row


def _changed(identifier: str, name: str) -> None:
    record("privacy.rules", Target("privacy_rule", identifier), Facts(links={"rule": name}))
    touch()
