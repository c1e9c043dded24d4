"""Data subjects by pseudonym: the one table that leads from `s_…` to a person and back.

Events, requests and certificates name a person by a random pseudonym. The row that says whose it
is holds the identifier and the person's own key, wrapped; erasing deletes the row, and whatever was
written under the pseudonym stays valid and leads nowhere. A person who comes back gets another one.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q

from privacy.models import DataSubject
from sealing.hashing import keyed_hash
from sealing.originals import SealRefused
from sealing.subjects import (
    new_subject_key,
    open_for_subject,
    seal_for_subject,
    unwrap_for_tenant,
    wrap_for_tenant,
)
from tenants.context import current_tenant_id, now
from tenants.models import Tenant

PREFIX = "s_"
PURPOSE = "data-subject"
KEPT_SECONDS = 60.0
KEPT_SUBJECTS = 20_000

_Key = tuple[UUID, str]
_kept: dict[_Key, tuple[float, str]] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class KnownSubject:
    """A person that a pseudonym still leads to."""

    pseudonym: str
    subject: str
    key: bytes

    def seal(self, text: str, row: str) -> bytes:
        """A free text about this person."""
        return seal_for_subject(text, self.key, row)

    def open(self, blob: bytes, row: str) -> str:
        """The text again. Raises SealRefused."""
        return open_for_subject(bytes(blob), self.key, row)


def hash_subject(subject: str) -> str:
    """A keyed hash of a subject's identifier, of this tenant only."""
    return keyed_hash(subject, purpose=PURPOSE, tenant_id=current_tenant_id())


def name_subject(subject: str) -> KnownSubject:
    """A person with pseudonym and key, made at their first use."""
    hashed = hash_subject(subject)
    row = DataSubject.objects.filter(subject_hash=hashed).first()
    if row is None:
        _make({hashed: subject})
        row = DataSubject.objects.get(subject_hash=hashed)
    return _open(row)


def pseudonym_of(subject: str) -> str:
    """A subject as events and sessions name it, `s_…`; as `pseudonyms_of`."""
    return pseudonyms_of([subject])[subject]


def pseudonyms_of(subjects: Iterable[str]) -> dict[str, str]:
    """By subject, its pseudonym, made where there is none; known to this process for a minute.

    For so long after an erasure another process may still write the former pseudonym: it leads
    nowhere. Opens a transaction where there is none.
    """
    tenant, at = current_tenant_id(), time.monotonic()
    names: dict[str, str] = {}
    unknown: dict[str, str] = {}
    for subject in subjects:
        if subject in names:
            continue
        hashed = hash_subject(subject)
        kept = _kept.get((tenant, hashed))
        if kept is not None and kept[0] > at:
            names[subject] = kept[1]
        else:
            unknown[hashed] = subject
    if unknown:
        with transaction.atomic(savepoint=False):
            found = _find_or_make(unknown)
            transaction.on_commit(lambda: _keep(tenant, found))
        names |= {unknown[hashed]: pseudonym for hashed, pseudonym in found.items()}
    return names


def _find_or_make(people: Mapping[str, str]) -> dict[str, str]:
    """Pseudonyms by keyed hash, of people by keyed hash."""
    rows = DataSubject.objects.filter(subject_hash__in=list(people))
    found = dict(rows.values_list("subject_hash", "pseudonym"))
    lacking = {hashed: people[hashed] for hashed in people.keys() - found.keys()}
    if lacking:
        _make(lacking)
        found = dict(rows.values_list("subject_hash", "pseudonym"))
    return found


def _make(people: Mapping[str, str]) -> None:
    """In the order of their hashes, so that two transactions never wait in a circle here."""
    made = []
    for hashed, subject in sorted(people.items()):
        pseudonym = PREFIX + secrets.token_hex(10)
        plain = json.dumps({"subject": subject, "key": new_subject_key().hex()}).encode()
        sealed = wrap_for_tenant(plain, current_tenant_id(), pseudonym)
        made.append(
            DataSubject(subject_hash=hashed, pseudonym=pseudonym, sealed=sealed, made_at=now())
        )
    DataSubject.objects.bulk_create(made, ignore_conflicts=True)


def _keep(tenant: UUID, found: Mapping[str, str]) -> None:
    """Once it is committed: of a transaction that rolls back nothing may be remembered."""
    until = time.monotonic() + KEPT_SECONDS
    with _lock:
        if len(_kept) + len(found) >= KEPT_SUBJECTS:
            _kept.clear()
        _kept.update({(tenant, hashed): (until, name) for hashed, name in found.items()})


def find_subject(pseudonym: str) -> KnownSubject | None:
    """Whom a pseudonym names; None when it leads nowhere any more."""
    row = DataSubject.objects.filter(pseudonym=pseudonym).first()
    return None if row is None else _open(row)


def known_subjects() -> Iterator[KnownSubject]:
    """Everybody who has a pseudonym here and whose key opens."""
    for row in DataSubject.objects.all().iterator():
        try:
            yield _open(row)
        except SealRefused:
            continue


# --- restricted by a request ----------------------------------------------------------------------


Restricting = Literal["erasure_verified_at", "restricted_at"]


@dataclass(frozen=True, slots=True)
class Restriction:
    """Since when a verified erasure, and a restriction, hold for all that is about a person."""

    erasure_verified_at: datetime | None
    restricted_at: datetime | None


_restricted: dict[UUID, tuple[int, Mapping[str, Restriction]]] = {}


def restrictions_on(subjects: Sequence[str], *, version: int) -> list[Restriction]:
    """What requests say of these people, exact for the current transaction.

    Kept by the tenant's settings version, which every transaction begins with: a tenant without
    such requests is asked once a version, and nobody is hashed.
    """
    if not subjects:
        return []
    tenant = current_tenant_id()
    kept = _restricted.get(tenant)
    if kept is None or kept[0] != version:
        kept = _restricted[tenant] = version, _read_restrictions()
    if not kept[1]:
        return []
    return [kept[1][hashed] for one in subjects if (hashed := hash_subject(one)) in kept[1]]


def _read_restrictions() -> Mapping[str, Restriction]:
    rows = DataSubject.objects.filter(
        Q(erasure_verified_at__isnull=False) | Q(restricted_at__isnull=False)
    )
    found = rows.values_list("subject_hash", "erasure_verified_at", "restricted_at")
    return {hashed: Restriction(*instants) for hashed, *instants in found}


def restrict_subject(subject: str, fact: Restricting, at: datetime | None) -> None:
    """Say (with None take back) that a request holds for whatever is written about a person."""
    DataSubject.objects.filter(subject_hash=hash_subject(subject)).update(**{fact: at})
    _ask_again()


def _ask_again() -> None:
    """Every process reads the restrictions again with its next transaction."""
    Tenant.objects.filter(id=current_tenant_id()).update(version=F("version") + 1)


def forget_subject(subject: str) -> int:
    """Delete the row of a subject: pseudonym and key lead nowhere from now on. Rows deleted."""
    hashed = hash_subject(subject)
    deleted, _ = DataSubject.objects.filter(subject_hash=hashed).delete()
    _ask_again()
    _kept.pop((current_tenant_id(), hashed), None)
    return int(deleted)


def _open(row: DataSubject) -> KnownSubject:
    plain = json.loads(unwrap_for_tenant(bytes(row.sealed), row.tenant_id, row.pseudonym))
    return KnownSubject(row.pseudonym, plain["subject"], bytes.fromhex(plain["key"]))
