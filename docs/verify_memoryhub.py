#!/usr/bin/env python3
"""Verify a bundle of MemoryHub's audit log, a report or an exported list, without MemoryHub.

    python verify_memoryhub.py BUNDLE.zip [--key FILE] [--checkpoint FILE] [--json]
    python verify_memoryhub.py REPORT.zip [--key FILE] [--json]
    python verify_memoryhub.py LIST.csv --manifest MANIFEST.json [--key FILE] [--json]

Needs Python 3.11 and `cryptography`, nothing else. Take the public key and older checkpoints from
where you kept them, not from the bundle: a bundle proves its own key right.

What is proved: each event is a leaf SHA-256(0x00 || payload) of the tenant's Merkle tree (RFC
6962); the tree's root after each round of sealing is signed with Ed25519 (a C2SP checkpoint); later
trees begin with the earlier ones; the columns that people search by say what the payload says.

Exit: 0 whole, 1 mismatch, 2 missing or extra, 3 bad signature, 4 rollback, 5 seal lag (only where
the database is at hand), 6 columns differ from the payload. It names the first bad event and the
last good checkpoint.
"""

# The hub checks its own database with this very file (audit/verifying/offline.py), so an outsider
# and the hub cannot disagree. docs/verify_memoryhub.py is a copy; a test compares them. It is one
# file by its purpose, whatever its length.

from __future__ import annotations

import argparse
import base64
import json
import sys
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

WHOLE, MISMATCH, MISSING, SIGNATURE, ROLLBACK, LAG, COLUMNS = range(7)
WORDS = (
    "whole", "mismatch", "missing or extra", "bad signature", "rollback", "seal lag",
    "columns differ from the payload",
)  # fmt: skip
LONGEST = timedelta(minutes=10)
"""A transaction lives five minutes at most; an event that is older when it is sealed came later."""


class Fault(Exception):
    """What is wrong: a code, in words, and the first bad event where one can be named."""

    def __init__(self, code: int, detail: str, event: str | None = None) -> None:
        super().__init__(detail)
        self.code, self.detail, self.event = code, detail, event


# --- trees and signatures -------------------------------------------------------------------------


def hash_leaf(content: bytes) -> bytes:
    return sha256(b"\x00" + content).digest()


def hash_pair(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


def root_of(frontier: Sequence[bytes]) -> bytes:
    """The root over complete subtrees, largest first."""
    if not frontier:
        return sha256(b"").digest()
    root = frontier[-1]
    for left in reversed(frontier[:-1]):
        root = hash_pair(left, root)
    return root


def root_by_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root that an inclusion proof leads to (RFC 9162, 2.1.3.2); None when it leads nowhere."""
    if index >= size:
        return None
    place, last, node = index, size - 1, leaf
    for other in path:
        if last == 0:
            return None
        if place & 1 or place == last:
            node = hash_pair(other, node)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            node = hash_pair(node, other)
        place, last = place >> 1, last >> 1
    return node if last == 0 else None


def is_consistent(old: tuple[int, bytes], new: tuple[int, bytes], path: Sequence[bytes]) -> bool:
    """Whether the tree `new` (size, root) begins with the tree `old` (RFC 9162, 2.1.4.2)."""
    (small, before), (large, after) = old, new
    if small > large or small in (0, large):
        return not path and small <= large and (small == 0 or before == after)
    nodes = list(path)
    if small & (small - 1) == 0:
        nodes.insert(0, before)
    if not nodes:
        return False
    place, last = small - 1, large - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    left = right = nodes[0]
    for node in nodes[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            left, right = hash_pair(node, left), hash_pair(node, right)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            right = hash_pair(right, node)
        place, last = place >> 1, last >> 1
    return (left, right, last) == (before, after, 0)


@dataclass(frozen=True)
class Signed:
    """A checkpoint's text, taken apart after its signature was checked."""

    origin: str
    size: int
    root: bytes
    facts: dict[str, str]


def open_note(note: str, key: str) -> str:
    """The text of a signed note, checked with a verifier key `name+id+base64`. Raises Fault 3."""
    name, _, rest = key.strip().partition("+")
    raw = base64.b64decode(rest.partition("+")[2])
    body, mark, line = note.rpartition("\n\n— ")
    signer, _, encoded = line.rstrip("\n").partition(" ")
    text = body + "\n"
    try:
        blob = base64.b64decode(encoded, validate=True)
        known = sha256(name.encode() + b"\n" + raw).digest()[:4]
        if not mark or signer != name or blob[:4] != known or raw[:1] != b"\x01":
            raise Fault(SIGNATURE, "signed by another key")
        if base64.b64encode(blob).decode() != encoded:
            raise Fault(SIGNATURE, "the signature is not written as it must be")
        Ed25519PublicKey.from_public_bytes(raw[1:]).verify(blob[4:], text.encode())
    except (ValueError, InvalidSignature):
        raise Fault(SIGNATURE, "the signature does not fit") from None
    return text


def open_checkpoint(note: str, key: str, origin: str) -> Signed:
    """A checkpoint that this key signed for this log. Raises Fault 3."""
    lines = open_note(note, key).splitlines()
    if lines[0] != origin:
        raise Fault(SIGNATURE, f"the checkpoint is of another log: {lines[0]}, not {origin}")
    facts = dict(line.split(" ", 1) for line in lines[3:])
    return Signed(lines[0], int(lines[1]), base64.b64decode(lines[2]), facts)


# --- walking a log --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """A leaf with its event as the log shows it. `payload` None: the event is not there."""

    index: int
    event: str
    leaf: bytes
    payload: str | None
    columns: dict[str, Any] | None = None
    order: tuple[int, int, str] | None = None
    dropped: bool = False
    """Its month was dropped by the log's own retention; leaf and checkpoints stay."""


@dataclass
class Walk:
    """How far a log was walked; JSON by `save`, so that a long walk can be resumed."""

    tenant: str
    key: str
    epoch: int = 0
    index: int = 0
    frontier: list[bytes] = field(default_factory=list)
    events: int = 0
    last_good: dict[str, Any] | None = None
    first: str | None = None
    """Since the last good checkpoint: the first event, one out of order, and the oldest."""
    disorder: str | None = None
    order: list[Any] | None = None
    oldest: tuple[str, str] | None = None

    def begin(self, epoch: int, index: int = 0, frontier: Iterable[bytes] = ()) -> None:
        """Begin at a place of an epoch; the frontier is checked by the checkpoint there."""
        self.epoch, self.index, self.frontier = epoch, index, list(frontier)
        self._settle()

    def save(self) -> dict[str, Any]:
        return {**self.__dict__, "frontier": [node.hex() for node in self.frontier]}

    @classmethod
    def load(cls, saved: dict[str, Any]) -> Walk:
        return cls(**{**saved, "frontier": [bytes.fromhex(node) for node in saved["frontier"]]})

    def take(self, line: Line) -> None:
        """The next leaf and its event. Raises Fault."""
        if line.index != self.index:
            raise Fault(MISSING, f"leaf {self.index} of epoch {self.epoch} is gone")
        if line.payload is not None:
            self._check_event(line)
        elif not line.dropped:
            raise Fault(MISSING, f"the event of leaf {line.index} is gone", line.event)
        self.events += line.payload is not None
        self.first = self.first or line.event
        if line.order is not None:
            before = self.order
            if before and before[0] == line.order[0] and before > list(line.order):
                self.disorder = self.disorder or line.event
            self.order = list(line.order)
        node, rest = line.leaf, self.index
        while rest & 1:
            node, rest = hash_pair(self.frontier.pop(), node), rest >> 1
        self.frontier.append(node)
        self.index += 1

    def _check_event(self, line: Line) -> None:
        assert line.payload is not None
        if hash_leaf(line.payload.encode("utf-8", "surrogatepass")) != line.leaf:
            raise Fault(MISMATCH, "the payload is not what was sealed", line.event)
        try:
            self._check_columns(line, json.loads(line.payload))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Fault(COLUMNS, "the payload is not an event", line.event) from None

    def _check_columns(self, line: Line, said: dict[str, Any]) -> None:
        if said["tenant"] != self.tenant or said["id"] != line.event:
            raise Fault(COLUMNS, "the payload is of another tenant or event", line.event)
        differing = [] if line.columns is None else differences(said, line.columns)
        if differing:
            names = ", ".join(differing)
            raise Fault(COLUMNS, f"columns differ from the payload: {names}", line.event)
        if self.oldest is None or said["at"] < self.oldest[0]:
            self.oldest = (said["at"], line.event)

    def check(self, size: int, note: str) -> None:
        """The checkpoint over what was walked so far. Raises Fault."""
        try:
            signed = open_checkpoint(note, self.key, f"memoryhub/{self.tenant}/{self.epoch}")
        except Fault as fault:
            raise Fault(fault.code, f"checkpoint {size}: {fault.detail}", self.first) from None
        if signed.size != size:
            raise Fault(SIGNATURE, f"checkpoint {size} was signed for {signed.size}", self.first)
        if signed.root != root_of(self.frontier):
            detail = f"the leaves do not lead to the root that was signed at {size}"
            raise Fault(MISMATCH, detail, self.disorder or self.first)
        if "after" in signed.facts and self.oldest is not None:
            at, event = self.oldest
            if datetime.fromisoformat(at) < datetime.fromisoformat(signed.facts["after"]) - LONGEST:
                raise Fault(MISSING, "the event was put in later under an older date", event)
        self.last_good = {"epoch": self.epoch, "size": size, "at": signed.facts.get("at")}
        self._settle()

    def witness(self, root: bytes) -> None:
        """Somebody else's root of the tree as far as it was walked. Raises Fault."""
        if root != root_of(self.frontier):
            detail = f"the first {self.index} leaves are not those that were anchored"
            raise Fault(MISMATCH, detail, self.disorder or self.first)

    def _settle(self) -> None:
        self.first = self.disorder = self.order = self.oldest = None

    def answer(self, fault: Fault | None = None) -> dict[str, Any]:
        """What is said in the end."""
        return {
            "code": fault.code if fault else WHOLE,
            "events": self.events,
            "first_bad": fault.event if fault else None,
            "last_good": self.last_good,
            "detail": fault.detail if fault else None,
        }


def feed(
    walk: Walk, lines: Iterable[Line], checkpoints: Iterator[tuple[int, str]],
    witnesses: dict[int, bytes],
) -> tuple[int, str] | None:  # fmt: skip
    """Walk lines of one epoch with the checkpoints among them; the first one that lies beyond."""
    ahead = _pass_checkpoints(walk, next(checkpoints, None), checkpoints, witnesses)
    for line in lines:
        walk.take(line)
        ahead = _pass_checkpoints(walk, ahead, checkpoints, witnesses)
    return ahead


def _pass_checkpoints(
    walk: Walk, ahead: tuple[int, str] | None, rest: Iterator[tuple[int, str]],
    witnesses: dict[int, bytes],
) -> tuple[int, str] | None:  # fmt: skip
    while ahead is not None and ahead[0] <= walk.index:
        if ahead[0] == walk.index:
            walk.check(*ahead)
        ahead = next(rest, None)
    if walk.index in witnesses:
        walk.witness(witnesses[walk.index])
    return ahead


def differences(said: dict[str, Any], columns: dict[str, Any]) -> list[str]:
    """The columns that say something else than the payload."""
    actor, client, target = said["actor"], said["client"], said["target"]
    expected = {
        "tenant_id": said["tenant"], "id": said["id"], "code": said["code"],
        "action": said["action"], "outcome": said["outcome"], "actor_kind": actor["kind"],
        "actor_id": actor["id"], "actor_name": actor["name"], "key_id": said["key_id"],
        "roles": said["roles"], "on_behalf_of": said["on_behalf_of"],
        "request_id": said["request_id"], "client_net": client["net"],
        "client_hash": client["hash"], "target_kind": target["kind"], "target_id": target["id"],
        "namespace": target["namespace"], "subjects": said["subjects"],
        "ruleset": said["ruleset"], "counts": said["counts"], "links": said["links"],
        "changes": said["changes"],
    }  # fmt: skip
    found = [name for name, value in expected.items() if columns.get(name) != value]
    return found if _is_same_instant(columns.get("at"), said["at"]) else [*found, "at"]


def _is_same_instant(column: Any, said: str) -> bool:
    try:
        return datetime.fromisoformat(column) == datetime.fromisoformat(said)
    except (ValueError, TypeError):
        return False


# --- bundles --------------------------------------------------------------------------------------


def check_bundle(
    path: Path, *, key: str | None = None, witness: str | None = None
) -> dict[str, Any]:
    """Check a bundle; the answer as `Walk.answer`."""
    walk = Walk(tenant="", key=key or "")
    try:
        with zipfile.ZipFile(path) as bundle:
            manifest = json.loads(bundle.read("manifest.json"))
            walk.tenant = manifest["tenant"]
            walk.key = key or bundle.read("public_key.txt").decode().strip()
            if "ranges" in manifest:  # a report has none: its files are all there is
                _check_ranges(walk, bundle, manifest, witness)
            _check_manifest(bundle, manifest, walk.key)
    except Fault as fault:
        return walk.answer(fault)
    except (KeyError, ValueError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        return walk.answer(Fault(MISMATCH, f"the bundle cannot be read: {error!r}"))
    return walk.answer()


def check_export(path: Path, signed: dict[str, Any], *, key: str | None = None) -> dict[str, Any]:
    """Check an exported list against its manifest (`manifest`, `note`, `key`); as `Walk.answer`."""
    walk = Walk(tenant="", key=key or str(signed.get("key", "")))
    try:
        manifest = signed["manifest"]
        text = json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        _check_note(text.encode(), signed["note"], walk.key)
        with path.open("rb") as file:
            if _hash(file) not in manifest["files"].values():
                raise Fault(MISMATCH, "the file is not the one that was exported")
    except Fault as fault:
        return walk.answer(fault)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        return walk.answer(Fault(MISMATCH, f"the manifest cannot be read: {error!r}"))
    return walk.answer()


def _check_ranges(
    walk: Walk, bundle: zipfile.ZipFile, manifest: dict[str, Any], witness: str | None
) -> None:
    kept = _kept(walk, witness)
    known = [
        (one["epoch"], one["size"], bytes.fromhex(one["root"])) for one in manifest["anchored"]
    ]
    lines, notes = _rows(bundle, "events.jsonl"), _rows(bundle, "checkpoints.jsonl")
    line, note = next(lines, None), next(notes, None)
    for part in manifest["ranges"]:
        epoch = part["epoch"]
        walk.begin(epoch, part["from"], [bytes.fromhex(node) for node in part["left"]])
        of_epoch: list[tuple[int, str]] = []
        while note is not None and note["epoch"] == epoch:
            of_epoch.append((note["size"], note["note"]))
            note = next(notes, None)
        witnesses = {size: root for at, size, root in [*known, *kept] if at == epoch}

        def taken(epoch: int = epoch) -> Iterator[Line]:
            nonlocal line
            while line is not None and line["epoch"] == epoch:
                yield _line(line)
                line = next(lines, None)

        beyond = feed(walk, taken(), iter(of_epoch), witnesses)
        if beyond is not None or walk.index < part["to"]:
            raise Fault(MISSING, f"epoch {epoch} ends at {walk.index}, not at {part['to']}")
        _check_end(walk, part, of_epoch[-1:] and of_epoch[-1][0])
    _check_rollback(manifest, [*known, *kept])
    if line is not None:
        raise Fault(MISSING, "an event that was never sealed", line["id"])


def _check_end(walk: Walk, part: dict[str, Any], last: Any) -> None:
    """What follows the range: nothing that is not signed, and a tree that begins with it."""
    if walk.index > (last or 0):
        raise Fault(
            ROLLBACK, f"{walk.index - (last or 0)} leaves are newer than the last checkpoint",
            walk.disorder or walk.first,
        )  # fmt: skip
    newest = open_checkpoint(part["newest"], walk.key, f"memoryhub/{walk.tenant}/{walk.epoch}")
    here = (walk.index, root_of(walk.frontier))
    path = [bytes.fromhex(node) for node in part["consistency"]]
    if not is_consistent(here, (newest.size, newest.root), path):
        raise Fault(MISMATCH, "the newest tree does not begin with these events")
    for proof in part["inclusion"]:
        leaf, nodes = bytes.fromhex(proof["leaf"]), [bytes.fromhex(node) for node in proof["path"]]
        if root_by_inclusion(leaf, proof["index"], newest.size, nodes) != newest.root:
            raise Fault(MISMATCH, f"the inclusion of leaf {proof['index']} is not proved")


def _kept(walk: Walk, witness: str | None) -> list[tuple[int, int, bytes]]:
    """A checkpoint that was kept elsewhere: (epoch, size, root)."""
    if witness is None:
        return []
    epoch = int(witness.split("\n", 1)[0].rpartition("/")[2])
    signed = open_checkpoint(witness, walk.key, f"memoryhub/{walk.tenant}/{epoch}")
    return [(epoch, signed.size, signed.root)]


def _check_rollback(manifest: dict[str, Any], kept: list[tuple[int, int, bytes]]) -> None:
    sizes = {int(epoch): size for epoch, size in manifest["sizes"].items()}
    for epoch, size, _ in kept:
        if size > sizes.get(epoch, 0):
            detail = f"epoch {epoch} once had {size} events and now has {sizes.get(epoch, 0)}"
            raise Fault(ROLLBACK, detail)


def _check_manifest(bundle: zipfile.ZipFile, manifest: dict[str, Any], key: str) -> None:
    _check_note(bundle.read("manifest.json"), bundle.read("manifest.note").decode(), key)
    for name, expected in manifest["files"].items():
        with bundle.open(name) as file:
            if _hash(file) != expected:
                raise Fault(MISMATCH, f"{name} is not the file that was exported")
    extra = set(bundle.namelist()) - {"manifest.json", "manifest.note", *manifest["files"]}
    if extra:
        raise Fault(MISSING, f"{min(extra)} was put in later")


def _check_note(manifest: bytes, note: str, key: str) -> None:
    digest = sha256(manifest).hexdigest()
    if f"sha256 {digest}" not in open_note(note, key).splitlines():
        raise Fault(SIGNATURE, "the manifest is not the one that was signed")


def _hash(file: IO[bytes]) -> str:
    hashed = sha256()
    while part := file.read(65_536):
        hashed.update(part)
    return hashed.hexdigest()


def _rows(bundle: zipfile.ZipFile, name: str) -> Iterator[dict[str, Any]]:
    with bundle.open(name) as file:
        for row in file:
            yield json.loads(row)


def _line(row: dict[str, Any]) -> Line:
    order = row.get("order")
    return Line(
        index=row["index"], event=row["id"], leaf=bytes.fromhex(row["leaf"]),
        payload=row["payload"], columns=row["columns"], dropped=row.get("dropped", False),
        order=(order[0], order[1], row["id"]) if order else None,
    )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description="Verify a bundle of MemoryHub's audit log.")
    parser.add_argument("bundle", type=Path)
    parser.add_argument(
        "--manifest", type=Path, help="of an exported list: the file is CSV or JSONL, no bundle"
    )
    parser.add_argument("--key", type=Path, help="the public key that you kept")
    parser.add_argument("--checkpoint", type=Path, help="a checkpoint that you kept")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    key = asked.key.read_text().strip() if asked.key else None
    if asked.manifest:
        signed = json.loads(asked.manifest.read_text(encoding="utf-8"))
        answer = check_export(asked.bundle, signed, key=key)
    else:
        witness = asked.checkpoint.read_text() if asked.checkpoint else None
        answer = check_bundle(asked.bundle, key=key, witness=witness)
    if asked.json:
        sys.stdout.write(json.dumps(answer) + "\n")
    else:
        good = answer["last_good"]
        words = [f"{WORDS[answer['code']]}: {answer['events']} events"]
        if answer["detail"]:
            words += [answer["detail"], f"first bad event: {answer['first_bad'] or 'not known'}"]
        words.append(f"last good checkpoint: {json.dumps(good) if good else 'none'}")
        if not asked.key:
            words.append("The key came with the bundle. Compare it with the one you kept (--key).")
        sys.stdout.write("\n".join(words) + "\n")
    return int(answer["code"])


if __name__ == "__main__":
    sys.exit(main())
