"""Instants, durations and numbers in words, in the person's language, the tenant's zone. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext, pgettext

MINUTE, HOUR, DAY = 60, 3600, 86_400


def show_instant(at: datetime, *, seconds: bool = False) -> str:
    """`2 Sep 2025, 11:14`, in Chinese `2025年9月2日 11:14`."""
    local = timezone.localtime(at)
    # Translators: date formats of Django; P is never used, hours are 0 to 23
    with_seconds = pgettext("date format", "j M Y, H:i:s")
    without = pgettext("date format", "j M Y, H:i")
    return date_format(local, with_seconds if seconds else without)


def show_day(at: datetime) -> str:
    """`2 Sep 2025`."""
    return date_format(timezone.localtime(at), pgettext("date format", "j M Y"))


def show_month(at: datetime) -> str:
    """`Sep 25`, in Chinese `25年9月`."""
    return date_format(at, pgettext("date format", "M y"))


def show_utc(at: datetime) -> str:
    """The same instant in UTC, for hovering and for machines: `2025-09-02 09:14:06 UTC`."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def show_span(span: timedelta) -> str:
    """A length of time by its largest sensible unit: `12 days`, `5 hours`, `less than a minute`."""
    seconds = abs(span.total_seconds())
    if seconds < MINUTE:
        return gettext("less than a minute")
    if seconds < 2 * HOUR:
        count = round(seconds / MINUTE)
        return ngettext("%(n)d minute", "%(n)d minutes", count) % {"n": count}
    if seconds < 2 * DAY:
        count = round(seconds / HOUR)
        return ngettext("%(n)d hour", "%(n)d hours", count) % {"n": count}
    if seconds < 60 * DAY:
        count = round(seconds / DAY)
        return ngettext("%(n)d day", "%(n)d days", count) % {"n": count}
    if seconds < 730 * DAY:
        count = round(seconds / (30.44 * DAY))
        return ngettext("%(n)d month", "%(n)d months", count) % {"n": count}
    count = round(seconds / (365.25 * DAY))
    return ngettext("%(n)d year", "%(n)d years", count) % {"n": count}


def show_distance(at: datetime, now: datetime) -> str:
    """How far off: `in 12 days`, `3 hours ago`."""
    span = show_span(at - now)
    if at >= now:
        return gettext("in %(span)s") % {"span": span}
    return gettext("%(span)s ago") % {"span": span}


def show_count(number: int) -> str:
    """Digits in groups of three."""
    return f"{number:,}"


def show_short(number: int) -> str:
    """A number for a picture: `840`, `9.3k`, `15k`, `1.2m`."""
    for limit, sign in ((1_000_000, "m"), (1_000, "k")):
        if number >= limit:
            value = number / limit
            return (
                f"{value:.1f}".rstrip("0").rstrip(".") + sign
                if value < 10
                else f"{value:.0f}{sign}"
            )
    return str(number)


def show_bytes(number: int) -> str:
    """`12.4 MB`."""
    value, units = float(number), ("B", "kB", "MB", "GB", "TB")
    for unit in units:
        if value < 1000 or unit == units[-1]:
            return f"{value:.0f} {unit}" if value >= 100 or unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError("unreachable")
