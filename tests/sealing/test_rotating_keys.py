"""New versions of keys, the root wrapped again, and what stays the same meanwhile."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from sealing import rotating
from sealing.hashing import keyed_hash
from sealing.originals import Place, open_sealed, seal
from sealing.ring import KeyRefused, KeyRing, ring
from sealing.rotating import (
    BLOCK,
    MOST_USES,
    add_tenant_key,
    destroy_tenant,
    destroy_version,
    list_keys,
    rotate_root,
)
from tenants.ids import uuid7
from tests.sealing.conftest import forget


def test_hashes_stay_equal_over_every_rotation(tenant_id: UUID) -> None:
    before = keyed_hash("x", purpose="find", tenant_id=tenant_id), keyed_hash("x", purpose="p")
    add_tenant_key(tenant_id)
    destroy_version(tenant_id, 1)
    list(rotate_root())
    forget()
    after = keyed_hash("x", purpose="find", tenant_id=tenant_id), keyed_hash("x", purpose="p")
    assert after == before


def test_a_tenant_of_before_the_base_key_keeps_its_hashes(keys: KeyRing, tenant_id: UUID) -> None:
    os.unlink(keys.folder(tenant_id) / "base.key")
    forget()
    before = keyed_hash("x", purpose="find", tenant_id=tenant_id)
    add_tenant_key(tenant_id)
    destroy_version(tenant_id, 1)
    forget()
    assert keyed_hash("x", purpose="find", tenant_id=tenant_id) == before


def test_another_process_seals_with_the_new_version_at_once(keys: KeyRing, tenant_id: UUID) -> None:
    other = KeyRing(keys.directory)
    assert other.versions(tenant_id) == (1,)
    add_tenant_key(tenant_id)
    assert other.versions(tenant_id) == (1, 2)


def test_the_root_is_rotated_and_the_old_one_opens_nothing(
    keys: KeyRing, tenant_id: UUID, tmp_path: Path
) -> None:
    place = Place(tenant_id, "t", "r", "f")
    blob = seal("x", place, purpose="vault")
    old_root, other = (tmp_path / "root.key").read_text(), KeyRing(tmp_path)
    made = list_keys(tenant_id)[0].made_at
    progress = list(rotate_root())
    assert progress[-1][0] == progress[-1][1] == len(progress)
    assert (tmp_path / "root.key").read_text() != old_root
    assert not (tmp_path / "root.next.key").exists()
    assert list_keys(tenant_id)[0].made_at == made
    assert other.cipher(tenant_id, 1, "vault")  # a process with the old root in mind
    forget()
    assert open_sealed(blob, place, purpose="vault") == "x"
    with pytest.raises(KeyRefused):
        KeyRing(tmp_path, old_root).cipher(tenant_id, 1, "vault")


def test_a_killed_rotation_of_the_root_goes_on(keys: KeyRing, tmp_path: Path) -> None:
    tenants = [uuid7() for _ in range(5)]
    for one in tenants:
        keys.create_tenant_key(one)
    blobs = {one: seal("x", Place(one, "t", "r", "f"), purpose="vault") for one in tenants}
    steps = rotate_root()
    next(steps)
    next(steps)
    steps.close()
    forget()
    for one in tenants:
        assert open_sealed(blobs[one], Place(one, "t", "r", "f"), purpose="vault") == "x"
    list(rotate_root())
    forget()
    assert not (tmp_path / "root.next.key").exists()
    for one in tenants:
        assert open_sealed(blobs[one], Place(one, "t", "r", "f"), purpose="vault") == "x"


def test_tenants_come_and_go_while_the_root_is_rotated(keys: KeyRing, tmp_path: Path) -> None:
    staying, going, coming = sorted(uuid7() for _ in range(3))
    for one in (staying, going):
        keys.create_tenant_key(one)
    place = Place(staying, "t", "r", "f")
    blob = seal("x", place, purpose="vault")
    steps = rotate_root()
    next(steps)
    other = KeyRing(tmp_path)  # as another process, and it does not wait
    other.create_tenant_key(coming)
    destroy_tenant(going)
    list(steps)
    forget()
    assert open_sealed(blob, place, purpose="vault") == "x"
    assert ring().versions(coming) == (1,)
    assert ring().cipher(coming, 1, "vault")
    with pytest.raises(KeyRefused):
        ring().cipher(going, 1, "vault")


def test_a_root_that_takes_its_place_while_roots_are_read_is_found(
    keys: KeyRing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    following = tmp_path / "root.next.key"
    following.write_text("ab" * 32)
    exists = Path.exists

    def replaced_just_then(path: Path) -> bool:
        found = exists(path)
        if path == following and found:
            os.replace(following, tmp_path / "root.key")
        return found

    monkeypatch.setattr(Path, "exists", replaced_just_then)
    assert bytes.fromhex("ab" * 32) in keys.read_roots()


def test_a_root_from_the_environment_is_rotated_from_the_previous(
    tmp_path: Path, settings: Any, tenant_id: UUID
) -> None:
    place = Place(tenant_id, "t", "r", "f")
    blob, before = seal("x", place, purpose="vault"), keyed_hash("x", purpose="pepper")
    settings.MEMORYHUB_ROOT_KEY_PREVIOUS = (tmp_path / "root.key").read_text()
    settings.MEMORYHUB_ROOT_KEY = "ab" * 32
    forget()
    list(rotate_root())
    settings.MEMORYHUB_ROOT_KEY_PREVIOUS = ""
    forget()
    assert open_sealed(blob, place, purpose="vault") == "x"
    assert keyed_hash("x", purpose="pepper") == before


def test_a_file_of_another_tenant_or_version_does_not_open(keys: KeyRing, tenant_id: UUID) -> None:
    add_tenant_key(tenant_id)
    folder = keys.folder(tenant_id)
    text = (folder / "base.key").read_text()
    (folder / "3.key").write_text(text)
    with pytest.raises(KeyRefused):
        ring().cipher(tenant_id, 3, "vault")


def test_uses_are_counted_and_a_used_up_or_old_key_is_due(
    tenant_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tenant_id, "t", "r", "f")
    assert list_keys(tenant_id)[0].uses == 0
    seal("x", place, purpose="vault")
    seal("x", place, purpose="vault")
    (state,) = list_keys(tenant_id)
    assert state.uses == BLOCK
    assert not state.is_due(time.time())
    assert state.is_due(time.time() + 91 * 86_400)
    rotating._uses_file(ring(), tenant_id, 1).chmod(0o600)
    rotating._uses_file(ring(), tenant_id, 1).write_text(str(MOST_USES))
    assert list_keys(tenant_id)[0].is_due(time.time())


def test_the_current_version_is_not_destroyed_alone(tenant_id: UUID) -> None:
    with pytest.raises(ValueError, match="current"):
        destroy_version(tenant_id, 1)


def test_key_files_are_readable_by_their_owner_only(keys: KeyRing, tenant_id: UUID) -> None:
    add_tenant_key(tenant_id)
    for path in keys.directory.rglob("*.key"):
        assert path.stat().st_mode & 0o377 == 0, path
