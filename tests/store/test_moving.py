"""The commands export and import: killed, they go on; a second import adds nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.core.management import CommandError, call_command

from memories.moving import taking_in, taking_out
from memoryhub import embedded
from tenants.models import Tenant
from tests.callers import Caller
from tests.plugin import DATA


def run(command: str, tenant: Tenant, file: Path | str, **options: Any) -> dict[str, Any]:
    out = StringIO()
    call_command(
        command, tenant.slug, str(file), json=True, stdout=out, stderr=StringIO(), **options
    )
    done: dict[str, Any] = json.loads(out.getvalue())
    return done


def shown(caller: Caller) -> list[tuple[Any, ...]]:
    items = caller.search([], limit=1000, include_archived=True).json()["items"]
    names = ("namespace", "key", "value", "kind", "tags", "created_at", "updated_at")
    return sorted((tuple(json.dumps(one[name]) for name in names) for one in items), key=str)


@pytest.fixture
def filled(agent: Caller) -> Caller:
    for n in range(25):
        agent.put(["a", f"名字/{n % 3}"], str(n), {"n": n, "text": "text"}, index=False, tags=["x"])
    agent.put(["a"], "twice", {"n": 1}, index=False)
    agent.put(["a"], "twice", {"n": 2}, index=False)
    agent.put(["a"], "short", {"n": 1}, ttl=600, index=["n"], kind="episode")
    agent.put(["a"], "gone", {"n": 1}, index=False)
    agent.delete(["a"], "gone")
    return agent


def test_what_goes_out_comes_in_elsewhere_with_its_dates(
    filled: Caller, outsider: Caller, tenant: Tenant, rival: Tenant, tmp_path: Path
) -> None:
    file = tmp_path / "memories.jsonl"
    assert run("export", tenant, file)["memories"] == 27
    assert run("import", rival, file) == {"read": 27, "added": 27, "skipped": 0}
    ends = [
        one.get(["a"], "short", refresh_ttl="false").json()["retention"]["visible_until"]
        for one in (filled, outsider)
    ]
    assert ends[0] == ends[1]
    assert shown(outsider) == shown(filled)
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.slow
def test_a_second_import_of_a_file_adds_nothing(
    filled: Caller, outsider: Caller, tenant: Tenant, rival: Tenant, tmp_path: Path
) -> None:
    file = tmp_path / "memories.jsonl"
    run("export", tenant, file)
    run("import", rival, file)
    before = outsider.search([], limit=1000).json()["items"]
    assert run("import", rival, file) == {"read": 27, "added": 0, "skipped": 27}
    after = outsider.search([], limit=1000).json()["items"]
    assert [(one["id"], one["version"]) for one in after] == [
        (one["id"], one["version"]) for one in before
    ]


@pytest.mark.slow
def test_an_import_does_not_write_over_what_is_newer(
    filled: Caller, tenant: Tenant, tmp_path: Path
) -> None:
    file = tmp_path / "memories.jsonl"
    run("export", tenant, file)
    filled.put(["a"], "twice", {"n": 3}, index=False)
    assert run("import", tenant, file)["added"] == 0
    assert filled.get(["a"], "twice").json()["value"] == {"n": 3}


class Killed(BaseException):
    pass


def kill_after(number: int) -> Callable[..., None]:
    calls = []

    def save(*_: Any) -> None:
        calls.append(1)
        if len(calls) > number:
            raise Killed

    return save


@pytest.mark.slow
def test_a_killed_import_goes_on_where_it_was(
    filled: Caller, outsider: Caller, tenant: Tenant, rival: Tenant, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    file = tmp_path / "memories.jsonl"
    run("export", tenant, file)
    monkeypatch.setattr(taking_in, "CHUNK", 10)
    save = taking_in.states.save
    with monkeypatch.context() as broken:
        kill = kill_after(1)

        def save_once(*given: Any) -> None:
            kill()
            save(*given)

        broken.setattr(taking_in.states, "save", save_once)
        with pytest.raises(Killed):
            run("import", rival, file)
    done = run("import", rival, file)  # ten were marked as done, twenty were written
    assert done == {"read": 27, "added": 17, "skipped": 10}
    assert shown(outsider) == shown(filled)
    assert {one["version"] for one in outsider.search([], limit=100).json()["items"]} == {1}


@pytest.mark.slow
def test_a_killed_export_goes_on_where_it_was(
    filled: Caller, tenant: Tenant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, file = tmp_path / "whole.jsonl", tmp_path / "memories.jsonl"
    run("export", tenant, whole)
    monkeypatch.setattr(taking_out, "CHUNK", 10)
    save = taking_out.states.save
    with monkeypatch.context() as broken:
        kill = kill_after(1)

        def save_once(*given: Any) -> None:
            kill()
            save(*given)

        broken.setattr(taking_out.states, "save", save_once)
        with pytest.raises(Killed):
            run("export", tenant, file)
    assert file.read_bytes() != whole.read_bytes()
    assert run("export", tenant, file)["memories"] == 27
    assert file.read_bytes() == whole.read_bytes()


def test_a_bad_line_is_named_and_what_stood_before_it_is_stored(
    agent: Caller, tenant: Tenant, tmp_path: Path
) -> None:
    good = {"namespace": ["a"], "key": "k", "value": {"n": 1}, "index": False}
    line = json.dumps(good)
    file = tmp_path / "m.jsonl"
    file.write_text(line + "\n" + '{"namespace": ["a.b"], "key": "k", "value": {}}\n')
    with pytest.raises(CommandError, match=rf"byte {len(line) + 1}\.namespace"):
        run("import", tenant, file)
    assert agent.keys(["a"]) == ["k"]
    file.write_text(
        line + "\n" + '{"namespace": ["ab"], "key": "k", "value": {}, "index": false}\n'
    )
    run("import", tenant, file)
    assert agent.keys(["ab"]) == ["k"]


def test_digits_and_absent_options_survive(agent: Caller, tenant: Tenant, tmp_path: Path) -> None:
    file = tmp_path / "m.jsonl"
    file.write_text('{"namespace": "a/b%2Fc", "key": "k", "value": {"n": 1.00000000000000000001}}')
    run("import", tenant, file)
    assert b"1.00000000000000000001" in agent.get(["a", "b/c"], "k").content
    out = tmp_path / "out.jsonl"
    run("export", tenant, out)
    assert b"1.00000000000000000001" in out.read_bytes()


def test_what_is_over_by_now_is_not_brought_back(
    agent: Caller, tenant: Tenant, tmp_path: Path
) -> None:
    file = tmp_path / "m.jsonl"
    item = {
        "namespace": ["a"],
        "key": "k",
        "value": {},
        "ttl": 5,
        "updated_at": "2020-01-01T00:00:00Z",
    }
    file.write_text(json.dumps(item))
    assert run("import", tenant, file) == {"read": 1, "added": 0, "skipped": 1}


@pytest.mark.slow
def test_mem0_and_chroma_exports_come_in_once(
    agent: Caller, tenant: Tenant, tmp_path: Path
) -> None:
    mem0, chroma = tmp_path / "mem0.json", tmp_path / "chroma.json"
    mem0.write_text(
        json.dumps(
            {
                "results": [
                    {
                        "id": "m1", "memory": "likes tea", "user_id": "u.1", "run_id": "r",
                        "metadata": {"topic": "drinks"}, "created_at": "2024-03-01T10:00:00-08:00",
                        "updated_at": None,
                    }
                ]
            }
        )
    )  # fmt: skip
    chroma.write_text(
        json.dumps(
            {"ids": ["c1", "c2"], "documents": ["one", "two"], "metadatas": [None, {"a": 1}]}
        )
    )
    for _ in range(2):
        run("import", tenant, mem0, format="mem0", namespace="x")
        run("import", tenant, chroma, format="chroma")
    got = agent.get(["x", "users", "u_1"], "m1").json()
    assert got["value"] == {"text": "likes tea", "metadata": {"topic": "drinks"}}
    assert got["created_at"] == "2024-03-01T18:00:00Z"
    assert got["subjects"] == ["u.1"]
    assert got["version"] == 1
    assert agent.get(["chroma"], "c2").json()["value"] == {"text": "two", "metadata": {"a": 1}}


@pytest.fixture
def langgraph_url(hub: str) -> Iterator[str]:
    """A database with a LangGraph PostgresStore in it, as its own migrations make it."""
    name = f"langgraph_{uuid4().hex[:8]}"
    embedded.create_database(DATA, name)
    url = embedded.locate(DATA, database=name).owner_url
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE store (prefix text NOT NULL, key text NOT NULL, value jsonb NOT NULL, "
            "created_at timestamptz DEFAULT now(), updated_at timestamptz DEFAULT now(), "
            "expires_at timestamptz, ttl_minutes int, PRIMARY KEY (prefix, key))"
        )
        connection.execute(
            "CREATE TABLE store_vectors (prefix text, key text, field_name text, embedding text)"
        )
        connection.execute(
            "INSERT INTO store SELECT 'users.u' || n % 3, n::text, jsonb_build_object('n', n), "
            "'2024-01-01', '2024-02-01' FROM generate_series(1, 40) AS n"
        )
        connection.execute(
            "INSERT INTO store VALUES "
            "('a', 'ttl', '{}', now(), now(), now() + interval '5 minutes', 10)"
        )
        connection.execute("INSERT INTO store_vectors VALUES ('users.u1', '1', 'n', '[1]')")
    yield url
    embedded.drop_database(DATA, name)


@pytest.mark.slow
def test_a_langgraph_store_comes_in_with_its_dates_and_only_once(
    agent: Caller, tenant: Tenant, langgraph_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.moving.langgraph.CHUNK", 7)
    done = run("import", tenant, langgraph_url, format="langgraph")
    assert done == {"read": 41, "added": 41, "skipped": 0}
    got = agent.get(["users", "u1"], "4").json()
    assert got["value"] == {"n": 4}
    assert got["created_at"] == "2024-01-01T00:00:00Z"
    assert got["updated_at"] == "2024-02-01T00:00:00Z"
    assert got["embedding"] == "none"
    ttl = agent.get(["a"], "ttl", refresh_ttl="false").json()["retention"]
    assert ttl["ttl_minutes"] == 10
    again = run("import", tenant, langgraph_url, format="langgraph")
    assert again == {"read": 41, "added": 0, "skipped": 41}
