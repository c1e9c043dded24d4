"""System checks of the wall between tenants: `manage.py check --database default`, and at `up`.

They read the catalogue as the application's own role, on the very connection that requests use.
A table that lost its policy, a partition that never got one, or a role that policies do not bind
is found before a single request is served.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.apps import apps
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DEFAULT_DB_ALIAS, connections

POSTGRES = 180000
PGVECTOR = (0, 8)
POLICY = "tenant_only"
PREDICATE = "(tenant_id = (NULLIF(current_setting('hub.tenant'::text, true), ''::text))::uuid)"
OTHER_POLICIES = {"search_only": "{hub_search}", "seal_only": "{hub_sealer}"}
"""Policies beside the tenant's, and the only role each may speak of."""

NOT_TENANT_TABLES = frozenset({
    # read before the tenant is known
    "tenants_tenant", "tenants_user", "tenants_user_groups", "tenants_user_user_permissions",
    "tenants_membership", "tenants_apikey",
    # across tenants, without content
    "tenants_schedule", "memories_embeddingprofile", "memories_sweeptally",
    # across tenants, ids and hashes only: how far the log is sealed
    "audit_head", "audit_position", "audit_epoch", "audit_anchor",
    "audit_droppedmonth",
    # across tenants: copies of the database, and which erasures of the ledger it has
    "erasure_recordedbackup", "erasure_appliederasure",
    # libraries' own
    "auth_group", "auth_group_permissions", "auth_permission", "auditlog_logentry",
    "django_content_type", "django_migrations", "django_session",
})  # fmt: skip
LIBRARY_PREFIXES = ("account_", "mfa_", "usersessions_", "socialaccount_")
"""Tables of django-allauth: about people, read before the tenant is known."""


@register(Tags.database)
def check_isolation(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """All that must hold of the database before it serves; empty when it does."""
    if DEFAULT_DB_ALIAS not in (databases or ()):
        return []
    return [*_check_role(), *_check_versions(), *_check_policies(), *_check_rights()]


def _rows(sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(sql, params)
        return list(cursor.fetchall())


def _check_role() -> Iterable[CheckMessage]:
    ((name, is_super, bypasses),) = _rows(
        "SELECT rolname, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
    )
    if is_super or bypasses:
        yield Error(
            f"The database role {name} ignores row level security.",
            hint="Let DATABASE_URL name hub_app: NOSUPERUSER, NOBYPASSRLS, owner of nothing.",
            id="memoryhub.E001",
        )
    owned = _rows(
        "SELECT count(*) FROM pg_class WHERE relowner = current_user::regrole AND relkind IN "
        "('r', 'p') AND relnamespace = 'public'::regnamespace"
    )[0][0]
    if owned:
        yield Error(
            f"The database role {name} owns {owned} tables and could drop their policies.",
            hint="Let DATABASE_OWNER_URL name hub_owner, and run migrate with it.",
            id="memoryhub.E002",
        )


def _check_versions() -> Iterable[CheckMessage]:
    ((server,),) = _rows("SELECT current_setting('server_version_num')::int")
    if server < POSTGRES:
        yield Error(f"Postgres is {server}; 18 or newer is needed.", id="memoryhub.E003")
    found = _rows("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    version = tuple(int(part) for part in found[0][0].split(".")[:2]) if found else (0, 0)
    if version < PGVECTOR:
        yield Error("pgvector 0.8 or newer is needed.", id="memoryhub.E004")


_TABLES = (
    "SELECT c.relname, coalesce(parent.relname, c.relname), c.relrowsecurity, "
    "c.relforcerowsecurity FROM pg_class c "
    "LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class parent ON "
    "parent.oid = i.inhparent WHERE c.relkind IN ('r', 'p') "
    "AND c.relnamespace = 'public'::regnamespace"
)
_POLICIES = (
    "SELECT tablename, policyname, permissive, roles::text, cmd, qual, with_check "
    "FROM pg_policies WHERE schemaname = 'public'"
)


def tenant_tables() -> frozenset[str]:
    """The tables of models that say so."""
    return frozenset(
        model._meta.db_table
        for model in apps.get_models(include_auto_created=True)
        if getattr(model, "is_tenant_table", False)
    )


def _check_policies() -> Iterable[CheckMessage]:
    ours = tenant_tables()
    policies: dict[str, list[tuple[Any, ...]]] = {}
    for table, *policy in _rows(_POLICIES):
        policies.setdefault(table, []).append(tuple(policy))
    for table, root, enabled, forced in _rows(_TABLES):
        if root in ours:
            if not (enabled and forced):
                yield Error(
                    f"Row level security is not enabled and forced on {table}.",
                    id="memoryhub.E005",
                )
            yield from _check_policy(table, policies.get(table, []))
        elif root not in NOT_TENANT_TABLES and not root.startswith(LIBRARY_PREFIXES):
            yield Error(
                f"{table} is neither a tenant table nor in checks.NOT_TENANT_TABLES.",
                hint="Make its model a TenantModel, or say in the list why it holds no content.",
                id="memoryhub.E007",
            )


def _check_policy(table: str, found: list[tuple[Any, ...]]) -> Iterable[CheckMessage]:
    expected = (POLICY, "PERMISSIVE", "{public}", "ALL", PREDICATE, PREDICATE)
    for policy in found:
        name, _, roles, *_ = policy
        if name in OTHER_POLICIES and roles == OTHER_POLICIES[name]:
            continue
        if policy != expected:
            yield Error(f"{table} has the foreign policy {name}.", id="memoryhub.E006")
    if expected not in found:
        yield Error(f"{table} lacks the tenant policy.", id="memoryhub.E006")


_RIGHTS = (
    "SELECT c.relname FROM pg_class c WHERE c.relispartition AND c.relkind = 'r' "
    "AND c.relnamespace = 'public'::regnamespace AND ("
    "has_table_privilege(c.oid, 'SELECT') OR has_table_privilege(c.oid, 'INSERT') OR "
    "has_table_privilege(c.oid, 'UPDATE') OR has_table_privilege(c.oid, 'DELETE') OR "
    "has_table_privilege(c.oid, 'TRUNCATE'))"
)


def _check_rights() -> Iterable[CheckMessage]:
    for (table,) in _rows(_RIGHTS):
        yield Error(
            f"The application has rights on the partition {table}; it needs them on parents only.",
            id="memoryhub.E008",
        )
