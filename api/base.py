"""What every API view shares: who calls is known first, query strings are strict."""

from __future__ import annotations

from collections.abc import Collection
from io import BytesIO
from typing import Any, ClassVar, TypeVar
from urllib.parse import parse_qsl

from django.conf import settings
from django.http import HttpRequest
from pydantic import BaseModel, ValidationError
from rest_framework.request import Request
from rest_framework.views import APIView

from api.parsing import read_json
from api.rendering import Response
from memoryhub.errors import FieldError, Invalid, Malformed, TooLarge, invalid_from
from tenants.access.limiting import require_within_rate
from tenants.access.middleware import require_known
from tenants.context import current_actor

M = TypeVar("M", bound=BaseModel)


class HubView(APIView):
    """Base of the API's views. `query_fields` are the query parameters that GET takes."""

    max_body_bytes: ClassVar[int] = settings.MAX_BODY_BYTES
    query_fields: ClassVar[Collection[str]] = ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        plain = request._request
        require_known(plain, current_actor())
        require_within_rate(current_actor())
        _check_query(plain, self.query_fields)
        length = plain.META.get("CONTENT_LENGTH") or "0"
        if length.isdecimal() and int(length) > self.max_body_bytes:
            raise TooLarge(f"A body has at most {self.max_body_bytes} bytes.")
        if "chunked" in plain.META.get("HTTP_TRANSFER_ENCODING", "").lower():
            self._take_chunked(plain)

    def _take_chunked(self, request: HttpRequest) -> None:
        """A body without a length: Django would take it for empty."""
        body = request.META["wsgi.input"].read(self.max_body_bytes + 1)
        if len(body) > self.max_body_bytes:
            raise TooLarge(f"A body has at most {self.max_body_bytes} bytes.")
        request.META["CONTENT_LENGTH"] = str(len(body))
        request._stream = BytesIO(body)

    def options(  # type: ignore[override]
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> Response:
        """What the address takes stands in Allow."""
        return Response(status=204)


def _check_query(request: HttpRequest, taken: Collection[str]) -> None:
    """Only parameters that a GET of the address takes, and only UTF-8."""
    text = request.META.get("QUERY_STRING", "")
    if not text:
        return
    allowed = taken if request.method in ("GET", "HEAD") else ()
    faults = [
        FieldError(name, "unknown_field", "There is no such parameter.")
        for name in sorted(request.GET.keys() - set(allowed))
    ]
    if not text.isascii() or "%" in text:
        faults += _misencoded(request, text)
    if faults:
        raise Invalid(faults)


def _misencoded(request: HttpRequest, text: str) -> list[FieldError]:
    faults = [
        FieldError(name, "invalid_encoding", "The parameter is not UTF-8.")
        for name, value in parse_qsl(text, keep_blank_values=True, errors="surrogateescape")
        if not value.isascii() and any("\udc80" <= letter <= "\udcff" for letter in value)
    ]
    faults += [
        FieldError(name, "nul", "U+0000 cannot be stored.")
        for name, values in request.GET.lists()
        if any("\x00" in value for value in values)
    ]
    return faults


def body_of(request: Request) -> dict[str, Any]:
    """The request's JSON object. Raises Malformed for any other JSON."""
    body = read_json(request)
    if not isinstance(body, dict):
        raise Malformed("The body is a JSON object.")
    return body


def parsed(model: type[M], request: Request) -> M:
    """The body as this model. Raises Malformed, or Invalid with a path for each fault."""
    try:
        return model.model_validate(body_of(request))
    except ValidationError as fault:
        raise invalid_from(fault) from None


def flag(request: Request, name: str) -> bool | None:
    """A true/false query parameter, None when absent. Raises Invalid."""
    given = request.query_params.get(name)
    if given is None:
        return None
    if given.lower() in ("true", "1"):
        return True
    if given.lower() in ("false", "0"):
        return False
    raise Invalid.at(name, "invalid_type", "Say true or false.")
