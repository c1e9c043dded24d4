"""Rotation under the vault: nothing is lost or unreadable; old keys end when nothing needs them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections, transaction

from memories import rotating
from memories.rotating import finish_rotation
from privacy.models import VaultEntry
from privacy.vault import open_original
from sealing.rotating import list_keys
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller
from tests.people import Person
from tests.sealing.conftest import forget

SECRET = "AKIAIOSFODNN7EXAMPLE"
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


@pytest.fixture
def own_keys(tmp_path: Path, settings: Any) -> Iterator[None]:
    """Keys of this test only: rotating the root wraps every tenant's, and a run makes thousands."""
    settings.MEMORYHUB_KEYS = str(tmp_path)
    forget()
    yield
    forget()


def identity_number(serial: int) -> str:
    """A valid made-up identity number."""
    body = f"110105{1950 + serial % 50}0{1 + serial % 9}1{serial // 450 % 9}{serial % 1000:03}"
    total = sum(int(digit) * weight for digit, weight in zip(body, _WEIGHTS, strict=True))
    return body + "10X98765432"[total % 11]


def originals(tenant: Tenant) -> dict[str, str]:
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        return {
            one.token_id: open_original(one.sealed, tenant_id=tenant.id, token_id=one.token_id)
            for one in VaultEntry.objects.all()
        }


@pytest.mark.slow
def test_everything_is_sealed_again_and_the_old_key_ends(
    agent: Caller, tenant: Tenant, officer: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    for serial in range(5):
        agent.put(["a"], f"k{serial}", {"t": f"身份证{identity_number(serial)}"})
    held = agent.put(["a"], "s", {"t": f"{SECRET} is it"}).json()["id"]
    before = originals(tenant)
    assert sorted(before.values()) == sorted(identity_number(serial) for serial in range(5))
    call_command("rotate_keys", tenant=tenant.slug)
    assert originals(tenant) == before
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        assert {one.key_version for one in VaultEntry.objects.all()} == {2}
    assert [one.version for one in list_keys(tenant.id)] == [1, 2]
    monkeypatch.setattr(rotating, "GRACE_SECONDS", 0.0)
    with acting_as(operator_actor(tenant.id)):
        list(finish_rotation())
    assert [one.version for one in list_keys(tenant.id)] == [2]
    assert originals(tenant) == before
    body = {"decision": "release", "reason": "fine"}
    done = officer.call("POST", f"/privacy/quarantine/{held}", body)
    assert done.json()["value"]["t"].startswith("[") or done.status_code == 200
    assert agent.get(["a"], "s").json()["value"]["t"] == f"{SECRET} is it"


def test_a_late_seal_under_the_old_key_keeps_it_alive(
    agent: Caller, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.put(["a"], "k", {"t": f"身份证{identity_number(1)}"})
    monkeypatch.setattr(rotating, "GRACE_SECONDS", 0.0)
    monkeypatch.setattr(rotating, "_reseal_chunk", lambda version: 0)  # as if it committed later
    call_command("rotate_keys", tenant=tenant.slug)
    assert [one.version for one in list_keys(tenant.id)] == [1, 2]
    assert list(originals(tenant).values()) == [identity_number(1)]


@pytest.mark.usefixtures("own_keys")
def test_tokens_stay_the_same_over_a_rotation(agent: Caller, tenant: Tenant) -> None:
    value = {"t": f"身份证{identity_number(7)}"}
    before = agent.put(["a"], "k", value).json()["value"]
    call_command("rotate_keys", tenant=tenant.slug)
    call_command("rotate_keys", root=True)
    again = agent.put(["a"], "k", value).json()
    assert (again["outcome"], again["value"]) == ("unchanged", before)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("own_keys")
def test_nothing_is_lost_while_twenty_clients_write(
    make_tenant: Any, make_caller: Callable[..., Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant = make_tenant(embedding_profile="none")
    key = make_caller(tenant).key
    stop, failures, written = threading.Event(), [], set()

    def write(client: int) -> None:
        caller, round_ = Caller(key), 0
        while not stop.is_set() or round_ < 3:
            number = identity_number(client * 40 + round_ % 40)
            answer = caller.put(["c", str(client)], f"k{round_}", {"t": f"身份证{number}"})
            if answer.status_code != 200:
                failures.append(answer.content)
            written.add(number)
            round_ += 1
        connections["default"].close()

    clients = [threading.Thread(target=write, args=[number]) for number in range(20)]
    for client in clients:
        client.start()
    for _ in range(4):
        call_command("rotate_keys", tenant=tenant.slug)
        call_command("rotate_keys", root=True)
    stop.set()
    for client in clients:
        client.join()
    assert not failures
    assert set(originals(tenant).values()) == written
    monkeypatch.setattr(rotating, "GRACE_SECONDS", 0.0)
    with acting_as(operator_actor(tenant.id)):
        list(finish_rotation())
    assert [one.version for one in list_keys(tenant.id)] == [5]
    assert set(originals(tenant).values()) == written
