"""Retrieval quality on two long conversations (LoCoMo), through the HTTP API, with the local model.

Each turn is a memory, `{"content": "<date> <speaker>: <text>"}` with its conversation's session
as `session_id`; a question counts the share of the turns holding its answer that are among the
first 5, 10 and 25.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.hub import ROOT, running_hub, running_servers
from bench.load import Wire

CONVERSATIONS = ("locomo-30", "locomo-49")
CUTS = (5, 10, 25)
MODES = ("vector", "text", "hybrid")
BATCH = 64


def find_conversations() -> Path | None:
    """The folder of the conversations, which are never copied into the project."""
    folder = ROOT.parent / "shared" / "data"
    return folder if folder.exists() else None


def measure(data: Path, *, quick: bool) -> list[dict[str, Any]]:
    """A row of recalls for each mode."""
    folder = find_conversations()
    conversations = CONVERSATIONS[:1] if quick else CONVERSATIONS
    if folder is None:
        return [{"skipped": "../shared/data is not here"}]
    hits = {mode: dict.fromkeys(CUTS, 0.0) for mode in MODES}
    asked = 0
    with running_servers(data), running_hub(data, provider="local") as hub:
        wire = Wire(hub.port, hub.make_tenant())
        for name in conversations:
            conversation = json.loads((folder / f"{name}.json").read_text())
            _put_turns(wire, name, conversation["turns"])
            known = {turn["id"] for turn in conversation["turns"]}
            for question in conversation["questions"]:
                wanted = set(question["evidence"]) & known
                if not wanted:
                    continue
                asked += 1
                for mode in MODES:
                    keys = _search(wire, name, question["question"], mode)
                    for cut in CUTS:
                        hits[mode][cut] += len(wanted & set(keys[:cut])) / len(wanted)
    return [
        {"mode": mode, "questions": asked}
        | {f"recall at {cut}": 100 * found / asked for cut, found in by_cut.items()}
        for mode, by_cut in hits.items()
    ]


def _put_turns(wire: Wire, name: str, turns: list[dict[str, Any]]) -> None:
    for start in range(0, len(turns), BATCH):
        ops = [
            {
                "op": "put", "namespace": ["bench", name], "key": turn["id"], "kind": "episode",
                "value": {"content": _text_of(turn)}, "session_id": f"{name}-{turn['session']}",
            }
            for turn in turns[start : start + BATCH]
        ]  # fmt: skip
        wire.call("POST", "/store/batch", {"ops": ops})


def _text_of(turn: dict[str, Any]) -> str:
    shares = f" [shares {turn['shares']}]" if turn.get("shares") else ""
    return f"{turn['at']} {turn['speaker']}: {turn['text']}{shares}"


def _search(wire: Wire, name: str, query: str, mode: str) -> list[str]:
    body = {"namespace_prefix": ["bench", name], "query": query, "mode": mode, "limit": max(CUTS)}
    answer = wire.call("POST", "/store/items/search", body)
    if answer[:1] != b"{":  # chunked
        answer = b"".join(answer.split(b"\r\n")[1::2])
    found = json.loads(answer)
    assert found["degraded"] is None, found["degraded"]
    return [item["key"] for item in found["items"]]
