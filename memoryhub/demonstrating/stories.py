"""Reading the demo's memories from the text files beside this module. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
FILES = ("support", "sales", "assistant")


@dataclass(frozen=True, slots=True)
class Story:
    """One memory as told in a file: when, where, what, about whom, for how long."""

    days_ago: int
    namespace: tuple[str, ...]
    key: str
    kind: str
    ttl_days: float | None
    subject: str | None
    tags: tuple[str, ...]
    text: str

    @property
    def language(self) -> str:
        """`zh` where the text has Chinese characters."""
        return "zh" if any("\u4e00" <= letter <= "\u9fff" for letter in self.text) else "en"


def read_stories() -> list[Story]:
    """All of them, in the order of the files."""
    return [story for name in FILES for story in _read(FOLDER / f"{name}.txt")]


def _read(path: Path) -> Iterator[Story]:
    for line in path.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        days, namespace, key, kind, ttl, subject, tags, text = (
            part.strip() for part in line.split("|", 7)
        )
        yield Story(
            days_ago=int(days),
            namespace=tuple(namespace.split("/")),
            key=key,
            kind=kind,
            ttl_days=None if ttl == "-" else float(ttl),
            subject=None if subject == "-" else subject,
            tags=tuple(tag for tag in tags.split(",") if tag != "-"),
            text=text,
        )
