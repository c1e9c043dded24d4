"""An event as callers get it (API.md, "Event"), and how it is said. Pure."""

from __future__ import annotations

from typing import Any

from audit.events import sentence
from audit.models import Event


def present_event(event: Event, *, lang: str = "en") -> dict[str, Any]:
    """The event without its payload."""
    return {
        "id": event.id,
        "at": event.at,
        "code": event.code,
        "action": event.action,
        "outcome": event.outcome,
        "actor": {"kind": event.actor_kind, "id": event.actor_id, "name": event.actor_name},
        "key_id": event.key_id,
        "roles": event.roles,
        "on_behalf_of": event.on_behalf_of,
        "request_id": event.request_id,
        "client": {"net": event.client_net, "hash": event.client_hash},
        "target": {
            "kind": event.target_kind,
            "id": event.target_id or _named_by_path(event),
            "namespace": place_of(event),
        },
        "subjects": event.subjects,
        "ruleset": event.ruleset,
        "counts": event.counts,
        "links": event.links,
        "sentence": say(event, lang=lang),
        "sealed": getattr(event, "sealed", None),  # see EventQuerySet.with_seals
    }


def say(event: Event, *, lang: str = "en") -> str:
    """What happened in one sentence."""
    return sentence(
        event.code,
        actor=event.actor_name,
        target=name_target(event),
        count=count_of(event),
        lang=lang,
    )


def place_of(event: Event) -> str | None:
    """The event's path: in clear as far as its names lead anywhere (EventQuerySet.with_places),
    otherwise as it is sealed."""
    place: str | None = getattr(event, "place", event.namespace)
    return place


def _named_by_path(event: Event) -> str:
    """A namespace is named by its path; older events hold it as their target's id too."""
    return (place_of(event) or "")[:254] if event.target_kind == "namespace" else ""


def name_target(event: Event) -> str:
    """What the event is about, short: a memory by its namespace and the end of its id."""
    place = place_of(event)
    if event.target_kind == "memory" and event.target_id:
        return f"{place or ''}…{event.target_id[-6:]}"
    if place is not None and event.target_kind in ("namespace", "sweep", "search"):
        return place or "/"
    if event.target_kind == "key":
        return f"mh_{event.target_id}"
    if event.target_kind in ("user", "person", "tenant", "membership"):
        return f"{event.target_kind} …{event.target_id[-6:]}"
    return event.target_id or event.target_kind


def count_of(event: Event) -> int | None:
    """The number that the sentence speaks of."""
    for name in ("n", "returned", "ops", "purged"):
        if name in event.counts:
            return int(event.counts[name])
    return None
