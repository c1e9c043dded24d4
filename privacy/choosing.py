"""Which action a finding leads to: a tenant's setting or the default, tightened by scopes. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from privacy.detecting import Detector, Pattern
from privacy.masking import Action, default_action, strictest

ANY = "*"


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """An action for an entity (ANY for all) where a prefix and a kind fit; "" fits everything."""

    entity: str
    action: Action
    prefix: str = ""
    kind: str = ""

    def fits(self, entity: str, scope: Scope) -> bool:
        """Whether it speaks of this entity in this place."""
        return (
            self.entity in (ANY, entity)
            and scope.namespace.startswith(self.prefix)
            and self.kind in ("", scope.kind)
        )


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a value is written. `keeps_originals`: a floor or hold allows no lossy action."""

    namespace: str = ""
    kind: str = ""
    keeps_originals: bool = False


@dataclass(frozen=True, slots=True)
class PrivacyRegime:
    """All that a tenant says of personal data. `tag` changes with it and with the detectors."""

    base: Mapping[str, Action] = field(default_factory=lambda: MappingProxyType({}))
    rules: Sequence[PolicyRule] = ()
    patterns: tuple[Pattern, ...] = ()
    allow: frozenset[str] = frozenset()
    detectors: tuple[Detector, ...] = ()
    tag: str = ""


def choose_action(entity: str, regime: PrivacyRegime, scope: Scope) -> Action:
    """The tenant's action for the entity, or the default; the strictest with every rule that fits.

    The tenant's setting takes the default's place, also with a milder one: that is an admin's
    decision, with an event. Narrower rules can only tighten it.
    """
    chosen = regime.base.get(entity, default_action(entity))
    if not regime.rules:
        return chosen
    fitting = [rule.action for rule in rules_that_fit(entity, regime, scope)]
    return strictest([chosen, *fitting])


def rules_that_fit(entity: str, regime: PrivacyRegime, scope: Scope) -> list[PolicyRule]:
    """The rules that speak of the entity in this place."""
    return [rule for rule in regime.rules if rule.fits(entity, scope)]
