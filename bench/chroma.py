"""get, put and search over HTTP beside Chroma's server, each a process of its own on loopback.

Chroma is none of the project's packages: this bench installs it from the registry into a virtual
environment under its data folder, and says so where that cannot be done. Same items, same vectors,
raw sockets to both. Chroma is handed the query's vector, the hub finds it remembered. The items of
all places are in one collection and a search names its place by `where`, as a hub's search does by
its prefix; beside it, a collection a place.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from bench.hub import free_port, running_hub, running_servers, vacuum, wait_for
from bench.load import Ask, Wire, press_in_turns
from bench.requests import (
    ITEMS,
    PLACES,
    QUERIES,
    Makes,
    fill_hub,
    hub_asks,
    named,
    place_of,
    text_of,
)
from bench.stub import vector_of

VERSION = "1.5.9"
API = "/api/v2/tenants/default_tenant/databases/default_database/collections"
WANTED = ["documents", "metadatas", "distances"]
FILLED_AT_ONCE = 200


class NotInstalled(RuntimeError):
    """Chroma cannot be had here; the message is the installer's last word."""


def install(folder: Path) -> Path:
    """The program `chroma`, in an environment made in this folder unless it is there."""
    program = folder / "bin" / "chroma"
    if not program.exists():
        _run_to_end([sys.executable, "-m", "venv", str(folder)])
        _run_to_end([str(folder / "bin" / "pip"), "install", "--quiet", f"chromadb=={VERSION}"])
    return program


def _run_to_end(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["no word why"]
        raise NotInstalled(f"{Path(command[0]).name}: {said[-1]}")


@dataclass(frozen=True, slots=True)
class Chroma:
    """Where it listens, the collection of everything, and the one of each place."""

    port: int
    everything: str
    places: dict[str, str]


@contextmanager
def running_chroma(data: Path) -> Iterator[Chroma]:
    """Chroma's server with the items of `bench.requests`."""
    program, port = install(data / "chroma-env"), free_port()
    command = [
        str(program), "run", "--path", str(data / "chroma"), "--host", "127.0.0.1",
        "--port", str(port),
    ]  # fmt: skip
    environ = {**os.environ, "ANONYMIZED_TELEMETRY": "False"}
    with (data / "chroma.log").open("w") as log:
        server = subprocess.Popen(command, env=environ, stdout=log, stderr=log)
    try:
        wait_for(port)
        yield _fill(port)
    finally:
        server.terminate()
        server.wait(20)


def _fill(port: int) -> Chroma:
    wire = Wire(port, base=API)
    numbers = range(ITEMS)
    everything = _collection(wire, "everything", numbers)
    places = {
        place_of(first): _collection(wire, place_of(first), range(first, ITEMS, PLACES))
        for first in range(PLACES)
    }
    return Chroma(port, everything, places)


def _collection(wire: Wire, name: str, numbers: range) -> str:
    body = {"name": f"bench-{name}", "configuration": {"hnsw": {"space": "cosine"}}}
    identifier = str(json.loads(wire.call("POST", "", body))["id"])
    for start in range(0, len(numbers), FILLED_AT_ONCE):
        some = numbers[start : start + FILLED_AT_ONCE]
        wire.call("POST", f"/{identifier}/add", _records([(f"k{n}", n) for n in some]))
    return identifier


def _records(items: list[tuple[str, int]]) -> bytes:
    texts = [text_of(number) for _, number in items]
    document = {
        "ids": [key for key, _ in items],
        "documents": texts,
        "embeddings": [vector_of(text) for text in texts],
        "metadatas": [{"place": place_of(number), "n": number} for _, number in items],
    }
    return json.dumps(document).encode()


@lru_cache(maxsize=QUERIES * 2)
def _question(number: int, *, with_place: bool) -> bytes:
    body: dict[str, Any] = {
        "query_embeddings": [vector_of(f"query {number}")], "n_results": 10, "include": WANTED,
    }  # fmt: skip
    if with_place:
        body["where"] = {"place": place_of(number)}
    return json.dumps(body).encode()


def chroma_asks(server: Chroma) -> Makes:
    """The operations of the hub, of Chroma."""

    def get(client: int) -> Ask:
        wire, draw = Wire(server.port, base=API), random.Random(client)

        def ask(_: int) -> object:
            body = {"ids": [f"k{draw.randrange(ITEMS)}"], "include": WANTED[:2]}
            return wire.call("POST", f"/{server.everything}/get", body)

        return ask

    def put(client: int) -> Ask:
        wire, draw = Wire(server.port, base=API), random.Random(client)

        def ask(number: int) -> object:
            body = _records([(f"p{client}-{number}", draw.randrange(ITEMS))])
            return wire.call("POST", f"/{server.everything}/upsert", body)

        return ask

    def search(client: int) -> Ask:
        wire, draw = Wire(server.port, base=API), random.Random(client)

        def ask(_: int) -> object:
            body = _question(draw.randrange(QUERIES), with_place=True)
            return wire.call("POST", f"/{server.everything}/query", body)

        return ask

    def search_apart(client: int) -> Ask:
        wire, draw = Wire(server.port, base=API), random.Random(client)

        def ask(_: int) -> object:
            number = draw.randrange(QUERIES)
            path = f"/{server.places[place_of(number)]}/query"
            return wire.call("POST", path, _question(number, with_place=False))

        return ask

    return {"search": search, "search, a collection a place": search_apart, "get": get, "put": put}


def measure(data: Path, *, quick: bool) -> list[dict[str, Any]]:
    """Rows of figures: hub, Chroma and ratio by operation, 1 and 8 clients."""
    seconds = 5 if quick else 20
    try:
        install(data / "chroma-env")
    except NotInstalled as fault:
        return [{"operation": "all", "not measured": str(fault)}]
    rows = []
    with running_servers(data), running_hub(data) as hub, running_chroma(data) as server:
        key = hub.make_tenant()
        fill_hub(hub, key)
        vacuum(hub.owner_url)
        ours, theirs = hub_asks(hub, key), chroma_asks(server)
        for name, make in theirs.items():
            for count in (1, 8):
                makes = [ours[name.partition(",")[0]], make]
                mine, beside = press_in_turns(makes, clients=count, seconds=seconds)
                row = {"operation": name, "clients": count, **named("", mine)}
                rows.append(row | named("chroma ", beside) | {"ratio": mine.rate / beside.rate})
    return rows
