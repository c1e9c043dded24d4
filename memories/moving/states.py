"""Where an export or import stands: a small file beside the file, so that a killed one goes on."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class State:
    """`identity` says what is being moved: a state of something else is not taken up."""

    identity: str
    mark: Any = None
    done: int = 0
    added: int = 0
    skipped: int = 0


def load(path: Path, identity: str) -> State:
    """The state of this move, or a new one."""
    try:
        state = State(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        return State(identity)
    return state if state.identity == identity else State(identity)


def save(path: Path, state: State) -> None:
    """On the disk, whole or not at all."""
    draft = path.with_name(path.name + ".new")
    with draft.open("w") as file:
        json.dump(asdict(state), file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def beside(path: Path, what: str) -> Path:
    """`memories.jsonl` has `memories.jsonl.export-state`."""
    return path.with_name(f"{path.name}.{what}-state")
