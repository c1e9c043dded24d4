"""Keys at the door: one answer for whatever is wrong with one, and none is good too long."""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.management import call_command

from memoryhub.errors import Invalid, Missing, Unauthenticated
from tenants.access import authenticating
from tenants.access.authenticating import authenticate_key, forget_kept_keys
from tenants.access.provisioning import IssuedKey, issue_key, revoke_key
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.keys import make_key_text
from tenants.models import ApiKey, Tenant
from tests.callers import Caller

INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"


@pytest.fixture
def issue(tenant: Tenant) -> Callable[..., IssuedKey]:
    def make(**options: Any) -> IssuedKey:
        with acting_as(operator_actor(tenant.id)):
            return issue_key(tenant, name="test", **options)

    return make


def answer(key: str | None, **headers: str) -> Any:
    return Caller(key).call("POST", "/store/namespaces", {}, **headers)


def change(owner_url: str, key: IssuedKey, assignment: str) -> None:
    """As another process would: this one's cache does not hear of it."""
    with psycopg.connect(owner_url) as connection:
        connection.execute(f"UPDATE tenants_apikey SET {assignment} WHERE id = %s", [key.row.id])


def test_a_good_key_opens_in_either_header(issue: Callable[..., IssuedKey]) -> None:
    text = str(issue().text)
    assert answer(text).status_code == 200
    assert answer(None, x_api_key=text).status_code == 200
    assert answer(None, authorization=f"bearer {text}").status_code == 200


def test_whatever_is_wrong_the_answer_is_the_same(
    issue: Callable[..., IssuedKey], tenant: Tenant, owner_url: str
) -> None:
    good, expired, revoked = issue(), issue(), issue()
    change(owner_url, expired, "expires_at = now() - interval '1 second'")
    change(owner_url, revoked, "revoked_at = now()")
    wrong_secret = f"mh_{good.row.id}_{make_key_text().secret}"
    keys = {
        "missing": None,
        "empty": "",
        "malformed": "not a key",
        "not ASCII": "mh_ключ_ключ",
        "with NUL": f"mh_{good.row.id}\x00_{good.text.secret}",
        "another case": str(good.text).upper(),
        "longer": f"{good.text}x",
        "unknown": str(make_key_text()),
        "wrong secret": wrong_secret,
        "expired": str(expired.text),
        "revoked": str(revoked.text),
        "the stored hash": f"mh_{good.row.id}_{good.row.secret_hash[:40]}",
    }
    told = set()
    for text in keys.values():
        given = answer(text)
        body = given.json()
        assert body.pop("request_id")
        headers = {name: value for name, value in given.headers.items() if name != "X-Request-Id"}
        told.add((given.status_code, repr(body), repr(sorted(headers.items()))))
    assert len(told) == 1, told
    assert told.pop()[0] == 401


def test_another_scheme_is_no_key(issue: Callable[..., IssuedKey]) -> None:
    text = str(issue().text)
    assert answer(None, authorization=f"Basic {text}").status_code == 401
    assert answer(None, authorization=text).status_code == 401


def test_a_revocation_here_bites_at_once(issue: Callable[..., IssuedKey], tenant: Tenant) -> None:
    key = issue()
    assert answer(str(key.text)).status_code == 200
    with acting_as(operator_actor(tenant.id)):
        revoke_key(key.row.id)
        revoke_key(key.row.id)  # again is no error
    assert answer(str(key.text)).status_code == 401


def test_a_revocation_elsewhere_bites_when_the_kept_key_is_looked_up_again(
    issue: Callable[..., IssuedKey], owner_url: str
) -> None:
    key = issue()
    assert answer(str(key.text)).status_code == 200
    change(owner_url, key, "revoked_at = now()")
    forget_kept_keys()  # what five seconds do
    assert answer(str(key.text)).status_code == 401
    assert authenticating.KEPT_SECONDS <= 5


def test_a_kept_key_does_not_outlive_its_expiry(issue: Callable[..., IssuedKey]) -> None:
    key = issue(expires_in=timedelta(milliseconds=150))
    assert answer(str(key.text)).status_code == 200
    kept = list(authenticating._kept.values())[-1]
    assert kept.actor.key_id == key.row.id
    assert kept.until - authenticating.time.monotonic() <= 0.15


def test_a_key_of_another_tenant_is_not_there_to_be_revoked(
    issue: Callable[..., IssuedKey], rival: Tenant
) -> None:
    key = issue()
    with acting_as(operator_actor(rival.id)), pytest.raises(Missing):
        revoke_key(key.row.id)
    assert answer(str(key.text)).status_code == 200


@pytest.mark.parametrize(
    ("network", "address", "is_good"),
    [
        ("127.0.0.0/8", "127.0.0.1", True),
        ("192.0.2.0/24", "192.0.2.77", True),
        ("192.0.2.0/24", "192.0.3.1", False),
        ("2001:db8::/32", "2001:db8::1", True),
        ("2001:db8::/32", "192.0.2.1", False),
        ("192.0.2.0/24", "::ffff:192.0.2.1", True),
        ("fe80::/10", "fe80::1%eth0", True),
        ("192.0.2.0/24", "", False),
        ("192.0.2.0/24", "no address", False),
    ],
)
def test_a_key_is_good_within_its_networks_only(
    issue: Callable[..., IssuedKey], network: str, address: str, is_good: bool
) -> None:
    text = str(issue(networks=[network]).text)
    for _ in range(2):  # looked up, then kept
        if is_good:
            assert authenticate_key(text, address=address).key_id
        else:
            with pytest.raises(Unauthenticated):
                authenticate_key(text, address=address)


def test_a_forwarded_address_counts_behind_a_trusted_proxy_only(
    issue: Callable[..., IssuedKey], settings: Any
) -> None:
    text = str(issue(networks=["192.0.2.0/24"]).text)
    forwarded = {"x_forwarded_for": "203.0.113.9, 192.0.2.1"}
    assert answer(text, **forwarded).status_code == 401
    settings.TRUSTED_PROXIES = ["127.0.0.1"]
    assert answer(text, **forwarded).status_code == 200
    assert answer(text, x_forwarded_for="192.0.2.1, 203.0.113.9").status_code == 401
    assert answer(text, x_forwarded_for="fe80::1%eth0").status_code == 401
    assert answer(text, x_forwarded_for="\x00 nonsense").status_code == 401


def test_a_closed_tenants_keys_are_as_good_as_none(
    issue: Callable[..., IssuedKey], tenant: Tenant, owner_url: str
) -> None:
    key = issue()
    caller = Caller(str(key.text))
    assert caller.put(["a"], "k", {"n": 1}, index=False).status_code == 200
    with psycopg.connect(owner_url) as connection:
        connection.execute(
            "UPDATE tenants_tenant SET closed_at = now(), version = version + 1 WHERE id = %s",
            [tenant.id],
        )
    assert caller.get(["a"], "k").status_code == 401  # the key is still kept
    forget_kept_keys()
    assert caller.get(["a"], "k").status_code == 401


def test_no_secret_is_stored(issue: Callable[..., IssuedKey], owner_url: str) -> None:
    key = issue()
    with psycopg.connect(owner_url) as connection:
        row = connection.execute(
            "SELECT to_json(k)::text FROM tenants_apikey k WHERE id = %s", [key.row.id]
        ).fetchone()[0]
    assert key.text.secret not in row
    assert len(key.row.secret_hash) == 64


def test_secrets_are_compared_in_constant_time(
    issue: Callable[..., IssuedKey], monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[str, str]] = []

    def compare(left: str, right: str) -> bool:
        compared.append((left, right))
        return hmac.compare_digest(left, right)

    key = issue()
    forget_kept_keys()
    monkeypatch.setattr(authenticating, "same", compare)
    with pytest.raises(Unauthenticated):
        authenticate_key(f"mh_{key.row.id}_{make_key_text().secret}")
    assert compared[0][0] == key.row.secret_hash


def test_last_used_is_noted_at_most_once_a_minute(
    issue: Callable[..., IssuedKey], owner_url: str
) -> None:
    key = issue()

    def used() -> Any:
        forget_kept_keys()
        authenticate_key(str(key.text))
        return ApiKey.objects.get(id=key.row.id).last_used_at

    first = used()
    assert first is not None
    assert used() == first
    change(owner_url, key, "last_used_at = last_used_at - interval '61 seconds'")
    assert used() > first


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({"scopes": ["memory:read", "all"]}, "scopes[1]"),
        ({"networks": ["10.0.0.0/8", "10.0.0.1/8"]}, "networks[1]"),
        ({"prefixes": ["users/u1/", "users/u1"]}, "prefixes[1]"),
        ({"prefixes": [""]}, "prefixes[0]"),
        ({"prefixes": ["users/\x00/"]}, "prefixes[0]"),
    ],
)
def test_a_key_that_would_open_something_else_is_not_issued(
    issue: Callable[..., IssuedKey], options: dict[str, Any], path: str
) -> None:
    with pytest.raises(Invalid) as refused:
        issue(**options)
    assert [one.path for one in refused.value.errors] == [path]


def test_the_commands_write_instants_as_the_api_does(tenant: Tenant) -> None:
    said = StringIO()
    call_command("issue_key", tenant.slug, name="n", expires="90d", json=True, stdout=said)
    issued = json.loads(said.getvalue())
    assert re.fullmatch(INSTANT, issued["expires_at"])
    said = StringIO()
    call_command("revoke_key", issued["id"], json=True, stdout=said)
    assert re.fullmatch(INSTANT, json.loads(said.getvalue())["revoked_at"])
