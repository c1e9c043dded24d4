"""Keyed hashes."""

from __future__ import annotations

from sealing.hashing import keyed_hash, same
from tenants.models import Tenant


def test_equal_texts_have_equal_hashes_under_one_purpose_only() -> None:
    assert keyed_hash("a", purpose="p") == keyed_hash("a", purpose="p")
    assert keyed_hash("a", purpose="p") != keyed_hash("a", purpose="q")
    assert keyed_hash("a", purpose="p") != keyed_hash("b", purpose="p")


def test_tenants_hash_differently(tenant: Tenant, rival: Tenant) -> None:
    hashes = {keyed_hash("a", purpose="p", tenant_id=one.id) for one in (tenant, rival)}
    assert len(hashes) == 2


def test_any_text_can_be_hashed() -> None:
    for text in ("", "\x00", "\ud800", "用户" * 10_000):
        assert len(keyed_hash(text, purpose="p")) == 64


def test_same_is_equality() -> None:
    assert same("a", "a")
    assert not same("a", "b")
    assert not same("a", "aa")
