"""Bundles: a span of the log as a ZIP that anybody can verify without the hub.

    manifest.json       what is in it, proofs, and the SHA-256 of each file
    manifest.note       the manifest's hash, signed
    events.jsonl        each leaf with its event: exact payload, and the columns of the search
    checkpoints.jsonl   signed roots, from the one before the first event on
    public_key.txt      for convenience; compare it with the one that was given beforehand
    verify_memoryhub.py the offline verifier

The span is widened to whole checkpoints. Everything is written as it is read; nothing is held.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from django.db import transaction

from audit.models import Checkpoint
from audit.recording import Facts, Target, canonical, record
from audit.sealing.merkle import frontier_of, prove_consistency, prove_inclusion
from audit.verifying import offline
from audit.verifying.proving import Tree
from audit.verifying.running import Span
from audit.verifying.walking import (
    CHUNK,
    Verification,
    begin_verification,
    checkpoints_of,
    log_sizes,
    read_lines_of,
    scan,
)
from memoryhub.errors import Missing
from sealing.signing import public_key, sign_note
from tenants.authorising import require
from tenants.context import current_tenant_id, now
from tenants.roles import Action

FORMAT = "memoryhub-audit-bundle/1"
VERIFIER = Path(offline.__file__)


@dataclass
class _Writer:
    """A ZIP whose files are hashed as they are written."""

    bundle: zipfile.ZipFile
    hashes: dict[str, str] = field(default_factory=dict)

    def lines(self, name: str, rows: Iterator[dict[str, Any]]) -> int:
        """One JSON document a line; how many."""
        digest, count = sha256(), 0
        with self.bundle.open(name, "w", force_zip64=True) as file:
            for row in rows:
                line = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n").encode()
                file.write(line)
                digest.update(line)
                count += 1
        self.hashes[name] = digest.hexdigest()
        return count

    def text(self, name: str, text: str) -> None:
        self.bundle.writestr(name, text)
        self.hashes[name] = sha256(text.encode()).hexdigest()


def write_bundle(span: Span, target: Path | IO[bytes]) -> dict[str, Any]:
    """Write the acting tenant's events of the span; the manifest."""
    require(Action.EXPORT_EVENTS)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
        writer = _Writer(bundle)
        with transaction.atomic():
            plan = begin_verification(since=span.since, until=span.until)
            ranges = [_range(part) for part in plan.parts]
            sizes = {str(epoch): leaves for epoch, _, leaves in log_sizes()}
            made_at = now()
        events = writer.lines("events.jsonl", _events(plan))
        writer.lines("checkpoints.jsonl", _checkpoints(plan.parts))
        writer.text("public_key.txt", public_key().text + "\n")
        writer.text("verify_memoryhub.py", VERIFIER.read_text(encoding="utf-8"))
        manifest = {
            "format": FORMAT, "tenant": str(current_tenant_id()), "made_at": made_at.isoformat(),
            "span": span.words(), "ranges": ranges, "events": events,
            "sizes": sizes,
            "anchored": [{"epoch": e, "size": s, "root": r} for e, s, r in plan.witnesses],
            "files": writer.hashes,
        }  # fmt: skip
        text = canonical(manifest)
        bundle.writestr("manifest.json", text)
        digest = sha256(text.encode()).hexdigest()
        bundle.writestr(
            "manifest.note", sign_note(f"memoryhub/manifests\n{events}\nsha256 {digest}\n")
        )
    with transaction.atomic():
        record(
            "audit.bundle", Target("log", str(current_tenant_id())),
            Facts(counts={"n": events}, links={**span.words(), "sha256": digest}),
        )  # fmt: skip
    return manifest


def _range(part: dict[str, Any]) -> dict[str, Any]:
    """One epoch's part with its proofs; what a damaged tree cannot prove is left out."""
    epoch, low, high = part["epoch"], part["from"], part["to"]
    tree = Tree(epoch)
    newest = Checkpoint.objects.filter(epoch=epoch).order_by("-size").first()
    size = newest.size if newest else 0
    found: dict[str, Any] = {
        "epoch": epoch, "from": low, "to": high, "newest": newest.note if newest else "",
        "left": [], "consistency": [], "inclusion": [],
    }  # fmt: skip
    try:
        found["left"] = [node.hex() for node in frontier_of(low, tree.complete)]
        if high <= size:
            proof = prove_consistency(high, size, tree.complete)
            found["consistency"] = [node.hex() for node in proof]
            found["inclusion"] = [
                {
                    "index": index,
                    "leaf": tree.complete(0, index).hex(),
                    "path": [node.hex() for node in prove_inclusion(index, size, tree.complete)],
                }
                for index in sorted({low, high - 1})
                if low <= index < high
            ]
    except Missing:
        pass
    return found


def _events(plan: Verification) -> Iterator[dict[str, Any]]:
    """Each leaf with its event, then events that have none."""
    for part in plan.parts:
        for low in range(part["from"], part["to"], CHUNK):
            with transaction.atomic():
                lines = read_lines_of(part["epoch"], low, min(low + CHUNK, part["to"]))
            for line in lines:
                yield {
                    "epoch": part["epoch"], "index": line.index, "id": line.event,
                    "leaf": line.leaf.hex(), "payload": line.payload, "columns": line.columns,
                    "order": line.order[:2] if line.order else None, "dropped": line.dropped,
                }  # fmt: skip
    place, finished = plan.start, False
    while not finished:
        with transaction.atomic():
            seen = scan(place, plan.until)
        for event in seen.extra:
            yield {"epoch": None, "index": None, "id": event, "payload": None, "columns": None}
        place, finished = seen.place, seen.finished


def _checkpoints(parts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for part in parts:
        with transaction.atomic():
            for size, note in checkpoints_of(part["epoch"], part["from"], part["to"]):
                yield {"epoch": part["epoch"], "size": size, "note": note}
