"""Changes of tenants, people, memberships and keys: field by field, secrets left out."""

from __future__ import annotations

import json

from auditlog.registry import auditlog

from audit.models import Event
from memories import models
from tenants.access.provisioning import create_user, issue_key
from tenants.models import Membership, Tenant
from tests.audit.reading import events_of


def changes_of(tenant: Tenant, kind: str) -> list[Event]:
    return events_of(tenant, action="config.change", target_kind=kind)


def test_a_setting_is_told_with_what_it_was_and_is(acting: Tenant) -> None:
    acting.trash_days = 10
    acting.save()
    event = changes_of(acting, "tenant")[-1]
    assert event.changes["trash_days"] == ["30", "10"]
    assert event.links == {"change": "update"}
    assert event.target_id == str(acting.id)
    assert json.loads(event.payload)["changes"] == event.changes


def test_saving_what_did_not_change_tells_nothing(acting: Tenant) -> None:
    before = len(changes_of(acting, "tenant"))
    acting.save()
    assert len(changes_of(acting, "tenant")) == before


def test_a_person_a_membership_and_a_key_are_told(acting: Tenant) -> None:
    user = create_user(
        f"{acting.slug}@example.com", tenant=acting, role="viewer", password="a long password"
    )
    key = issue_key(acting, name="k", prefixes=["a/"])
    person, membership, made = (
        changes_of(acting, kind)[0] for kind in ("user", "membership", "apikey")
    )
    assert person.target_id == str(user.id)
    assert not {"password", "last_login"} & set(person.changes)
    assert len(person.changes["email"][1]) == 32  # a keyed hash
    assert membership.changes["role"] == ["None", "viewer"]
    assert membership.changes["user"] == ["None", str(user.id)]
    assert made.target_id == key.row.id
    assert made.changes["prefixes"][1] == "['a/']"
    assert not {"secret_hash", "last_used_at"} & set(made.changes)


def test_an_end_is_told(acting: Tenant) -> None:
    create_user(f"{acting.slug}@example.com", tenant=acting, role="viewer")
    Membership.objects.get(tenant=acting).delete()
    assert changes_of(acting, "membership")[-1].links == {"change": "delete"}


def test_content_is_never_watched() -> None:
    for model in vars(models).values():
        if isinstance(model, type) and getattr(model, "is_tenant_table", False):
            assert not auditlog.contains(model)
