"""A hub to be measured: embedded servers under a folder of its own, and the web server alone."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import psycopg

from memoryhub import embedded
from memoryhub.supervising.children import web, web_defaults

ROOT = Path(__file__).resolve().parents[1]
SECONDS_TO_START = 180.0


@dataclass(frozen=True, slots=True)
class Hub:
    """Where it listens, its data, and what its processes are told."""

    port: int
    data: Path
    environ: dict[str, str]

    def manage(self, *words: str) -> str:
        """Run a command; its output."""
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(
            command, cwd=ROOT, env=self.environ, check=True, capture_output=True, text=True
        ).stdout.strip()

    def make_tenant(self) -> str:
        """A new tenant; a key of it."""
        slug = f"bench-{uuid4().hex[:12]}"
        self.manage("create_tenant", slug, "--name", slug)
        return self.manage("issue_key", slug, "--name", "bench")

    @property
    def owner_url(self) -> str:
        return embedded.locate(self.data).owner_url


def free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


@contextmanager
def running_servers(data: Path) -> Iterator[None]:
    """The embedded Postgres and Valkey, migrated."""
    with embedded.running(data):
        environ = {**os.environ, "MEMORYHUB_DATA": str(data)}
        command = [sys.executable, "manage.py", "migrate", "--no-input", "--database", "owner"]
        subprocess.run(command, cwd=ROOT, env=environ, check=True, capture_output=True)
        yield


def vacuum(url: str) -> None:
    """What autovacuum would do within a minute of a fill, before anything is measured."""
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("VACUUM (ANALYZE)")


@contextmanager
def running_hub(data: Path, *, provider: str = "stub", delay: float = 0.0) -> Iterator[Hub]:
    """The web server (and the stub, when it is the provider) beside running servers."""
    port, stub_port = free_port(), free_port()
    environ = {**web_defaults(), **os.environ, "MEMORYHUB_DATA": str(data), "LOG_LEVEL": "WARNING"}
    processes = []
    if provider == "stub":
        stub = [sys.executable, "-m", "bench.stub", str(stub_port), str(delay)]
        processes.append(subprocess.Popen(stub, cwd=ROOT))
        environ |= {
            "EMBEDDING_PROVIDER": "openai", "EMBEDDING_MODEL": "bench-stub",
            "EMBEDDING_DIMENSIONS": "384", "EMBEDDING_API_KEY": "none",
            "EMBEDDING_BASE_URL": f"http://127.0.0.1:{stub_port}/v1",
        }  # fmt: skip
    else:
        environ["EMBEDDING_PROVIDER"] = provider
    log = (data / "bench-web.log").open("w")
    processes.append(
        subprocess.Popen(
            web(host="127.0.0.1", port=port), cwd=ROOT, env=environ, stdout=log, stderr=log
        )
    )
    try:
        wait_for(port)
        yield Hub(port, data, environ)
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(20)


def wait_for(port: int) -> None:
    """Until something listens there."""
    end = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            time.sleep(0.5)
            return
    raise TimeoutError(f"nothing listens on {port}")
