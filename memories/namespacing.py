"""Listing namespaces: patterns over whole labels, cut to a depth, sorted, without duplicates."""

from __future__ import annotations

from django.db import connection, transaction

from memories.namespaces import (
    Labels,
    NamespacePattern,
    decode,
    encode,
    literal_prefix,
    narrow,
    to_regex,
    truncate,
)
from memories.ops import ListNamespacesOp
from memories.statements.lookup import below_any
from memories.statements.slots import in_slot
from tenants.authorising import require
from tenants.context import current_tenant_id, now
from tenants.roles import Action

_DISTINCT = (
    "SELECT DISTINCT m.namespace FROM memories_memory m WHERE m.tenant_id = %s "
    "AND m.trashed_at IS NULL AND (m.visible_until IS NULL OR m.visible_until > %s) AND {below}"
)


def list_namespaces(op: ListNamespacesOp) -> list[Labels]:
    """Namespaces in which the caller can see an item."""
    require(Action.READ_VALUES)
    with transaction.atomic():
        return read_namespaces(op)


def read_namespaces(op: ListNamespacesOp) -> list[Labels]:
    """As `list_namespaces`, inside the caller's transaction."""
    actor = require(Action.READ_VALUES)
    pattern = NamespacePattern(tuple(op.prefix or ()), tuple(op.suffix or ()))
    prefixes = narrow(actor.prefixes, literal_prefix(pattern))
    if not prefixes:
        return []
    below, params = below_any(prefixes)
    sql, values = _DISTINCT.format(below=below), [current_tenant_id(), now(), *params]
    regex = to_regex(pattern)
    if regex is not None:
        sql, values = sql + " AND m.namespace ~ %s", [*values, regex]
    with connection.cursor() as cursor:
        cursor.execute(in_slot(sql), values)
        found = {truncate(decode(row[0]), op.max_depth) for row in cursor.fetchall()}
    ordered = sorted(found, key=encode)
    return ordered[op.offset : op.offset + op.limit]
