"""Recall on the overview: the last figure, and whether it fell."""

from __future__ import annotations

from dataclasses import dataclass

from conversations.measuring import history
from conversations.reporting import RECALL_DROPPED, is_reported


@dataclass(frozen=True, slots=True)
class RecallStanding:
    """The share of expected memories that the last run found, None before the first."""

    found: float | None
    is_alarmed: bool


def read_recall() -> RecallStanding:
    """For whoever may see figures."""
    runs = history(1)
    return RecallStanding(runs[-1].found if runs else None, is_reported(RECALL_DROPPED))
