"""What every API view shares: who calls is known first, query strings are strict."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar, TypeVar

from django.conf import settings
from pydantic import BaseModel, ValidationError
from rest_framework.request import Request
from rest_framework.views import APIView

from memoryhub.errors import FieldError, Invalid, Malformed, TooLarge, invalid_from
from tenants.access.middleware import require_known
from tenants.context import current_actor

M = TypeVar("M", bound=BaseModel)


class HubView(APIView):
    """Base of the API's views. `query_fields` are the query parameters that GET takes."""

    max_body_bytes: ClassVar[int] = settings.MAX_BODY_BYTES
    query_fields: ClassVar[Collection[str]] = ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        require_known(request._request, current_actor())
        unknown = sorted(set(request.query_params) - set(self.query_fields))
        if unknown:
            raise Invalid(
                FieldError(name, "unknown_field", "There is no such parameter.") for name in unknown
            )
        length = request.META.get("CONTENT_LENGTH") or "0"
        if length.isdecimal() and int(length) > self.max_body_bytes:
            raise TooLarge(f"A body has at most {self.max_body_bytes} bytes.")

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """JSON is all there is, whatever Accept says."""
        renderer = self.renderer_classes[0]()
        return renderer, renderer.media_type


def body_of(request: Request) -> dict[str, Any]:
    """The request's JSON object. Raises Malformed for any other JSON."""
    body = request.data
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
