"""A tenant's own rules, patterns and allowed values: listed, added, removed, by its admins.

Every change is an event, changes the settings version (so every process reads the rules again), and
makes the next scan look at everything that is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from django.db import IntegrityError, transaction

from audit.recording import Facts, Target, record
from memoryhub.errors import Conflict, Invalid, Missing
from privacy.choosing import ANY
from privacy.detecting import BUILT_IN, EXTRAS, PatternSpec, compile_patterns
from privacy.detecting.patterns import MAX_PATTERNS, NAME
from privacy.masking import Action
from privacy.models import AllowedValue, PiiPattern, PiiPolicy
from privacy.regimes import touch
from tenants.authorising import require
from tenants.managers import TenantModel
from tenants.roles import Action as Right

MOST_ALLOWED = 1000
MOST_POLICIES = 200
LONGEST_VALUE = 256
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
    """A stricter action below a stored prefix, for a kind, or for both."""
    require(Right.ADMINISTER)
    if entity != ANY and not NAME.fullmatch(entity):
        raise Invalid.at("entity", "unknown_entity", "Name a kind of personal data, or *.")
    if action not in tuple(Action):
        raise Invalid.at("action", "unknown_action", f"The actions are: {', '.join(Action)}.")
    if prefix and not prefix.endswith("/"):
        raise Invalid.at("prefix", "invalid_prefix", "A prefix is a path such as users/u1/.")
    made = PiiPolicy(entity=entity, action=action, namespace_prefix=prefix, kind=kind)
    return _add(made, most=MOST_POLICIES, name=f"policy {entity} {action}")


def add_pattern(spec: PatternSpec) -> PiiPattern:
    """A pattern in RE2 for a kind of the tenant's own. Raises Invalid for what does not compile."""
    require(Right.ADMINISTER)
    compile_patterns([spec])
    made = PiiPattern(
        entity=spec.entity, pattern=spec.pattern, words=list(spec.words), score=spec.score
    )
    return _add(made, most=MAX_PATTERNS, name=f"pattern {spec.entity}")


def allow_value(value: str, *, note: str = "") -> AllowedValue:
    """A value that is nobody's personal data. It is kept in the clear: that is its point."""
    require(Right.ADMINISTER)
    if not value.strip() or len(value) > LONGEST_VALUE or "\x00" in value:
        raise Invalid.at("value", "invalid_value", f"1 to {LONGEST_VALUE} characters.")
    made = AllowedValue(value=value.strip(), note=note[:200])
    return _add(made, most=MOST_ALLOWED, name="allowed value")


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
        return (*BUILT_IN, *EXTRAS, *own)


def _add(row: M, *, most: int, name: str) -> M:
    try:
        with transaction.atomic():
            if type(row).objects.all().count() >= most:
                raise Conflict(f"There are {most} already.", code="too_many")
            row.save(force_insert=True)
            _changed(str(row.id), name)
    except IntegrityError:
        raise Conflict("There is one already.", code="exists") from None
    return row


def _changed(identifier: str, name: str) -> None:
    record("privacy.rules", Target("privacy_rule", identifier), Facts(links={"rule": name}))
    touch()
