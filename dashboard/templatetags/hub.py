"""`{% load hub %}`: icons, instants, chips of states, addresses with one filter changed."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django import template
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _
from heroicons import _render_icon

from dashboard import addresses, formatting
from dashboard.once import FIELD, make_token
from dashboard.wording import FINDING_NAMES, KIND_NAMES, STATE_NAMES, TRIGGER_NAMES
from tenants.clock import instant_as_wire

register = template.Library()

STATE_ICONS = {
    "ACTIVE": "check-circle",
    "ARCHIVED": "archive-box",
    "TRASH": "trash",
    "RETAINED": "arrow-down-tray",
    "RESTRICTED": "no-symbol",
    "IN_REVIEW": "eye",
    "QUARANTINED": "exclamation-triangle",
    "HELD": "lock-closed",
    "PURGED": "x-circle",
}


@register.simple_tag
def icon(name: str) -> SafeString:
    """A heroicon, outline, hidden from readers: words stand beside it."""
    return _icon(name)


@lru_cache(maxsize=256)
def _icon(name: str) -> SafeString:
    drawn = _render_icon("outline", name, None, {"class": "i", "focusable": "false"})
    return mark_safe(drawn)  # noqa: S308 - the library's own drawing, by a name of ours


@register.simple_tag(takes_context=True)
def once(context: dict[str, Any]) -> SafeString:
    """A form's own token: sent twice, the form makes one thing (`dashboard.once`)."""
    token = make_token(context["request"])
    return format_html('<input type="hidden" name="{}" value="{}">', FIELD, token)


@register.simple_tag
def instant(at: datetime | None, style: str = "full") -> SafeString:
    """`<time>` in the tenant's zone, with UTC on hover. style: full, seconds, day."""
    if at is None:
        return format_html("<span>{}</span>", _("never"))
    if style == "day":
        text = formatting.show_day(at)
    else:
        text = formatting.show_instant(at, seconds=style == "seconds")
    utc = formatting.show_utc(at)
    machine = instant_as_wire(at)
    return format_html('<time datetime="{}" title="{}">{}</time>', machine, utc, text)


@register.simple_tag
def state_chip(state: str) -> SafeString:
    """The state of a memory: glyph and word."""
    return format_html(
        '<span class="chip" data-state="{}">{}{}</span>',
        state,
        _icon(STATE_ICONS.get(state, "question-mark-circle")),
        STATE_NAMES.get(state, state),
    )


@register.filter
def kind_name(kind: str) -> str | Promise:
    """A kind in the person's language; a tenant's own stays as it is."""
    return KIND_NAMES.get(kind, kind)


@register.filter
def finding_name(kind: str) -> str | Promise:
    """What a finding is about, in words."""
    return FINDING_NAMES.get(kind, kind)


@register.filter
def trigger_name(trigger: str) -> str | Promise:
    """What began a sweep, in words."""
    return TRIGGER_NAMES.get(trigger, trigger)


@register.filter
def count(number: int | None) -> str:
    """Digits in groups."""
    return "" if number is None else formatting.show_count(number)


@register.filter
def short(number: int) -> str:
    """`9.3k`."""
    return formatting.show_short(number)


@register.filter
def size(number: int) -> str:
    """Bytes in words."""
    return formatting.show_bytes(number)


@register.filter
def span(length: timedelta | float | int) -> str:
    """A length of time (or seconds) in words."""
    if not isinstance(length, timedelta):
        length = timedelta(seconds=float(length))
    return formatting.show_span(length)


@register.filter
def minutes(number: float | None) -> str:
    """Minutes in words."""
    return "" if number is None else formatting.show_span(timedelta(minutes=number))


@register.filter
def distance(at: datetime | None, now: datetime) -> str:
    """`in 12 days`."""
    return "" if at is None else formatting.show_distance(at, now)


@register.filter
def tail(text: Any) -> str:
    """The end of an id, enough to tell it apart."""
    return f"…{str(text)[-6:]}"


@register.filter
def get(mapping: Any, key: Any) -> Any:
    """`mapping[key]`, None without it."""
    return mapping.get(key) if mapping is not None else None


@register.simple_tag(takes_context=True)
def with_query(context: dict[str, Any], **values: Any) -> str:
    """The page's own address with filters changed; None takes one away."""
    request: HttpRequest = context["request"]
    texts = {name: None if value is None else str(value) for name, value in values.items()}
    return addresses.changed(request.GET, texts)


@register.simple_tag(takes_context=True)
def with_cursor(context: dict[str, Any], cursor: str) -> str:
    """The page's own address, further on."""
    request: HttpRequest = context["request"]
    return addresses.changed(request.GET) + ("&" if request.GET else "") + f"cursor={cursor}"


@register.simple_tag(takes_context=True)
def without_value(context: dict[str, Any], name: str, value: str) -> str:
    """The page's own address without one value."""
    return addresses.without(context["request"].GET, name, value)
