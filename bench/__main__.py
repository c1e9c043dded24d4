"""`python -m bench [NAME ..] [--quick] [--json FILE]`: measure, as tables and JSON.

The servers are embedded ones of its own, under a folder of its own; nothing of `make run` is
touched. Figures are for reading, never asserted by a test. Everything at full size takes about an
hour on two cores; `--quick` some minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import django
from django.db import connections

from bench.machine import as_table, describe_machine

TITLES = {
    "minute": "8 clients for a minute, beside PostgresStore",
    "requests": "get, put, search and batch, beside PostgresStore",
    "chroma": "get, put and search, beside Chroma's server",
    "sizes": "Recall at 10 and milliseconds by size of tenant",
    "growth": "A small tenant's search as the others grow, milliseconds",
    "retrieval": "Recall of the turns that hold the answer",
    "deduplication": "Merging of labelled pairs by threshold",
    "sweeping": "Sweep beside a bare DELETE, and search while it runs",
    "intent": "The intent filter on labelled utterances",
    "context": "Context, its tiers and messages, 20 sessions at once, milliseconds",
    "staging": "New rules for a million memories, staged while clients read and write",
    "dialogues": "Ten days of dialogues: is the answer in the context block?",
    "sealing": "Puts beside the sealer (ratio), and events sealed as they come (lag, share sealed)",
    "exporting": "An export of a million events, its worker killed once",
    "pages": "Pages of the dashboard, 100,000 memories and 1,000,000 events, milliseconds",
    "slow": "A provider that takes 800 ms, 64 clients",
}
"""Each names a module of this package with `measure(data, quick=...)`, which gives rows."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TITLES))
    parser.add_argument("--quick", action="store_true", help="smaller and shorter")
    parser.add_argument("--rows", type=int, metavar="N", help="memories, for `staging`")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="default: a temporary one")
    asked = parser.parse_args()
    unknown = sorted(set(asked.names) - set(TITLES))
    if unknown:
        parser.error(f"there is no {unknown[0]}; there are {', '.join(TITLES)}")
    if asked.data is None:
        with tempfile.TemporaryDirectory(prefix="hub-bench-") as folder:
            _run(asked, Path(folder))
    else:
        _run(asked, asked.data.resolve())


def _run(asked: argparse.Namespace, data: Path) -> None:
    """Measure what was asked; print tables as they come, and write the JSON at the end."""
    data.mkdir(parents=True, exist_ok=True)
    os.environ["MEMORYHUB_DATA"] = str(data)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    django.setup()
    machine = describe_machine()
    print(", ".join(f"{name}: {value}" for name, value in machine.items()), flush=True)
    results: dict[str, Any] = {"machine": machine, "command": " ".join(sys.argv[1:])}
    for name in asked.names or TITLES:
        measure = import_module(f"bench.{name}").measure
        begin = time.monotonic()
        more = {"rows": asked.rows} if name == "staging" else {}
        rows = measure(data, quick=asked.quick, **more)
        results[name] = rows
        spent = time.monotonic() - begin
        connections["default"].close()
        connections["default"].close_pool()  # the servers of this measurement have stopped
        print(f"\n## {TITLES[name]}\n\n{as_table(rows)}\n\n({spent:.0f} s)", flush=True)
        if asked.json is not None:
            asked.json.write_text(json.dumps(results, indent=2, default=str) + "\n")


if __name__ == "__main__":
    main()
