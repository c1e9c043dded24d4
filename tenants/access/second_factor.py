"""The second factor: its secrets, which are never in the clear in the database, and whether it was
shown lately.

Whoever has enrolled one shows it again before what is worth more than a session: five minutes
later the session alone does not do.
"""

from __future__ import annotations

import os
import time

from allauth.account.authentication import get_authentication_records
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base.internal.flows import check_rate_limit, post_authentication
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from memoryhub.errors import Denied
from sealing.ring import NONCE_BYTES, ring

PURPOSE = "second-factor"
FRESH_SECONDS = 300.0


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


def needs_factor(request: HttpRequest) -> bool:
    """Whether this person has enrolled a second factor and did not show it in five minutes."""
    enrolled = _enrolled(request)
    if enrolled is None:
        return False
    records = get_authentication_records(request, enrolled.user)
    shown = [float(one["at"]) for one in records if one["method"] == "mfa"]
    return not any(time.time() - at < FRESH_SECONDS for at in shown)


def require_factor(request: HttpRequest) -> None:
    """Raises Denied `second_factor_required`."""
    if needs_factor(request):
        raise Denied(
            "Confirm your second factor at /account/confirm/code, then try again.",
            code="second_factor_required",
        )


def show_factor(request: HttpRequest, code: str) -> bool:
    """Whether the code is right; then the session remembers it. Too many tries are refused too."""
    enrolled = _enrolled(request)
    if enrolled is None:
        return True
    try:
        clear = check_rate_limit(enrolled.user)
    except ValidationError:
        return False
    if not TOTP(enrolled).validate_code(code):
        return False
    clear()
    post_authentication(request, enrolled, reauthenticated=True)
    return True


def _enrolled(request: HttpRequest) -> Authenticator | None:
    found: Authenticator | None = Authenticator.objects.filter(
        user_id=request.user.pk, type=Authenticator.Type.TOTP
    ).first()
    return found
