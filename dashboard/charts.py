"""Geometry of the pictures: where each mark of an SVG stands. Pure; the templates draw.

Widths and x are in per cent, heights in px, so that a picture takes the room it gets without
stretching its text. Every picture has a table with the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from dashboard.formatting import show_short


@dataclass(frozen=True, slots=True)
class Cell:
    """One month of one row: how many, where, how strong."""

    x: str
    width: str
    count: int
    text: str
    middle: str
    heat: int
    href: str
    month: str


@dataclass(frozen=True, slots=True)
class CalendarRow:
    """A rule (or lifetimes) in the calendar of forgetting."""

    name: str
    top: int
    leaves: list[Cell]
    destroyed: list[Cell]


@dataclass(frozen=True, slots=True)
class Life:
    """The line of one memory's life, in per cent: past, still to come, in the trash, gone."""

    past: str
    ahead_x: str
    ahead: str
    trash_x: str
    trash: str
    gone_x: str | None
    now: str


def months_from(at: datetime, count: int) -> list[str]:
    """`2026-03` and the months after it."""
    first = at.year * 12 + at.month - 1
    return [f"{number // 12:04}-{number % 12 + 1:02}" for number in range(first, first + count)]


def heat_of(count: int, most: int) -> int:
    """0 for nothing, else 1 to 5 by the share of the largest number."""
    if count == 0 or most == 0:
        return 0
    share = count / most
    return 1 + sum(share > step for step in (0.08, 0.25, 0.5, 0.8))


def lay_out_calendar(
    months: Sequence[str], rows: Mapping[str, tuple[Mapping[str, int], Mapping[str, int]]],
    *, left: float = 18.0,
) -> list[CalendarRow]:  # fmt: skip
    """Rows of cells: for each name what leaves use and what is destroyed, month by month."""
    step = (100 - left) / len(months)
    most = max((n for pair in rows.values() for counts in pair for n in counts.values()), default=0)
    laid = []
    for number, (name, (leaves, destroyed)) in enumerate(rows.items()):
        made = [
            [
                _cell(month, counts.get(month, 0), most, left + step * place, step, what)
                for place, month in enumerate(months)
            ]
            for what, counts in (("leaves", leaves), ("destroyed", destroyed))
        ]
        laid.append(CalendarRow(name, 26 + number * 52, made[0], made[1]))
    return laid


def _cell(month: str, count: int, most: int, x: float, step: float, what: str) -> Cell:
    return Cell(
        x=f"{x + 0.2:.2f}%", width=f"{step - 0.4:.2f}%", count=count, text=show_short(count),
        middle=f"{x + step / 2:.2f}%", heat=heat_of(count, most), href=f"?{what}={month}",
        month=month,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Band:
    """One band of an area picture: its path in a box of 100 by `HEIGHT`, and its label."""

    name: str
    tone: int
    path: str
    label_y: float
    last: int


AREA_HEIGHT = 180
AREA_TOP = 18
LABEL_ROOM = 15


@dataclass(frozen=True, slots=True)
class Area:
    """Stacked bands with their grid lines (y, text)."""

    bands: list[Band]
    lines: list[tuple[float, str]]
    most: int


def lay_out_area(series: Mapping[str, Sequence[int]]) -> Area:
    """Bands from the largest (below) to the smallest; each is a running number a month."""
    points = len(next(iter(series.values()), ()))
    totals = [sum(counts[place] for counts in series.values()) for place in range(points)]
    most = _round_up(max(totals, default=0))
    floor = [0] * points
    bands: list[Band] = []
    for number, (name, counts) in enumerate(series.items()):
        top = [low + count for low, count in zip(floor, counts, strict=True)]
        upper = [f"{_x(place, points):.2f},{_y(high, most):.1f}" for place, high in enumerate(top)]
        lower = [f"{_x(place, points):.2f},{_y(low, most):.1f}" for place, low in enumerate(floor)]
        path = f"M{' '.join(upper)} L{' '.join(reversed(lower))}Z"
        middle = (_y(top[-1], most) + _y(floor[-1], most)) / 2 + 4 if points else 0.0
        bands.append(Band(name, min(number + 1, 5), path, middle, counts[-1] if points else 0))
        floor = top
    lines = [
        (_y(most * part // 4, most), show_short(most * part // 4))
        for part in range(1, 5)
        if most >= 4
    ]
    return Area(_spread_labels(bands), lines, most)


def _spread_labels(bands: list[Band]) -> list[Band]:
    """Labels of thin bands are moved up until none covers another."""
    spread: list[Band] = []
    limit = float(AREA_HEIGHT)
    for band in bands:
        y = min(band.label_y, limit)
        spread.append(Band(band.name, band.tone, band.path, y, band.last))
        limit = y - LABEL_ROOM
    return spread


def _x(place: int, points: int) -> float:
    return 100 * place / max(points - 1, 1)


def _y(count: float, most: int) -> float:
    return AREA_HEIGHT - (AREA_HEIGHT - AREA_TOP) * count / max(most, 1)


def _round_up(number: int) -> int:
    """To a number that four grid lines divide well."""
    power = 1
    while True:
        for base in (4, 8, 20):
            if base * power >= number:
                return base * power
        power *= 10


@dataclass(frozen=True, slots=True)
class Curve:
    """Shares over runs: a path in a box of 100 by `CURVE_HEIGHT`, and where each run stands."""

    path: str
    points: list[tuple[str, str]]


CURVE_HEIGHT = 141
CURVE_TOP, CURVE_FLOOR = 10.5, 140.5


def lay_out_curve(shares: Sequence[float | None]) -> Curve:
    """A line through the shares that are known (0 to 1), from the left edge to the right."""
    placed = [
        (_x(place, len(shares)), CURVE_FLOOR - (CURVE_FLOOR - CURVE_TOP) * share)
        for place, share in enumerate(shares)
        if share is not None
    ]
    path = "M" + " L".join(f"{x:.2f},{y:.1f}" for x, y in placed) if len(placed) > 1 else ""
    return Curve(path, [(f"{x:.2f}%", f"{y:.1f}") for x, y in placed])


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a picture of days."""

    x: str
    width: str
    y: float
    height: float
    count: int
    day: str


BAR_HEIGHT = 96


def lay_out_bars(days: Sequence[tuple[str, int]]) -> list[Bar]:
    """Bars over days, the tallest as high as the picture."""
    most = max((count for _, count in days), default=0)
    step = 100 / max(len(days), 1)
    bars = []
    for place, (day, count) in enumerate(days):
        height = 0.0 if most == 0 else max(BAR_HEIGHT * count / most, 2.0 if count else 0.0)
        bars.append(
            Bar(
                x=f"{place * step + 0.6:.2f}%", width=f"{step - 1.2:.2f}%", y=BAR_HEIGHT - height,
                height=height, count=count, day=day,
            )
        )  # fmt: skip
    return bars


def lay_out_life(
    *, created: datetime, now: datetime, until: datetime | None, purge: datetime | None
) -> Life:
    """A life on one line. Without an end the part to come fades at the right edge."""
    known = [at for at in (purge, until) if at is not None]
    latest = max([*known, now])
    span = max((latest - created).total_seconds(), 1.0)
    whole = 100.0 if not known else 93.0

    def place(at: datetime) -> float:
        return max(0.0, min(whole, whole * (at - created).total_seconds() / span))

    if not known:
        # no end is known: the present stands at two thirds, the rest is open
        return Life("66.00%", "66.00%", "34.00%", "100%", "0%", None, "66.00%")
    use_ends = place(until or latest)
    here = place(now)
    past = min(here, use_ends)
    return Life(
        past=f"{past:.2f}%",
        ahead_x=f"{past:.2f}%",
        ahead=f"{max(use_ends - past, 0):.2f}%",
        trash_x=f"{use_ends:.2f}%",
        trash=f"{max(whole - use_ends, 0):.2f}%" if purge is not None else "0%",
        gone_x=f"{whole + 0.8:.2f}%" if purge is not None else None,
        now=f"{here:.2f}%",
    )
