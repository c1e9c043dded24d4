"""Labels of namespaces in the log: by a name that commits to the label and may lead nowhere.

The invariant: no text of an agent's stands in the append-only log. What an agent puts into a label
is often a person's identifier, known as one or not, so every label is written as `n_…`, a hash of
the label with a random id that stands beside it in a mutable table (`LoggedLabel`). While the row
is there the name leads to the label, and to no other; an erasure deletes the row, and the sealed
event is as true as before. A trigger does it as the event is inserted (migration 0005): no further
statement, no memory in a process that could be behind. Names that the hub itself made stay as they
are. See docs/adr/0024-labels-by-commitment.md.
"""

from __future__ import annotations

import re
from typing import Any

from django.db.models import F, Func, TextField, Value

from tenants.context import current_tenant_id

MARK = "\x01"
"""Stands before a label that the trigger is to name. A stored path holds no U+0001 itself."""

OWN_WORDS = frozenset({"users", "sessions", "candidates", "langgraph"})
_PSEUDONYM = re.compile(r"s_[0-9a-f]{20}")
_SESSION = re.compile(r"[0-9a-f]{32}")


def mark_labels(path: str) -> str:
    """A stored path as an event is drafted with it. Takes 2 µs, so nothing of it is kept."""
    if not path:
        return path
    parts, before = [], ""
    for part in path[:-1].split("/"):
        parts.append(part if _is_own(part, before) else MARK + part)
        before = part
    return "/".join(parts) + "/"


def _is_own(part: str, before: str) -> bool:
    """Whether the hub made the label: its words, pseudonyms, ids of sessions below `sessions`."""
    if part in OWN_WORDS or _PSEUDONYM.fullmatch(part):
        return True
    return before == "sessions" and _SESSION.fullmatch(part) is not None


def clear_path() -> Func:
    """An event's path with the labels that its names lead to."""
    return Func(
        F("tenant_id"), F("namespace"), function="hub_clear_path",
        output_field=TextField(null=True),
    )  # fmt: skip


def pattern_below(prefix: str, *, only: bool = False) -> Any:
    """A regular expression for paths of the log in and below a stored prefix (`only`: in it).

    A subquery, so that the names are looked up once and not for each event.
    """
    end = "$" if only else ""
    return Func(
        Value(current_tenant_id()), Value(prefix), Value(end), function="hub_path_pattern",
        template="(SELECT %(function)s(%(expressions)s))", output_field=TextField(),
    )  # fmt: skip
