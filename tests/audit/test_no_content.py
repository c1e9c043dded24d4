"""Nothing of what agents store or ask, and no secret, is in any column of any event."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from memories.sweeping import sweep_now
from tenants.access.provisioning import create_user, issue_key
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.ids import PLATFORM_TENANT
from tenants.models import Tenant
from tests.ageing import act_as_owner, let_pass
from tests.callers import Caller


@pytest.fixture
def find(owner_url: str, tenant: Tenant) -> Callable[[str], int]:
    """How many events hold this text anywhere, of the tenant and of the platform."""

    def search(text: str) -> int:
        found = 0
        for identifier in (tenant.id, PLATFORM_TENANT):
            with psycopg.connect(owner_url) as connection:
                act_as_owner(connection, Tenant(id=identifier))
                (count,) = connection.execute(
                    "SELECT count(*) FROM audit_event e WHERE tenant_id = %s "
                    "AND position(lower(%s) in lower(e::text)) > 0",
                    [identifier, text],
                ).fetchone()
            found += count
        return found

    return search


def test_no_event_holds_content_or_questions(
    agent: Caller, tenant: Tenant, owner_url: str, find: Callable[[str], int]
) -> None:
    marker = f"m{uuid4().hex}"
    value = {"text": f"{marker} 王小明", marker: [1, {"deep": marker}]}
    options = {
        "subjects": [marker], "tags": [marker], "source": {"by": marker}, "session_id": marker,
    }  # fmt: skip
    agent.put(["a"], marker, value, **options)
    agent.put(["a"], marker, {"text": f"{marker} again"}, **options)
    agent.put(["a"], marker, {"text": "\x00" + marker})
    agent.put(["a"], marker, value, ttl=-1)
    agent.get(["a"], marker)
    agent.search(["a"], query=f"who is {marker}?")
    agent.search(["a"], filter={"text": marker}, subjects=[marker], tags=[marker])
    agent.search(["a"], filter={"text": {"$no": marker}})
    agent.batch({"op": "put", "namespace": ["a"], "key": f"{marker}2", "value": value})
    agent.delete(["a"], marker)
    agent.call("POST", f"/store/items/search?q={marker}", {"namespace_prefix": []})
    Caller(f"mh_{marker}").call("POST", f"/store/items?q={marker}", raw=marker.encode())
    let_pass(owner_url, tenant, days=100)
    with acting_as(operator_actor(tenant.id)):
        sweep_now()
    assert find(tenant.slug) > 0  # the search itself finds what is there
    assert find(marker) == 0
    assert find("王小明") == 0


def test_no_event_holds_a_secret(
    tenant: Tenant, find: Callable[[str], int], tmp_path: Path
) -> None:
    password = "correct horse battery staple"
    with acting_as(operator_actor(tenant.id)):
        key = issue_key(tenant, name="k")
        user = create_user(
            f"{tenant.slug}@example.com", tenant=tenant, role="viewer", password=password
        )
        create_user(user.email, tenant=tenant, role="viewer", password=password + "!")
    user.refresh_from_db()
    assert find(key.row.id) > 0
    for secret in (key.text.secret, key.row.secret_hash, password, user.password[-20:]):
        assert find(secret) == 0


def test_a_person_is_told_by_id_and_not_by_address(
    tenant: Tenant, find: Callable[[str], int]
) -> None:
    address = f"wang.{uuid4().hex}@example.com"
    with acting_as(operator_actor(tenant.id)):
        user = create_user(address, tenant=tenant, role="viewer", name="Wang")
        user.email = address.replace("wang", "li")
        user.save()
    assert find(str(user.id)) > 0
    assert find(address) == 0
    assert find(user.email) == 0
