"""What of a memory is embedded: the texts at its index paths, cut to what the model takes. Pure.

Multilingual-e5 reads 512 tokens, and a local model's time grows with length (60,000 characters
took 79 s), so a text is cut into chunks and chunks are capped. What lies beyond the cap is found
by text search only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

CHUNK_CHARACTERS = 1_200
OVERLAP_CHARACTERS = 120
MOST_CHUNKS = 24


@dataclass(frozen=True, slots=True)
class Chunk:
    """One text to embed: of field `field`, the `number`-th piece of it."""

    field: str
    number: int
    text: str


def cut_texts(texts: Iterable[tuple[str, str]]) -> list[Chunk]:
    """Chunks of (field, text) pairs in order, at most MOST_CHUNKS in all; blank texts give none."""
    chunks: list[Chunk] = []
    for field, text in texts:
        for number, piece in enumerate(_pieces(text)):
            if len(chunks) == MOST_CHUNKS:
                return chunks
            chunks.append(Chunk(field, number, piece))
    return chunks


def _pieces(text: str) -> Iterable[str]:
    text = text.strip()
    step = CHUNK_CHARACTERS - OVERLAP_CHARACTERS
    for start in range(0, max(len(text) - OVERLAP_CHARACTERS, 1), step):
        piece = text[start : start + CHUNK_CHARACTERS].strip()
        if piece:
            yield piece
