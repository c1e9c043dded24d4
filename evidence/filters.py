"""Filters of exported lists as JSON: checked when asked for, kept with the job and its manifest."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from audit.events import Outcome
from audit.querysets import EventFilter
from memories.browsing import Span, Wanted
from memories.namespaces import check_prefix, encode
from memories.statements.browse import FLAGS, STATES
from memoryhub.errors import FieldError, Invalid

EVENT_FIELDS = (
    "actor", "action", "outcome", "target", "subject", "namespace", "from", "to", "request",
)  # fmt: skip
MEMORY_FIELDS = (
    "namespace", "states", "kinds", "subject", "tag", "leaves", "destroyed", "changed",
    "flag",
)  # fmt: skip
LONGEST = 512


def read_nothing(given: Mapping[str, Any]) -> None:
    """For lists without filters."""
    _only((), given)


def read_events_filter(given: Mapping[str, Any]) -> EventFilter:
    """As the query of `GET /audit/events`; `action` and `outcome` may be lists. Raises Invalid."""
    _only(EVENT_FIELDS, given)
    outcomes = _texts(given, "outcome")
    if set(outcomes) - set(Outcome):
        known = ", ".join(Outcome)
        raise Invalid.at("filter.outcome", "unknown_value", f"The outcomes are: {known}.")
    return EventFilter(
        actor=_text(given, "actor"), actions=_texts(given, "action"), outcomes=outcomes,
        target=_text(given, "target"), subject=_text(given, "subject"),
        namespace=_namespace(given), since=_instant(given.get("from"), "filter.from"),
        until=_instant(given.get("to"), "filter.to"), request=_text(given, "request"),
    )  # fmt: skip


def show_events_filter(wanted: EventFilter) -> dict[str, Any]:
    """The other way: a filter of the page as JSON."""
    shown = {
        "actor": wanted.actor, "action": list(wanted.actions), "outcome": list(wanted.outcomes),
        "target": wanted.target, "subject": wanted.subject, "request": wanted.request,
        "namespace": wanted.namespace, "from": _wire(wanted.since), "to": _wire(wanted.until),
    }  # fmt: skip
    return {name: value for name, value in shown.items() if value}


def read_memories_filter(given: Mapping[str, Any]) -> Wanted:
    """What a list of memories is narrowed to. Raises Invalid."""
    _only(MEMORY_FIELDS, given)
    states = _texts(given, "states") or ("ACTIVE", "ARCHIVED")
    if set(states) - set(STATES):
        raise Invalid.at("filter.states", "unknown_value", f"The states are: {', '.join(STATES)}.")
    labels = given.get("namespace") or []
    if not isinstance(labels, list):
        raise Invalid.at("filter.namespace", "invalid_type", "A namespace is a list of labels.")
    return Wanted(
        namespace=tuple(check_prefix(labels, path="filter.namespace")), states=states,
        kinds=_texts(given, "kinds"), subject=_text(given, "subject"), tag=_text(given, "tag"),
        leaves=_span(given, "leaves"), destroyed=_span(given, "destroyed"),
        changed=_span(given, "changed"), flag=_flag(given),
    )  # fmt: skip


def show_memories_filter(wanted: Wanted) -> dict[str, Any]:
    """The other way: a filter of the page as JSON."""
    shown: dict[str, Any] = {
        "namespace": list(wanted.namespace), "states": list(wanted.states),
        "kinds": list(wanted.kinds), "subject": wanted.subject, "tag": wanted.tag,
        "flag": wanted.flag,
    }  # fmt: skip
    for name in ("leaves", "destroyed", "changed"):
        span = getattr(wanted, name)
        shown[name] = None if span is None else [_wire(end) for end in span]
    return {name: value for name, value in shown.items() if value}


def _flag(given: Mapping[str, Any]) -> str:
    flag = _text(given, "flag")
    if flag and flag not in FLAGS:
        known = ", ".join(FLAGS)
        raise Invalid.at("filter.flag", "unknown_value", f"The flags are: {known}.")
    return flag


def _only(known: tuple[str, ...], given: Mapping[str, Any]) -> None:
    faults = [
        FieldError(f"filter.{name}", "unknown_field", "There is no such filter.")
        for name in sorted(set(given) - set(known))
    ]
    if faults:
        raise Invalid(faults)


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name) or ""
    if not isinstance(value, str) or len(value) > LONGEST or "\x00" in value:
        raise Invalid.at(f"filter.{name}", "invalid_type", f"A text of at most {LONGEST} letters.")
    return value


def _texts(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = given.get(name) or []
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or len(values) > 100:
        raise Invalid.at(f"filter.{name}", "invalid_type", "A text, or a list of texts.")
    return tuple(_text({name: one}, name) for one in values)


def _namespace(given: Mapping[str, Any]) -> str | None:
    """Labels, or the stored path that `show_events_filter` gives."""
    value = given.get("namespace")
    if not value:
        return None
    if isinstance(value, str):
        return _text(given, "namespace")
    return encode(check_prefix(value, path="filter.namespace"))


def _span(given: Mapping[str, Any], name: str) -> Span | None:
    value = given.get(name)
    if value is None:
        return None
    path = f"filter.{name}"
    if not isinstance(value, list) or len(value) != 2:
        raise Invalid.at(path, "invalid_type", "A span is [from, to]; an open end is null.")
    return cast("Span", tuple(_instant(end, path) for end in value))


def _instant(value: Any, path: str) -> datetime | None:
    if value is None or value == "":
        return None
    try:
        at = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise Invalid.at(path, "invalid_instant", "Write 2026-03-24T12:06:00Z.") from None
    if at.tzinfo is None:
        raise Invalid.at(path, "naive_instant", "An instant has an offset, or Z.")
    return at.astimezone(UTC)


def _wire(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
