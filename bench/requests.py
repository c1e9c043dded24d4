"""get, put, search and batch over HTTP, beside LangGraph's PostgresStore in this process.

The same Postgres server with its durability as it is, the same texts and vectors, query and passage
vectors known to both sides beforehand, as many threads as clients. PostgresStore has a TTL that
reads refresh, so that both sides write when they read.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from langgraph.store.postgres import PostgresStore

from bench.hub import Hub, running_hub, running_servers, vacuum
from bench.load import Ask, Figures, Wire, press_in_turns
from bench.stub import DIMENSIONS, vector_of
from memoryhub import embedded

ITEMS = 2_000
PLACES = 20
QUERIES = 50
FILLS = 5
PEER = "bench_langgraph"
WORDS = [
    "garden",
    "coffee",
    "deploy",
    "invoice",
    "bicycle",
    "meeting",
    "river",
    "budget",
    "violin",
    "harbour",
    "lantern",
    "saffron",
    "kernel",
    "orchard",
    "ticket",
    "museum",
    "winter",
    "falcon",
    "bridge",
    "copper",
]


def text_of(number: int) -> str:
    """One of a bounded set of texts, about 30 words each."""
    draw = random.Random(number)
    return f"note {number}: " + " ".join(draw.choices(WORDS, k=30))


def place_of(number: int) -> str:
    return f"u{number % PLACES}"


Makes = dict[str, Callable[[int], Ask]]


def hub_asks(hub: Hub, key: str) -> Makes:
    """What each operation asks of the hub."""

    def get(client: int) -> Ask:
        wire, draw = Wire(hub.port, key), random.Random(client)

        def ask(_: int) -> object:
            number = draw.randrange(ITEMS)
            return wire.call(
                "GET", f"/store/items?namespace=bench.{place_of(number)}&key=k{number}"
            )

        return ask

    def put(client: int) -> Ask:
        wire, draw = Wire(hub.port, key), random.Random(client)

        def ask(number: int) -> object:
            item = _item(draw.randrange(ITEMS), f"p{client}-{number}")
            return wire.call("PUT", "/store/items", item)

        return ask

    def batch(client: int) -> Ask:
        wire = Wire(hub.port, key)

        def ask(number: int) -> object:
            ops = [{"op": "put", **_item(n, f"b{client}-{number}-{n}")} for n in range(100)]
            return wire.call("POST", "/store/batch", {"ops": ops})

        return ask

    return {  # reads first, so that each meets the items that were filled in, and no others
        "get": get,
        "search": partial(_search, hub, key, {"mode": "vector", "recency": 0}),
        "hybrid search": partial(_search, hub, key, {}),
        "put": put,
        "batch of 100": batch,
    }


def _search(hub: Hub, key: str, options: dict[str, Any], client: int) -> Ask:
    wire, draw = Wire(hub.port, key), random.Random(client)

    def ask(_: int) -> object:
        number = draw.randrange(QUERIES)
        place = {"namespace_prefix": ["bench", place_of(number)], "query": f"query {number}"}
        return wire.call("POST", "/store/items/search", place | options)

    return ask


def _item(number: int, key: str) -> dict[str, Any]:
    value = {"text": text_of(number), "n": number}
    return {"namespace": ["bench", place_of(number)], "key": key, "value": value}


def peer_asks(store: PostgresStore) -> Makes:
    """The same of PostgresStore."""

    def get(client: int) -> Ask:
        draw = random.Random(client)

        def ask(_: int) -> object:
            number = draw.randrange(ITEMS)
            return store.get(("bench", place_of(number)), f"k{number}")

        return ask

    def put(client: int) -> Ask:
        draw = random.Random(client)

        def ask(number: int) -> object:
            drawn = draw.randrange(ITEMS)
            value = {"text": text_of(drawn), "n": drawn}
            return store.put(("bench", place_of(drawn)), f"p{client}-{number}", value)

        return ask

    def search(client: int) -> Ask:
        draw = random.Random(client)

        def ask(_: int) -> object:
            number = draw.randrange(QUERIES)
            return store.search(("bench", place_of(number)), query=f"query {number}")

        return ask

    return {"get": get, "put": put, "search": search}


def fill_hub(hub: Hub, key: str) -> None:
    """The items; again over further connections, so that every process has met every text."""
    for _ in range(FILLS):
        wire = Wire(hub.port, key)
        for start in range(0, ITEMS, 200):
            ops = [{"op": "put", **_item(n, f"k{n}")} for n in range(start, start + 200)]
            wire.call("POST", "/store/batch", {"ops": ops})


@contextmanager
def peer(data: Path, threads: int) -> Iterator[PostgresStore]:
    """PostgresStore on a database of its own on the same server, filled alike."""
    embedded.drop_database(data, PEER)
    embedded.create_database(data, PEER)
    url = embedded.locate(data, database=PEER).owner_url
    index: Any = {"dims": DIMENSIONS, "embed": _embed, "fields": ["$"]}
    ttl: Any = {"default_ttl": 60 * 24 * 30, "refresh_on_read": True}
    pool: Any = {"min_size": threads, "max_size": threads}
    with PostgresStore.from_conn_string(url, pool_config=pool, index=index, ttl=ttl) as store:
        store.setup()
        for n in range(ITEMS):
            store.put(("bench", place_of(n)), f"k{n}", {"text": text_of(n), "n": n})
        yield store


def _embed(texts: Sequence[str]) -> list[list[float]]:
    return [list(vector_of(text)) for text in texts]


def measure(data: Path, *, quick: bool) -> list[dict[str, Any]]:
    """Every operation at 1, 8 and 32 clients."""
    clients = (1, 8) if quick else (1, 8, 32)
    return measure_operations(data, clients=clients, seconds=5 if quick else 20)


def measure_operations(
    data: Path, *, clients: Sequence[int], seconds: float, only: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Rows of figures: hub, peer and ratio by operation and number of clients."""
    rows: list[dict[str, Any]] = []
    with running_servers(data), running_hub(data) as hub, peer(data, max(clients)) as store:
        key = hub.make_tenant()
        fill_hub(hub, key)
        for database in (embedded.DATABASE, PEER):
            vacuum(embedded.locate(data, database=database).owner_url)
        ours, theirs = hub_asks(hub, key), peer_asks(store)
        for name in only or ours:
            make = ours[name]
            for count in clients:
                row: dict[str, Any] = {"operation": name, "clients": count}
                makes = [make, theirs[name]] if name in theirs else [make]
                measured, *beside = press_in_turns(makes, clients=count, seconds=seconds)
                row |= named("", measured)
                for figures in beside:
                    row |= named("peer ", figures)
                    row["ratio"] = measured.rate / figures.rate
                rows.append(row)
    return rows


def named(prefix: str, figures: Figures) -> dict[str, float]:
    return {prefix + name: value for name, value in asdict(figures).items()}
