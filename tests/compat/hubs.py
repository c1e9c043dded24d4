"""Hubs for the suite: one data folder, one web process for each way to embed.

LangGraph's tests come with their own embeddings and ask for three metrics; a hub has one profile
for its installation. So the supervisor runs the hub without embeddings, and beside it stand three
more web processes on the same database, each with the endpoint as its provider and one metric. A
tenant, and a key of it, is made for each.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

import httpx

from tests.compat.embeddings import DIMENSIONS

ROOT = Path(__file__).resolve().parents[2]
METRICS = {"cosine": "cosine", "l2": "l2", "inner_product": "ip"}
READY_SECONDS = 180

Hubs = dict[str, dict[str, str]]


@contextmanager
def running_hubs(data: Path, *, logs: Path, embeddings: str) -> Iterator[Hubs]:
    """Address and key of each hub, by name: `plain` and the metrics."""
    logs.mkdir(parents=True, exist_ok=True)
    run = uuid4().hex[:8]  # vectors of an earlier endpoint must not be taken for this one's
    common = {**os.environ, "MEMORYHUB_DATA": str(data), "GRANIAN_WORKERS": "1"}
    hubs: Hubs = {}
    with ExitStack() as stack:
        url, port = _free_address()
        up = ["manage.py", "up", "--port", str(port), "--data", str(data)]
        plain = common | {"EMBEDDING_PROVIDER": "none"}
        stack.enter_context(_running(up, plain, log=logs / "up.log", url=url))
        hubs["plain"] = {"url": url, "key": _key_of_new_tenant(f"compat-plain-{run}", plain)}
        for name, distance in METRICS.items():
            url, port = _free_address()
            environ = common | _embedding(embeddings, f"characters-{name}-{run}", distance)
            web = ["-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port"]
            web += [str(port), "--no-ws", "--blocking-threads", "8", "memoryhub.wsgi:application"]
            stack.enter_context(_running(web, environ, log=logs / f"{name}.log", url=url))
            slug = f"compat-{name.replace('_', '-')}-{run}"
            hubs[name] = {"url": url, "key": _key_of_new_tenant(slug, environ)}
        yield hubs


def _embedding(endpoint: str, model: str, distance: str) -> dict[str, str]:
    return {
        "EMBEDDING_PROVIDER": "openai",
        "EMBEDDING_BASE_URL": endpoint,
        "EMBEDDING_API_KEY": "none",
        "EMBEDDING_MODEL": model,
        "EMBEDDING_DIMENSIONS": str(DIMENSIONS),
        "EMBEDDING_DISTANCE": distance,
    }


def _free_address() -> tuple[str, int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return f"http://127.0.0.1:{port}", port


@contextmanager
def _running(
    arguments: list[str], environ: Mapping[str, str], *, log: Path, url: str
) -> Iterator[None]:
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=environ,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_until_ready(url, process, log)
        yield
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            if httpx.get(f"{url}/readyz", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.3)
    raise RuntimeError(f"{url} did not become ready:\n{log.read_text(errors='replace')[-3000:]}")


def _key_of_new_tenant(slug: str, environ: Mapping[str, str]) -> str:
    _manage(environ, "create_tenant", slug, "--name", "Compatibility")
    return _manage(environ, "issue_key", slug, "--name", "compat").strip().splitlines()[-1]


def _manage(environ: Mapping[str, str], *arguments: str) -> str:
    ran = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if ran.returncode:
        raise RuntimeError(f"manage.py {arguments[0]}: {ran.stderr[-3000:]}")
    return ran.stdout
