"""The one error family. Domain code raises it; each edge (JSON, HTML, command) translates once.

An error carries a stable `code`, an HTTP `status`, a sentence for people (`detail`) and `facts`
that the edge may show. It never carries SQL, database messages, traces or content.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import ValidationError


@dataclass(frozen=True, slots=True)
class FieldError:
    """One thing wrong with the input: `path` as in `value.a[2]`, a stable `code`, a sentence."""

    path: str
    code: str
    detail: str

    def under(self, prefix: str) -> FieldError:
        """The same fault seen from further out: `value.a` becomes `ops[3].value.a`."""
        glue = "" if not self.path or self.path.startswith("[") else "."
        return FieldError(f"{prefix}{glue}{self.path}", self.code, self.detail)


class HubError(Exception):
    """Base of all expected failures. Subclasses fix `status` and a default `code`."""

    status: ClassVar[int] = 500
    code: str = "internal"
    title: ClassVar[str] = "Something went wrong"

    def __init__(self, detail: str = "", *, code: str | None = None, **facts: Any) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.code = code or type(self).code
        self.facts = facts
        self.position: int | None = None  # which of several things given at once is at fault

    def under(self, prefix: str) -> HubError:
        """The same failure seen from further out: `at` says of which part, `ops[3]`."""
        self.facts = {**self.facts, "at": prefix}
        return self


class Malformed(HubError):
    """The request is not JSON, or not the JSON the endpoint takes (400)."""

    status = 400
    code = "malformed_json"
    title = "The request could not be read"


class Unauthenticated(HubError):
    """No key or session, or one that is not good (401). One text for every cause."""

    status = 401
    code = "unauthenticated"
    title = "Credentials are missing or not valid"


class Denied(HubError):
    """The caller may know that it exists, and may not do this (403)."""

    status = 403
    code = "forbidden"
    title = "Not allowed"


class Missing(HubError):
    """Not there, or not yours: the two are never told apart (404)."""

    status = 404
    code = "not_found"
    title = "Not found"


class Conflict(HubError):
    """The state of the thing does not allow this (409)."""

    status = 409
    code = "invalid_state"
    title = "Not possible in this state"


class Gone(HubError):
    """It was purged; the tombstone is all that is left (410)."""

    status = 410
    code = "purged"
    title = "Purged"


class VersionMismatch(HubError):
    """`if_version` named another version than the current one (412)."""

    status = 412
    code = "version_mismatch"
    title = "The version is another one"


class TooLarge(HubError):
    """The body is over the limit (413)."""

    status = 413
    code = "body_too_large"
    title = "The body is too large"


class UnsupportedMedia(HubError):
    """The body is of a type this endpoint does not take (415)."""

    status = 415
    code = "unsupported_media_type"
    title = "Send JSON"


class Invalid(HubError):
    """The input is understood and wrong (422); `errors` names each place."""

    status = 422
    code = "invalid"
    title = "The request is not valid"

    def __init__(self, errors: Iterable[FieldError], *, code: str | None = None) -> None:
        self.errors = tuple(errors)
        first = self.errors[0]
        super().__init__(first.detail, code=code or first.code)

    @classmethod
    def at(cls, path: str, code: str, detail: str) -> Invalid:
        """One fault at one place."""
        return cls([FieldError(path, code, detail)])

    def under(self, prefix: str) -> Invalid:
        """The same faults seen from further out."""
        return Invalid((error.under(prefix) for error in self.errors), code=self.code)


class TooMany(HubError):
    """Over a rate or a quota (429); `retry_after` in seconds."""

    status = 429
    code = "rate_limited"
    title = "Too many requests"


class Unavailable(HubError):
    """A part that this request needs is down (503); `retry_after` in seconds."""

    status = 503
    code = "unavailable"
    title = "Temporarily not available"


_PYDANTIC_CODES = {
    "missing": "required",
    "extra_forbidden": "unknown_field",
    "greater_than": "out_of_range",
    "greater_than_equal": "out_of_range",
    "less_than": "out_of_range",
    "less_than_equal": "out_of_range",
    "finite_number": "out_of_range",
    "too_long": "too_long",
    "too_short": "too_short",
    "string_too_long": "too_long",
    "string_too_short": "too_short",
    "literal_error": "unknown_value",
    "enum": "unknown_value",
    "union_tag_invalid": "unknown_value",
    "union_tag_not_found": "required",
}


def invalid_from(fault: ValidationError, *, root: str = "") -> Invalid:
    """What pydantic found wrong, as ours: paths as in `value.a[2]`, our codes, no input echoed."""
    found: dict[str, FieldError] = {}
    for error in fault.errors(include_url=False, include_input=False, include_context=False):
        kind = error["type"]
        ours = kind if kind.startswith("hub_") else _PYDANTIC_CODES.get(kind, "invalid_type")
        path = path_text(error["loc"], root=root)
        found.setdefault(path, FieldError(path, ours.removeprefix("hub_"), error["msg"]))
    return Invalid(found.values())


def path_text(location: Iterable[str | int], *, root: str = "") -> str:
    """`("value", "a", 2)` as `value.a[2]`."""
    text = root
    for step in location:
        if isinstance(step, int):
            text += f"[{step}]"
        elif text:
            text += f".{step}"
        else:
            text = step
    return text
