"""A tenant changes the intent filter and its quotas through its settings."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conversations.intent.filtering import filter_message
from tenants import snapshots
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.people import Person


def test_a_tenant_changes_the_filter(
    tenant: Tenant, make_person: Callable[..., User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "KEPT_SECONDS", 0)  # what five seconds do
    admin = Person(make_person(tenant, "admin"), tenant)
    usual = admin.call("GET", "/settings").json()["intent"]
    assert usual == {"enabled": True, "keep": [], "skip": []}

    def kept(text: str) -> bool:
        with acting_as(operator_actor(tenant.id)):
            return filter_message(text, {}).kept

    assert not kept("今天天气不错")
    assert kept("帮我订一张去上海的机票")
    wishes = {"intent": {"keep": ["今天天气真不错"], "skip": ["帮我订一张去上海的火车票"]}}
    assert admin.call("PATCH", "/settings", wishes).json()["intent"]["keep"] == ["今天天气真不错"]
    assert kept("今天天气不错")
    assert not kept("帮我订一张去上海的机票")
    assert kept("我对花生过敏")
    assert admin.call("PATCH", "/settings", {"intent": {"enabled": False}}).status_code == 200
    assert kept("哈哈哈")
    for wrong in ({"keep": [""]}, {"other": 1}, {"skip": ["x" * 201]}):
        assert admin.call("PATCH", "/settings", {"intent": wrong}).status_code == 422
    given = admin.call("PATCH", "/settings", {"quotas": {"memories": 7}}).json()["quotas"]
    assert given == {"memories": 7, "bytes": None, "requests_per_minute": None}
    none = admin.call("PATCH", "/settings", {"quotas": {"memories": None}}).json()["quotas"]
    assert none["memories"] is None
