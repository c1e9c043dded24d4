"""The vault: tokens for values, the same for the same value of a tenant, and their originals.

A token's id derives from a keyed hash of the value, so the write path needs no look-up to give two
writers the same token, and nobody without the tenant's key can try guesses. The key of hashes is
never rotated (see sealing.ring); the originals are sealed under the rotated one. Ids have 59 bits:
should two values ever meet in one, the second write fails, and no token shows another's original.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from privacy.detecting.folding import compact, fold
from privacy.detecting.negatives import VAULT_ID
from sealing.hashing import keyed_hash
from sealing.originals import Place, key_id_of, open_sealed, seal
from tenants.ids import uuid7

TABLE = "privacy_vaultentry"
PURPOSE = "vault"
EQUALITY = "equality-search"
LENGTH = 10
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_GROUPED = frozenset(
    {"cn_id", "bank_card", "us_ssn", "iban", "intl_phone", "cn_passport", "cn_mobile"}
)


@dataclass(frozen=True, slots=True)
class Original:
    """A vault entry to be: everything but when."""

    token_id: str
    entity: str
    equality_hash: str
    sealed: bytes

    def as_record(self) -> dict[str, object]:
        """For `querysets.KEEP_ORIGINALS`."""
        return {
            "id": uuid7(), "token_id": self.token_id, "entity": self.entity,
            "equality_hash": self.equality_hash, "sealed": "\\x" + self.sealed.hex(),
            "key_version": key_id_of(self.sealed),
        }  # fmt: skip


def normalise(entity: str, text: str) -> str:
    """What two writings of one value have in common."""
    if entity in _GROUPED:
        plain = compact(text)
        return plain[-11:] if entity == "cn_mobile" else plain.lstrip("+")
    return text if entity == "secret" else fold(text).text.casefold().strip()


def equality_hash(entity: str, text: str, tenant_id: UUID) -> str:
    """A keyed hash: equal for equal values of one entity, and of one tenant only."""
    material = f"{entity}\0{normalise(entity, text)}"
    return keyed_hash(material, purpose=EQUALITY, tenant_id=tenant_id)


def token_id_of(hashed: str) -> str:
    """The id of a token: letters and digits from the hash, of the form that detectors know."""
    seed = bytes.fromhex(hashed)
    while True:
        seed = sha256(seed).digest()
        number, letters = int.from_bytes(seed[:16], "big"), []
        for _ in range(LENGTH):
            number, place = divmod(number, len(_DIGITS))
            letters.append(_DIGITS[place])
        text = "".join(letters)
        if re.fullmatch(VAULT_ID, text):
            return text


def place_of(tenant_id: UUID, token_id: str) -> Place:
    """Where the original of a token stands."""
    return Place(tenant_id, TABLE, token_id, "sealed")


def keep(entity: str, text: str, tenant_id: UUID) -> Original:
    """The sealed original of a value. Raises SealRefused when the tenant's key is gone."""
    hashed = equality_hash(entity, text, tenant_id)
    token_id = token_id_of(hashed)
    sealed = seal(text, place_of(tenant_id, token_id), purpose=PURPOSE)
    return Original(token_id, entity, hashed, sealed)


def open_original(sealed: bytes | memoryview, *, tenant_id: UUID, token_id: str) -> str:
    """The value behind a token. Raises SealRefused."""
    return open_sealed(bytes(sealed), place_of(tenant_id, token_id), purpose=PURPOSE)
