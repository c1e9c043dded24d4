"""The database backend that names the tenant to Postgres (settings: ENGINE "tenants.backend").

`hub_act(tenant, relaxed)` executes SET LOCAL, so the tenant ends with the transaction whatever
happens to the connection; it works behind PgBouncer in transaction mode and on Citus. It returns
the transaction's one `now` and the tenant's settings version. Being the first statement, it also
finds a connection that died in the pool, which is then replaced before anything was done.

Outside a transaction no row policy knows a tenant. The guard refuses such a statement when it
names a tenant table, so the mistake is found on the first run instead of showing empty results.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

import psycopg
from django.apps import apps
from django.db.backends.postgresql import base
from django.db.backends.utils import debug_transaction
from django.db.utils import Error, InterfaceError, OperationalError
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import AdaptersMap, Loader
from psycopg.pq import ConnStatus, ExecStatus, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult

from tenants.backend.cursors import HubCursor
from tenants.context import (
    OutsideTransaction,
    Turn,
    actor_or_none,
    has_fixed_plans,
    is_relaxed,
    turn_to_take,
)

HUB_ACT = (
    "SELECT (extract(epoch FROM at) * 1000000)::bigint, settings_version FROM hub_act('%s', %s)"
)
TAKE_TURN = "SELECT %s(hashtextextended('writers:%s', 0)); "
INTRANS = TransactionStatus.INTRANS
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that acts for the current actor's tenant, one transaction at a time."""

    hub_now: datetime | None = None
    hub_settings_version: int | None = None
    hub_joins = False
    """Whether blocks inside the transaction are part of it, without a savepoint of their own."""

    def __init__(self, settings_dict: dict[str, Any], alias: str = "default") -> None:
        super().__init__(settings_dict, alias)
        self._acts = settings_dict.get("OPTIONS", {}).get("hub_acts", True)
        if self._acts:
            self.execute_wrappers.append(refuse_tenant_tables_outside_atomic)

    def get_connection_params(self) -> dict[str, Any]:
        params = super().get_connection_params()
        params.pop("hub_acts", None)
        if self.settings_dict.get("OPTIONS", {}).get("server_side_binding"):
            params["cursor_factory"] = HubCursor
        if self.timezone == UTC:
            params["context"] = _with_quick_instants(params["context"])
        return params

    def create_cursor(self, name: str | None = None) -> Any:
        if not self._acts:
            return super().create_cursor(name)
        if name is None:  # its loaders are the connection's: no need to look at them each time
            return self.connection.cursor()
        # Django asks psycopg whether a transaction is open, which does not know of ours.
        return self.connection.cursor(name, scrollable=False, withhold=self.autocommit)

    def _set_autocommit(self, autocommit: bool) -> None:
        """Of psycopg, which need not know of a transaction that is begun and ended here: it stays
        as the pool gave it, and that spares each transaction three of its calls."""
        is_begun_here = self._acts and actor_or_none() is not None
        if self.connection.autocommit and (autocommit or is_begun_here):
            return
        super()._set_autocommit(autocommit)  # type: ignore[misc]

    def _savepoint_allowed(self) -> bool:
        return not self.hub_joins and bool(super()._savepoint_allowed())  # type: ignore[misc]

    def set_autocommit(
        self, autocommit: bool, force_begin_transaction_with_broken_autocommit: bool = False
    ) -> None:
        """Begin (`autocommit` False) as the current actor's tenant, or end a transaction."""
        self.hub_now = None
        super().set_autocommit(autocommit, force_begin_transaction_with_broken_autocommit)
        if autocommit or not self._acts or actor_or_none() is None:
            return
        try:
            self._act()
        except (OperationalError, InterfaceError):
            # The pooled connection was dead (the server restarted). Nothing happened yet: begin
            # again on a living one. A server that is really down fails here, once more, for good.
            self.replace_dead()
            super().set_autocommit(False, force_begin_transaction_with_broken_autocommit)
            self._act_or_end()
        except Error:
            self._end()
            raise

    def replace_dead(self) -> None:
        """Let this connection go, and every other of the pool that died with it."""
        self.close()
        pool: Any = self.pool
        if pool is not None:
            pool.check()

    def _act(self) -> None:
        """BEGIN, the tenant and how this transaction plans and commits: one round trip."""
        actor = actor_or_none()
        assert actor is not None
        with self.wrap_database_errors:
            found = _send(self.connection.pgconn, begin_as(actor.tenant_id), ExecStatus.TUPLES_OK)
        micros, version = found.get_value(0, 0), found.get_value(0, 1)
        self.hub_now = EPOCH + timedelta(microseconds=int(micros or b"0"))
        self.hub_settings_version = None if version is None else int(version)

    def _act_or_end(self) -> None:
        try:
            self._act()
        except Error:
            self._end()
            raise

    def _commit(self) -> None:
        """COMMIT, without a cursor's cost; nothing but a healthy transaction goes this way."""
        server = None if self.connection is None else self.connection.pgconn
        if not self._acts or server is None or server.transaction_status != INTRANS:
            super()._commit()  # type: ignore[misc]
            return
        with debug_transaction(self, "COMMIT"), self.wrap_database_errors:
            _send(server, b"COMMIT", ExecStatus.COMMAND_OK)

    def _end(self) -> None:
        """Leave no half-begun transaction behind when the tenant could not be named."""
        self.close()


class UtcLoader(Loader):
    """Reads instants as psycopg does, in C; Django's own loader is Python, for the same result.

    A page of ten memories holds some two hundred instants. psycopg's class is final, so this one
    gives one of that class when it is made.
    """

    timezone = UTC
    """What Django asks of a loader when it makes a cursor."""

    def __new__(cls, oid: int, context: AdaptContext | None = None) -> Any:
        quickest = psycopg.adapters.get_loader(oid, cls.format)
        assert quickest is not None
        return quickest(oid, context)

    def load(self, data: Buffer) -> Any:
        raise NotImplementedError


@lru_cache(maxsize=4)
def _with_quick_instants(adapters: AdaptersMap) -> AdaptersMap:
    quick = AdaptersMap(adapters)
    quick.register_loader("timestamptz", UtcLoader)
    return quick


def begin_as(tenant_id: UUID) -> bytes:
    """The text that begins a transaction as a tenant, in the way that is asked for now."""
    return _begin(tenant_id, turn_to_take(), has_fixed_plans(), is_relaxed())


@lru_cache(maxsize=1024)
def _begin(tenant_id: UUID, turn: Turn | None, has_fixed_plans: bool, is_relaxed: bool) -> bytes:
    """A UUID holds nothing that could be quoted."""
    tenant_id = UUID(str(tenant_id))
    plans = "SET LOCAL plan_cache_mode = force_generic_plan; " if has_fixed_plans else ""
    waiting = "" if turn is None else TAKE_TURN % (turn.value, tenant_id)
    return f"BEGIN; {plans}{waiting}{HUB_ACT % (tenant_id, is_relaxed)}".encode()


def _send(server: PGconn, text: bytes, expected: ExecStatus) -> PGresult:
    """The last result of a simple query, without a cursor's cost. Raises what psycopg would."""
    result = server.exec_(text)
    if result.status == expected:
        return result
    if server.status == ConnStatus.BAD:
        raise psycopg.OperationalError(server.get_error_message())
    raise psycopg.errors.error_from_result(result)


def refuse_tenant_tables_outside_atomic(
    execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: dict[str, Any]
) -> Any:
    """Guard (an execute wrapper): tenant tables are touched inside `atomic` only."""
    if not context["connection"].in_atomic_block and names_tenant_table(str(sql)):
        raise OutsideTransaction("a tenant's table was queried outside atomic")
    return execute(sql, params, many, context)


@lru_cache(maxsize=512)
def names_tenant_table(sql: str) -> bool:
    """Whether the statement names a table of tenants' data."""
    return _tenant_tables().search(sql) is not None


@lru_cache(maxsize=1)
def _tenant_tables() -> re.Pattern[str]:
    tables = [
        model._meta.db_table
        for model in apps.get_models(include_auto_created=True)
        if getattr(model, "is_tenant_table", False)
    ]
    return re.compile(r"\b(" + "|".join(map(re.escape, sorted(tables))) + r")\b")
