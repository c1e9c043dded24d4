"""When the bytes may go: step 7 of the algorithm, with its floors, its notices and its flags."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from policies.durations import shift
from policies.facts import Rule
from policies.outcomes import BytesEnd, Expiry, Findings, Floors

_Notice = Callable[[Rule], datetime | None]
_NO_FLOORS: Final = Floors()
_NO_FLAGS: Final[frozenset[str]] = frozenset()
_NEVER: Final = BytesEnd(None, False, _NO_FLAGS)


def end_of_bytes(found: Findings) -> BytesEnd:
    """The purge date as it is without any suspension by a hold, request or restriction."""
    if found.history.approved is not None:
        return _after_erasure(found, found.history.approved)
    if found.expiry is None and found.cap is None:
        return _NEVER
    date = _with_notices(found, found.floors)
    floors = found.floors
    has_floors = floors.is_open or floors.latest is not None
    floor_keeps = has_floors and date != _with_notices(found, _NO_FLOORS)
    is_later = date is not None and date != _ordinary_end(found, floors, notice=_no_notice)
    return BytesEnd(date, floor_keeps, frozenset({"notice"}) if is_later else _NO_FLAGS)


def notice_of(rule: Rule, found: Findings) -> datetime | None:
    """The end of a rule's notice, when it became active after the memory was created."""
    since = rule.active_since
    if since is None or since <= found.memory.created_at:
        return None
    return shift(since, found.settings.notice)


def end_of_trash(expiry: Expiry, found: Findings) -> datetime | None:
    """When an expired memory leaves the trash, or its review; None while undecided."""
    if expiry.end == "review":
        reviewed = found.history.reviewed
        return None if reviewed is None else max(expiry.date, reviewed)
    lived = max(expiry.date - found.memory.created_at, expiry.date - expiry.date)
    return shift(expiry.date, min(found.settings.trash, lived))


def deciding_cap(found: Findings) -> datetime | None:
    """The date C (of caps, with their notices) when it is earlier than E, else None."""
    by_caps = _by_caps(found, lambda rule: notice_of(rule, found))
    by_expiry = _by_expiry(found, found.floors, lambda rule: notice_of(rule, found))
    is_earlier = by_caps is not None and (by_expiry is None or by_caps < by_expiry)
    return by_caps if is_earlier else None


def _after_erasure(found: Findings, approved: datetime) -> BytesEnd:
    """No trash and no notice: only law and a hold outrank an approved erasure."""
    floors, released = found.floors, found.history.released
    is_later = floors.statutory is not None and floors.statutory > approved
    is_blocked = floors.is_statutory_open or is_later
    flags = frozenset({"erasure_blocked_by_floor"}) if is_blocked else _NO_FLAGS
    if floors.is_statutory_open:
        return BytesEnd(None, True, flags)
    unblocked = _later(approved, released)
    date = _later(unblocked, floors.statutory)
    return BytesEnd(date, date != unblocked, flags)


def _with_notices(found: Findings, floors: Floors) -> datetime | None:
    """The ordinary end, raised to what others than the writer must give notice of."""
    date = _ordinary_end(found, floors, notice=lambda rule: notice_of(rule, found))
    if date is None:
        return None
    for instant in (found.history.moved, found.history.released):
        if instant is not None:
            date = max(date, shift(instant, found.settings.notice))
    return date


def _ordinary_end(found: Findings, floors: Floors, *, notice: _Notice) -> datetime | None:
    """The earlier of E and C, raised to the latest statutory floor."""
    ends = (_by_expiry(found, floors, notice), _by_caps(found, notice))
    date = min((end for end in ends if end is not None), default=None)
    if date is None or floors.is_statutory_open:
        return None
    return _later(date, floors.statutory)


def _by_expiry(found: Findings, floors: Floors, notice: _Notice) -> datetime | None:
    """E: expiry and trash, raised to the latest floor, then to the winning rule's notice."""
    expiry = found.expiry
    if expiry is None or floors.is_open:
        return None
    date = end_of_trash(expiry, found)
    if date is None:
        return None
    date = _later(date, floors.latest)
    return date if expiry.rule is None else _later(date, notice(expiry.rule))


def _by_caps(found: Findings, notice: _Notice) -> datetime | None:
    """C: the earliest of the caps, each with its own notice; the sources' caps carry none."""
    own = (_later(dated.date, notice(dated.rule)) for dated in found.matches.cap if dated.date)
    return min((*own, *found.memory.source_caps), default=None)


def _later(date: datetime, other: datetime | None) -> datetime:
    return date if other is None or other <= date else other


def _no_notice(rule: Rule) -> None:
    return None
