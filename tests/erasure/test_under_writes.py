"""An erasure while writes for the person come in: what was acknowledged before its end is gone."""

from __future__ import annotations

import threading
from uuid import UUID, uuid4

import pytest
from django.db import connections

from audit.jobs import run_job
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller
from tests.erasure.asking import Asking
from tests.erasure.everywhere import tables_holding

WRITERS = 3


@pytest.mark.slow
def test_writes_that_come_in_meanwhile_do_not_outlive_it(
    agent: Caller, tenant: Tenant, asking: Asking, owner_url: str
) -> None:
    word, stop = f"w{uuid4().hex[:10]}", threading.Event()
    for number in range(20):
        agent.put(["crm"], f"old-{number}", {"text": f"{word} before"}, subjects=["anna77"])
    refused: list[int] = []

    def write(place: int) -> None:
        caller, number = Caller(agent.key), 0
        while not stop.is_set():
            number += 1
            value = {"text": f"{word} number {number} of {place}"}
            answer = caller.put(["crm"], f"{place}-{number % 7}", value, subjects=["anna77"],
                                index=False)  # fmt: skip
            if answer.status_code != 200:
                refused.append(answer.status_code)
        connections.close_all()

    writers = [threading.Thread(target=write, args=(place,)) for place in range(WRITERS)]
    for writer in writers:
        writer.start()
    try:
        request = asking.ready("anna77")
        job = asking.approve(request).json()["id"]
        runner = threading.Thread(target=_run, args=(tenant, job))
        runner.start()
        runner.join(timeout=3)  # in the midst of the writes
    finally:
        stop.set()
    for writer in writers:
        writer.join()
    runner.join()
    done = asking.get(request)
    for _ in range(5):  # what slipped in between the last look and the probe reopens it
        if done["state"] != "scope":
            break
        asking.scope(request)
        asking.decide(request)
        done = asking.carry_out(request)
    assert (done["state"], done["outcome"]) == ("closed", "erased"), done
    assert refused == []
    assert tables_holding(owner_url, tenant, word, "anna77") == {}


def _run(tenant: Tenant, job: str) -> None:
    with acting_as(job_actor("test", tenant.id)):
        run_job(UUID(job))
    connections.close_all()
