"""Calling a provider: outside any transaction, remembered, checked, and given up on in time.

The connection is given back before the call, so slow embeddings never exhaust the pool; `gating`
keeps them from exhausting the threads.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from uuid import UUID

import numpy as np
import orjson

from memories.embedding.gating import forget_gates, gate_of
from memories.embedding.profiles import Profile
from memories.embedding.providers import (
    EmbeddingRefused,
    EmbeddingUnavailable,
    Matrix,
    provider_for,
)
from memories.embedding.recognising import doubt, forget_recognised, recognise
from memories.embedding.remembering import recall_query, remember_query
from tenants.context import current_tenant_id, release_connection

KEPT_VECTORS = 5_000
HALF_PRECISION = 65_504.0
"""Largest number that a `halfvec` holds."""

Vector = str
"""A vector as pgvector's text, `[0.1,0.2]`, of unit length for cosine profiles."""

_Key = tuple[UUID, int, bool, bytes]


class _Kept:
    """Vectors computed before, of this process, least recently used out first."""

    def __init__(self) -> None:
        self._rows: OrderedDict[_Key, Vector] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: _Key) -> Vector | None:
        with self._lock:
            row = self._rows.get(key)
            if row is not None:
                self._rows.move_to_end(key)
            return row

    def put(self, key: _Key, row: Vector) -> None:
        with self._lock:
            self._rows[key] = row
            if len(self._rows) > KEPT_VECTORS:
                self._rows.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._rows.clear()


_kept = _Kept()


def embed_passages(profile: Profile, texts: Sequence[str]) -> list[Vector]:
    """One vector a text, for storing. Raises EmbeddingUnavailable or EmbeddingRefused."""
    keys = [_key_of(profile, text, as_query=False) for text in texts]
    found = {key: _kept.get(key) for key in keys}
    missing = {key: text for key, text in zip(keys, texts, strict=True) if found[key] is None}
    if missing:
        release_connection()
        rows = _call(profile, list(missing.values()), as_query=False)
        for key, made in zip(missing, rows, strict=True):
            found[key] = made
            _kept.put(key, made)
    return [row for key in keys if (row := found[key]) is not None]


def embed_query(profile: Profile, text: str) -> Vector:
    """The vector of a question. Raises as `embed_passages`."""
    key = _key_of(profile, text, as_query=True)
    kept = _kept.get(key)
    if kept is None:
        kept = recall_query(profile.number, text) or _call_for_query(profile, text)
        _kept.put(key, kept)
    return kept


def forget_kept_vectors() -> None:
    """Compute everything anew and open the gates (tests, erasure)."""
    _kept.clear()
    forget_gates()
    forget_recognised()


def _key_of(profile: Profile, text: str, *, as_query: bool) -> _Key:
    digest = sha256(text.encode("utf-8", "replace")).digest()
    return current_tenant_id(), profile.number, as_query, digest


def _call_for_query(profile: Profile, text: str) -> Vector:
    release_connection()
    [made] = _call(profile, [text], as_query=True)
    remember_query(profile.number, text, made)
    return made


def _call(profile: Profile, texts: Sequence[str], *, as_query: bool) -> list[Vector]:
    provider = provider_for(profile)
    with gate_of(profile, texts).passing():
        try:
            matrix = provider.query(texts[0]) if as_query else provider.passages(texts)
        except EmbeddingUnavailable:
            doubt(profile)
            raise
        rows = _as_text(profile, matrix)
        recognise(profile, provider)  # afterwards: what it gave before is the same model's, then
    return rows


def _as_text(profile: Profile, matrix: Matrix) -> list[Vector]:
    """Checked and, for cosine, brought to unit length: then inner product is cosine."""
    if matrix.ndim != 2 or matrix.shape[1] != profile.dimensions:
        raise EmbeddingRefused(f"not {profile.dimensions} dimensions: {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise EmbeddingRefused("a vector holds NaN or infinity")
    if profile.distance == "cosine":
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not lengths.all():
            raise EmbeddingRefused("a vector is zero")
        matrix = matrix / lengths
    if np.abs(matrix).max() > HALF_PRECISION:
        raise EmbeddingRefused("a number is too large for half precision")
    whole = np.ascontiguousarray(matrix, dtype=np.float32)
    return [orjson.dumps(row, option=orjson.OPT_SERIALIZE_NUMPY).decode() for row in whole]
