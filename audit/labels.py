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

from django.contrib.postgres.fields import ArrayField
from django.db.models import BooleanField, Case, F, Func, Q, TextField, Value, When

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


_PLACE = (
    "(SELECT string_agg(coalesce(l.label, p.part), '/' ORDER BY p.n) || '/' "
    "FROM unnest(string_to_array(left(%(expressions)s "
    "AND l.name = p.part AND l.name = hub_label_name(l.id, l.label))"
)
_OF_TENANT = (
    ", -1), '/')) WITH ORDINALITY AS p (part, n) LEFT JOIN audit_loggedlabel l ON l.tenant_id = "
)
"""Between the two expressions of `_PLACE`, the path and the tenant."""


def clear_path() -> Any:
    """An event's path with the labels that its names lead to, and fit."""
    named = Func(
        F("namespace"), Value(current_tenant_id()), template=_PLACE, arg_joiner=_OF_TENANT,
        output_field=TextField(null=True),
    )  # fmt: skip
    return Case(When(namespace__contains="n_", then=named), default=F("namespace"))


def _paths_of(prefix: str) -> Func:
    """All forms of a stored prefix in the log; a subquery, so that it is asked for once."""
    return Func(
        Value(current_tenant_id()), Value(mark_labels(prefix)), function="hub_paths_of",
        template="((SELECT %(function)s(%(expressions)s))::text[])",
        output_field=ArrayField(TextField()),
    )  # fmt: skip


def is_below(prefix: str) -> Q:
    """Events in and below a stored prefix."""
    return Q(_compared(" ^@ ANY ", prefix)) if prefix else Q(namespace__isnull=False)


def is_at(path: str) -> Q:
    """Events at this very path."""
    return Q(_compared(" = ANY ", path))


def _compared(by: str, path: str) -> Func:
    return Func(
        F("namespace"), _paths_of(path), template="(%(expressions)s)", arg_joiner=by,
        output_field=BooleanField(),
    )  # fmt: skip
