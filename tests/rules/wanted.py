"""The four rules that people ask for first, as they fill them in, and what then comes of them.

Each has the fields of the editor, the sentences it says of itself, the memories an agent writes
before it, and what happens until a sweep acts. Rows age (`tests.ageing`); nothing waits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction

from memories.occurring import apply_due, note_activity
from tenants.actors import operator_actor
from tenants.clock import wall_clock
from tenants.context import acting_as
from tenants.models import Schedule, Tenant
from tests.callers import Caller

PassTime = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Life:
    """What a story of memories happens with."""

    tenant: Tenant
    agent: Caller
    pass_time: PassTime


@dataclass(frozen=True, slots=True)
class Wanted:
    """A rule made in the page, and what is seen of it.

    `speaks_about` is the live count of the editor; `gone` and `stays` are keys of
    memories after the sweep, whose counts are `swept`.
    """

    fields: dict[str, str]
    wire: dict[str, Any]
    says: dict[str, str]
    write: Callable[[Caller], None]
    happen: Callable[[Life], None]
    speaks_about: int
    gone: tuple[str, ...]
    stays: tuple[str, ...]
    state: str
    swept: dict[str, int]

    @property
    def key(self) -> str:
        return self.fields["key"]


def _write_profiles(agent: Caller) -> None:
    for who in ("quiet", "busy"):
        options = {"kind": "profile", "subjects": [who], "index": False}
        agent.put(["users", who], f"{who}-profile", {"likes": "tea"}, **options)
        agent.put(["users", who], f"{who}-fact", {"n": 1}, subjects=[who], index=False)


def _one_stays_active(life: Life) -> None:
    life.pass_time(days=80)
    with acting_as(operator_actor(life.tenant.id)):
        with transaction.atomic():
            note_activity("busy")  # as a session or a message of this person does
        for schedule in Schedule.objects.filter(tenant=life.tenant, job="event"):
            apply_due(UUID(schedule.scope))
    life.pass_time(days=11)


INACTIVE = Wanted(
    fields={
        "key": "inactive-profiles", "kind": "archive", "memory_kind": "profile",
        "timing": "after", "after_days": "90", "anchor": "event", "event": "subject.active",
        "fallback_days": "90",
    },
    wire={
        "key": "inactive-profiles", "kind": "archive", "memory_kind": "profile",
        "after": {"days": 90}, "anchor": "event:subject.active", "fallback": {"days": 90},
    },
    says={
        "en": "Memories of kind profile leave ordinary search 90 days after the event "
        "subject.active",
        "zh-hans": "种类为“画像”的记忆，自事件 subject.active 发生起满 90 天移出常规搜索",
    },
    write=_write_profiles, happen=_one_stays_active, speaks_about=2,
    gone=("quiet-profile",), stays=("busy-profile", "quiet-fact", "busy-fact"),
    state="ARCHIVED", swept={"archived": 1},
)  # fmt: skip


def _write_orders(agent: Caller) -> None:
    for order in ("done", "open"):
        agent.put(["orders", order], f"address-{order}", {"n": 1}, index=False)


def _one_is_completed(life: Life) -> None:
    life.pass_time(days=100)
    at = wall_clock().isoformat()
    where = ["orders", "done"]
    told = {"id": "o", "type": "order.completed", "occurred_at": at, "namespace": where}
    assert life.agent.call("POST", "/events", told).status_code == 202
    life.pass_time(days=29)
    assert life.agent.get(where, "address-done").status_code == 200
    life.pass_time(days=2)


COMPLETED = Wanted(
    fields={
        "key": "completed-orders", "kind": "expire", "namespace": "orders", "timing": "after",
        "after_days": "30", "anchor": "event", "event": "order.completed", "end": "trash",
    },
    wire={
        "key": "completed-orders", "kind": "expire", "namespace": ["orders"],
        "after": {"days": 30}, "anchor": "event:order.completed",
    },
    says={
        "en": "Memories under orders/ leave use 30 days after the event order.completed",
        "zh-hans": "命名空间 orders/ 下的记忆，自事件 order.completed 发生起满 30 天停止使用",
    },
    write=_write_orders, happen=_one_is_completed, speaks_about=2,
    gone=("address-done",), stays=("address-open",), state="TRASH", swept={"hidden": 1},
)  # fmt: skip


def _write_fading(agent: Caller) -> None:
    for key, decay in (("read", 0.9), ("forgotten", 0.9), ("ageless", 1)):
        agent.put(["notes"], key, {"n": 1}, index=False, decay=decay)


def _one_is_read(life: Life) -> None:
    life.pass_time(days=20)
    assert life.agent.get(["notes"], "read").status_code == 200
    life.pass_time(days=9)  # ln 0.05 / ln 0.9 = 28.4 days


FADED = Wanted(
    fields={
        "key": "faded", "kind": "expire", "timing": "strength", "strength_below": "0.05",
        "anchor": "accessed", "end": "trash",
    },
    wire={"key": "faded", "kind": "expire", "strength_below": 0.05, "anchor": "accessed"},
    says={
        "en": "All memories leave use when their strength falls below 0.05, counted from their "
        "last read",
        "zh-hans": "所有记忆，自最后一次读取起，强度低于 0.05 时停止使用",
    },
    write=_write_fading, happen=_one_is_read, speaks_about=2,
    gone=("forgotten",), stays=("read", "ageless"), state="TRASH", swept={"hidden": 1},
)  # fmt: skip


def _write_notes(agent: Caller) -> None:
    for key in ("never", "twice", "thrice"):
        agent.put(["notes"], key, {"n": 1}, index=False)


def _some_are_read(life: Life) -> None:
    for key, reads in (("twice", 2), ("thrice", 3)):
        for _ in range(reads):
            life.pass_time(seconds=2)  # a touch counts once a second
            assert life.agent.get(["notes"], key).status_code == 200
    life.pass_time(days=31)


UNREAD = Wanted(
    fields={
        "key": "little-read", "kind": "expire", "timing": "after", "after_days": "30",
        "anchor": "created", "unless_accessed": "3", "end": "trash",
    },
    wire={"key": "little-read", "kind": "expire", "after": {"days": 30}, "unless_accessed": 3},
    says={
        "en": "All memories leave use 30 days after creation, unless read at least 3 times",
        "zh-hans": "所有记忆，自创建起满 30 天停止使用",
    },
    write=_write_notes, happen=_some_are_read, speaks_about=3,
    gone=("never", "twice"), stays=("thrice",), state="TRASH", swept={"hidden": 2},
)  # fmt: skip

FOUR = {"inactive": INACTIVE, "completed": COMPLETED, "faded": FADED, "little_read": UNREAD}
