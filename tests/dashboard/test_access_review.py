"""The quarterly review of access: who may come in, confirmed by whom, overdue after ninety days."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from django.test import Client

from audit.models import Event
from memoryhub.errors import Missing
from tenants.access.provisioning import issue_key
from tenants.access.reviewing import EVERY, confirm_access, due_at, list_access
from tenants.actors import operator_actor
from tenants.clock import wall_clock
from tenants.context import acting_as
from tenants.models import ApiKey, Membership, Tenant, User


@pytest.fixture
def key(tenant: Tenant) -> ApiKey:
    """A key of the tenant."""
    with acting_as(operator_actor(tenant.id)):
        return issue_key(tenant, name="old agent", prefixes=["night/"]).row


def _age(row: ApiKey | Membership) -> None:
    long_ago = wall_clock() - EVERY - timedelta(days=1)
    type(row).objects.filter(id=row.id).update(created_at=long_ago)


def test_the_boundary_belongs_to_the_overdue() -> None:
    made = wall_clock()
    assert due_at(None, made) == made + EVERY
    assert due_at(made + EVERY, made) == made + EVERY + EVERY


@pytest.mark.slow
def test_what_nobody_confirmed_is_overdue_until_somebody_does(
    tenant: Tenant, key: ApiKey, admin: Client
) -> None:
    _age(key)
    assert "1 way in is overdue" in admin.get("/access/review").content.decode()
    assert '<span class="figure">1</span><span class="sense">overdue' in (
        admin.get("/").content.decode()
    )
    for _ in range(2):  # sent twice, it is as good as once
        assert admin.post(f"/access/review/key/{key.id}").headers["Location"] == "/access/review"
    page = admin.get("/access/review").content.decode()
    assert "overdue</span>" not in page
    key.refresh_from_db()
    assert key.reviewed_by.startswith("admin-")
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        told = list(Event.objects.filter(code="ACC-REV-S").order_by("at", "id"))
    assert [one.target_id for one in told] == [key.id, key.id]
    assert told[0].links["prefixes"] == ["night/"]


def test_a_revoked_key_is_no_way_in(tenant: Tenant, key: ApiKey, admin: Client) -> None:
    admin.post(f"/access/keys/{key.id}/revoke")
    with acting_as(operator_actor(tenant.id)):
        assert key.id not in {one.row.id for one in list_access()}
        with pytest.raises(Missing):
            confirm_access("key", key.id)


def test_another_tenants_admin_confirms_nothing(
    tenant: Tenant, key: ApiKey, rival: Tenant, make_person: Callable[..., User],
    sign_in: Callable[[User], Client],
) -> None:  # fmt: skip
    member = Membership.objects.get(user=make_person(tenant, "viewer"))
    stranger = sign_in(make_person(rival, "admin"))
    for address in (f"key/{key.id}", f"member/{member.id}", "member/none", "door/1"):
        assert stranger.post(f"/access/review/{address}").status_code == 404
    key.refresh_from_db()
    member.refresh_from_db()
    assert key.reviewed_at is None
    assert member.reviewed_at is None
