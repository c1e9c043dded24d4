"""Headers that tell a browser how little these pages may do.

No script and no style but our own files, no frames, no forms to elsewhere: text that an agent
stored cannot run even if a template once forgot to escape it.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase

from tenants.access.requests import Responder

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
PERMISSIONS_POLICY = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


class Guarding:
    """Puts the policy on every page, the API's documentation too; answers for machines are JSON
    and need none of it."""

    def __init__(self, get_response: Responder) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        is_html = response.headers.get("Content-Type", "").startswith("text/html")
        if request.is_machine and not is_html:  # type: ignore[attr-defined]
            return response
        response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        response.headers.setdefault("X-Frame-Options", "DENY")
        if is_html:
            # a page of a tenant is nobody else's: not in a proxy, not after signing out
            response.headers.setdefault("Cache-Control", "no-store")
        return response
