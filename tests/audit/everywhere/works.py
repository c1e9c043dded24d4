"""Work for each task: what a worker is asked for, made ready in a tenant of its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from conversations.extracting.calling import forget_failures
from erasure.ledger import Entry, append_entry, hash_for_ledger
from memories.forecasting import build_calendar
from memories.models import BusinessEvent
from memories.rotating import rotate_tenant_key
from privacy.configuring import add_pattern, add_policy
from privacy.detecting import PatternSpec
from privacy.models import PiiFinding, VaultEntry
from sealing.ring import ring
from tenants.actors import operator_actor
from tenants.clock import wall_clock
from tenants.context import acting_as
from tenants.models import Schedule
from tests.ageing import let_pass
from tests.audit.everywhere.world import World, identifier
from tests.audit.sealing_all import seal_all
from tests.conversations.llm import serving_chat
from tests.erasure.asking import Asking
from tests.rules.governing import Governed

WHY = {"reason": "because"}


@dataclass
class Stage:
    """A world, with what only the owner of the machine may."""

    world: World
    owner_url: str
    settings: Any
    ends: ExitStack
    """What is to be ended with the test."""

    @property
    def asking(self) -> Asking:
        return Asking(self.world.tenant, self.world.people["O"], self.world.second)

    def let_pass(self, **span: float) -> None:
        let_pass(self.owner_url, self.world.tenant, **span)

    def make_due(self, job: str) -> None:
        """As if beat's next look at this came now."""
        rows = Schedule.objects.filter(tenant=self.world.tenant, job=job)
        rows.update(next_at=wall_clock() - timedelta(seconds=1))


Words = tuple[str, ...]
Prepare = Callable[[Stage], Words]


def nothing(_: Stage) -> Words:
    """A tenant as it is on its first day."""
    return ()


def no_such_thing(_: Stage) -> Words:
    """Something that is gone, or was never there."""
    return (str(uuid4()),)


def own_scope(_: Stage) -> Words:
    """The tenant's own sweep scope."""
    return ("",)


def due(job: str, prepare: Prepare = nothing) -> Prepare:
    """Beat finds it due."""

    def run(stage: Stage) -> Words:
        prepare(stage)
        stage.make_due(job)
        return ()

    return run


def a_job(stage: Stage) -> Words:
    return (identifier(stage.world.people["O"].call("POST", "/audit/verify", {})),)


def an_old_file(stage: Stage) -> Words:
    folder = Path(stage.settings.DATA_DIR) / "files" / str(stage.world.tenant.id)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / str(uuid4())
    path.write_text("an export")
    os.utime(path, (0, 0))
    return ()


def what_is_expired(stage: Stage) -> Words:
    """One memory out of use, one whose time in the trash is over."""
    stage.world.put(["a"], "older", ttl=1)
    stage.let_pass(days=90)
    stage.world.put(["a"], "newer", ttl=1)
    stage.let_pass(minutes=2)
    return ("",)


def what_rules_do(stage: Stage) -> Words:
    """Rules that archive, lower the rank, and mask; a memory for each."""
    world, kinds = stage.world, ("archive", "degrade", "anonymise")
    lenient = {"pii": {"email": "flag"}}
    assert world.people["A"].call("PATCH", "/settings", lenient).status_code == 200
    Governed(world.tenant, world.people["A"], world.people["O"]).enforce(*(
        {
            "key": one, "kind": one, "after": {"days": 30}, "namespace": [one],
            **({"weight": 0.5} if one == "degrade" else {}),
        }
        for one in kinds
    ))  # fmt: skip
    for one in kinds:
        world.put([one], "k", {"text": "write to anna@example.com"})
    stage.let_pass(days=60)
    return ("",)


def what_a_hold_prevents(stage: Stage) -> Words:
    hold = {"matter": "m", "custodian": "c", **WHY, "scope": {"namespaces": [["a"]]}}
    assert stage.world.people["O"].call("POST", "/policies/holds", hold).status_code == 201
    stage.world.put(["a"], "k", ttl=1)
    stage.let_pass(days=90)
    return ("",)


def not_embedded(stage: Stage) -> Words:
    stage.world.put(["a"], "k", {"text": "short lived"}, index=None, wait=False)
    return ()


def not_scanned(stage: Stage) -> Words:
    stage.world.put(["a"], "k", {"text": "the badge is BD-12345"})
    with acting_as(operator_actor(stage.world.tenant.id)):
        add_pattern(PatternSpec("badge", "BD-[0-9]{5}"))
        add_policy(entity="badge", action="quarantine")
    return ()


def an_old_key(stage: Stage) -> Words:
    folder = ring().folder(stage.world.tenant.id)
    for path in folder.glob("*.key"):
        os.utime(path, (0, 0))
    return ()


def an_unused_key(stage: Stage) -> Words:
    """Rotated two hours ago, and nothing names the old version."""
    with acting_as(operator_actor(stage.world.tenant.id)):
        list(rotate_tenant_key())
    earlier = wall_clock().timestamp() - 7200
    for path in ring().folder(stage.world.tenant.id).glob("*.key"):
        os.utime(path, (earlier, earlier))
    return ()


def an_orphan(stage: Stage) -> Words:
    """An original whose last finding is gone for hours."""
    stage.world.put(["a"], "k", {"text": "他的身份证是11010519491231002X。"})
    with acting_as(operator_actor(stage.world.tenant.id)), transaction.atomic():
        PiiFinding.objects.all().delete()
        VaultEntry.objects.update(first_seen=wall_clock() - timedelta(hours=3))
    return ()


def a_later_event(stage: Stage) -> Words:
    """Its instant has come."""
    later = wall_clock() + timedelta(days=3)
    stage.world.put(["a"], "k", subjects=["s"])
    body = {"id": "e", "type": "t", "occurred_at": later.isoformat(), "subject": "s"}
    assert stage.world.agent.call("POST", "/events", body).status_code == 202
    with acting_as(operator_actor(stage.world.tenant.id)), transaction.atomic():
        event = BusinessEvent.objects.get()
        event.occurred_at -= timedelta(days=4)
        event.save()
    return (str(event.id),)


def said_twice(stage: Stage) -> Words:
    for _ in range(2):
        opened = stage.world.agent.call("POST", "/sessions", {"subject": "u"})
        stage.world.say(identifier(opened, "session_id"), "我住在杭州")
    return ()


def a_question(stage: Stage) -> Words:
    question = {"question": "?", "expected": [stage.world.memory]}
    assert stage.world.agent.call("POST", "/golden-questions", question).status_code == 201
    return ()


def a_hold_released(stage: Stage) -> Words:
    """An erasure that waited for a hold, which is over."""
    asking, world = stage.asking, stage.world
    world.put(["crm"], "k", subjects=["anna"])
    hold = {"matter": "m", "custodian": "c", **WHY, "scope": {"subjects": ["anna"]}}
    held = identifier(asking.officer.call("POST", "/policies/holds", hold))
    request = asking.ready("anna")
    assert asking.carry_out(request)["outcome"] == "deferred"
    for person in (asking.officer, asking.second):
        answer = person.call("POST", f"/policies/holds/{held}/release", WHY)
        assert answer.status_code == 200, answer.content
    return (request,)


def a_request_withdrawn(stage: Stage) -> Words:
    request = stage.asking.open("anna")
    assert stage.asking.step(request, "withdraw", WHY).status_code == 200
    return (request,)


def an_erasure_missing(stage: Stage) -> Words:
    """The ledger says it; the database, as after a restore, does not."""
    tenant = stage.world.tenant.id
    memory = stage.world.put(["crm"], "k", subjects=["anna"])
    append_entry(Entry(
        id=uuid4(), tenant_id=tenant, at=wall_clock(), request_id=uuid4(),
        subject=hash_for_ledger("anna", tenant), ids=(UUID(memory),),
    ))  # fmt: skip
    return ()


def said_to_the_llm(stage: Stage) -> Words:
    """A message that an LLM is to read, and one that answers."""
    served, settings = stage.ends.enter_context(serving_chat()), stage.settings
    served.facts_of = lambda text: [{"attribute": "residence", "value": "杭州", "text": text}]
    settings.LLM_BASE_URL, settings.LLM_MODEL, settings.LLM_TIMEOUT = served.url, "m", 5.0
    forget_failures()
    stage.ends.callback(forget_failures)
    opened = stage.world.agent.call("POST", "/sessions", {"subject": "u"})
    stage.world.say(identifier(opened, "session_id"), "我的地址在杭州西湖边")
    return ()


def a_sealed_log(_: Stage) -> Words:
    """Everything there is."""
    seal_all()
    return ()


def an_event_not_sealed(stage: Stage) -> Words:
    a_sealed_log(stage)
    stage.world.put(["a"], "k")
    return ()


def a_count_under_way(stage: Stage) -> Words:
    with acting_as(operator_actor(stage.world.tenant.id)):
        build_calendar()
    return ()
