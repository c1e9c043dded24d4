"""The SQL that requests send: the tenant named for every table, and few round trips."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection

from memories.embedding.calling import forget_kept_vectors
from memories.sweeping import sweep_now
from memoryhub.checks import tenant_tables
from tenants.actors import operator_actor
from tenants.backend import base
from tenants.context import acting_as
from tenants.models import Tenant
from tests.ageing import let_pass
from tests.callers import Caller

Seen = list[tuple[str, Any]]


@contextmanager
def seen_statements() -> Iterator[Seen]:
    """What goes through Django's cursors on this thread; BEGIN, hub_act and COMMIT do not."""
    seen: Seen = []

    def note(execute, sql, params, many, context):
        seen.append((str(sql), params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield seen


def run_a_session(agent: Caller, tenant: Tenant, owner_url: str) -> None:
    """Every endpoint, every branch that has SQL of its own."""
    source = agent.put(["a", "b"], "src", {"text": "source"}, subjects=["s1", "s2"]).json()
    agent.put(["a", "b"], "k", {"text": "one"}, ttl=10, derived_from=[source["id"]])
    agent.put(["a", "b"], "k", {"text": "two"}, subjects=["s2"], tags=["t"])
    agent.put(["a", "b"], "k", {"text": "two"}, subjects=["s2"], tags=["t"])
    agent.put(["a", "b"], "k", {"text": "three"}, index=False, if_version=2)
    agent.get(["a", "b"], "k")
    agent.get(["a", "b"], "none")
    for options in (
        {}, {"query": "two"}, {"query": "two", "mode": "text"}, {"query": "two", "mode": "vector"},
        {"filter": {"text": "three"}, "subjects": ["s2"], "tags": ["t"], "kinds": ["fact"]},
        {"query": "x", "explain": True, "include_archived": True, "min_score": 0.1},
    ):  # fmt: skip
        assert agent.search(["a"], **options).status_code == 200
    agent.namespaces(prefix=["a", "*"], suffix=["b"])
    agent.batch(
        {"op": "put", "namespace": ["a"], "key": "n", "value": {"n": 1}},
        {"op": "get", "namespace": ["a", "b"], "key": "k"},
        {"op": "search", "namespace_prefix": ["a"], "query": "n"},
        {"op": "list_namespaces"},
        {"op": "delete", "namespace": ["a"], "key": "none"},
    )
    agent.delete(["a"], "n")
    agent.call("DELETE", "/store/namespaces", {"namespace_prefix": ["a"], "dry_run": True})
    agent.call("DELETE", "/store/namespaces", {"namespace_prefix": ["a"], "dry_run": False})
    agent.call("GET", "/usage?namespace_prefix=a")
    agent.put(["exp"], "k", {"n": 1}, ttl=1)
    let_pass(owner_url, tenant, days=1)
    agent.put(["exp"], "k", {"n": 2}, ttl=1)
    let_pass(owner_url, tenant, days=40)
    with acting_as(operator_actor(tenant.id)):
        sweep_now("exp/", dry_run=True)
        counts = sweep_now().counts
    assert counts["purged"] == 5


def test_every_table_of_every_statement_has_the_tenant_as_a_parameter(
    agent: Caller, tenant: Tenant, owner_url: str
) -> None:
    with seen_statements() as seen:
        run_a_session(agent, tenant, owner_url)
    tables = re.compile(r'(?<![\w.])"?(' + "|".join(sorted(tenant_tables())) + r')"?(?![\w.])')
    asked = [(sql, params) for sql, params in seen if tables.search(sql)]
    assert len(asked) > 30
    for sql, params in asked:
        values = list(params.values()) if isinstance(params, dict) else list(params or ())
        assert str(tenant.id) in map(str, values), sql
        # one mention of the tenant for each table read, changed or filled
        mentions = len(tables.findall(re.sub(r'"\w+"\."\w+"', "", sql)))
        assert sql.count("tenant_id") + sql.count('"tenant_id"') >= mentions, sql


@pytest.fixture
def plain(make_tenant, make_caller) -> Caller:
    """A caller whose key and settings this process knows already."""
    caller = make_caller(make_tenant())
    caller.put(["warm"], "k", {"text": "warm"})
    caller.put(["warm"], "k", {"text": "warmer"}, subjects=["s"])
    caller.search(["warm"], query="warm")
    return caller


def round_trips(work: Any) -> list[str]:
    with seen_statements() as seen:
        assert work().status_code == 200
    return [sql for sql, _ in seen]


def test_a_get_is_one_statement(plain: Caller) -> None:
    assert len(round_trips(lambda: plain.get(["warm"], "k"))) == 1


@pytest.mark.parametrize("options", [{}, {"subjects": ["s"], "tags": ["t"]}, {"index": False}])
def test_a_put_is_at_most_three_statements(plain: Caller, options: dict[str, Any]) -> None:
    for key in ("new", "new", "k"):
        value = {"text": f"{key} {sorted(options)}"}
        assert len(round_trips(lambda: plain.put(["warm"], key, value, **options))) <= 3  # noqa: B023


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"query": "warm"},
        {"query": "warm", "mode": "text"},
        {"query": "warm", "mode": "vector"},
        {"query": "warm", "filter": {"text": "warmer"}, "subjects": ["s"], "explain": True},
    ],
)
def test_a_search_is_at_most_three_statements(plain: Caller, options: dict[str, Any]) -> None:
    forget_kept_vectors()
    assert len(round_trips(lambda: plain.search(["warm"], **options))) <= 3


def test_a_delete_is_at_most_three_statements(plain: Caller) -> None:
    with seen_statements() as seen:
        assert plain.delete(["warm"], "k").status_code == 204
    assert len(seen) <= 3


def test_requests_take_no_savepoint_and_one_transaction(
    plain: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    began: list[bool] = []
    act = base.DatabaseWrapper._act

    def count(self: base.DatabaseWrapper) -> None:
        began.append(True)
        act(self)

    monkeypatch.setattr(base.DatabaseWrapper, "_act", count)
    for work in (
        lambda: plain.get(["warm"], "k"),
        lambda: plain.put(["warm"], "other", {"text": "put"}),
        lambda: plain.search(["warm"], query="warm"),
    ):
        began.clear()
        statements = round_trips(work)
        assert began == [True]
        assert not [sql for sql in statements if "SAVEPOINT" in sql]
