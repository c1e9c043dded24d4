"""apply_rules: a file becomes a simulated draft, and with an approver's password it is in force."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tenants.models import Tenant, User
from tests.callers import Caller

YAML = """
note: from the repository
rules:
  - key: chats
    kind: expire
    namespace: [chats]
    after: {days: 90}
    review_by: 2027-01-01
cases:
  - name: a chat goes after ninety days
    memory: {namespace: [chats], created_at: "2026-01-01T00:00:00Z"}
    at: "2026-04-20T00:00:00Z"
    expect: {visible: false}
"""
PASSWORD = "correct horse battery"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rules.yaml"
    path.write_text(YAML, encoding="utf-8")
    return path


def apply(tenant: Tenant, file: Path, *options: str) -> Any:
    output = io.StringIO()
    call_command("apply_rules", tenant.slug, str(file), *options, "--json", stdout=output)
    return json.loads(output.getvalue())


def test_without_an_approver_it_is_simulated_and_compared(tenant: Tenant, file: Path) -> None:
    facts = apply(tenant, file)
    assert (facts["ruleset"], facts["state"]) == (1, "simulated")
    (added,) = facts["diff"]["added"]
    assert (added["key"], added["review_by"]) == ("chats", "2027-01-01")
    assert facts["simulation"]["failed_cases"] == []


def test_with_an_approvers_password_it_is_in_force(
    tenant: Tenant, file: Path, agent: Caller, make_person: Callable[..., User],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    officer = make_person(tenant, "officer")
    options = ("--approve-as", officer.email, "--password-stdin")
    monkeypatch.setattr("sys.stdin", io.StringIO("wrong\n"))
    with pytest.raises(CommandError, match="password is wrong"):
        apply(tenant, file, *options)
    monkeypatch.setattr("sys.stdin", io.StringIO(PASSWORD + "\n"))
    assert apply(tenant, file, *options)["state"] == "active"
    made = agent.put(["chats"], "k", {"n": 1}, index=False).json()
    assert made["retention"]["rule"] == "chats"


def test_who_may_not_approve_does_not(
    tenant: Tenant, file: Path, make_person: Callable[..., User], monkeypatch: pytest.MonkeyPatch
) -> None:
    viewer = make_person(tenant, "viewer")
    monkeypatch.setattr("sys.stdin", io.StringIO(PASSWORD + "\n"))
    with pytest.raises(CommandError, match="role"):
        apply(tenant, file, "--approve-as", viewer.email, "--password-stdin")


def test_faults_are_told_in_a_line(tenant: Tenant, tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    file.write_text(json.dumps([{"key": "k", "kind": "cap"}]), encoding="utf-8")
    with pytest.raises(CommandError, match=r"rules\[0\]\.after"):
        apply(tenant, file)
