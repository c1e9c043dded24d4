"""What a namespace may look like, checked before it is sent."""

from __future__ import annotations

from collections.abc import Sequence

from memoryhub_sdk.errors import InvalidRequest


def fault_in(namespace: object, *, may_be_empty: bool = False) -> str | None:
    """What is wrong with the namespace, as a sentence, or None.

    Labels are non-empty strings without `.` and NUL; everything else is legal. A bare string is
    refused, because its letters would count as labels.
    """
    if isinstance(namespace, (str, bytes)) or not isinstance(namespace, Sequence):
        return f"A namespace is a sequence of labels, not {type(namespace).__name__}: {namespace!r}"
    if not namespace and not may_be_empty:
        return "The namespace cannot be empty."
    for label in namespace:
        if not isinstance(label, str):
            return f"Labels are strings, not {type(label).__name__}: {label!r} in {namespace!r}"
        if not label:
            return f"Labels cannot be empty: {namespace!r}"
        if "." in label or "\0" in label:
            return f"Labels cannot contain '.' or NUL: {label!r} in {namespace!r}"
    return None


def checked(
    namespace: Sequence[str], *, path: str = "namespace", may_be_empty: bool = False
) -> list[str]:
    """The labels as a list; `InvalidRequest` when the hub could not hold them."""
    fault = fault_in(namespace, may_be_empty=may_be_empty)
    if fault:
        raise InvalidRequest.at(path, "invalid_namespace", fault)
    return list(namespace)
