"""Values that an event must tell apart and may not show: keyed hashes instead."""

from __future__ import annotations

from sealing.hashing import keyed_hash
from tenants.context import current_tenant_id


def hash_value(text: str) -> str:
    """Equal values look alike, and nobody without the installation's key can try guesses."""
    return text if text in ("", "None") else keyed_hash(text, purpose="audit-value")[:32]


def pseudonym_of(subject: str) -> str:
    """A subject as events and sessions name it, `s_…`: the same one everywhere in the tenant."""
    return "s_" + keyed_hash(subject, purpose="subject", tenant_id=current_tenant_id())[:24]
