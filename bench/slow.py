"""A provider that takes 800 ms: 64 clients put, while 8 others get."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from bench.hub import running_hub, running_servers
from bench.load import Ask, Wire, press
from bench.requests import fill_hub, hub_asks, named

DELAY = 0.8


def measure(data: Path, *, quick: bool) -> list[dict[str, Any]]:
    """Rates of get alone, and of put and get together; a failed request would stop the run."""
    seconds = 8 if quick else 20
    with running_servers(data), running_hub(data, delay=DELAY) as hub:
        key = hub.make_tenant()
        fill_hub(hub, key)
        asks = hub_asks(hub, key)
        alone = press(asks["get"], clients=8, seconds=seconds)
        beside: list[dict[str, Any]] = []

        def put(client: int) -> Ask:
            wire = Wire(hub.port, key)

            def ask(number: int) -> object:
                value = {"text": f"never seen before: {client} {number}"}
                body = {"namespace": ["slow"], "key": f"s{client}-{number}", "value": value}
                return wire.call("PUT", "/store/items", body)

            return ask

        def press_puts() -> None:
            measured = press(put, clients=64, seconds=seconds)
            beside.append({"operation": "put, new texts", "clients": 64, **named("", measured)})

        puts = threading.Thread(target=press_puts)
        puts.start()
        together = press(asks["get"], clients=8, seconds=seconds)
        puts.join()
    return [
        {"operation": "get alone", "clients": 8, **named("", alone)},
        {"operation": "get beside the puts", "clients": 8, **named("", together)},
        *beside,
    ]
