"""Marked values, planted through every door that takes content, are in no table of the audit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from tenants.ids import PLATFORM_TENANT
from tenants.models import Tenant
from tests.ageing import act_as_owner
from tests.callers import Caller
from tests.people import Person

TABLES = (
    "SELECT c.relname FROM pg_class c WHERE c.relname LIKE 'audit\\_%' "
    "AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
)


@pytest.fixture
def find(owner_url: str, tenant: Tenant) -> Callable[[str], dict[str, list[str]]]:
    """In which tables of the audit a text is, as the tenant's or the platform's."""

    def search(text: str) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for identifier in (tenant.id, PLATFORM_TENANT):
            with psycopg.connect(owner_url) as connection:
                act_as_owner(connection, Tenant(id=identifier))
                tables = [name for (name,) in connection.execute(TABLES)]
                assert {"audit_event", "audit_job", "audit_leaf", "audit_anchor"} <= set(tables)
                for table in tables:
                    rows = connection.execute(
                        sql.SQL(
                            "SELECT t::text FROM {} t "
                            "WHERE position(lower(%s) in lower(t::text)) > 0"
                        ).format(sql.Identifier(table)),
                        [text],
                    ).fetchall()
                    if rows:
                        found.setdefault(table, []).extend(row for (row,) in rows)
        return found

    return search


@pytest.mark.slow
def test_no_table_of_the_audit_holds_what_people_said(
    tenant: Tenant, agent: Caller, make_person: Callable[..., Any], seal_now: Callable[[], int],
    find: Callable[[str], dict[str, list[str]]],
) -> None:  # fmt: skip
    mark = f"m{uuid4().hex}"
    mail, phone = f"{mark}@example.com", "+49 30 90182073"
    said = {"text": f"{mark} lives in Lyon, write to {mail} or call {phone}"}
    subject = f"subject-{uuid4().hex}"
    identifier = agent.put(["a"], "k", said, subjects=[subject], tags=[mark]).json()["id"]
    agent.put(["a"], "k", {"text": mark, "again": mark}, subjects=[subject])
    agent.search(["a"], query=f"where does {mark} live, {mail}?")
    agent.search(["a"], filter={"text": mark}, subjects=[subject])
    agent.batch({"op": "search", "namespace_prefix": ["a"], "query": mark})
    session = agent.call("POST", "/sessions", {"subject": subject}).json()["session_id"]
    content = f"I live in {mark} and my mail is {mail}."
    agent.call("PATCH", f"/sessions/{session}", {"state": {"step": mark}})
    agent.call("POST", f"/sessions/{session}/messages", {"role": "user", "content": content})
    agent.call("POST", f"/sessions/{session}/recall", {"query": mark})
    agent.call("POST", "/context", {"subject": subject, "query": mark})
    agent.call("POST", f"/sessions/{session}/promote", {})
    happened = {
        "id": uuid4().hex, "type": "order.closed", "occurred_at": "2026-01-01T00:00:00Z",
        "subject": subject,
    }  # fmt: skip
    agent.call("POST", "/events", happened)
    agent.call("POST", "/golden-questions", {"question": f"{mark}?", "expected": [identifier]})
    agent.call("GET", "/golden-questions")
    agent.call("POST", "/memories/find", {"entity": "EMAIL_ADDRESS", "value": mail})
    officer = Person(make_person(tenant, "officer"), tenant)
    officer.call("POST", "/memories/find", {"entity": "EMAIL_ADDRESS", "value": mail})
    officer.call("POST", f"/memories/{identifier}/reveal", {"path": "text", "reason": "asked"})
    for page in (f"/memories?q={mark}", f"/memories/{identifier}", "/memories/recall"):
        headers = {"x-hub-tenant": tenant.slug}
        assert mark in officer.client.get(page, headers=headers).content.decode(), page
    opened = {"subject": subject, "kind": "access", "reason": "asked"}
    assert officer.call("POST", "/subject-requests", opened).status_code == 201
    scope = {"subjects": [subject]}
    hold = {"matter": "a dispute", "custodian": "legal", "reason": "asked", "scope": scope}
    assert officer.call("POST", "/policies/holds", hold).status_code == 201
    agent.delete(["a"], "k")
    seal_now()
    assert find(str(identifier))
    for text in (mark, mail, "90182073"):
        assert find(text) == {}, text
    assert find(subject) == {}
