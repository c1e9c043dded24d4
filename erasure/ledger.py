"""The ledger of erasures: an append-only file beside the database, which no restore turns back.

A dump taken before an erasure holds what was erased. So each approved erasure is on the disk here
before the first byte is destroyed; a database that lacks an entry has been restored, or died right
there, and the erasure is carried out again before anybody is answered.

One line of JSON an entry. The person stands in it as a keyed hash under a key of the installation:
destroying a tenant's or a person's key must not end the duty to forget them. The ids are those of
memories. Each line carries a keyed hash of itself, so that no line can be made up or changed.

What can fail. The process dies in the midst of a line: it has no line break, so it was never
acknowledged; readers pass over it and the next writer cuts it off. A whole line that does not fit
its hash is `LedgerDamaged`: the hub does not open until somebody has looked.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO
from uuid import UUID

from django.conf import settings

from sealing.hashing import keyed_hash, same

VERSION = 1
SUBJECT = "erasure-ledger-subject"
LINE = "erasure-ledger-line"


class LedgerDamaged(Exception):
    """A line of the ledger is not what was written."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One approved erasure: whom it forgets, which memories, which of theirs stay by decision."""

    id: UUID
    tenant_id: UUID
    at: datetime
    request_id: UUID
    subject: str
    ids: tuple[UUID, ...] = ()
    kept: tuple[UUID, ...] = ()


def hash_for_ledger(subject: str, tenant_id: UUID) -> str:
    """A subject of a tenant, under a key that no erasure destroys."""
    return keyed_hash(f"{tenant_id}\n{subject}", purpose=SUBJECT)


def path_of_ledger() -> Path:
    """Where it lies: under MEMORYHUB_DATA, so that it is backed up apart from the database."""
    return Path(settings.MEMORYHUB_LEDGER)


def append_entry(entry: Entry) -> None:
    """Write the entry; it is on the disk when this returns. An entry that is there stays once."""
    path = path_of_ledger()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _locked(path) as file:
        _cut_torn(file)
        file.seek(0)
        if any(known.id == entry.id for known in _entries(file.read())):
            return
        file.seek(0, os.SEEK_END)
        file.write(_line_of(entry))
        file.flush()
        os.fsync(file.fileno())
    _sync(path.parent)


def read_ledger() -> list[Entry]:
    """All entries, oldest first; none where there is no file. Raises LedgerDamaged."""
    try:
        return list(_entries(path_of_ledger().read_bytes()))
    except FileNotFoundError:
        return []


def lacking(entries: Collection[Entry], applied: Collection[UUID]) -> list[Entry]:
    """The entries that a database has not carried out."""
    known = set(applied)
    return [entry for entry in entries if entry.id not in known]


@contextmanager
def _locked(path: Path) -> Iterator[IO[bytes]]:
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    with os.fdopen(handle, "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def _cut_torn(file: IO[bytes]) -> None:
    file.seek(0)
    content = file.read()
    whole = content.rfind(b"\n") + 1
    if whole != len(content):
        file.truncate(whole)


def _sync(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _line_of(entry: Entry) -> bytes:
    facts = {
        "v": VERSION, "id": str(entry.id), "tenant": str(entry.tenant_id),
        "at": entry.at.isoformat(), "request": str(entry.request_id), "subject": entry.subject,
        "ids": [str(one) for one in entry.ids], "kept": [str(one) for one in entry.kept],
    }  # fmt: skip
    text = _canonical(facts)
    return _canonical({**facts, "mac": keyed_hash(text, purpose=LINE)}).encode() + b"\n"


def _entries(content: bytes) -> Iterator[Entry]:
    for number, line in enumerate(content.split(b"\n")[:-1], start=1):  # the last one has no end
        try:
            facts = json.loads(line)
            mac = facts.pop("mac")
            if not same(mac, keyed_hash(_canonical(facts), purpose=LINE)):
                raise LedgerDamaged(f"line {number} of the ledger was changed")
            yield Entry(
                id=UUID(facts["id"]), tenant_id=UUID(facts["tenant"]),
                at=datetime.fromisoformat(facts["at"]), request_id=UUID(facts["request"]),
                subject=facts["subject"], ids=tuple(map(UUID, facts["ids"])),
                kept=tuple(map(UUID, facts["kept"])),
            )  # fmt: skip
        except (ValueError, KeyError, TypeError, AttributeError):
            raise LedgerDamaged(f"line {number} of the ledger cannot be read") from None


def _canonical(facts: object) -> str:
    return json.dumps(facts, sort_keys=True, separators=(",", ":"))
