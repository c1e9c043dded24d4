"""Sweep scopes and sweeps (API.md, "Governance")."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request

from api.base import HubView, parsed
from api.openapi import sweeps as shapes
from api.openapi.sweeps import ScopeChange, ScopeRequest, SweepRequest
from api.paging import PAGE_FIELDS, page_asked, page_document, page_of
from api.rendering import Response
from api.repeating import read_again, repeatable
from memories.models import SweepRun
from memories.namespaces import check_prefix, decode, encode
from memories.scopes import (
    Scope,
    add_scope,
    change_scope,
    find_runs,
    list_scopes,
    open_run,
    open_scope,
    remove_scope,
    run_sweep,
)
from memories.sweeping import COUNTS
from tenants.authorising import require
from tenants.roles import Action


class ScopesView(HubView):
    """Prefixes with a rhythm of their own; they are few, so one page has them all."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.list_scopes
    def get(self, request: Request) -> Response:
        asked = page_asked(request)
        items = [present_scope(scope) for scope in list_scopes()]
        return Response(page_document(items, end=None, total=len(items) if asked.count else None))

    @shapes.add_scope
    @repeatable(read_again, at="/api/v1/policies/sweep-scopes/{id}")
    def post(self, request: Request) -> Response:
        require(Action.ADMINISTER)
        asked = parsed(ScopeRequest, request)
        scope = add_scope(
            encode(check_prefix(asked.namespace_prefix)),
            interval_minutes=asked.interval_minutes,
            enabled=asked.enabled,
        )
        where = f"/api/v1/policies/sweep-scopes/{scope.row.id}"
        return Response(present_scope(scope), status=201, headers={"Location": where})


class ScopeView(HubView):
    """One scope."""

    @shapes.get_scope
    def get(self, request: Request, scope_id: UUID) -> Response:
        return Response(present_scope(open_scope(scope_id)))

    @shapes.change_scope
    def patch(self, request: Request, scope_id: UUID) -> Response:
        require(Action.ADMINISTER)
        asked = parsed(ScopeChange, request)
        changed = change_scope(
            scope_id, interval_minutes=asked.interval_minutes, enabled=asked.enabled
        )
        return Response(present_scope(changed))

    @shapes.remove_scope
    def delete(self, request: Request, scope_id: UUID) -> Response:
        remove_scope(scope_id)
        return Response(status=204)


class SweepsView(HubView):
    """Sweeps that were made, and one now."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.list_runs
    def get(self, request: Request) -> Response:
        rows = find_runs()
        return Response(
            page_of(rows, page_asked(request), by=("started_at", "id"), present=present_run)
        )

    @shapes.run_sweep
    @repeatable(read_again)
    def post(self, request: Request) -> Response:
        require(Action.ADMINISTER)
        asked = parsed(SweepRequest, request)
        run = run_sweep(encode(check_prefix(asked.namespace_prefix)), dry_run=asked.dry_run)
        where = f"/api/v1/policies/sweeps/{run.id}"
        return Response(present_run(run), status=201, headers={"Location": where})


class SweepView(HubView):
    """One sweep."""

    @shapes.get_run
    def get(self, request: Request, run_id: UUID) -> Response:
        return Response(present_run(open_run(run_id)))


def present_scope(scope: Scope) -> dict[str, Any]:
    """A scope with when it is due."""
    row = scope.row
    return {
        "id": row.id, "namespace_prefix": list(decode(row.namespace_prefix)),
        "interval_minutes": row.interval_minutes, "enabled": row.enabled,
        "next_at": scope.next_at,
        "last_run": None if scope.last_run is None else present_run(scope.last_run),
    }  # fmt: skip


def present_run(run: SweepRun) -> dict[str, Any]:
    """A sweep with what it did."""
    return {
        "id": run.id, "namespace_prefix": list(decode(run.namespace_prefix)),
        "trigger": run.trigger, "dry_run": run.dry_run, "state": run.state,
        "started_at": run.started_at, "finished_at": run.finished_at,
        "lag_seconds": run.lag_seconds,
        "counts": {name: run.counts.get(name, 0) for name in COUNTS},
    }  # fmt: skip
