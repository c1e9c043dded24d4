"""A simulation as the pages show it: totals, by namespace and kind, samples with both sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from memories.activating import FRESH
from memories.namespaces import encode
from policies.models import RuleSet
from policies.wording import Lang

COUNTS = ("newly_hidden", "newly_destroyed_30d", "kept_longer", "conflicts", "uncovered", "bytes")
ROWS_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Row:
    """One namespace and kind; `found` is the query that shows its memories."""

    path: str
    kind: str
    counts: Mapping[str, int]
    found: str


@dataclass(frozen=True, slots=True)
class Sample:
    """One memory before and after, as (state, sentence)."""

    memory_id: str
    before: tuple[str, str]
    after: tuple[str, str]


def present_simulation(version: RuleSet, lang: Lang) -> dict[str, Any]:
    """The parts of the page; `simulation` is None where the version has none."""
    result = version.simulation
    if result is None:
        return {"simulation": None}
    rows = [
        Row(
            encode(tuple(one["namespace"])), one["kind"], {name: one[name] for name in COUNTS},
            "?" + urlencode({"ns": encode(tuple(one["namespace"])), "kind": one["kind"]}),
        )
        for one in result["by"]
    ]  # fmt: skip
    rows.sort(key=lambda row: [-row.counts[name] for name in COUNTS[:3]])
    totals = {name: sum(row.counts[name] for row in rows) for name in COUNTS}
    at = datetime.fromisoformat(result["at"]).astimezone(UTC)
    return {
        "simulation": result, "simulated_at": at, "good_until": at + FRESH,
        "duration": _duration(version, at),
        "totals": totals, "rows": rows[:ROWS_SHOWN], "rows_left": max(len(rows) - ROWS_SHOWN, 0),
        "share": 100 * totals["newly_hidden"] / max(result["memories"], 1),
        "samples": _samples(result, lang),
    }  # fmt: skip


def _samples(result: Mapping[str, Any], lang: Lang) -> list[Sample]:
    """In the person's language where the simulation noted it."""
    texts = result.get("texts_zh") if lang == "zh" else None
    samples = []
    for place, one in enumerate(result["samples"]):
        before, after = one["before"]["text"], one["after"]["text"]
        if texts is not None:
            before, after = texts[place]
        states = one["before"]["state"], one["after"]["state"]
        samples.append(Sample(one["memory_id"], (states[0], before), (states[1], after)))
    return samples


def _duration(version: RuleSet, at: datetime) -> timedelta:
    began = (version.staged or {}).get("at")
    return timedelta() if began is None else at - datetime.fromisoformat(began).astimezone(UTC)
