"""Double click, reload, back: the same form sent twice makes one thing, another form another."""

from __future__ import annotations

import re

import pytest
from django.db import transaction
from django.test import Client

from audit.models import Job
from conversations.models import GoldenQuestion
from erasure.models import SubjectRequest
from policies.models import Hold
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import ApiKey, Tenant

HOLD = {"subjects": "c-1", "matter": "M", "custodian": "Legal", "reason": "court", "place": "1"}
ASKED = {"subject": "c-1", "kind": "erasure", "reason": "by letter"}
REPORT = {"since": "2026-01-01", "until": "2026-02-01", "lang": "en"}


def _token(client: Client, address: str) -> str:
    found = re.search(r'name="form_token" value="([^"]+)"', client.get(address).content.decode())
    assert found is not None, address
    return found[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "fields", "model"),
    [
        ("/holds/new", HOLD, Hold),
        ("/requests/new", ASKED, SubjectRequest),
        ("/audit/reports", REPORT, Job),
    ],
)
def test_the_second_leads_where_the_first_led(
    address: str, fields: dict[str, str], model: type, tenant: Tenant, officer: Client
) -> None:
    token = _token(officer, address)
    first, second = (officer.post(address, {**fields, "form_token": token}) for _ in range(2))
    assert first.status_code == second.status_code == 302
    assert first.headers["Location"] == second.headers["Location"]
    officer.post(address, {**fields, "form_token": _token(officer, address)})
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        rows = model.objects.all()  # type: ignore[attr-defined]
        rows = rows.filter(kind="evidence.report") if model is Job else rows
        assert rows.count() == 2, "one of each form"


def test_a_key_is_made_once_and_the_page_says_so(tenant: Tenant, admin: Client) -> None:
    token = _token(admin, "/access/keys/new")
    fields = {"name": "bot", "scopes": ["memory:read"], "days": "30", "form_token": token}
    assert admin.post("/access/keys/new", fields).status_code == 200
    again = admin.post("/access/keys/new", fields)
    assert again.status_code == 409
    assert "sent already" in again.content.decode()
    assert ApiKey.objects.filter(tenant=tenant, name="bot").count() == 1


def test_what_came_back_with_faults_was_not_sent(tenant: Tenant, officer: Client) -> None:
    token = _token(officer, "/requests/new")
    wrong = officer.post("/requests/new", {**ASKED, "subject": "", "form_token": token})
    assert wrong.status_code == 422
    assert officer.post("/requests/new", {**ASKED, "form_token": token}).status_code == 302


@pytest.mark.slow
def test_a_token_is_of_one_person(
    tenant: Tenant, officer: Client, people: dict[str, Client]
) -> None:
    token = _token(officer, "/requests/new")
    officer.post("/requests/new", {**ASKED, "form_token": token})
    other = people["officer"].post("/requests/new", {**ASKED, "form_token": token})
    assert other.status_code == 302
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        assert SubjectRequest.objects.count() == 2
        assert GoldenQuestion.objects.count() == 0
