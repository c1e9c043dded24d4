"""The morning's page: what waits, how things stand, what will be forgotten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext

from audit.verifying.standing import read_chain
from dashboard import addresses, charts
from dashboard.asking import count_requests
from dashboard.figures import ACTIVITY_DAYS, SOON_DAYS, read_figures, should_ask
from dashboard.formatting import show_month
from dashboard.holding import summarise_holds
from dashboard.pages import page
from dashboard.recalling import read_recall
from dashboard.tasks import count_figures_of
from dashboard.wording import AREA_NAMES, KIND_NAMES
from memories.browsing import Forecast
from memories.forecasting import read_calendar
from memories.scopes import list_runs
from tenants.access.reviewing import read_review
from tenants.clock import wall_clock
from tenants.context import current_actor, current_tenant_id, one_transaction
from tenants.roles import Action, allows
from tenants.snapshots import tenant_settings

MONTHS = 12
GROWTH_MONTHS = 12
SHOWN_BANDS = 5


@page(Action.SEE_FIGURES)
def overview(request: HttpRequest) -> HttpResponse:
    """Figures and pictures of the tenant, as far as the person may see them."""
    at = timezone.localtime(wall_clock())
    by = addresses.chosen(request.GET, "by", ("namespace", "kind"), "namespace")
    with one_transaction():
        context = gather(at, by)
    if context["figures"] is None and should_ask():
        count_figures_of.delay(str(current_tenant_id()))
    return render(request, "hub/overview.html", context)


def gather(at: datetime, by: str) -> dict[str, Any]:
    """All that the page shows, of one instant."""
    actor = current_actor()
    figures = read_figures(at)
    runs = list_runs(limit=1)
    context: dict[str, Any] = {
        "figures": figures,
        "requests": count_requests(at),
        "recall": read_recall(),
        "holds": summarise_holds(),
        "soon_days": SOON_DAYS,
        "last_run": runs[0] if runs else None,
        "settings": tenant_settings(),
        "by": by,
        **draw_calendar(at),
    }
    if figures is not None:
        context["standing"] = figures.standing
        context["growth"] = draw_growth(figures.growth, at=at, by=by)
    if figures is not None and figures.activity is not None:
        context["activity"] = draw_activity(figures.activity, at)
    if allows(actor, Action.READ_EVENTS):
        context["chain"] = read_chain()
    if allows(actor, Action.ADMINISTER):
        context["review"] = read_review()
    return context


def draw_calendar(at: datetime) -> dict[str, Any]:
    """The calendar of forgetting for the coming twelve months."""
    months = charts.months_from(at, MONTHS)
    first = at.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    until = (first + timedelta(days=31 * MONTHS + 15)).replace(day=1)
    counted = read_calendar(since=at, until=until)
    laid = charts.lay_out_calendar(months, rows_of(counted.forecast, set(months)))
    return {
        "counted": counted,
        "months": [datetime(int(m[:4]), int(m[5:]), 1, tzinfo=at.tzinfo) for m in months],
        "calendar": laid,
        "calendar_height": 34 + 52 * len(laid),
    }


def rows_of(
    found: Forecast, months: set[str]
) -> Mapping[str, tuple[dict[str, int], dict[str, int]]]:
    """By name of what decides: leaving and destroyed by month, the busiest first."""
    rows: dict[str, tuple[dict[str, int], dict[str, int]]] = {}
    for place, counts in enumerate((found.leaves, found.destroyed)):
        for (month, rule), count in counts.items():
            if month in months:
                name = rule or gettext("Lifetimes and deletions")
                rows.setdefault(name, ({}, {}))[place][month] = count
    return dict(sorted(rows.items(), key=lambda row: -sum(row[1][0].values())))


def draw_growth(
    counted: list[tuple[str, str, str, int]], *, at: datetime, by: str
) -> dict[str, Any] | None:
    """Running totals of what is in use today, by month of creation; None without any."""
    if not counted:
        return None
    first = (at.replace(day=1) - timedelta(days=30 * (GROWTH_MONTHS - 1))).replace(day=1)
    months = charts.months_from(first, GROWTH_MONTHS)
    if months[-1] != f"{at:%Y-%m}":
        months = charts.months_from(first + timedelta(days=32), GROWTH_MONTHS)
    of_group: dict[str, Counter[str]] = {}
    for month, root, kind, count in counted:
        name = root if by == "namespace" else str(KIND_NAMES.get(kind, kind))
        of_group.setdefault(name, Counter())[max(month, months[0])] += count
    largest = sorted(of_group, key=lambda name: -of_group[name].total())
    named = largest if len(largest) <= SHOWN_BANDS else largest[: SHOWN_BANDS - 1]
    series = {name: _running(of_group[name], months) for name in named}
    rest = [of_group[name] for name in largest if name not in named]
    if rest:
        others: Counter[str] = sum(rest, Counter())
        series[gettext("others")] = _running(others, months)
    starts = [datetime(int(m[:4]), int(m[5:]), 1, tzinfo=at.tzinfo) for m in months]
    ticks = [(f"{7 + 70 * place / 11:.2f}%", show_month(starts[place])) for place in (0, 4, 8)]
    table = [
        (start, [counts[place] for counts in series.values()]) for place, start in enumerate(starts)
    ]
    return {
        "area": charts.lay_out_area(series), "series": series, "ticks": ticks, "table": table,
        "total": sum(counts[-1] for counts in series.values()),
    }  # fmt: skip


def _running(counts: Counter[str], months: list[str]) -> list[int]:
    total, running = 0, []
    for month in months:
        total += counts[month]
        running.append(total)
    return running


def draw_activity(counted: Counter[tuple[str, str]], at: datetime) -> dict[str, Any]:
    """Events a day over two weeks, and by area."""
    since = (at - timedelta(days=ACTIVITY_DAYS - 1)).replace(hour=0, minute=0, second=0)
    days = [f"{(since + timedelta(days=number)).date()}" for number in range(ACTIVITY_DAYS)]
    totals = Counter[str]()
    areas = Counter[str]()
    for (day, area), count in counted.items():
        totals[day] += count
        areas[area] += count
    bars = charts.lay_out_bars([(day, totals[day]) for day in days])
    named = [(area, AREA_NAMES.get(area, area), count) for area, count in areas.most_common()]
    return {
        "bars": bars,
        "areas": named,
        "total": totals.total(),
        "most": max(totals.values(), default=0),
    }
