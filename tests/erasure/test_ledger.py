"""The ledger: append-only, each entry once; a torn line is passed over, a changed one refused."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from erasure.ledger import (
    Entry,
    LedgerDamaged,
    append_entry,
    hash_for_ledger,
    lacking,
    read_ledger,
)
from sealing.rotating import destroy_tenant
from tenants.models import Tenant


@pytest.fixture
def ledger(tmp_path: Path, settings: Any) -> Path:
    path = tmp_path / "ledger" / "erasures.jsonl"
    settings.MEMORYHUB_LEDGER = str(path)
    return path


def entry(**more: Any) -> Entry:
    facts = {
        "id": uuid4(), "tenant_id": uuid4(), "at": datetime(2026, 3, 1, tzinfo=UTC),
        "request_id": uuid4(), "subject": "f" * 64, "ids": (uuid4(), uuid4()), "kept": (uuid4(),),
    }  # fmt: skip
    return Entry(**{**facts, **more})


def test_what_is_appended_is_read_and_stands_once(ledger: Path) -> None:
    one, two = entry(), entry()
    assert read_ledger() == []
    for each in (one, two, one):
        append_entry(each)
    assert read_ledger() == [one, two]
    assert lacking([one, two], {one.id}) == [two]
    assert ledger.stat().st_mode & 0o777 == 0o600


def test_a_torn_last_line_is_passed_over_and_cut_off_by_the_next_writer(ledger: Path) -> None:
    one, two = entry(), entry()
    append_entry(one)
    whole = ledger.read_bytes()
    ledger.write_bytes(whole + b'{"v":1,"id":"0198')
    assert read_ledger() == [one]
    append_entry(two)
    assert read_ledger() == [one, two]
    assert ledger.read_bytes().startswith(whole)


@pytest.mark.parametrize("change", [(b"2026-03-01", b"2026-03-02"), (b'"v":1', b'"v":2')])
def test_a_changed_line_is_refused(ledger: Path, change: tuple[bytes, bytes]) -> None:
    append_entry(entry())
    ledger.write_bytes(ledger.read_bytes().replace(*change))
    with pytest.raises(LedgerDamaged, match="line 1"):
        read_ledger()


def test_the_hash_of_a_person_outlives_the_keys_of_the_tenant(ledger: Path, tenant: Tenant) -> None:
    before = hash_for_ledger("anna", tenant.id)
    append_entry(entry(tenant_id=tenant.id, subject=before))
    destroy_tenant(tenant.id)
    assert hash_for_ledger("anna", tenant.id) == before == read_ledger()[0].subject
    assert "anna" not in ledger.read_text()
    assert hash_for_ledger("anna", uuid4()) != before
