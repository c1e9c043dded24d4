"""Manifests: what a file holds, by which question, for whom, signed with the hub's key.

The form is the audit bundle's (`audit.verifying.bundling`), so one offline verifier reads both: the
note signs the SHA-256 of the manifest's canonical text, the manifest that of each file.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from audit.models import Checkpoint
from audit.recording import canonical
from sealing.signing import sign_note

READ = 1 << 20


def sign_manifest(manifest: Mapping[str, Any], *, rows: int) -> str:
    """The signed note over a manifest's canonical text."""
    digest = sha256(canonical(manifest).encode()).hexdigest()
    return sign_note(f"memoryhub/manifests\n{rows}\nsha256 {digest}\n")


def hash_file(path: Path) -> tuple[str, int]:
    """(SHA-256 in hex, bytes) of a file, read in pieces."""
    digest, size = sha256(), 0
    with path.open("rb") as file:
        while part := file.read(READ):
            digest.update(part)
            size += len(part)
    return digest.hexdigest(), size


def newest_checkpoint() -> str | None:
    """The tenant's newest signed checkpoint as a note; None before the first. Inside `atomic`."""
    found = Checkpoint.objects.order_by("-epoch", "-size").first()
    return None if found is None else str(found.note)
