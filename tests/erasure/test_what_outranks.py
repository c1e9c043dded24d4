"""Holds and the law outrank an erasure: the bytes stay, restricted, and go at the end."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest

from audit.jobs import run_job
from erasure import erasing
from erasure.erasing import continue_erasure
from memories.sweeping import sweep_now
from tenants.actors import job_actor, operator_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.ageing import let_pass
from tests.callers import Caller
from tests.erasure.asking import Asking
from tests.erasure.everywhere import tables_holding
from tests.people import Person
from tests.rules.governing import Governed, keep

HOLD = {"matter": "M 1", "custodian": "Legal", "reason": "the court asks for it"}


def place(asking: Asking, **scope: object) -> str:
    answer = asking.officer.call("POST", "/policies/holds", {**HOLD, "scope": scope})
    assert answer.status_code == 201, answer.content
    return str(answer.json()["id"])


def release(asking: Asking, hold: str) -> None:
    for person in (asking.officer, asking.second):
        answer = person.call("POST", f"/policies/holds/{hold}/release", {"reason": "it is over"})
        assert answer.status_code == 200, answer.content


def beat(asking: Asking, request: str) -> None:
    """What beat's scan does for this request."""
    with acting_as(job_actor("continue_one", asking.tenant.id)):
        job = continue_erasure(UUID(request))
        if job is not None:
            run_job(job.id)


def state(asking: Asking, memory: str) -> str:
    answer = asking.officer.call("GET", f"/memories/{memory}")
    return "PURGED" if answer.status_code == 410 else str(answer.json()["retention"]["state"])


@pytest.mark.slow
def test_a_hold_defers_an_erasure_which_completes_by_itself_after_the_release(
    agent: Caller, asking: Asking, tenant: Tenant, owner_url: str
) -> None:
    held = agent.put(["crm"], "a", {"text": "zebra77 owes money"}, subjects=["anna77"]).json()["id"]
    free = agent.put(["chat"], "b", {"text": "zebra77 said hello"}, subjects=["anna77"]).json()[
        "id"
    ]
    hold = place(asking, namespaces=[["crm"]])
    done = asking.erase("anna77")
    assert (done["state"], done["outcome"]) == ("running", "deferred")
    line = asking.store(done, "memories")
    assert (line["removed"], line["kept"], line["ground"]) == (1, 1, "legal_hold")
    assert (state(asking, held), state(asking, free)) == ("HELD", "PURGED")
    assert agent.get(["crm"], "a").status_code == 404
    with acting_as(operator_actor(tenant.id)):
        sweep_now()
    beat(asking, done["id"])
    assert state(asking, held) == "HELD"
    assert asking.get(done["id"])["outcome"] == "deferred"
    counts = asking.officer.call("GET", f"/policies/holds/{hold}").json()["counts"]
    assert counts["prevented"] == 1
    release(asking, hold)
    beat(asking, done["id"])
    done = asking.get(done["id"])
    assert (done["state"], done["outcome"]) == ("closed", "erased"), done
    line = asking.store(done, "memories")
    assert (line["found"], line["removed"], line["kept"]) == (2, 2, 0)
    assert state(asking, held) == "PURGED"
    assert tables_holding(owner_url, tenant, "anna77", "zebra77") == {}


@pytest.mark.slow
def test_a_sweep_after_the_release_may_be_first(
    agent: Caller, asking: Asking, tenant: Tenant
) -> None:
    held = agent.put(["crm"], "a", {"text": "owes money"}, subjects=["anna77"]).json()["id"]
    hold = place(asking, subjects=["anna77"])
    done = asking.erase("anna77")
    release(asking, hold)
    with acting_as(operator_actor(tenant.id)):
        sweep_now()
    assert state(asking, held) == "PURGED"
    beat(asking, done["id"])
    done = asking.get(done["id"])
    assert (done["state"], done["outcome"]) == ("closed", "erased")
    assert asking.store(done, "memories")["removed"] == 1


@pytest.fixture
def taxed(tenant: Tenant, asking: Asking, make_person: Callable[..., User]) -> Governed:
    """A statutory floor of a year over invoices, in force, approved by two."""
    governed = Governed(tenant, Person(make_person(tenant, "admin"), tenant), asking.officer)
    n = governed.draft(keep("tax", namespace=["invoices"], statutory=True, citation="§ 147 AO"))
    confirm = governed.simulate(n)["confirm_count"]
    for person in (asking.officer, asking.second):
        assert governed.approve(n, person).status_code == 200
    body = {} if confirm is None else {"confirm_count": confirm}
    assert governed.activate(n, **body).status_code == 200
    return governed


@pytest.mark.slow
def test_a_statutory_floor_restricts_and_the_bytes_go_by_themselves_at_its_end(
    taxed: Governed, agent: Caller, asking: Asking, tenant: Tenant, owner_url: str
) -> None:
    bill = agent.put(["invoices"], "a", {"text": "paid 12 EUR"}, subjects=["anna77"]).json()["id"]
    chat = agent.put(["chat"], "b", {"text": "said hello"}, subjects=["anna77"]).json()["id"]
    done = asking.erase("anna77")
    assert (done["state"], done["outcome"]) == ("closed", "erased_in_part"), done
    line = asking.store(done, "memories")
    assert (line["removed"], line["kept"], line["ground"]) == (1, 1, "statutory_floor")
    shown = asking.officer.call("GET", f"/memories/{bill}").json()["retention"]
    assert shown["state"] == "RESTRICTED"
    assert "erasure_blocked_by_floor" in shown["flags"]
    assert state(asking, chat) == "PURGED"
    assert agent.get(["invoices"], "a").status_code == 404
    path = f"/subject-requests/{done['id']}/certificate"
    certificate = asking.officer.call("GET", path).json()
    assert certificate["kept"] == [{"ground": "statutory_floor", "memories": 1}]
    assert certificate["kept_until"] is not None
    let_pass(owner_url, tenant, days=364)
    with acting_as(operator_actor(tenant.id)):
        sweep_now()
    assert state(asking, bill) == "RESTRICTED"
    let_pass(owner_url, tenant, days=2)
    with acting_as(operator_actor(tenant.id)):
        sweep_now()
    assert state(asking, bill) == "PURGED"


@pytest.mark.slow
def test_a_restriction_by_another_request_defers_too(
    agent: Caller, asking: Asking, tenant: Tenant
) -> None:
    memory = agent.put(["crm"], "a", {"text": "owes money"}, subjects=["anna77"]).json()["id"]
    restriction = asking.carry_out(asking.ready("anna77", "restriction"))
    done = asking.erase("anna77")
    assert (done["outcome"], asking.store(done, "memories")["ground"]) == (
        "deferred",
        "restriction",
    )
    asking.step(restriction["id"], "withdraw", {"reason": "no dispute any more"})
    beat(asking, done["id"])
    assert asking.get(done["id"])["outcome"] == "erased"
    assert state(asking, memory) == "PURGED"


@pytest.mark.slow
def test_a_hold_placed_after_the_approval_still_wins(
    agent: Caller, asking: Asking, tenant: Tenant
) -> None:
    memory = agent.put(["crm"], "a", {"text": "owes money"}, subjects=["anna77"]).json()["id"]
    request = asking.ready("anna77")
    job = asking.approve(request).json()["id"]
    hold = place(asking, ids=[memory])
    assert asking.run(job)["state"] == "done"
    done = asking.get(request)
    assert (done["state"], done["outcome"]) == ("running", "deferred")
    assert state(asking, memory) == "HELD"
    release(asking, hold)
    beat(asking, request)
    assert asking.get(request)["outcome"] == "erased"


@pytest.mark.slow
@pytest.mark.parametrize("store", ["memories", pytest.param("sessions", marks=pytest.mark.slow)])
def test_a_job_that_dies_in_the_midst_is_taken_up_again_and_counts_nothing_twice(
    store: str, agent: Caller, asking: Asking, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        agent.put(["crm"], f"k{number}", {"text": "owes money"}, subjects=["anna77"])
    request = asking.ready("anna77")
    job = asking.approve(request).json()["id"]
    with monkeypatch.context() as broken:
        target = "erase_chunk" if store == "memories" else "empty_stores"
        broken.setattr(erasing, target, _die)
        assert asking.run(job)["state"] == "failed"
    assert asking.get(request)["state"] == "running"
    beat(asking, request)
    done = asking.get(request)
    assert (done["state"], done["outcome"]) == ("closed", "erased"), done
    line = asking.store(done, "memories")
    assert (line["found"], line["removed"], line["kept"]) == (3, 3, 0)


def _die(*args: object, **options: object) -> None:
    raise RuntimeError("the process died here")
