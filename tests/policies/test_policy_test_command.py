"""`manage.py policy_test FILE`: exit 0 when all cases hold, else 1 with expected, got, because."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

CASE = {
    "name": "the instant before expiry",
    "rules": [{"key": "e", "kind": "expire", "after": {"days": 90}}],
    "memory": {"namespace": ["crm"], "created_at": "2026-01-01T00:00:00Z"},
    "at": "2026-03-31T23:59:59Z",
    "expect": {"state": "ACTIVE", "visible": True},
    "because": "half-open intervals",
}
WRONG = {**CASE, "name": "wrong on purpose", "expect": {"state": "TRASH"}}


def write(path: Path, cases: object) -> str:
    path.write_text(json.dumps(cases), encoding="utf-8")
    return str(path)


def test_all_cases_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("policy_test", write(tmp_path / "c.json", [CASE]))
    assert capsys.readouterr().out.strip() == "1 cases, 0 failed"


def test_a_failure_says_what_was_expected_got_and_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        call_command("policy_test", write(tmp_path / "c.json", [CASE, WRONG]))
    assert stopped.value.code == 1
    out = capsys.readouterr().out
    assert "FAILED wrong on purpose" in out
    assert "state: expected TRASH, got ACTIVE" in out
    assert "half-open intervals" in out


def test_a_bad_case_is_named_by_its_path(tmp_path: Path) -> None:
    bad = {**CASE, "rules": [{"key": "e", "kind": "expire"}]}
    with pytest.raises(CommandError, match=r"cases\[0\]\.rules\[0\]"):
        call_command("policy_test", write(tmp_path / "c.json", [bad]))


def test_the_shared_cases_hold(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("policy_test", str(shared / "cases" / "retention.json"))
    assert capsys.readouterr().out.strip().endswith(" 0 failed")
