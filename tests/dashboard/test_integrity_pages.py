"""The event with its proof, and integrity: verify now, see what is wrong, take a bundle."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from audit.jobs import run_job
from audit.models import Job
from audit.verifying.offline import check_bundle
from sealing.signing import public_key
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.audit.reading import events_of
from tests.audit.sealing_all import seal_all
from tests.audit.tampering import tamper, write_events


@pytest.fixture
def auditor(
    tenant: Tenant, make_person: Callable[..., User], sign_in: Callable[[User], Client]
) -> Client:
    """An auditor of `tenant`, signed in."""
    return sign_in(make_person(tenant, "auditor"))


@pytest.fixture
def sealed(tenant: Tenant, settings: Any, tmp_path: Path) -> Tenant:
    settings.MEMORYHUB_ANCHORS = str(tmp_path / "anchors.jsonl")
    write_events(tenant, 6)
    seal_all()
    return tenant


def run_all(tenant: Tenant) -> None:
    """What the worker would do."""
    with acting_as(operator_actor(tenant.id)):
        with transaction.atomic():
            jobs = list(Job.objects.filter(state=Job.State.QUEUED))
        for job in jobs:
            run_job(job.id)


def test_an_event_shows_that_it_is_verified(sealed: Tenant, auditor: Client) -> None:
    event = events_of(sealed, action="memory.put")[2]
    page = auditor.get(f"/audit/{event.id}").content.decode()
    assert "Verified against the checkpoint" in page
    assert "memoryhub/" in page
    assert page.count('class="side-of"') >= 3
    tamper(
        "UPDATE audit_event SET payload = payload || ' ' WHERE tenant_id = %(t)s AND id = %(id)s",
        t=sealed.id, id=event.id,
    )  # fmt: skip
    page = auditor.get(f"/audit/{event.id}").content.decode()
    assert "This is not what was sealed" in page
    assert "Verified against" not in page


@pytest.mark.slow
def test_the_log_is_verified_from_the_page(sealed: Tenant, auditor: Client) -> None:
    assert "was not verified yet" in auditor.get("/audit/integrity").content.decode()
    assert auditor.post("/audit/integrity/verify").status_code == 302
    assert 'id="progress"' in auditor.get("/audit/integrity").content.decode()
    part = auditor.get("/audit/integrity", headers={"HX-Request": "true"})
    assert part.status_code == 200
    run_all(sealed)
    after = auditor.get("/audit/integrity", headers={"HX-Request": "true"})
    assert after.headers["HX-Refresh"] == "true"
    assert "The log is whole" in auditor.get("/audit/integrity").content.decode()
    bad = events_of(sealed, action="memory.put")[1]
    tamper(
        "DELETE FROM audit_event WHERE tenant_id = %(t)s AND id = %(id)s", t=sealed.id, id=bad.id
    )
    auditor.post("/audit/integrity/verify")
    run_all(sealed)
    page = auditor.get("/audit/integrity").content.decode()
    assert "Events are missing" in page
    assert str(bad.id) in page


def test_a_bundle_is_made_and_downloaded(
    sealed: Tenant, auditor: Client, tmp_path: Path, officer: Client
) -> None:
    auditor.post("/audit/integrity/bundle")
    run_all(sealed)
    page = auditor.get("/audit/integrity").content.decode()
    address = page.split('href="/audit/integrity/bundle/')[1].split('"')[0]
    answer = officer.get(f"/audit/integrity/bundle/{address}")
    content = b"".join(answer.streaming_content)
    assert zipfile.is_zipfile(io.BytesIO(content))
    target = tmp_path / "bundle.zip"
    target.write_bytes(content)
    assert check_bundle(target, key=public_key().text)["code"] == 0


def test_a_change_of_configuration_is_one_story_with_what_it_was_for(
    tenant: Tenant, admin: Client, auditor: Client
) -> None:
    asked = {"name": "robot"}
    assert admin.post("/api/v1/keys", asked, content_type="application/json").status_code == 201
    issued = events_of(tenant, action="key.issue")[-1]
    change = events_of(tenant, action="config.change", request_id=issued.request_id)[0]
    assert str(change.id) in auditor.get(f"/audit/{issued.id}").content.decode()
    page = auditor.get(f"/audit/{change.id}").content.decode()
    assert str(issued.id) in page
    assert "robot" in page
