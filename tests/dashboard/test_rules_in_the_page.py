"""The four rules that people ask for first, written by form, put into force, and seen to act."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.test import Client

from audit.jobs import run_job
from memories.models import SweepRun
from memories.sweeping import sweep_now
from tenants.actors import job_actor, operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.ageing import let_pass
from tests.callers import Caller
from tests.rules.wanted import FOUR, Life, Wanted


def text_of(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, answer.content
    return without_marks(answer.content.decode())


def without_marks(page: str) -> str:
    for mark in ("<b>", "</b>", "<code>", "</code>"):
        page = page.replace(mark, "")
    return page


@pytest.mark.slow
@pytest.mark.parametrize("name", FOUR)
def test_a_rule_made_in_the_page_acts(
    name: str, admin: Client, officer: Client, agent: Caller, tenant: Tenant, owner_url: str
) -> None:
    wanted = FOUR[name]
    wanted.write(agent)
    n = put_into_force(wanted, admin, officer, tenant)
    wanted.happen(Life(tenant, agent, lambda **span: let_pass(owner_url, tenant, **span)))
    with acting_as(operator_actor(tenant.id)):
        run: SweepRun = sweep_now()
    assert {what: count for what, count in run.counts.items() if count} == wanted.swept
    states = states_of(officer)
    assert {key for key, (_, state) in states.items() if state == "ACTIVE"} == {*wanted.stays}
    for key in wanted.gone:
        identifier, state = states[key]
        assert state == wanted.state
        page = text_of(officer, f"/memories/{identifier}")
        assert wanted.key in page
    assert f"rule set {n}" in text_of(officer, "/retention").lower()


def put_into_force(wanted: Wanted, admin: Client, officer: Client, tenant: Tenant) -> int:
    """From the empty page through the editor, a simulation and a second person; the version."""
    n = int(admin.post("/retention/drafts")["Location"].rpartition("/")[2])
    said = without_marks(
        admin.post(f"/retention/{n}/rules/new/says", wanted.fields).content.decode()
    )
    assert all(sentence in said for sentence in wanted.says.values()), said
    assert f'class="figure">{wanted.speaks_about}<' in said
    saved = admin.post(f"/retention/{n}/rules/new", {**wanted.fields, "do": "save"})
    assert saved.status_code == 302, saved.content
    (rule,) = admin.get(f"/api/v1/policies/rulesets/{n}").json()["rules"]
    assert rule.items() >= wanted.wire.items()
    assert admin.post(f"/retention/{n}/simulate").status_code == 302
    with acting_as(job_actor("test", tenant.id)):
        run_job(UUID(admin.get(f"/retention/{n}").context["job_id"]))
    for step in ("approve", "activate"):
        answer = officer.post(f"/retention/{n}/{step}", {"reason": "agreed", "confirm_count": ""})
        assert answer.status_code == 302, answer.content
    return n


def states_of(officer: Client) -> dict[str, tuple[UUID, str]]:
    """The id and the state of every memory by key, as the page lists them."""
    lines = officer.get("/memories?state=all").context["lines"]
    return {line.row.key: (line.row.id, line.state) for line in lines}
