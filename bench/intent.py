"""The intent filter on labelled utterances of ours: precision and recall of what is kept.

`utterances.jsonl` holds them, by language. The rules were written while looking at the share
`tuning`; `held_out` was written before they were last changed, on other matters, and of it only
the figures were looked at since. `reasons` is the share of what was rightly skipped whose reason is
right.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from conversations.intent.filtering import prototype_rows
from conversations.intent.judging import Verdict, judge
from conversations.intent.likening import liken
from memories.embedding.profiles import LOCAL
from memories.embedding.providers import provider_for

UTTERANCES = Path(__file__).with_name("utterances.jsonl")


def read_utterances() -> list[dict[str, Any]]:
    """Language, share, whether it is to be kept (or the reason), whether a task is open, text."""
    return [json.loads(line) for line in UTTERANCES.read_text().splitlines()]


def judge_all(rows: Iterable[dict[str, Any]]) -> list[tuple[dict[str, Any], Verdict]]:
    """Each with its verdict, by rules and likeness as in the hub."""
    prototypes = prototype_rows(LOCAL)
    judged = []
    for row in rows:
        vector = provider_for(LOCAL).passages([row["text"]])[0]
        likeness = liken(vector / np.linalg.norm(vector), prototypes)
        open_task = row.get("open_task", False)
        judged.append((row, judge(row["text"], likeness, open_task=open_task)))
    return judged


def figures_of(judged: Iterable[tuple[dict[str, Any], Verdict]]) -> dict[str, float]:
    """Precision and recall of what is kept, and how many reasons are right."""
    counted: Counter[tuple[bool, bool]] = Counter()
    right = skipped = 0
    for row, verdict in judged:
        counted[row["keep"], verdict.kept] += 1
        if not row["keep"] and not verdict.kept:
            skipped += 1
            right += row["reason"] == verdict.reason
    kept = counted[True, True]
    return {
        "utterances": sum(counted.values()),
        "precision": kept / max(1, kept + counted[False, True]),
        "recall": kept / max(1, kept + counted[True, False]),
        "reasons": right / max(1, skipped),
    }


def measure(data: Path, *, quick: bool) -> list[dict[str, Any]]:
    """A row for each language and share."""
    judged = judge_all(read_utterances())
    rows = []
    for lang in ("zh", "en"):
        for share in ("all", "tuning", "held_out"):
            mine = [
                one for one in judged
                if one[0]["lang"] == lang and share in ("all", one[0]["split"])
            ]  # fmt: skip
            rows.append({"language": lang, "share": share, **figures_of(mine)})
    return rows
