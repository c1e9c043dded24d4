"""Row level security: what every tenant table gets, on itself and on each of its partitions.

A partition queried by its own name is not protected by its parent's policy, and a table's owner
ignores policies unless they are FORCEd. So: ENABLE and FORCE and the policy everywhere, and rights
for the application on parents only. The catalogue check (`memoryhub.checks`) walks all of it.

Used by migrations only. The names of tables are ours, never a user's; they are quoted all the same.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import migrations

PREDICATE = "tenant_id = nullif(current_setting('hub.tenant', true), '')::uuid"
APP_ROLE = "hub_app"
OWNER_ROLE = "hub_owner"
SEARCH_ROLE = "hub_search"


def protect(table: str) -> list[str]:
    """Statements that turn on and force the tenant policy of one table or partition."""
    return [
        f'ALTER TABLE "{table}" ENABLE ROW LEVEL SECURITY',
        f'ALTER TABLE "{table}" FORCE ROW LEVEL SECURITY',
        f'CREATE POLICY tenant_only ON "{table}" USING ({PREDICATE}) WITH CHECK ({PREDICATE})',
    ]


class CreateTenantModel(migrations.CreateModel):
    """CreateModel for a tenant table: partitions, policy and the application's rights with it.

    `partition` is None (plain), "hash" (by tenant, as many as settings.MEMORY_PARTITIONS; 0 keeps
    the table plain, for Citus) or "month" (by `at`; the partitions come from
    `hub_extend_months`). `rights` is what the application may do.
    """

    def __init__(
        self,
        *args: Any,
        partition: str | None = None,
        rights: str = "SELECT, INSERT, UPDATE, DELETE",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.partition = partition
        self.rights = rights

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        name, args, kwargs = super().deconstruct()
        return name, list(args), {**kwargs, "partition": self.partition, "rights": self.rights}

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        clause = {"hash": " PARTITION BY HASH (tenant_id)", "month": " PARTITION BY RANGE (at)"}
        count = settings.MEMORY_PARTITIONS
        split = self.partition is not None and (self.partition != "hash" or count > 0)
        plain_create = schema_editor.sql_create_table
        if split:
            schema_editor.sql_create_table = plain_create + clause[self.partition or ""]
        try:
            super().database_forwards(app_label, schema_editor, from_state, to_state)
        finally:
            schema_editor.sql_create_table = plain_create
        table = to_state.apps.get_model(app_label, self.name)._meta.db_table
        statements = protect(table)
        if self.partition == "hash":
            for number in range(count):
                part = f"{table}_p{number:02}"
                statements.append(
                    f'CREATE TABLE "{part}" PARTITION OF "{table}" '
                    f"FOR VALUES WITH (MODULUS {count}, REMAINDER {number})"
                )
                statements += protect(part)
        statements.append(f'GRANT {self.rights} ON "{table}" TO {APP_ROLE}')
        for statement in statements:
            schema_editor.execute(statement)


class GrantToApp(migrations.RunSQL):
    """The application's rights on a table that is not a tenant's (see checks.NOT_TENANT_TABLES)."""

    reduces_to_sql = True

    def __init__(self, table: str, rights: str = "SELECT, INSERT, UPDATE, DELETE") -> None:
        self.table, self.rights = table, rights
        super().__init__(
            f'GRANT {rights} ON "{table}" TO {APP_ROLE}',
            f'REVOKE {rights} ON "{table}" FROM {APP_ROLE}',
        )

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__name__, [self.table, self.rights], {}


def composite_key(
    table: str, *, columns: str, target: str, target_columns: str, on_delete: str = "CASCADE"
) -> migrations.RunSQL:
    """A composite foreign key, not deferrable: a violation shows at its statement."""
    name = f"{table}_{columns.split(',')[-1].strip()}_key"
    return migrations.RunSQL(
        f'ALTER TABLE "{table}" ADD CONSTRAINT "{name}" FOREIGN KEY ({columns}) '
        f'REFERENCES "{target}" ({target_columns}) ON DELETE {on_delete}',
        f'ALTER TABLE "{table}" DROP CONSTRAINT "{name}"',
    )
