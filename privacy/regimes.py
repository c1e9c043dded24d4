"""What a tenant says of personal data, as one frozen regime, read again when its settings change.

Everything here changes the tenant's settings version (`touch`), which each transaction learns as it
begins; so a process never acts by older rules than its snapshot of the settings.
"""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from privacy.choosing import PolicyRule, PrivacyRegime
from privacy.detecting import VERSION, Detector, PatternSpec, compile_patterns
from privacy.detecting.people import AddressDetector, PersonDetector
from privacy.masking import Action
from privacy.models import AllowedValue, PiiPattern, PiiPolicy
from tenants.context import current_tenant_id
from tenants.models import Tenant
from tenants.snapshots import TenantSettings, tenant_settings

_EXTRAS: dict[str, type[Detector]] = {"person": PersonDetector, "cn_address": AddressDetector}
_kept: dict[UUID, tuple[int, PrivacyRegime]] = {}


def privacy_regime() -> PrivacyRegime:
    """The acting tenant's regime."""
    tenant = tenant_settings()
    kept = _kept.get(tenant.tenant_id)
    if kept is not None and kept[0] == tenant.version:
        return kept[1]
    regime = _read(tenant)
    _kept[tenant.tenant_id] = (tenant.version, regime)
    return regime


def touch() -> None:
    """In the current transaction: every process reads the regime again."""
    Tenant.objects.get(id=current_tenant_id()).save(update_fields=["version"])


def _read(tenant: TenantSettings) -> PrivacyRegime:
    with transaction.atomic(savepoint=False):
        policies = list(PiiPolicy.objects.all().order_by("id"))
        specs = [
            PatternSpec(one.entity, one.pattern, tuple(one.words), one.score)
            for one in PiiPattern.objects.all().order_by("entity")
        ]
        allow = frozenset(AllowedValue.objects.all().values_list("value", flat=True))
    rules = tuple(
        PolicyRule(one.entity, Action(one.action), one.namespace_prefix, one.kind)
        for one in policies
    )
    base = {entity: Action(action) for entity, action in tenant.pii.items()}
    extras = tuple(_EXTRAS[entity]() for entity in _EXTRAS if entity in base)
    detectors = (*extras, *outside_detectors())
    document = [
        VERSION, sorted(base.items()), [[str(part) for part in _parts(rule)] for rule in rules],
        [[spec.entity, spec.pattern, spec.words, spec.score] for spec in specs], sorted(allow),
        [one.name for one in detectors],
    ]  # fmt: skip
    return PrivacyRegime(base, rules, compile_patterns(specs), allow, detectors, _tag(document))


def _parts(rule: PolicyRule) -> tuple[str, str, str, str]:
    return rule.entity, rule.action, rule.prefix, rule.kind


def _tag(document: list[Any]) -> str:
    digest = sha256(json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    return f"{VERSION}-{digest.hexdigest()[:8]}"


@lru_cache(maxsize=1)
def outside_detectors() -> tuple[Detector, ...]:
    """Detectors from outside, named by settings.PII_DETECTORS: a company's own service."""
    return tuple(import_string(path)() for path in settings.PII_DETECTORS)
