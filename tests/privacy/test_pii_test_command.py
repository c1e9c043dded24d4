"""`manage.py pii_test FILE`: exit 0 when all cases hold, else 1 with expected and got."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

CASES = [
    {"text": "我的身份证号是11010519491231002X", "found": [["cn_id", "11010519491231002X"]]},
    {"text": "138-0013-8000", "found": [], "note": "wrong on purpose"},
]


def write(path: Path, cases: object) -> str:
    path.write_text(json.dumps(cases), encoding="utf-8")
    return str(path)


def test_all_cases_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("pii_test", write(tmp_path / "c.json", CASES[:1]))
    assert capsys.readouterr().out.strip() == "1 cases, 0 failed"


def test_a_failure_says_what_was_expected_and_got(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        call_command("pii_test", write(tmp_path / "c.json", CASES), json=True)
    assert stopped.value.code == 1
    facts = json.loads(capsys.readouterr().out)
    assert (facts["cases"], facts["failed"]) == (2, 1)
    assert facts["failures"][0]["case"] == 1
    assert facts["failures"][0]["expected"] == []
    assert facts["failures"][0]["got"] == [["cn_mobile", "138-0013-8000"]]
    assert "score" in facts["failures"][0]["because"][0]


@pytest.mark.parametrize("cases", [{"text": "x"}, ["x"], [{"text": 1, "found": []}]])
def test_a_file_of_another_format_is_refused(tmp_path: Path, cases: object) -> None:
    with pytest.raises(CommandError):
        call_command("pii_test", write(tmp_path / "c.json", cases))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError):
        call_command("pii_test", str(tmp_path / "none.json"))
