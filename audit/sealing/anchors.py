"""The file outside the database: one signed line a minute over the roots of all tenants.

The file is written after the transaction that made the anchor, so it is never ahead of the log of
its own accord; when it is, the log was put back (`epochs`). What it lacks (the process died in
between, another server's disk) is written before the next line. Lines are only appended.

A line is JSON: epoch, n, at, node, tenants, events, root, `heads` (of each tenant that moved since
the last line: its size and root), and `note`, a signed note over all of these but itself. Keep
copies of the file elsewhere: it is what shows that a log was cut short.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings

from audit.sealing.checkpoints import encode, stamp
from audit.sealing.epochs import Anchored
from audit.sealing.merkle import grow, hash_leaf
from sealing.signing import sign_note

_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class HeadNow:
    """A tenant's tree as an anchor sees it."""

    tenant_id: UUID
    size: int
    root: bytes
    moved: bool

    @property
    def leaf(self) -> bytes:
        """The leaf of this tenant in the tree over all."""
        return hash_leaf(f"{self.tenant_id}\n{self.size}\n{encode(self.root)}\n".encode())


@dataclass(frozen=True, slots=True)
class AnchorLine:
    """What is signed and kept: the root over all tenants, and the line of the file."""

    tenants: int
    events: int
    root: bytes
    line: str


def make_line(
    place: tuple[int, int], at: datetime, heads: Iterable[HeadNow], *, node: int
) -> AnchorLine:
    """The anchor `place` (epoch, n) over the heads of that epoch."""
    ordered = sorted(heads, key=lambda head: head.tenant_id)
    root = grow(0, (), [head.leaf for head in ordered]).root
    events = sum(head.size for head in ordered)
    moved = {str(one.tenant_id): [one.size, encode(one.root)] for one in ordered if one.moved}
    facts: dict[str, Any] = {
        "epoch": place[0], "n": place[1], "at": stamp(at), "node": str(node),
        "tenants": len(ordered), "events": events, "root": encode(root), "heads": moved,
    }  # fmt: skip
    note = sign_note(
        f"memoryhub/anchors/{place[0]}\n{len(ordered)}\n{encode(root)}\nn {place[1]}\n"
        f"events {events}\nat {stamp(at)}\nfacts {digest_of(facts)}\n"
    )
    return AnchorLine(len(ordered), events, root, canonical({**facts, "note": note}))


def digest_of(facts: dict[str, Any]) -> str:
    """What the note of a line signs of it: everything but the note."""
    bare = {name: value for name, value in facts.items() if name != "note"}
    return sha256(canonical(bare).encode()).hexdigest()


def root_hex(text: str) -> str:
    """A root of a line, in hex."""
    return base64.b64decode(text).hex()


def canonical(document: dict[str, Any]) -> str:
    """JSON with sorted keys and no spaces: one way to write it."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def anchor_file() -> Path:
    """Where the file lies (`MEMORYHUB_ANCHORS`)."""
    return Path(settings.MEMORYHUB_ANCHORS)


def last_line() -> Anchored | None:
    """The newest anchor in the file; None without one. A half-written last line does not count."""
    path = anchor_file()
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return _last_line(path, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=2)
def _last_line(path: Path, size: int, changed_at: int) -> Anchored | None:
    """Read once for each state of the file: the sealer asks every second."""
    with path.open("rb") as file:
        end = size
        tail = b""
        while end > 0 and tail.count(b"\n") < 2:
            start = max(0, end - _CHUNK)
            file.seek(start)
            tail = file.read(end - start) + tail
            end = start
    lines = tail[: tail.rfind(b"\n") + 1].splitlines()
    return read_line(lines[-1].decode()) if lines else None


def read_line(line: str) -> Anchored:
    """An anchor from its line."""
    facts = json.loads(line)
    return Anchored(facts["epoch"], facts["n"], facts["events"], facts["root"])


def read_lines() -> Iterator[str]:
    """All whole lines, oldest first."""
    path = anchor_file()
    if path.exists():
        with path.open(encoding="utf-8") as file:
            yield from (line.rstrip("\n") for line in file if line.endswith("\n"))


def append_lines(lines: Iterable[str]) -> None:
    """Append what is newer than the last line; on the disk when it returns."""
    path = anchor_file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with path.open("a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        _drop_half_line(file)
        file.flush()
        last = last_line()
        for line in lines:
            if last is None or read_line(line).place > last.place:
                file.write(line.encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _drop_half_line(file: Any) -> None:
    """What a process that died left behind, never a whole line."""
    size = file.seek(0, os.SEEK_END)
    if size == 0:
        return
    file.seek(-1, os.SEEK_END)
    if file.read(1) == b"\n":
        return
    start = max(0, size - 4 * 1024 * 1024)
    file.seek(start)
    file.truncate(start + file.read().rfind(b"\n") + 1)
