"""Policies by place and kind, patterns and allowed values: strictest wins, and a scan follows."""

from __future__ import annotations

from typing import Any

import pytest

from memories.scanning import scan_pending
from memoryhub.errors import Conflict, Denied, Invalid
from privacy.choosing import PolicyRule, PrivacyRegime, Scope, choose_action
from privacy.configuring import add_pattern, add_policy, allow_value, list_rules, remove_rule
from privacy.detecting import PatternSpec
from privacy.masking import Action
from privacy.models import PiiPolicy
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller

MOBILE = "13800138000"


def as_operator(tenant: Tenant) -> Any:
    return acting_as(operator_actor(tenant.id))


@pytest.mark.parametrize(
    ("entity", "namespace", "kind", "expected"),
    [
        ("cn_mobile", "a/", "fact", Action.MASK),
        ("cn_mobile", "staff/x/", "fact", Action.REDACT),
        ("cn_mobile", "staff/x/", "profile", Action.REJECT),
        ("cn_id", "staff/x/", "fact", Action.TOKENISE),  # redact is for mobiles only
        ("cn_id", "a/", "profile", Action.REJECT),
        ("email", "a/", "fact", Action.FLAG),  # the tenant's own, milder than the default
        ("email", "staff/", "fact", Action.FLAG),
        ("badge", "a/", "fact", Action.MASK),
    ],
)
def test_the_strictest_rule_that_fits_wins(
    entity: str, namespace: str, kind: str, expected: Action
) -> None:
    regime = PrivacyRegime(
        base={"email": Action.FLAG},
        rules=(
            PolicyRule("cn_mobile", Action.REDACT, prefix="staff/"),
            PolicyRule("*", Action.REJECT, kind="profile"),
            PolicyRule("cn_id", Action.FLAG, prefix="staff/"),
        ),
    )
    assert choose_action(entity, regime, Scope(namespace, kind)) is expected


def test_a_policy_tightens_a_namespace(agent: Caller, tenant: Tenant) -> None:
    with as_operator(tenant):
        add_policy(entity="cn_mobile", action="redact", prefix="staff/")
    assert agent.put(["staff", "x"], "k", {"t": MOBILE}).json()["value"]["t"] == "[cn_mobile]"
    assert agent.put(["other"], "k", {"t": MOBILE}).json()["value"]["t"] == "138****8000"
    with as_operator(tenant):
        (policy,) = list_rules().policies
        remove_rule(PiiPolicy, policy.id)
    assert agent.put(["staff", "x"], "n", {"t": MOBILE}).json()["value"]["t"] == "138****8000"


def test_a_tenants_pattern_is_found_and_a_scan_follows(agent: Caller, tenant: Tenant) -> None:
    agent.put(["a"], "old", {"t": "badge BD-20931 here"})
    with as_operator(tenant):
        add_pattern(PatternSpec("badge", "BD-[0-9]{5}"))
        add_policy(entity="badge", action="tokenise")
    new = agent.put(["a"], "new", {"t": "BD-20931"}).json()["value"]["t"]
    assert new.startswith("⟦badge:")
    with as_operator(tenant):
        assert scan_pending()["found"] == 1
    assert agent.get(["a"], "old").json()["value"]["t"] == f"badge {new} here"


def test_an_allowed_value_is_never_reported(agent: Caller, tenant: Tenant) -> None:
    with as_operator(tenant):
        allow_value(MOBILE, note="our hotline")
        with pytest.raises(Conflict):
            allow_value(MOBILE)
    value = {"t": f"call 138-0013-8000 or {MOBILE}"}
    assert agent.put(["a"], "k", value).json()["value"] == value


def test_what_does_not_compile_is_refused(tenant: Tenant) -> None:
    with as_operator(tenant):
        for spec in (PatternSpec("badge", "("), PatternSpec("cn_id", "x"), PatternSpec("b", "x")):
            with pytest.raises(Invalid):
                add_pattern(spec)
        with pytest.raises(Invalid):
            add_policy(entity="cn_id", action="forget")
        with pytest.raises(Invalid):
            add_policy(entity="cn_id", action="mask", prefix="users/u1")


def test_only_admins_change_rules(tenant: Tenant, make_person: Any) -> None:
    from tenants.actors import Actor, ActorKind

    officer = Actor(
        kind=ActorKind.PERSON, id="1", name="o", tenant_id=tenant.id, roles=frozenset({"officer"})
    )
    with acting_as(officer), pytest.raises(Denied):
        allow_value(MOBILE)


def test_a_detector_that_does_not_answer_refuses_the_write(
    agent: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent:
        name = "silent"

        def find(self, text: str) -> Any:
            raise TimeoutError

    monkeypatch.setattr("privacy.regimes.outside_detectors", lambda: (Silent(),))
    refused = agent.put(["a"], "k", {"t": "x"})
    assert (refused.status_code, refused.json()["code"]) == (503, "detector_unavailable")
    assert refused["Retry-After"]
