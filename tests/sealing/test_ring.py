"""The key ring: made once, kept private, read the same by everybody, refused when damaged."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from sealing.ring import KeyRefused, KeyRing

TENANT = UUID("01900000-0000-7000-8000-000000000000")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_second_ring_over_the_same_files_derives_the_same(tmp_path: Path) -> None:
    first = KeyRing(tmp_path / "keys")
    first.create_tenant_key(TENANT)
    second = KeyRing(tmp_path / "keys")
    assert second.derive("p") == first.derive("p")
    assert second.derive("p", tenant_id=TENANT) == first.derive("p", tenant_id=TENANT)


def test_purposes_and_tenants_have_different_keys(tmp_path: Path) -> None:
    ring, other = KeyRing(tmp_path / "keys"), uuid4()
    for tenant in (TENANT, other):
        ring.create_tenant_key(tenant)
    keys = [ring.derive("p"), ring.derive("q")]
    keys += [ring.derive("p", tenant_id=tenant) for tenant in (TENANT, other)]
    assert len(set(keys)) == 4
    assert {len(key) for key in keys} == {32}


@pytest.mark.parametrize("root_key", [None, "ab" * 32])
def test_files_and_every_folder_made_for_them_are_private(
    tmp_path: Path, root_key: str | None
) -> None:
    keys = tmp_path / "deep" / "keys"
    KeyRing(keys, root_key).create_tenant_key(TENANT)
    folder = keys / "tenants" / str(TENANT)
    assert [mode(path) for path in (keys.parent, keys, keys / "tenants", folder)] == [0o700] * 4
    assert [mode(path) for path in keys.rglob("*.key")] == [0o400] * (2 if root_key else 3)
    assert {path.suffix for path in keys.rglob("*") if path.is_file()} == {".key", ".lock"}


def test_a_tenants_key_is_made_once(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    ring.create_tenant_key(TENANT)
    before = ring.derive("p", tenant_id=TENANT)
    ring.create_tenant_key(TENANT)
    assert KeyRing(tmp_path).derive("p", tenant_id=TENANT) == before


def test_many_at_once_agree_on_one_key(tmp_path: Path) -> None:
    def make(_: int) -> tuple[bytes, bytes]:
        ring = KeyRing(tmp_path)
        ring.create_tenant_key(TENANT)
        return ring.derive("p"), ring.derive("p", tenant_id=TENANT)

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(make, range(16)))) == 1


def test_a_wrapped_key_tells_nothing_of_the_key(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    ring.create_tenant_key(TENANT)
    text = (tmp_path / "tenants" / str(TENANT) / "base.key").read_text()
    assert ring.derive("p", tenant_id=TENANT).hex() not in text
    assert len(bytes.fromhex(text)) == 12 + 32 + 16


def test_a_tenant_without_a_key_is_refused_and_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(KeyRefused):
        KeyRing(tmp_path).derive("p", tenant_id=TENANT)
    assert not (tmp_path / "tenants").exists()


def damage(path: Path, text: str) -> None:
    path.chmod(0o600)
    path.write_text(text)


@pytest.mark.parametrize("text", ["", "nonsense", "00" * 60, "00" * 5])
def test_a_damaged_key_is_refused_and_left_as_it_is(tmp_path: Path, text: str) -> None:
    KeyRing(tmp_path).create_tenant_key(TENANT)
    path = tmp_path / "tenants" / str(TENANT) / "base.key"
    damage(path, text)
    with pytest.raises(KeyRefused):
        KeyRing(tmp_path).derive("p", tenant_id=TENANT)
    KeyRing(tmp_path).create_tenant_key(TENANT)
    assert path.read_text() == text


def test_another_root_key_opens_nothing(tmp_path: Path) -> None:
    KeyRing(tmp_path).create_tenant_key(TENANT)
    with pytest.raises(KeyRefused):
        KeyRing(tmp_path, "cd" * 32).derive("p", tenant_id=TENANT)


def test_one_tenants_key_file_is_not_anothers(tmp_path: Path) -> None:
    ring, other = KeyRing(tmp_path), uuid4()
    for tenant in (TENANT, other):
        ring.create_tenant_key(tenant)
    stolen = (tmp_path / "tenants" / str(TENANT) / "base.key").read_text()
    damage(tmp_path / "tenants" / str(other) / "base.key", stolen)
    with pytest.raises(KeyRefused):
        KeyRing(tmp_path).derive("p", tenant_id=other)


@pytest.mark.parametrize("root_key", ["nonsense", "ab", "ab" * 33])
def test_a_root_key_that_is_none_is_refused_without_being_shown(
    tmp_path: Path, root_key: str
) -> None:
    with pytest.raises(KeyRefused) as refused:
        KeyRing(tmp_path, root_key)
    assert root_key not in str(refused.value)


@pytest.mark.parametrize("text", ["", "nonsense", "ab"])
def test_a_damaged_root_key_is_refused_and_never_replaced(tmp_path: Path, text: str) -> None:
    KeyRing(tmp_path)
    damage(tmp_path / "root.key", text)
    with pytest.raises(KeyRefused):
        KeyRing(tmp_path)
    assert (tmp_path / "root.key").read_text() == text
