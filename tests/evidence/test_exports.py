"""Exports: exactly what the filter shows, signed, resumed after a kill, within little memory."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from audit.jobs import run_job
from audit.models import Job
from audit.verifying.offline import check_export
from evidence import exporting
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Membership, Tenant
from tests.audit.tampering import write_events
from tests.callers import Caller
from tests.people import Person


def _lines(text: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.decode().splitlines()]


@pytest.mark.slow
def test_events_are_exported_as_the_list_shows_them(
    agent: Caller, officer: Person, run: Any, download: Any
) -> None:
    for number in range(5):
        agent.put(["a"], f"k{number}", {"n": number})
        agent.get(["a"], f"k{number}")
    wanted = {"action": "memory.put", "namespace": ["a"]}
    job = run(officer.call("POST", "/audit/exports", {"filter": wanted, "format": "jsonl"}))
    rows = _lines(download(job))
    listed = agent.call("GET", "/audit/events?action=memory.put&namespace=a").json()["items"]
    assert [row["id"] for row in rows] == [one["id"] for one in listed]
    assert job["result"]["rows"] == len(rows) == 5
    assert all(json.loads(row["payload"])["id"] == row["id"] for row in rows)
    manifest = job["result"]["manifest"]
    instants = [*(row["at"] for row in rows), manifest["until"], manifest["made_at"]]
    assert {at[-1] for at in instants} == {"Z"}


def test_the_manifest_says_what_was_asked_and_proves_the_file(
    agent: Caller, officer: Person, run: Any, download: Any, tmp_path: Path
) -> None:
    agent.put(["a"], "k", {"n": 1})
    job = run(officer.call("POST", "/audit/exports", {"filter": {}, "format": "csv"}))
    result, content = job["result"], download(job)
    manifest = result["manifest"]
    assert manifest["by"]["id"] == str(officer.user.id)
    assert (manifest["list"], manifest["filter"], manifest["rows"]) == (
        "events",
        {},
        result["rows"],
    )
    path = tmp_path / "events.csv"
    path.write_bytes(content)
    assert check_export(path, result)["code"] == 0
    path.write_bytes(content + b"x")
    assert check_export(path, result)["code"] == 1
    forged = {**result, "manifest": {**manifest, "rows": 7}}
    assert check_export(path, forged)["code"] == 3
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    assert len(rows) == result["rows"]


def test_names_that_look_like_formulas_stay_texts_in_csv(
    tenant: Tenant, make_caller: Callable[..., Caller], officer: Person, run: Any, download: Any
) -> None:
    caller = make_caller(tenant)
    caller.put(["=1+1"], "k", {"n": 1})
    job = run(officer.call("POST", "/audit/exports", {"list": "memories", "format": "csv"}))
    for line in csv.reader(io.StringIO(download(job).decode())):
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in line)


def test_memories_are_exported_without_their_values(
    agent: Caller, officer: Person, run: Any, download: Any
) -> None:
    agent.put(["a"], "k1", {"secret-of-mine": "violet"}, kind="profile")
    agent.put(["b"], "k2", {"n": 1})
    wanted = {"namespace": ["a"], "kinds": ["profile"]}
    body = {"list": "memories", "filter": wanted, "format": "jsonl"}
    job = run(officer.call("POST", "/audit/exports", body))
    content = download(job)
    (row,) = _lines(content)
    assert (row["namespace"], row["kind"], row["state"]) == (["a"], "profile", "ACTIVE")
    assert b"violet" not in content


@pytest.mark.parametrize(
    ("body", "path", "code"),
    [
        ({"list": "passwords"}, "list", "unknown_value"),
        ({"filter": {"nobody": 1}}, "filter.nobody", "unknown_field"),
        ({"filter": {"from": "2026-01-01T00:00:00"}}, "filter.from", "naive_instant"),
        ({"filter": {"outcome": "maybe"}}, "filter.outcome", "unknown_value"),
        ({"list": "holds", "filter": {"actor": "x"}}, "filter.actor", "unknown_field"),
        ({"list": "memories", "filter": {"states": ["GONE"]}}, "filter.states", "unknown_value"),
    ],
)
def test_what_there_is_not_is_refused(
    officer: Person, body: dict[str, Any], path: str, code: str
) -> None:
    answer = officer.call("POST", "/audit/exports", {"format": "csv", **body})
    assert answer.status_code == 422
    assert [(one["path"], one["code"]) for one in answer.json()["errors"]] == [(path, code)]


def test_who_may_not_see_a_list_may_not_export_it(
    tenant: Tenant, agent: Caller, officer: Person, make_person: Callable[..., Any]
) -> None:
    viewer = Person(make_person(tenant, "viewer"), tenant)
    admin = Person(make_person(tenant, "admin"), tenant)
    asked = {"format": "csv"}
    assert viewer.call("POST", "/audit/exports", asked).status_code == 403
    assert admin.call("POST", "/audit/exports", asked).status_code == 403
    assert agent.call("POST", "/audit/exports", asked).status_code == 403
    keys = {"list": "keys", "format": "csv"}
    assert officer.call("POST", "/audit/exports", keys).status_code == 403
    assert admin.call("POST", "/audit/exports", keys).status_code == 202


def test_people_with_prefixes_export_what_lies_inside_them(
    tenant: Tenant, agent: Caller, officer: Person, run: Any, download: Any
) -> None:
    agent.put(["inside"], "k", {"n": 1})
    agent.put(["outside"], "k", {"n": 1})
    Membership.objects.filter(user=officer.user, tenant=tenant).update(prefixes=["inside/"])
    job = run(officer.call("POST", "/audit/exports", {"list": "memories", "format": "jsonl"}))
    assert [row["namespace"] for row in _lines(download(job))] == [["inside"]]
    job = run(officer.call("POST", "/audit/exports", {"filter": {}, "format": "jsonl"}))
    assert b"outside" not in download(job)


def test_a_killed_export_goes_on_where_it_was(
    tenant: Tenant, officer: Person, download: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_events(tenant, 25)
    monkeypatch.setattr(exporting, "PIECE", 10)
    answer = officer.call("POST", "/audit/exports", {"filter": {}, "format": "jsonl"})
    job = answer.json()["id"]
    real, calls = exporting.append_at, []

    def torn(job_id: UUID, offset: int, parts: Any) -> int:
        calls.append(offset)
        end = real(job_id, offset, parts)
        if len(calls) == 2:
            raise KeyboardInterrupt  # as a kill: the file has bytes that the cursor does not name
        return end

    monkeypatch.setattr(exporting, "append_at", torn)
    with acting_as(job_actor("test", tenant.id)):
        with pytest.raises(KeyboardInterrupt):
            run_job(UUID(job))
        run_job(UUID(job))
    done = officer.call("GET", f"/jobs/{job}").json()
    rows = _lines(download(done))
    assert done["state"] == Job.State.DONE
    assert len({row["id"] for row in rows}) == len(rows) == done["result"]["rows"]
    assert len(rows) >= 25


@pytest.mark.slow
def test_every_list_can_be_exported(
    tenant: Tenant, officer: Person, make_person: Callable[..., Any], run: Any
) -> None:
    admin = Person(make_person(tenant, "admin"), tenant)
    for name in sorted(exporting.LISTS):
        for person in (officer, admin):
            answer = person.call("POST", "/audit/exports", {"list": name, "format": "csv"})
            if answer.status_code == 403:
                continue
            with acting_as(job_actor("test", tenant.id)):
                run_job(UUID(answer.json()["id"]))
            job = person.call("GET", f"/jobs/{answer.json()['id']}").json()
            assert job["state"] == "done", (name, job)


def test_a_person_with_prefixes_takes_no_file_of_the_whole_tenant(
    tenant: Tenant, agent: Caller, officer: Person, make_person: Callable[..., Any], run: Any,
    download: Any,
) -> None:  # fmt: skip
    agent.put(["outside"], "k", {"n": 1})
    job = run(officer.call("POST", "/audit/exports", {"format": "jsonl"}))
    assert b"outside" in download(job)
    taken = agent.call("GET", f"/audit/events?action=job.file&target={job['id']}").json()["items"]
    assert [one["actor"]["id"] for one in taken] == [str(officer.user.id)]
    narrow = Person(make_person(tenant, "auditor"), tenant)
    Membership.objects.filter(user=narrow.user, tenant=tenant).update(prefixes=["inside/"])
    assert narrow.call("GET", f"/jobs/{job['id']}/file").status_code == 404
    period = {"from": "2026-01-01T00:00:00Z", "to": "2026-02-01T00:00:00Z"}
    answer = narrow.call("POST", "/audit/reports", period)
    assert (answer.status_code, answer.json()["code"]) == (403, "outside_prefix")
