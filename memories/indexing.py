"""What of a value is found by: chunks to embed and lexemes to match, field by field. Pure.

The fields are the index paths (LangGraph's `index`). In the tsvector each has a letter: none for
the first, C, B and A for the next three, so that search can score each text field apart.

A value that says what stood around it, `{"content": .., "context": ..}`, under the path `$` is
read as two fields: the context becomes the second text field, and the content alone is embedded
beside the whole. That vector's field is marked with `+`: hybrid search uses it, `mode=vector`
does not, whose score is that of the tenant's index fields only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from memories.embedding.chunking import Chunk, cut_texts
from memories.lexing import TSVECTOR_BYTES, lex, to_tsvector_literal
from memories.paths import WHOLE, extract_texts

ADDED = "+"
CONTENT, CONTEXT = "content", "context"
_LETTERS = ("", "C", "B", "A")


@dataclass(frozen=True, slots=True)
class Indexed:
    """`lexemes` is a tsvector's text; `length` its number of words, for BM25."""

    chunks: list[Chunk]
    lexemes: str
    length: int


def index_value(value: Mapping[str, Any], paths: Sequence[str]) -> Indexed:
    """Chunks and lexemes of a value under its index paths."""
    texts = extract_texts(value, paths) if paths else []
    embedded, fields = texts, _by_path(texts, paths)
    if WHOLE in paths and _has_context(value):
        embedded = [*texts, (ADDED + CONTENT, value[CONTENT])]
        rest = {name: entry for name, entry in value.items() if name != CONTEXT}
        whole = extract_texts(rest, (WHOLE,))[0][1]
        fields = [
            whole,
            value[CONTEXT],
            *_by_path(texts, [path for path in paths if path != WHOLE]),
        ]
    lexemes, length = _lex_fields(fields)
    return Indexed(cut_texts(embedded), lexemes, length)


def path_of(field: str, paths: Sequence[str] = ()) -> str:
    """The path that a vector's field comes from: `a[*].b.0` and `a[*].b.1` are one field."""
    head, dot, last = field.rpartition(".")
    return head if dot and last.isdecimal() and field not in paths else field


def _has_context(value: Mapping[str, Any]) -> bool:
    both = (value.get(CONTENT), value.get(CONTEXT))
    return all(isinstance(each, str) and each.strip() for each in both)


def _by_path(texts: Sequence[tuple[str, str]], paths: Sequence[str]) -> list[str]:
    """One text a path, in the paths' order; a path without text is no field."""
    mine = [(path_of(name, paths), text) for name, text in texts]
    return [
        "\n".join(text for _, text in group) for path, group in groupby(mine, lambda one: one[0])
        if path in paths
    ]  # fmt: skip


def _lex_fields(fields: Sequence[str]) -> tuple[str, int]:
    """All fields as one tsvector: positions run on, and the room of one is shared."""
    literals, length, position, room = [], 0, 1, TSVECTOR_BYTES
    for number, text in enumerate(fields):
        lexed = lex(text, start=position, room=room)
        literals.append(to_tsvector_literal(lexed, _LETTERS[min(number, len(_LETTERS) - 1)]))
        length, position, room = length + lexed.length, lexed.end, room - lexed.size
    return " ".join(literals), length
