"""Every address of the dashboard: who gets what, by address and by hand-made POST.

The table must name every address, or the first test fails.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import URLPattern

from dashboard.urls import urlpatterns
from tenants.access.members import find_members
from tenants.access.provisioning import issue_key
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.callers import Caller

ROLES = ("admin", "officer", "auditor", "viewer", "nobody")
SIGN_IN = 302

EVERYBODY = dict.fromkeys(("admin", "officer", "auditor", "viewer"), 200) | {"nobody": SIGN_IN}
READERS = {"admin": 403, "officer": 200, "auditor": 200, "viewer": 403, "nobody": SIGN_IN}
READERS_POST = READERS | {"officer": 302, "auditor": 302}
ADMINS = {"admin": 200, "officer": 403, "auditor": 403, "viewer": 403, "nobody": SIGN_IN}
OFFICERS = {"admin": 403, "officer": 404, "auditor": 403, "viewer": 403, "nobody": SIGN_IN}
"""404: the table's memory is not quarantined."""
_FINDING = OFFICERS | {"admin": 404, "auditor": 404}
_NO_JOB = dict.fromkeys(("admin", "officer", "auditor", "viewer"), 404) | {"nobody": SIGN_IN}
ADMINS_POST = ADMINS | {"admin": 302}
DRAFTERS = {"admin": 200, "officer": 200, "auditor": 403, "viewer": 403, "nobody": SIGN_IN}
DRAFTERS_POST = DRAFTERS | {"admin": 302, "officer": 302}
DRAFTERS_FAULT = DRAFTERS | {"admin": 422, "officer": 422}
PERSONAL = EVERYBODY
OPEN = dict.fromkeys(ROLES, 200)

# name of the address: (method, what the roles get). Parts of addresses come from `places`.
TABLE: dict[str, list[tuple[str, dict[str, int]]]] = {
    "overview": [("GET", EVERYBODY), ("POST", dict.fromkeys(ROLES, 405))],
    "memories": [("GET", EVERYBODY), ("POST", dict.fromkeys(ROLES, 405))],
    "memory": [("GET", EVERYBODY)],
    "reveal": [("GET", OFFICERS | {"officer": 200}), ("POST", OFFICERS | {"officer": 422})],
    "memory_step": [("GET", OFFICERS | {"officer": 200}), ("POST", OFFICERS | {"officer": 422})],
    "sessions": [("GET", EVERYBODY), ("POST", dict.fromkeys(ROLES, 405))],
    "recall": [
        ("GET", READERS | {"admin": 200}),
        ("POST", READERS | {"admin": 422, "officer": 422, "auditor": 403}),
    ],
    "measure_recall": [("POST", DRAFTERS_POST), ("GET", dict.fromkeys(ROLES, 405))],
    "remove_golden": [("POST", DRAFTERS_POST | {"admin": 404, "officer": 404})],
    "privacy": [("GET", EVERYBODY), ("POST", dict.fromkeys(ROLES, 405))],
    "detectors": [("GET", EVERYBODY), ("POST", EVERYBODY)],
    "privacy_rules": [("GET", EVERYBODY), ("POST", ADMINS | {"admin": 422})],
    "privacy_patterns": [("GET", EVERYBODY), ("POST", ADMINS | {"admin": 422})],
    "privacy_allowed": [("GET", EVERYBODY), ("POST", ADMINS | {"admin": 422})],
    "remove_privacy_rule": [
        ("GET", ADMINS | {"admin": 404}),
        ("POST", ADMINS | {"admin": 404}),
    ],
    "encryption_keys": [("GET", EVERYBODY), ("POST", dict.fromkeys(ROLES, 405))],
    "rotate_keys": [("POST", ADMINS_POST), ("GET", dict.fromkeys(ROLES, 405))],
    "quarantined": [("GET", OFFICERS), ("POST", OFFICERS)],
    "retention": [("GET", EVERYBODY), ("POST", dict.fromkeys(ROLES, 405))],
    "rule_versions": [("GET", EVERYBODY)],
    "new_draft": [("POST", DRAFTERS_POST), ("GET", dict.fromkeys(ROLES, 405))],
    "rule_version": [("GET", EVERYBODY)],
    "write_note": [("POST", DRAFTERS_FAULT)],
    "rule_difference": [("GET", EVERYBODY)],
    "rule_document": [("GET", EVERYBODY)],
    "edit_document": [("GET", DRAFTERS), ("POST", DRAFTERS_FAULT)],
    "edit_cases": [("GET", DRAFTERS), ("POST", DRAFTERS_FAULT)],
    "edit_rule": [("GET", DRAFTERS), ("POST", DRAFTERS_FAULT)],
    "preview_rule": [("POST", DRAFTERS)],
    "arrange_rule": [("POST", DRAFTERS_FAULT)],
    "simulation": [("GET", EVERYBODY)],
    "moved": [("GET", EVERYBODY)],
    "begin_simulation": [("POST", DRAFTERS_POST)],
    "end_simulation": [("POST", DRAFTERS_POST | {"admin": 409})],
    "approve_rules": [("GET", DRAFTERS), ("POST", DRAFTERS_FAULT)],
    "activate_rules": [("GET", DRAFTERS), ("POST", DRAFTERS | {"officer": 409, "admin": 403})],
    "drop_draft": [("POST", DRAFTERS_POST | {"admin": 404})],
    "holds": [("GET", EVERYBODY), ("POST", dict.fromkeys(ROLES, 405))],
    "place_hold": [("GET", OFFICERS | {"officer": 200}), ("POST", OFFICERS | {"officer": 422})],
    "preview_hold": [("POST", OFFICERS | {"officer": 200}), ("GET", dict.fromkeys(ROLES, 405))],
    "hold": [("GET", EVERYBODY)],
    "hold_step": [("GET", OFFICERS | {"officer": 200}), ("POST", OFFICERS | {"officer": 422})],
    "requests": [("GET", EVERYBODY)],
    "new_request": [("GET", OFFICERS | {"officer": 200}), ("POST", OFFICERS | {"officer": 422})],
    "request": [("GET", EVERYBODY)],
    "request_step": [("GET", OFFICERS | {"officer": 200}), ("POST", OFFICERS | {"officer": 422})],
    "request_package": [("GET", OFFICERS)],
    "certificate": [("GET", dict.fromkeys(ROLES, 409) | {"nobody": SIGN_IN})],
    "audit": [("GET", READERS)],
    "event": [("GET", READERS)],
    "integrity": [("GET", READERS), ("POST", dict.fromkeys(ROLES, 405))],
    "verify_log": [("POST", READERS_POST), ("GET", dict.fromkeys(ROLES, 405))],
    "make_bundle": [("POST", READERS_POST), ("GET", dict.fromkeys(ROLES, 405))],
    "audit_bundle": [("GET", READERS | {"officer": 404, "auditor": 404})],
    "reports": [("GET", READERS), ("POST", READERS | {"officer": 422, "auditor": 422})],
    "known": [("GET", READERS)],
    "export_list": [("POST", READERS_POST), ("GET", dict.fromkeys(ROLES, 405))],
    "jobs": [("GET", EVERYBODY)],
    "job": [("GET", _NO_JOB)],
    "cancel_job": [("POST", _NO_JOB), ("GET", dict.fromkeys(ROLES, 405))],
    "job_file": [("GET", _NO_JOB)],
    "job_manifest": [("GET", _NO_JOB)],
    "members": [("GET", ADMINS)],
    "invite": [("GET", ADMINS), ("POST", ADMINS | {"admin": 422})],
    "review_access": [("GET", ADMINS), ("POST", dict.fromkeys(ROLES, 405))],
    "confirm_access": [("POST", ADMINS_POST), ("GET", dict.fromkeys(ROLES, 405))],
    "member": [("GET", ADMINS), ("POST", ADMINS | {"admin": 422})],
    "remove_member": [("GET", ADMINS)],
    "renew_invitation": [("POST", ADMINS | {"admin": 409}), ("GET", dict.fromkeys(ROLES, 405))],
    "keys": [("GET", ADMINS)],
    "new_key": [("GET", ADMINS), ("POST", ADMINS | {"admin": 422})],
    "revoke_key": [("GET", ADMINS), ("POST", ADMINS_POST)],
    "settings": [("GET", ADMINS), ("POST", ADMINS | {"admin": 422})],
    "engine": [("GET", READERS | {"admin": 200})],
    "sweep_runs": [("GET", EVERYBODY)],
    "reviews": [("GET", OFFICERS | {"officer": 200})],
    "review": [("GET", OFFICERS), ("POST", OFFICERS)],
    "findings": [("GET", READERS | {"admin": 200})],
    "finding": [("GET", _FINDING), ("POST", _FINDING)],
    "count_calendar": [
        ("POST", READERS_POST | {"admin": 302}),
        ("GET", dict.fromkeys(ROLES, 405)),
    ],
    "sweeps": [("GET", ADMINS), ("POST", ADMINS | {"admin": 422})],
    "sweep_now": [("POST", ADMINS_POST), ("GET", dict.fromkeys(ROLES, 405))],
    "sweep_scope": [("GET", ADMINS), ("POST", ADMINS | {"admin": 422})],
    "drop_sweep_scope": [("POST", ADMINS | {"admin": 409}), ("GET", dict.fromkeys(ROLES, 405))],
    "tenants": [("GET", PERSONAL)],
    "enter_tenant": [("POST", dict.fromkeys(ROLES, 302)), ("GET", dict.fromkeys(ROLES, 405))],
    "preferences": [("POST", dict.fromkeys(ROLES, 302)), ("GET", dict.fromkeys(ROLES, 405))],
    "help": [("GET", PERSONAL), ("POST", dict.fromkeys(ROLES, 405))],
    "styleguide": [("GET", dict.fromkeys(ROLES, 404) | {"nobody": SIGN_IN})],
    "invitation": [("GET", dict.fromkeys(ROLES, 404)), ("POST", dict.fromkeys(ROLES, 404))],
    "account": [("GET", PERSONAL)],
    "end_session": [("POST", dict.fromkeys(ROLES, 302)), ("GET", dict.fromkeys(ROLES, 405))],
    "account_change_password": [("GET", PERSONAL)],
    "account_reauthenticate": [("GET", PERSONAL)],
    "mfa_reauthenticate": [("GET", dict.fromkeys(ROLES, 302))],
    "mfa_index": [("GET", PERSONAL)],
    "mfa_activate_totp": [("GET", dict.fromkeys(ROLES, 302))],
    "mfa_deactivate_totp": [("GET", dict.fromkeys(ROLES, 404) | {"nobody": SIGN_IN})],
    "mfa_view_recovery_codes": [("GET", dict.fromkeys(ROLES, 404) | {"nobody": SIGN_IN})],
    "mfa_generate_recovery_codes": [("GET", dict.fromkeys(ROLES, 302))],
    "mfa_download_recovery_codes": [("GET", dict.fromkeys(ROLES, 404) | {"nobody": SIGN_IN})],
    "account_login": [("GET", dict.fromkeys(ROLES, 302) | {"nobody": 200})],
    "mfa_authenticate": [("GET", dict.fromkeys(ROLES, 302))],
    "account_logout": [("GET", EVERYBODY | {"nobody": SIGN_IN})],
}


@pytest.fixture
def places(
    tenant: Tenant, agent: Caller, people: dict[str, Client], officer: Client
) -> dict[str, str]:
    """What stands for the variable parts of addresses."""
    memory = agent.put(["a"], "k", {"text": "hello"}).json()["id"]
    event = agent.call("GET", "/audit/events").json()["items"][0]["id"]
    assert people["viewer"], "who is looked for below"
    with acting_as(operator_actor(tenant.id)):
        key = issue_key(tenant, name="to be revoked").row.id
        members = {member.role: member.id for member in find_members()}
    asked = {"subject": "c-1", "kind": "erasure", "reason": "asked by letter"}
    request = agent.call("POST", "/subject-requests", asked).json()["id"]
    body = {"matter": "M", "custodian": "c", "reason": "r", "scope": {"subjects": ["c-1"]}}
    hold = agent.call("POST", "/policies/holds", body).json()["id"]
    scope = people["admin"].get("/api/v1/policies/sweep-scopes").json()["items"][0]["id"]
    draft = people["admin"].post(
        "/api/v1/policies/rulesets", {"note": ""}, content_type="application/json"
    ).json()["n"]  # fmt: skip
    rule = {"key": "e", "kind": "expire", "after": {"days": 90}}
    people["admin"].put(
        f"/api/v1/policies/rulesets/{draft}", {"rules": [rule], "cases": []},
        content_type="application/json",
    )  # fmt: skip
    return {
        "n": str(draft), "place": "0",
        "memory_id": memory, "event_id": event, "member_id": str(members["viewer"]),
        "key_id": key, "scope_id": scope, "slug": tenant.slug, "session_id": "0",
        "token": "no-such-token", "request_id": request, "step": "identity",
        "job_id": str(uuid4()), "question_id": str(uuid4()), "hold_id": hold, "act": "release",
        "finding_id": str(uuid4()), "name": "events",
        "kind": "key", "identifier": key, "do": "label", "sort": "rules",
        "rule_id": str(uuid4()),
    }  # fmt: skip


def _address(pattern: URLPattern, places: dict[str, str]) -> str:
    route = "/" + str(pattern.pattern)
    for name, value in places.items():
        for kind in ("uuid", "slug", "int", "str"):
            route = route.replace(f"<{kind}:{name}>", value)
    return route


def test_the_table_names_every_address() -> None:
    assert {pattern.name for pattern in urlpatterns} == set(TABLE)


@pytest.mark.slow
def test_each_role_gets_what_the_table_says(
    people: dict[str, Client], places: dict[str, str]
) -> None:
    wrong = []
    for pattern in urlpatterns:
        for method, expected in TABLE[pattern.name]:
            for role in ROLES[::-1]:  # the admin last: some of its requests change things
                address = _address(pattern, places)
                answer = people[role].generic(
                    method, address, "", content_type="application/x-www-form-urlencoded"
                )
                if answer.status_code != expected[role]:
                    wrong.append((method, address, role, expected[role], answer.status_code))
    assert wrong == []


@pytest.mark.slow
def test_another_tenants_things_are_not_there(
    people: dict[str, Client], places: dict[str, str], rival: Tenant,
    make_person: Callable[..., User], sign_in: Callable[[User], Client],
) -> None:  # fmt: skip
    for role in ("admin", "officer"):
        stranger = sign_in(make_person(rival, role))
        for pattern in urlpatterns:
            address = _address(pattern, places)
            if "_id" not in str(pattern.pattern) or pattern.name == "end_session":
                continue
            for method, _ in TABLE[pattern.name]:
                status = stranger.generic(method, address).status_code
                assert status in (403, 404, 405), (method, address, status)


def test_a_signed_in_person_cannot_enter_a_foreign_tenant(officer: Client, rival: Tenant) -> None:
    officer.post(f"/tenants/{rival.slug}")
    assert rival.name not in officer.get("/").content.decode()


def test_an_unknown_address_is_a_page(officer: Client) -> None:
    answer = officer.get(f"/{uuid4()}")
    assert answer.status_code == 404
    assert answer.headers["Content-Type"].startswith("text/html")


def test_a_post_without_a_token_is_refused(
    tenant: Tenant, make_person: Callable[..., User]
) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(make_person(tenant, "admin"))
    answer = strict.post("/settings", {"name": "x"})
    assert answer.status_code == 403
    assert answer.headers["Content-Type"].startswith("text/html")
