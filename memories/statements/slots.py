"""The two slots: which set of columns holds the dates that count for the acting tenant.

A memory has every date twice (docs/adr/0015-stage-then-switch.md). Statements are written once,
with the names of the first slot; `in_slot` gives the same text with the names of the other. The
slot comes with the tenant's settings, so it is exact for the transaction in which it is asked for.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tenants.snapshots import tenant_settings

DATED = (
    "visible_until", "purge_at", "archived_at", "rule", "flags", "ruled", "ruleset",
    "dates_moved_at", "due_at", "acts_at", "review_at", "hidden_as",
)  # fmt: skip
"""What the rules decide about a memory, in the order of `rows.Dates`."""
OTHER = "_b"
"""Ending of the second slot's names."""

_NAMES = "|".join(DATED)
_READ = re.compile(rf"(?<![\w.])([mtl])\.({_NAMES})\b")
_SET = re.compile(rf"(?<![\w.])({_NAMES})(?= = CASE)")


def in_slot(sql: str) -> str:
    """The statement over the dates that count now; memories go by the aliases m, t and l."""
    return _in_other(sql) if tenant_settings().date_slot else sql


def column(name: str) -> str:
    """The column of that name whose dates count now."""
    return name + OTHER if tenant_settings().date_slot and name in DATED else name


@lru_cache(maxsize=512)
def _in_other(sql: str) -> str:
    return _SET.sub(rf"\1{OTHER}", _READ.sub(rf"\1.\2{OTHER}", sql))
