"""Contexts over HTTP, 20 sessions at once, the local model included: how long each tier takes.

Each session has a subject of its own with a long-term memory of 150 facts. A turn is a message and
then a context for it. `paced` is a conversation as people have it (a pause between turns, the 20
sessions spread over it); `pressed` is without any pause, so that what is measured is mostly waiting
for two cores. Figures of the tiers are the hub's own `timings_ms`; `answer` is what a client sees.
Questions differ, so each is embedded, or answered by words when its turn at the model would come
too late; `no vector` is the share of these, and of the messages kept that are left to the worker.
No worker runs beside, so those stay without.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg

from bench.hub import Hub, running_hub, running_servers
from bench.load import Wire

SESSIONS = 20
FACTS = 150
PAUSE = 2.0
TIERS = ("session", "short_term", "long_term", "total")
TARGETS = {"session": 5, "short_term": 50, "long_term": 200, "total": 300}
PLACES = ("北京", "上海", "杭州", "Berlin", "Lisbon", "Oslo", "成都", "Denver")
THINGS = ("咖啡", "hiking boots", "红茶", "a violin", "自行车", "jazz records", "相机", "old maps")


@dataclass(slots=True)
class Times:
    """Milliseconds of what was asked."""

    tiers: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in TIERS})
    context: list[float] = field(default_factory=list)
    message: list[float] = field(default_factory=list)

    def take(self, other: Times) -> None:
        """Add those of another client."""
        for name in TIERS:
            self.tiers[name] += other.tiers[name]
        self.context += other.context
        self.message += other.message


def fact_of(number: int) -> str:
    """One of many different facts, Chinese and English."""
    draw = random.Random(number)
    place, thing = draw.choice(PLACES), draw.choice(THINGS)
    if number % 2:
        return f"在{place}第 {number} 次买了{thing}，花了 {draw.randrange(900)} 元"
    return f"Bought {thing} in {place}, number {number}, for {draw.randrange(900)} euros"


def fill(wire: Wire, *, facts: int) -> None:
    """What is known of every subject; a twentieth of it who they are."""
    for subject in range(SESSIONS):
        ops = [
            {
                "op": "put", "namespace": ["users", f"s{subject}"], "key": f"k{number}",
                "value": {"text": fact_of(subject * facts + number)},
                "kind": "profile" if number % 20 == 0 else "fact",
            }
            for number in range(facts)
        ]  # fmt: skip
        wire.call("POST", "/store/batch", {"ops": ops})


def asked_of(wire: Wire, path: str, body: dict[str, Any]) -> Any:
    """The JSON of a POST's answer."""
    answer = wire.call("POST", path, body)
    if answer[:1] != b"{":  # chunked
        answer = b"".join(answer.split(b"\r\n")[1::2])
    return json.loads(answer)


def turn(wire: Wire, session: str, number: int, times: Times) -> None:
    """A message, and a context for it."""
    draw = random.Random(f"{session}{number}")
    said = f"帮我在{draw.choice(PLACES)}买{draw.choice(THINGS)}，预算 {number * 7 + 13} 元"
    begin = time.perf_counter()
    wire.call("POST", f"/sessions/{session}/messages", {"role": "user", "content": said})
    middle = time.perf_counter()
    asked = f"{draw.choice(THINGS)}，{draw.choice(PLACES)}, {number}?"
    body = {"session_id": session, "query": asked}
    answer = asked_of(wire, "/context", body)
    end = time.perf_counter()
    times.message.append(1_000 * (middle - begin))
    times.context.append(1_000 * (end - middle))
    for name in TIERS:
        times.tiers[name].append(answer["timings_ms"][name])


def converse(
    port: int, key: str, sessions: Sequence[str], *, seconds: float, pause: float
) -> Times:
    """All sessions at once, each with turns until the time is over."""
    times, faults, lock = Times(), [], threading.Lock()
    begin = time.perf_counter()

    def run(place: int) -> None:
        mine, wire, number = Times(), Wire(port, key), 0
        try:
            time.sleep(pause * place / len(sessions))
            while time.perf_counter() < begin + seconds:
                started = time.perf_counter()
                turn(wire, sessions[place], int(1_000 * (started - begin)), mine)
                number += 1
                time.sleep(max(0.0, pause - (time.perf_counter() - started)))
        except BaseException as fault:
            faults.append(fault)
        with lock:
            times.take(mine)

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(sessions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return times


_CONTEXTS = (
    "SELECT count(*), count(*) FILTER (WHERE links ? 'degraded') FROM audit_event "
    "WHERE tenant_id = %(tenant)s AND action = 'context.assemble' AND at >= %(since)s"
)
_MESSAGES = (
    "SELECT count(*), count(*) FILTER (WHERE embedding = 'pending') FROM memories_memory "
    "WHERE tenant_id = %(tenant)s AND tier = 'short' AND kind = 'intent' "
    "AND created_at >= %(since)s"
)


class Log:
    """What the hub itself wrote down about the tenant under measurement."""

    def __init__(self, hub: Hub) -> None:
        self._url = hub.owner_url
        (self._tenant,) = self._ask(
            "SELECT id FROM tenants_tenant ORDER BY created_at DESC LIMIT 1"
        )

    def now(self) -> datetime:
        """By the database's clock."""
        (at,) = self._ask("SELECT now()")
        return at

    def without_vector(self, since: datetime) -> dict[str, float]:
        """Of all contexts, and of all messages kept, the share that got none."""
        shares = {}
        for name, sql in (("context", _CONTEXTS), ("message", _MESSAGES)):
            everything, without = self._ask(sql, tenant=self._tenant, since=since)
            shares[name] = without / max(1, everything)
        return shares

    def _ask(self, sql: str, **values: Any) -> Any:
        with psycopg.connect(self._url) as connection:
            if "tenant" in values:
                connection.execute("SELECT hub_act(%s, false)", [values["tenant"]])
            return connection.execute(sql, values).fetchone()


def rows_of(name: str, times: Times, without: Mapping[str, float]) -> list[dict[str, Any]]:
    """A row for each tier, and for what a client sees."""
    measured = {**times.tiers, "answer": times.context, "message": times.message}
    no_vector: dict[str, Any] = dict.fromkeys((*TIERS[1:], "answer"), without["context"])
    no_vector["message"] = without["message"]
    return [
        {
            "load": name, "what": what, "times": len(values), "p50": at(values, 0.5),
            "p95": at(values, 0.95), "target p95": TARGETS.get(what, ""),
            "no vector": no_vector.get(what, ""),
        }
        for what, values in measured.items()
    ]  # fmt: skip


def at(values: Sequence[float], share: float) -> float:
    """The value that this share of them stays within."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


def measure(data: Path, *, quick: bool) -> list[dict[str, Any]]:
    """Paced and pressed, with the local model."""
    rows: list[dict[str, Any]] = []
    with running_servers(data), running_hub(data, provider="local") as hub:
        key = hub.make_tenant()
        wire = Wire(hub.port, key)
        fill(wire, facts=30 if quick else FACTS)
        sessions = []
        for place in range(SESSIONS):
            opened = asked_of(wire, "/sessions", {"subject": f"s{place}", "ttl_seconds": 86_400})
            sessions.append(opened["session_id"])
        converse(hub.port, key, sessions, seconds=3 if quick else 6, pause=0.5)
        log = Log(hub)
        for name, pause in (("paced", PAUSE), ("pressed", 0.0)):
            begin = log.now()
            times = converse(hub.port, key, sessions, seconds=10 if quick else 40, pause=pause)
            rows += rows_of(name, times, log.without_vector(begin))
    return rows
