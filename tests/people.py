"""People in tests: signed in by session, with the CSRF token, in one tenant."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client

from tenants.models import Tenant, User
from tests.callers import API, Caller


class Person(Caller):
    """Calls the API as a signed-in person of `tenant`."""

    def __init__(self, user: User, tenant: Tenant) -> None:
        super().__init__(None)
        self.user, self.tenant = user, tenant
        self.client = Client(raise_request_exception=False, enforce_csrf_checks=True)
        self.client.force_login(user)
        self.client.cookies["csrftoken"] = self.token = "c" * 32

    def call(
        self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **headers: str
    ) -> Any:
        extra = {"HTTP_" + name.upper(): value for name, value in headers.items()}
        extra.setdefault("HTTP_X_HUB_TENANT", self.tenant.slug)
        extra.setdefault("HTTP_X_CSRFTOKEN", self.token)
        content = raw if raw is not None else (b"" if body is None else json.dumps(body).encode())
        content_type = "application/json" if content else ""
        return self.client.generic(method, API + path, content, content_type=content_type, **extra)
