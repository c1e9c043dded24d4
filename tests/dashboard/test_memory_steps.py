"""An officer on the page of a memory: reveal, restore, label, delete, what follows said first."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.internal.flows.login import AUTHENTICATION_METHODS_SESSION_KEY
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.test import Client

from tenants.models import Tenant, User
from tests.ageing import let_pass
from tests.callers import Caller

CN_ID = "11010519491231002X"
SHOWN = f"身份证{CN_ID}"
WHY = {"reason": f"the court asked about {CN_ID}"}


def make(agent: Caller, **options: Any) -> str:
    value = {"who": {"id": f"身份证{CN_ID}"}, "n": 1}
    return str(agent.put(["a"], "k", value, **options).json()["id"])


def text_of(client: Client, path: str) -> str:
    return client.get(path).content.decode()


@pytest.mark.slow
def test_a_value_is_revealed_with_a_reason_for_five_minutes(
    agent: Caller, officer: Client, people: dict[str, Client]
) -> None:
    made = make(agent)
    page = text_of(officer, f"/memories/{made}")
    assert CN_ID not in page
    assert f"/memories/{made}/reveal?path=who.id" in page
    for role in ("admin", "auditor", "viewer"):
        assert "/reveal" not in text_of(people[role], f"/memories/{made}")
    asked = text_of(officer, f"/memories/{made}/reveal?path=who.id")
    assert 'value="who.id"' in asked
    assert "five minutes" in asked
    refused = officer.post(f"/memories/{made}/reveal", {"path": "who.id", "reason": " "})
    assert refused.status_code == 422
    assert SHOWN not in refused.content.decode()
    shown = officer.post(f"/memories/{made}/reveal", {"path": "who.id", **WHY})
    assert f"身份证{CN_ID}" in shown.content.decode()
    assert shown["Cache-Control"] == "no-store"
    assert shown["Refresh"] == f"300; url=/memories/{made}"
    event = agent.call("GET", f"/memories/{made}/events").json()["items"][0]
    assert (event["action"], event["links"]["path"]) == ("memory.reveal", "who.id")
    assert CN_ID not in str(event)


@pytest.mark.slow
def test_places_without_an_original_and_a_used_up_budget_are_explained(
    agent: Caller, officer: Client, settings: Any
) -> None:
    made = make(agent)
    nowhere = officer.post(f"/memories/{made}/reveal", {"path": "no.where", **WHY})
    assert (nowhere.status_code, "There is no text" in nowhere.content.decode()) == (422, True)
    settings.REVEALS_PER_HOUR = 1
    assert officer.post(f"/memories/{made}/reveal", {"path": "who.id", **WHY}).status_code == 200
    spent = officer.post(f"/memories/{made}/reveal", {"path": "who.id", **WHY})
    assert spent.status_code == 429
    assert "as an hour allows" in spent.content.decode()
    assert SHOWN not in spent.content.decode()


@pytest.mark.slow
def test_whoever_has_a_second_factor_shows_it_again(
    agent: Caller, tenant: Tenant, make_person: Callable[..., User],
    sign_in: Callable[[User], Client],
) -> None:  # fmt: skip
    made, user = make(agent), make_person(tenant, "officer")
    client = sign_in(user)
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    session = client.session
    session[AUTHENTICATION_METHODS_SESSION_KEY] = [{"method": "mfa", "at": 1.0}]  # long ago
    session.save()
    body = {"path": "who.id", **WHY}
    refused = client.post(f"/api/v1/memories/{made}/reveal", body, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (403, "second_factor_required")
    assert 'name="code"' in text_of(client, f"/memories/{made}/reveal")
    for code in ("", "000000"):
        answer = client.post(f"/memories/{made}/reveal", {**body, "code": code})
        assert answer.status_code == 422
        assert SHOWN not in answer.content.decode()
    counter = next(iter(yield_hotp_counters_from_time()))
    code = format_hotp_value(hotp_value(secret, counter))
    shown = client.post(f"/memories/{made}/reveal", {**body, "code": code})
    assert SHOWN in shown.content.decode()
    assert 'name="code"' not in text_of(client, f"/memories/{made}/reveal"), "for five minutes"
    by_api = client.post(f"/api/v1/memories/{made}/reveal", body, content_type="application/json")
    assert CN_ID in by_api.json()["value"]


@pytest.mark.slow
def test_a_delete_says_what_follows_and_a_restore_undoes_it(
    agent: Caller, officer: Client, tenant: Tenant, owner_url: str
) -> None:
    made = make(agent)
    let_pass(owner_url, tenant, days=40)  # the trash is never longer than the memory lived
    page = text_of(officer, f"/memories/{made}")
    assert f"/memories/{made}/do/delete" in page
    assert f"/memories/{made}/do/restore" not in page
    asked = text_of(officer, f"/memories/{made}/do/delete")
    assert "Agents no longer find it" in asked
    assert 'data-state="TRASH"' in asked, "the state afterwards"
    assert officer.post(f"/memories/{made}/do/delete", {"reason": ""}).status_code == 422
    assert agent.get(["a"], "k").status_code == 200
    assert officer.post(f"/memories/{made}/do/delete", WHY).status_code == 302
    assert agent.get(["a"], "k").status_code == 404
    assert "out of use already" in text_of(officer, f"/memories/{made}/do/delete")
    assert officer.post(f"/memories/{made}/do/delete", WHY).status_code == 422
    page = text_of(officer, f"/memories/{made}")
    assert f"/memories/{made}/do/restore" in page
    assert 'data-state="ACTIVE"' in text_of(officer, f"/memories/{made}/do/restore")
    assert officer.post(f"/memories/{made}/do/restore", WHY).status_code == 302
    assert agent.get(["a"], "k").json()["id"] == made
    actions = [
        (one["action"], one["links"].get("reason"))
        for one in agent.call("GET", f"/memories/{made}/events").json()["items"]
        if one["action"] in ("memory.delete", "memory.restore")
    ]
    masked = "the court asked about ****************2X"
    assert actions == [("memory.restore", masked), ("memory.delete", masked)]


@pytest.mark.slow
def test_a_restore_that_cannot_be_says_why(agent: Caller, officer: Client) -> None:
    made = make(agent)
    agent.delete(["a"], "k")
    agent.put(["a"], "k", {"n": 2})
    asked = text_of(officer, f"/memories/{made}/do/restore")
    assert "Another memory has its key now." in asked
    assert '<form class="form"' not in asked
    assert officer.post(f"/memories/{made}/do/restore", WHY).status_code == 422


def test_a_label_is_looked_at_first_and_holds_no_personal_data(
    agent: Caller, officer: Client
) -> None:
    made = make(agent)
    looked = officer.post(f"/memories/{made}/do/label", {"label": "case-7", "show": "1"})
    assert looked.status_code == 200
    assert "State afterwards" in looked.content.decode()
    assert 'class="wrong"' not in looked.content.decode()
    assert agent.get(["a"], "k").json()["label"] is None
    assert officer.post(f"/memories/{made}/do/label", {"label": "case-7", **WHY}).status_code == 302
    assert agent.get(["a"], "k").json()["label"] == "case-7"
    refused = officer.post(f"/memories/{made}/do/label", {"label": CN_ID, **WHY})
    assert refused.status_code == 422
    assert "may not stand here" in refused.content.decode()
    officer.post(f"/memories/{made}/do/label", {"label": "", **WHY})
    assert agent.get(["a"], "k").json()["label"] is None


def test_tags_are_masked_for_people(agent: Caller, officer: Client) -> None:
    made = make(agent, tags=["13800138000", "vip"])
    for path in (f"/memories/{made}", "/memories"):
        page = text_of(officer, path)
        assert "13800138000" not in page
        assert "138****8000" in page
    assert re.search(r'href="/memories\?tag=vip"', text_of(officer, f"/memories/{made}"))
    by_api = officer.get(f"/api/v1/memories/{made}").json()
    assert by_api["tags"] == ["138****8000", "vip"]
    assert agent.get(["a"], "k").json()["tags"] == ["13800138000", "vip"]
