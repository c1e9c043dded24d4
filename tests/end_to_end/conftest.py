"""A hub over real HTTP: granian as the supervisor starts it, on the test database."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from memoryhub import embedded
from memoryhub.supervising.children import web
from tenants.access.provisioning import issue_key
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.plugin import DATA, ROOT

READY_SECONDS = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def address(hub: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the hub listens. Ends with the session, by the process that it is."""
    places, port = embedded.locate(DATA, database=hub), free_port()
    environment = {
        **os.environ,
        "DATABASE_URL": places.database_url,
        "DATABASE_OWNER_URL": places.owner_url,
        "REDIS_URL": places.redis_url,
        "GRANIAN_WORKERS": "1",
        "GRANIAN_BLOCKING_THREADS": "4",
    }
    log = tmp_path_factory.mktemp("served") / "web.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            web(host="127.0.0.1", port=port),
            cwd=ROOT,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_until_it_answers(url, process, log)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_it_answers(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            if httpx.get(f"{url}/healthz", timeout=2).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise RuntimeError(f"web did not answer:\n{log.read_text(errors='replace')[-3000:]}")


@pytest.fixture
def make_key(hub: str) -> Callable[[Tenant], str]:
    """A key with an agent's scopes and the right to see figures and to place holds."""

    def make(tenant: Tenant) -> str:
        scopes = [
            "memory:read", "memory:write", "memory:delete", "session:use", "policy:read",
            "policy:write",
        ]  # fmt: skip
        with acting_as(operator_actor(tenant.id)):
            return str(issue_key(tenant, name="agent", scopes=scopes).text)

    return make


@pytest.fixture
def client(
    address: str, tenant: Tenant, make_key: Callable[[Tenant], str]
) -> Iterator[httpx.Client]:
    """An agent's HTTP client."""
    headers = {"Authorization": f"Bearer {make_key(tenant)}"}
    with httpx.Client(base_url=f"{address}/api/v1", headers=headers, timeout=120) as client:
        yield client
