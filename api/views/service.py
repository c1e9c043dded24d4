"""Addresses that are not in the contract."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from api.base import HubView
from memoryhub.errors import Missing


class UnknownView(HubView):
    """Any other path: 401 without credentials, else 404, in the error shape."""

    query_fields = ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        request._request.GET = request._request.GET.__class__("")  # its parameters do not matter
        super().initial(request, *args, **kwargs)
        raise Missing("There is no such address.")

    @extend_schema(exclude=True)
    def get(self, request: Request, rest: str) -> None: ...

    @extend_schema(exclude=True)
    def post(self, request: Request, rest: str) -> None: ...

    @extend_schema(exclude=True)
    def put(self, request: Request, rest: str) -> None: ...

    @extend_schema(exclude=True)
    def patch(self, request: Request, rest: str) -> None: ...

    @extend_schema(exclude=True)
    def delete(self, request: Request, rest: str) -> None: ...
