"""What an officer finds in the morning: holds, a request that is done, reviews, a quarantined
secret, sessions, a month of recall. Together with rules and trash every state of a memory is there.

All of it goes the way it goes everywhere, by the same use cases. Only the nights of the month in
which recall was measured are made up; the last run is a real one, and finds that recall fell.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from django.db import transaction

from audit.jobs import OVER, run_job
from audit.models import Job
from conversations.golden import add_question
from conversations.measuring import measure_now
from conversations.messaging import Incoming, receive_message
from conversations.models import RecallRun
from conversations.opening import begin_session
from erasure import erasing, packaging  # noqa: F401 (their kinds of jobs)
from erasure.scoping import compute_scope
from erasure.stepping import approve_request, decide_request, open_request, verify_identity
from evidence.report.writing import ask_for_report
from memories.deleting import delete_memory
from memories.forecasting import build_calendar
from memories.holding import place, release
from memories.importing import DatedPut
from memories.models import Memory
from memories.namespaces import encode
from memories.ops import parse_delete, parse_put
from memories.sweeping import sweep_now
from memories.writing import put_memory
from memoryhub.demonstrating.people import AMARA, INES, JONAS, WEI, person
from policies.placing import HoldScope, Matter
from tenants.access.authenticating import authenticate_key
from tenants.access.provisioning import issue_key
from tenants.actors import job_actor, operator_actor
from tenants.context import acting_as, current_actor, now
from tenants.models import Tenant
from tenants.roles import Scope

NIGHTS = 29
SECONDS_OF_A_JOB = 60.0
OLDER: tuple[tuple[int, str, str, str, str, str], ...] = (
    (600, "sales/leads/2025-h1", "roastery-berlin", "fact", "",
     "Roastery in Berlin asked for six machines and went silent after the second offer."),
    (590, "sales/leads/2025-h1", "hotel-lisbon", "fact", "",
     "Hotel in Lisbon wants a lease, not a purchase; the decision was put off to the next season."),
    (330, "support/people/c-nora-lind", "preferences", "profile", "c-nora-lind",
     "Wants parcels left with the neighbour on the second floor."),
    (70, "support/people/c-nora-lind", "complaint", "episode", "c-nora-lind",
     "The milk frother arrived with a crack; a new one was sent."),
    (40, "support/tickets/T-21990", "complaint", "episode", "c-emil-berg",
     "Says the burner stove caught fire and a lawyer will write."),
    (39, "support/tickets/T-21990", "photos", "fact", "c-emil-berg",
     "Sent four photos of the burnt plug; the serial number ends in 77."),
    (20, "assistant/notes", "office-hours", "fact", "",
     "The office is open from eight to four in the week before Christmas."),
    (25, "support/tickets/T-22011", "wrong-address", "episode", "",
     "The parcel went to the neighbour's address; the carrier apologised."),
    (30, "sales/accounts/old-mill", "renewal", "fact", "",
     "Old Mill renewed its service contract until the end of next year."),
)  # fmt: skip
"""(days ago, namespace, key, kind, subject, text)."""
LEAKED = "The API key of the parcel service is AKIAIOSFODNN7EXAMPLE, do not lose it."
SAID = (
    ("u-maya", "chat", "I prefer oat milk in everything that you recommend to me."),
    ("u-lin", "phone", "请记住：我每周三下午都有固定的客户会议。"),
)
GOLDEN = (
    ("How many days does a customer have to ask for a refund?", "support/macros", "refund-rule"),
    ("How is a machine descaled?", "support/macros", "descale-steps"),
    ("Who pays for the return label?", "support/macros", "return-label"),
)
FORGOTTEN = ("When is the office open before Christmas?", "assistant/notes", "office-hours")


def older_memories() -> list[DatedPut]:
    """What the stories do not have: leads nobody decided about, a quiet profile, a dispute."""
    with transaction.atomic():
        present = now()
    return [
        DatedPut(parse_put({
            "namespace": namespace.split("/"), "key": key, "kind": kind, "value": {"text": text},
            "subjects": [subject] if subject else [],
        }), present - timedelta(days=days))
        for days, namespace, key, kind, subject, text in OLDER
    ]  # fmt: skip


def live_on(tenant: Tenant) -> None:
    """All of it, in the order in which a month brings it."""
    _quarrel(tenant)
    _erase(tenant)
    _restrict(tenant)
    with acting_as(operator_actor(tenant.id)):
        key = issue_key(
            tenant, name="phone-bot", prefixes=["assistant/", "support/"],
            scopes=[Scope.MEMORY_READ, Scope.MEMORY_WRITE, Scope.MEMORY_DELETE, Scope.SESSION_USE],
        )  # fmt: skip
    with acting_as(authenticate_key(str(key.text))):
        _talk()
    _measure(tenant)
    with acting_as(operator_actor(tenant.id)):
        sweep_now()
        _work(build_calendar())
    with acting_as(person(tenant, AMARA)):
        with transaction.atomic():
            present = now()
        _work(ask_for_report(since=present - timedelta(days=30), until=present, lang="en"))


def _quarrel(tenant: Tenant) -> None:
    """Two holds, one of them to be released, and what somebody deletes under them and beside."""
    with acting_as(person(tenant, INES)):
        place(
            Matter("Berg ./. Kaffeehaus", "Damages are claimed after a fire", "Legal department"),
            HoldScope(subjects=("c-emil-berg",)),
        )
        old = place(
            Matter("Tax audit 2024", "The tax office asked for the contracts", "Finance"),
            HoldScope(namespaces=("sales/accounts/",)),
        )
        release(old.row.id, reason="The audit ended without findings")
    with acting_as(operator_actor(tenant.id)):
        _delete("support/tickets/T-21990", "photos")
        _delete("sales/accounts/old-mill", "renewal")
        _delete("support/tickets/T-22011", "wrong-address")  # a rule keeps its bytes


def _erase(tenant: Tenant) -> None:
    """An erasure from intake to its certificate."""
    _carry_out(tenant, "c-nora-lind", "erasure", "Closes the account and asks to be forgotten")


def _restrict(tenant: Tenant) -> None:
    """Somebody disputes what is stored about them: it is there, and out of use."""
    _carry_out(tenant, "c-joy-adeyemi", "restriction", "Disputes the note about the app")


def _carry_out(tenant: Tenant, subject: str, kind: str, reason: str) -> None:
    with acting_as(person(tenant, INES)):
        asked = open_request(subject=subject, kind=kind, reason=reason)
        verify_identity(asked.id, method="Customer account", reference="Signed in, then called")
        _work(compute_scope(asked.id))
        decide_request(asked.id, grant=True, reason="Nothing stands against it")
    with acting_as(person(tenant, WEI)):
        _work(approve_request(asked.id, reason="Looked at the scope"))


def _work(job: Job) -> None:
    """Do what a worker would, or wait for the worker who does it already."""
    with acting_as(job_actor("demo", current_actor().tenant_id)):
        run_job(job.id)
    until = time.monotonic() + SECONDS_OF_A_JOB
    while time.monotonic() < until:
        with transaction.atomic():
            state = Job.objects.get(id=job.id).state
        if state in OVER:
            break
        time.sleep(0.1)
    if state != Job.State.DONE:
        raise RuntimeError(f"the demo's job {job.kind} is {state}")


def _delete(namespace: str, key: str) -> None:
    delete_memory(parse_delete({"namespace": namespace.split("/"), "key": key}))


def _talk() -> None:
    """Two conversations of today, and a secret that no agent should have written down."""
    for subject, channel, text in SAID:
        session = begin_session(subject, channel=channel)
        receive_message(session.id, Incoming(role="user", content=text))
    put_memory(parse_put(
        {"namespace": ["support", "notes"], "key": "parcel-service", "value": {"text": LEAKED}}
    ))  # fmt: skip


def _measure(tenant: Tenant) -> None:
    """Golden questions, the nights in which all was well, and a run after somebody deleted what
    one of them expects."""
    with acting_as(person(tenant, JONAS)):
        for question, namespace, key in (*GOLDEN, FORGOTTEN):
            labels = tuple(namespace.split("/"))
            with transaction.atomic():
                found = Memory.objects.get(namespace=encode(labels), key=key).id
            add_question(question, namespace_prefix=labels[:1], expected=[found])
        with transaction.atomic():
            present = now()
            RecallRun.objects.bulk_create(
                [_night(present - timedelta(days=days)) for days in range(NIGHTS, 0, -1)]
            )
    with acting_as(operator_actor(tenant.id)):
        _delete(*FORGOTTEN[1:])
    with acting_as(person(tenant, JONAS)):
        _work(measure_now())


def _night(at: datetime) -> RecallRun:
    recall = 0.97 + 0.01 * (at.day % 4)
    return RecallRun(
        trigger=RecallRun.Trigger.NIGHTLY, started_at=at, finished_at=at + timedelta(seconds=4),
        questions=len(GOLDEN) + 1, recall=recall, found=1.0,
    )  # fmt: skip
