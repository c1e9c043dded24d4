"""The second factor's secrets: never in the clear in the database, and never lost with one dump."""

from __future__ import annotations

import os

from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sealing.ring import NONCE_BYTES, ring

PURPOSE = "second-factor"


class FactorAdapter(DefaultMFAAdapter):
    """Authenticator secrets and recovery codes, encrypted under a key of the ring."""

    def encrypt(self, text: str) -> str:
        nonce = os.urandom(NONCE_BYTES)
        sealed = AESGCM(ring().derive(PURPOSE)).encrypt(nonce, text.encode(), PURPOSE.encode())
        return (nonce + sealed).hex()

    def decrypt(self, encrypted_text: str) -> str:
        blob = bytes.fromhex(encrypted_text)
        key = AESGCM(ring().derive(PURPOSE))
        return key.decrypt(blob[:NONCE_BYTES], blob[NONCE_BYTES:], PURPOSE.encode()).decode()
