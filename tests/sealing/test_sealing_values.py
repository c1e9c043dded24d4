"""A sealed value opens whole, in its own place, with its own key; anything else is refused."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from sealing.originals import Place, SealRefused, key_id_of, open_sealed, seal
from sealing.ring import KeyRing
from sealing.rotating import add_tenant_key, destroy_tenant, destroy_version
from tenants.ids import uuid7

TEXT = "11010519491231002X 身份证"


def place_of(tenant_id: UUID) -> Place:
    return Place(tenant_id, "vault", "k7Q2", "sealed")


def refusal(blob: bytes, place: Place, purpose: str = "vault") -> str:
    with pytest.raises(SealRefused) as refused:
        open_sealed(blob, place, purpose=purpose)
    assert TEXT not in str(refused.value)
    assert str(refused.value)
    return refused.value.code


def test_a_sealed_value_opens_in_its_place(tenant_id: UUID) -> None:
    place = place_of(tenant_id)
    blob = seal(TEXT, place, purpose="vault")
    assert open_sealed(blob, place, purpose="vault") == TEXT
    assert blob != seal(TEXT, place, purpose="vault")
    assert blob[:6] == b"\x01\x01\x00\x00\x00\x01"
    assert len(blob) == 6 + 12 + len(TEXT.encode()) + 16
    assert TEXT.encode() not in blob


def test_any_flipped_bit_is_refused(tenant_id: UUID) -> None:
    place = place_of(tenant_id)
    blob = seal(TEXT, place, purpose="vault")
    for number in range(len(blob) * 8):
        changed = bytearray(blob)
        changed[number // 8] ^= 1 << number % 8
        assert refusal(bytes(changed), place) in ("damaged", "unknown_format", "key_gone")


def test_a_shortened_value_is_refused(tenant_id: UUID) -> None:
    place = place_of(tenant_id)
    blob = seal(TEXT, place, purpose="vault")
    for end in (0, 5, 20, len(blob) - 1):
        assert refusal(blob[:end], place) == "damaged"


@pytest.mark.parametrize("part", ["table", "row", "field"])
def test_a_value_that_was_moved_is_refused(tenant_id: UUID, part: str) -> None:
    place = place_of(tenant_id)
    blob = seal(TEXT, place, purpose="vault")
    assert refusal(blob, replace(place, **{part: "other"})) == "damaged"


def test_places_do_not_run_into_each_other(tenant_id: UUID) -> None:
    blob = seal(TEXT, Place(tenant_id, "ab", "c", "d"), purpose="vault")
    assert refusal(blob, Place(tenant_id, "a", "bc", "d")) == "damaged"


def test_another_tenant_and_another_purpose_are_refused(keys: KeyRing, tenant_id: UUID) -> None:
    place, rival = place_of(tenant_id), uuid7()
    keys.create_tenant_key(rival)
    blob = seal(TEXT, place, purpose="vault")
    assert refusal(blob, place_of(rival)) == "damaged"
    assert refusal(blob, place, purpose="originals") == "damaged"


def test_another_format_or_algorithm_is_refused(tenant_id: UUID) -> None:
    place = place_of(tenant_id)
    blob = seal(TEXT, place, purpose="vault")
    assert refusal(b"\x02" + blob[1:], place) == "unknown_format"
    assert refusal(blob[:1] + b"\x02" + blob[2:], place) == "unknown_format"


def test_an_older_key_opens_until_it_is_destroyed(tenant_id: UUID) -> None:
    place = place_of(tenant_id)
    old = seal(TEXT, place, purpose="vault")
    assert add_tenant_key(tenant_id) == 2
    new = seal(TEXT, place, purpose="vault")
    assert (key_id_of(old), key_id_of(new)) == (1, 2)
    assert open_sealed(old, place, purpose="vault") == TEXT
    swapped = new[:2] + old[2:6] + new[6:]
    assert refusal(swapped, place) == "damaged"
    destroy_version(tenant_id, 1)
    assert refusal(old, place) == "key_gone"
    assert open_sealed(new, place, purpose="vault") == TEXT


def test_without_any_key_nothing_opens_and_nothing_is_sealed(tenant_id: UUID) -> None:
    place = place_of(tenant_id)
    blob = seal(TEXT, place, purpose="vault")
    assert destroy_tenant(tenant_id) == [1]
    assert refusal(blob, place) == "key_gone"
    with pytest.raises(SealRefused):
        seal(TEXT, place, purpose="vault")
    assert refusal(blob, place_of(uuid7())) == "key_gone"
