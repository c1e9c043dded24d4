"""A dump taken before an erasure is restored: erased again before anybody is answered."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings

from memoryhub import embedded
from tenants.models import Tenant
from tests.ageing import count_rows
from tests.callers import Caller
from tests.erasure.asking import Asking
from tests.erasure.everywhere import tables_holding
from tests.erasure.restoring import dump_database, restore_database
from tests.plugin import DATA, ROOT

ITEM = "/api/v1/store/items?namespace=crm&key="


class Restored:
    """The restored database, and processes that use it."""

    def __init__(self, name: str) -> None:
        found = embedded.locate(DATA, database=name)
        self.owner_url = found.owner_url
        self.environment = {
            **os.environ, "DATABASE_URL": found.database_url, "DATABASE_OWNER_URL": found.owner_url,
            "REDIS_URL": settings.REDIS_URL, "DJANGO_SETTINGS_MODULE": "memoryhub.settings",
        }  # fmt: skip

    def run(self, *words: str) -> str:
        answer = subprocess.run(
            [sys.executable, *words], cwd=ROOT,
            env=self.environment, capture_output=True, text=True,
        )  # fmt: skip
        assert answer.returncode == 0, answer.stderr[-3000:]
        return answer.stdout.strip().splitlines()[-1]

    def ask(self, key: str, *paths: str) -> dict[str, dict[str, object]]:
        found: dict[str, dict[str, object]] = json.loads(
            self.run("-m", "tests.erasure.asked_afterwards", key, *paths)
        )
        return found


@pytest.fixture
def restored(hub: str) -> Iterator[Restored]:
    name = f"hub_restored_{uuid4().hex[:8]}"
    yield Restored(name)
    embedded.drop_database(DATA, name)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_it_is_erased_again_before_the_api_answers(
    hub: str, agent: Caller, tenant: Tenant, asking: Asking, restored: Restored, tmp_path: Path
) -> None:
    word = f"w{uuid4().hex[:10]}"
    agent.put(["crm"], "tea", {"text": f"{word} likes tea"}, subjects=["anna77"])
    agent.put(["crm"], "tea", {"text": f"{word} likes jasmine tea"}, subjects=["anna77"])
    agent.put(["crm"], "sum", {"text": f"{word} and Bob like drinks"}, kind="summary")
    agent.put(["crm"], "stray", {"text": "ask anna77 again"})
    agent.put(["crm"], "bob", {"text": "Bob likes coffee"}, subjects=["bob"])
    request = asking.ready("anna77")
    dump_database(hub, tmp_path / "dump")
    agent.delete(["crm"], "sum")
    assert asking.carry_out(request)["outcome"] == "erased"
    name = restored.environment["DATABASE_URL"].rpartition("/")[2].partition("?")[0]
    restore_database(tmp_path / "dump", name)
    assert "memories_memory" in tables_holding(restored.owner_url, tenant, word, "anna77")
    key = str(agent.key)
    closed = restored.ask(key, f"{ITEM}tea", f"{ITEM}bob", "/readyz", "/healthz")
    assert closed[f"{ITEM}tea"]["code"] == "erasures_missing"
    assert closed[f"{ITEM}bob"]["status"] == 503
    assert "erasures" in closed["/readyz"]["missing"]
    assert closed["/healthz"]["status"] == 200
    done = json.loads(restored.run("manage.py", "replay_erasures", "--json"))["replayed"]
    assert [(one["tenant"], one["kept"]) for one in done if one["tenant"] == str(tenant.id)] == [
        (str(tenant.id), 0)
    ]
    opened = restored.ask(key, f"{ITEM}tea", f"{ITEM}stray", f"{ITEM}bob", "/readyz")
    assert opened[f"{ITEM}tea"]["status"] == 404
    assert opened[f"{ITEM}stray"]["status"] == 404
    assert opened[f"{ITEM}bob"]["value"] == {"text": "Bob likes coffee"}
    assert "erasures" not in (opened["/readyz"]["missing"] or [])
    assert tables_holding(restored.owner_url, tenant, "anna77") == {}
    assert count_rows(restored.owner_url, tenant, "memories_memory") == 2, "Bob's, and the summary"
    again = json.loads(restored.run("manage.py", "replay_erasures", "--json"))
    assert again == {"replayed": []}
