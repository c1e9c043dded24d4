"""The embedded model's own vectors, computed once a text in a run.

The hub remembers vectors a tenant, and every test has tenants of its own: without this the model,
the dearest thing in the suite, would read the same few hundred texts thousands of times.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from memories.embedding.providers import LocalProvider, Matrix

_passages, _query = LocalProvider.passages, LocalProvider.query
_read: dict[str, Matrix] = {}


def passages(provider: LocalProvider, texts: Sequence[str]) -> Matrix:
    """One row a text, as the model gave it when it first read the text."""
    new = [text for text in dict.fromkeys(texts) if text not in _read]
    if new:
        _read.update(zip(new, _passages(provider, new), strict=True))
    return np.array([_read[text] for text in texts], dtype=np.float32)


@lru_cache(maxsize=10_000)
def query(provider: LocalProvider, text: str) -> Matrix:
    """The row of a question."""
    return _query(provider, text)


def remember_vectors() -> None:
    """From here on in this process. The model itself stays what it is, and reads what is new."""
    LocalProvider.passages = passages  # type: ignore[method-assign]
    LocalProvider.query = query  # type: ignore[method-assign, assignment]
