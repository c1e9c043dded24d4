"""The report: readable in both languages, its numbers those of SQL, verifiable, without values."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import psycopg
import pytest

from audit.verifying.offline import check_bundle
from evidence.report.populations import SECTIONS
from sealing.signing import public_key
from tenants.models import Tenant
from tests.callers import Caller
from tests.people import Person

IDENTITY = "11010519491231002X"


@pytest.fixture
def report(
    agent: Caller, officer: Person, run: Any, download: Any, seal_now: Any
) -> tuple[bytes, datetime, datetime]:
    """A report about a tenant with memories, personal data, deletes and a denial."""
    for number in range(3):
        agent.put(["people", "p1"], f"k{number}", {"text": f"身份证号 {IDENTITY}", "n": number})
    agent.delete(["people", "p1"], "k0")
    officer.call("POST", "/keys", {"name": "x"})
    seal_now()
    now = datetime.now(UTC)  # noqa: TID251
    since, until = now - timedelta(days=1), now + timedelta(days=1)
    body = {"from": since.isoformat(), "to": until.isoformat(), "lang": "zh"}
    return download(run(officer.call("POST", "/audit/reports", body))), since, until


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text, self.ids, self.open = [], [], []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.ids += [value for name, value in attrs if name == "id"]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        """`<rect/>`: nothing is open after it."""

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.mark.slow
def test_it_is_a_readable_document_in_both_languages(
    report: tuple[bytes, datetime, datetime],
) -> None:
    with zipfile.ZipFile(io.BytesIO(report[0])) as archive:
        pages = {name: archive.read(name).decode() for name in ("report.html", "report.en.html")}
    for name, title in (("report.html", "摘要"), ("report.en.html", "Summary")):
        page = _Page()
        page.feed(pages[name])
        assert page.open == []
        assert title in page.text
        assert {"summary", "integrity", "mapping", "method"} <= set(page.ids)
        assert {section.key for section in SECTIONS} <= set(page.ids)
        assert "<script" not in pages[name]
        assert "http" not in pages[name].replace("http-equiv", "")


@pytest.mark.slow
def test_its_numbers_are_those_of_sql(
    tenant: Tenant, owner_url: str, report: tuple[bytes, datetime, datetime]
) -> None:
    content, since, until = report
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        facts = json.loads(archive.read("facts.json"))
    params = {"tenant": tenant.id, "since": since, "until": until}
    moved = {"log"}  # later than the report there are further events
    with psycopg.connect(owner_url) as connection:
        connection.execute(f"SET hub.tenant = '{tenant.id}'")
        for section in SECTIONS:
            for figure in section.figures:
                found = connection.execute(figure.sql, params).fetchone()[0]
                told = facts["sections"][section.key]["figures"][figure.key]
                if section.key in moved:
                    assert told <= found
                else:
                    assert told == pytest.approx(float(found)), figure.key
    figures = facts["sections"]
    assert figures["scope"]["figures"]["memories"] == 3
    assert figures["access"]["figures"]["denied"] >= 1
    assert facts["integrity"]["code"] == 0


@pytest.mark.slow
def test_it_verifies_offline_and_every_change_is_caught(
    report: tuple[bytes, datetime, datetime], tmp_path: Path
) -> None:
    path, key = tmp_path / "report.zip", public_key().text
    path.write_bytes(report[0])
    assert check_bundle(path, key=key)["code"] == 0
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    (tmp_path / "verify.py").write_bytes(files["verify_memoryhub.py"])
    command = [sys.executable, "-I", str(tmp_path / "verify.py"), str(path), "--json"]
    said = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    assert said["code"] == 0
    for name in ("report.html", "facts.json", "holds.csv", "manifest.json"):
        changed = {**files, name: files[name].replace(b"0", b"1", 1) + b" "}
        _write(path, changed)
        assert check_bundle(path, key=key)["code"] != 0, name
    _write(path, {**files, "more.csv": b"x"})
    assert check_bundle(path, key=key)["code"] == 2


def _write(path: Path, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)


@pytest.mark.slow
def test_no_clear_personal_value_is_in_it(report: tuple[bytes, datetime, datetime]) -> None:
    with zipfile.ZipFile(io.BytesIO(report[0])) as archive:
        whole = b"".join(archive.read(name) for name in archive.namelist())
    assert IDENTITY.encode() not in whole
    assert b"@example.com" not in whole
    assert b"mh_" not in whole


def test_a_period_that_ends_before_it_begins_is_refused(officer: Person) -> None:
    body = {"from": "2026-02-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"}
    answer = officer.call("POST", "/audit/reports", body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["path"] == "to"
