"""Identity numbers through every door: none in the clear in the database, Valkey, queues or logs.

The database is read whole, as its superuser: every column of every table, as text and as bytes.
"""

from __future__ import annotations

import json
import logging
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import psycopg
import pytest
import redis
from django.conf import settings
from psycopg import sql

from memories.importing import DatedPut, import_memories
from memories.ops import parse_put
from memoryhub.embedded.databases import _connect
from memoryhub.embedded.places import find_places
from tenants.actors import operator_actor
from tenants.clock import wall_clock
from tenants.context import acting_as
from tenants.models import Tenant
from tests.callers import Caller
from tests.people import Person
from tests.plugin import DATA

NUMBERS = {
    "put": "11010519491231002X",
    "batch": "440524188001010014",
    "import": "110101200002290018",
    "message": "310101199003071230",
    "state": "110105199003077833",
}
CARD, MOBILE, SECRET = "6222023074185296300", "13912345678", "AKIAI44QH8DHBEXAMPLE"
CLEAR = (*NUMBERS.values(), CARD, MOBILE, "139-1234-5678", SECRET, "lisi.wang@example.com")


def value_of(number: str) -> dict[str, Any]:
    return {
        "text": f"客户的身份证是{number}，电话139-1234-5678，卡号{CARD}",
        "list": [{"id": number, "mail": "lisi.wang@example.com"}, [number]],
        number: "a key",
        "bank card": int(CARD),
        "mobile": int(MOBILE),
    }


@pytest.fixture
def whole_database(hub: str) -> Iterator[psycopg.Connection]:
    """The test's database, as the server's superuser, whom no row policy binds."""
    with _connect(find_places(DATA), hub) as connection:
        yield connection


def rows_of(connection: psycopg.Connection) -> Iterator[tuple[str, str]]:
    """(table, text) of every row; bytes also as the text they would be."""
    tables = connection.execute(
        "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.relkind = 'r' AND n.nspname NOT IN "
        "('pg_catalog', 'information_schema', 'pg_toast')"
    ).fetchall()
    for schema, table in tables:
        query = sql.SQL("SELECT t::text FROM {} t").format(sql.Identifier(schema, table))
        for (text,) in connection.execute(query):
            yield table, text


def clear_in(text: str) -> list[str]:
    plain = [one for one in CLEAR if one in text]
    if "\\x" not in text:  # no bytes in it
        return plain
    return plain + [one for one in CLEAR if one.encode().hex() in text]


def write_by_every_door(agent: Caller, tenant: Tenant) -> None:
    source = {"said": f"证件{NUMBERS['put']}"}
    put = agent.put(["a"], "put", value_of(NUMBERS["put"]), source=source)
    assert put.status_code == 200
    again = agent.put(["a"], "put", {**value_of(NUMBERS["put"]), "n": 2}, wait=False)
    assert again.json()["outcome"] == "updated"
    body = {"namespace": ["a"], "key": "once", "value": value_of(NUMBERS["put"])}
    assert agent.call("PUT", "/store/items", body, idempotency_key="k1").status_code == 200
    op = {"op": "put", "namespace": ["a"], "key": "batch", "value": value_of(NUMBERS["batch"])}
    assert agent.batch(op).status_code == 200
    assert agent.put(["a"], "secret", {"t": f"{SECRET} {NUMBERS['put']}"}).status_code == 200
    say_in_a_session(agent, NUMBERS["message"])
    item = parse_put({"namespace": ["a"], "key": "i", "value": value_of(NUMBERS["import"])})
    with acting_as(operator_actor(tenant.id)):
        assert import_memories([DatedPut(item, wall_clock().replace(year=2025))]) == 1


def say_in_a_session(agent: Caller, number: str) -> None:
    opened = agent.call("POST", "/sessions", {"subject": "u1", "channel": "web"}).json()
    path = f"/sessions/{opened['session_id']}"
    said = f"我的身份证是{number}，电话139-1234-5678，邮箱lisi.wang@example.com，帮我办签证"
    message = {"role": "user", "content": said, "metadata": {"card": CARD}}
    added = agent.call("POST", f"{path}/messages", message).json()
    assert added["short_term"]["stored"]
    assert {"cn_id", "cn_mobile", "email"} <= set(added["classes"])
    for role in ("assistant", "tool"):
        agent.call("POST", f"{path}/messages", {"role": role, "content": f"记下了：{said}"})
    secret = {"role": "user", "content": f"帮我保存密钥 {SECRET}"}
    assert not agent.call("POST", f"{path}/messages", secret).json()["short_term"]["stored"]
    state = {"state": {"visa": NUMBERS["state"], "phones": [MOBILE]}}
    assert agent.call("PATCH", path, state).status_code == 200
    for body in ({"session_id": opened["session_id"]}, {"subject": "u1"}):
        asked = agent.call("POST", "/context", {**body, "query": f"身份证{number}"})
        assert number not in asked.content.decode()
    recalled = agent.call("POST", f"{path}/recall", {"query": number})
    assert number not in recalled.content.decode()
    agent.call("POST", f"{path}/promote", {})


def teach_by_every_door(agent: Caller, officer: Person) -> None:
    """Golden questions and what is said of a search."""
    number = NUMBERS["put"]
    found = agent.search(["a"], query=f"谁的身份证是{number}").json()
    used = [one["id"] for one in found["items"][:1]]
    said = agent.call("POST", f"/searches/{found['search_id']}/feedback", {"used": used})
    assert said.status_code == 204, said.content
    memory = agent.get(["a"], "put").json()["id"]
    question = {"question": f"谁的身份证是{number}，电话{MOBILE}？", "expected": [memory]}
    golden = officer.call("POST", "/golden-questions", question)
    assert golden.status_code in (201, 422), golden.content
    assert number not in officer.call("GET", "/golden-questions").content.decode()
    run_golden_questions(agent)


def run_golden_questions(agent: Caller) -> None:
    assert agent.call("POST", "/golden-questions/run", {}).status_code in (200, 202)


def ask_by_every_door(agent: Caller, officer: Person) -> None:
    number = NUMBERS["put"]
    for mode in ("hybrid", "text", "vector"):
        assert agent.search(["a"], query=f"身份证{number}", mode=mode).status_code == 200
    agent.search(["a"], filter={"text": f"身份证{number}"})
    assert agent.put(["a"], number, {"a": 1}).status_code == 422
    agent.call("PUT", "/store/items", raw=b'{"key": "' + number.encode() + b'", ')
    found = officer.call("POST", "/memories/find", {"entity": "cn_id", "value": number}).json()
    first = next(one for one in found["items"] if one["key"] == "put")
    seen = agent.get(["a"], "put").json()["value"]
    assert "⟦cn_id:" in seen["text"]
    assert number not in json.dumps(seen, ensure_ascii=False)
    shown = {"path": "text", "reason": f"asked for {number}"}
    answer = officer.call("POST", f"/memories/{first['id']}/reveal", shown)
    assert number in answer.json()["value"]
    event = officer.call("GET", f"/memories/{first['id']}/events").json()["items"][0]
    assert (event["action"], event["links"]["path"]) == ("memory.reveal", "text")
    assert event["links"]["reason"].startswith("asked for ")
    assert number not in json.dumps(event)
    label = {"label": "x", "reason": f"because of {number}"}
    assert officer.call("POST", f"/memories/{first['id']}/label", label).status_code == 200


@pytest.mark.slow
def test_nothing_clear_is_left_anywhere(
    agent: Caller, tenant: Tenant, officer: Person, whole_database: psycopg.Connection,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    of_other_tests = {(table, text) for table, text in rows_of(whole_database) if clear_in(text)}
    whole_database.commit()
    with caplog.at_level(logging.INFO):
        write_by_every_door(agent, tenant)
        teach_by_every_door(agent, officer)
        ask_by_every_door(agent, officer)
    assert not clear_in(caplog.text + json.dumps([str(one.__dict__) for one in caplog.records]))
    rows = [row for row in rows_of(whole_database) if row not in of_other_tests]
    assert any(table.startswith("memories_memory_") and "⟦cn_id:" in text for table, text in rows)
    assert not {(table, one) for table, text in rows for one in clear_in(text)}
    held = list(values_of_valkey())
    assert held
    assert not {one for text in held for one in clear_in(text)}


def values_of_valkey() -> Iterator[str]:
    """Every key and value of every database, caches and queues of tasks alike, as text.

    Not by DUMP, which compresses; task bodies are base64 in their message, so decoded too.
    """
    for number in range(16):
        server = redis.Redis.from_url(settings.REDIS_URL, db=number)
        for key in server.scan_iter(count=1000):
            yield key.decode("latin-1")
            for value in _read_all(server, key):
                yield value.decode(errors="replace")
                with suppress(ValueError, KeyError, TypeError):
                    yield b64decode(json.loads(value)["body"]).decode(errors="replace")


def _read_all(server: Any, key: bytes) -> list[bytes]:
    match server.type(key):
        case b"string":
            return [server.get(key) or b""]
        case b"list":
            return list(server.lrange(key, 0, -1))
        case b"set":
            return list(server.smembers(key))
        case b"zset":
            return [member for member, _ in server.zrange(key, 0, -1, withscores=True)]
        case b"hash":
            return [part for pair in server.hgetall(key).items() for part in pair]
        case b"stream":
            return [repr(one).encode() for one in server.xrange(key)]
        case b"none":
            return []
        case kind:
            raise AssertionError(kind)


@pytest.mark.slow
def test_an_officer_finds_all_that_came_by_each_door(
    agent: Caller, tenant: Tenant, officer: Person
) -> None:
    write_by_every_door(agent, tenant)
    for door, number in NUMBERS.items():
        if door == "state":  # of a task, not a memory: tokens in the session's own table
            continue
        body = {"entity": "cn_id", "value": number}
        items = officer.call("POST", "/memories/find", body).json()["items"]
        assert items, door
        assert number not in json.dumps(items, ensure_ascii=False)
