"""Documents with the hub's signature: canonical JSON, its SHA-256, and a signed note over that."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from audit.recording import canonical
from sealing.signing import SignatureRefused, open_note, public_key, sign_note


def sign_document(document: Mapping[str, Any], origin: str) -> dict[str, Any]:
    """The document with `sha256`, `signature` (a signed note) and `key` beside its facts."""
    digest = sha256(canonical(document).encode()).hexdigest()
    note = sign_note(f"{origin}\n{digest}\n")
    return {**document, "sha256": digest, "signature": note, "key": public_key().text}


def is_genuine(signed: Mapping[str, Any], origin: str) -> bool:
    """Whether nothing was changed since this hub signed it."""
    facts = {
        name: value for name, value in signed.items() if name not in ("sha256", "signature", "key")
    }
    digest = sha256(canonical(facts).encode()).hexdigest()
    try:
        return open_note(str(signed["signature"])) == f"{origin}\n{digest}\n"
    except (SignatureRefused, KeyError):
        return False


def as_text(document: Mapping[str, Any]) -> str:
    """For people who open the JSON in an editor."""
    return json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
