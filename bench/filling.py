"""Many tenants with many vectors, loaded as the superuser, past the API: for measuring at size.

Vectors are like an embedder's: topics on a low-dimensional surface in 384 dimensions, with noise.
Independent draws would be harder for a graph than any text is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import psycopg
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg import sql
from psycopg.types.json import Jsonb

from bench.requests import text_of
from memories.indexing import index_value
from memories.models import Memory
from memoryhub.embedded.databases import _connect
from memoryhub.embedded.places import find_places
from tenants.access.provisioning import create_tenant
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.ids import uuid7

DIMENSIONS, SURFACE, TOPICS = 384, 48, 120
PROFILE = 1
Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Filled:
    """A tenant with its memories' ids and unit vectors, in one order."""

    tenant_id: UUID
    ids: list[UUID]
    vectors: Matrix


class Draw:
    """Draws vectors: `around` topics of its own, as passages or as questions."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._surface = self._random.standard_normal((SURFACE, DIMENSIONS)).astype(np.float32)
        self._topics = self._random.standard_normal((TOPICS, SURFACE)).astype(np.float32)

    def around(self, count: int) -> Matrix:
        chosen = self._topics[self._random.integers(0, TOPICS, count)]
        inner = chosen + 0.6 * self._random.standard_normal((count, SURFACE)).astype(np.float32)
        rows = inner @ self._surface
        rows += (
            0.05
            * np.linalg.norm(rows, axis=1, keepdims=True)
            * self._random.standard_normal((count, DIMENSIONS)).astype(np.float32)
            / np.sqrt(DIMENSIONS)
        )
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def fill(
    data: Path, sizes: Iterable[int], *, draw: Draw, over: timedelta = timedelta(0)
) -> list[Filled]:
    """A tenant of each size, written evenly `over` so long a time until now.

    The vector index is made anew afterwards, which is faster.
    """
    filled = []
    with _connect(find_places(data), "memoryhub") as connection:
        register_vector(connection)
        connection.execute("SET synchronous_commit = off")
        connection.execute("DROP INDEX IF EXISTS memory_vector_ann_1")
        for size in sizes:
            filled.append(_fill_tenant(connection, size, draw, over))
        connection.execute("SET maintenance_work_mem = '700MB'")
        connection.execute("SET max_parallel_maintenance_workers = 2")
        connection.execute("SELECT hub_index_profile(1)")
        connection.execute("VACUUM (ANALYZE)")  # or autovacuum would, beside what is measured
    return filled


_VECTOR = (
    "COPY memories_memoryvector (tenant_id, id, memory_id, profile, field, chunk, embedding) "
    "FROM STDIN WITH (FORMAT binary)"
)
_VECTOR_TYPES = ["uuid", "uuid", "uuid", "int2", "text", "int2", "halfvec"]


def _fill_tenant(
    connection: psycopg.Connection[Any], size: int, draw: Draw, over: timedelta
) -> Filled:
    slug = f"fill-{uuid4().hex[:12]}"
    with acting_as(operator_actor()):
        tenant = create_tenant(slug, name=slug).id
    ids, vectors = [uuid7() for _ in range(size)], draw.around(size)
    row = connection.execute("SELECT now()").fetchone()
    assert row is not None
    at = row[0]
    columns = [field for field in Memory._meta.concrete_fields if field.column]
    names = sql.SQL(", ").join(sql.Identifier(field.column) for field in columns)
    copy_memories = sql.SQL("COPY memories_memory ({}) FROM STDIN").format(names)
    same: dict[Any, Any] = {"tenant_id": tenant}
    others = [field for field in columns if field.column not in same]
    same |= {field.column: _as_column(field.get_default()) for field in others}
    with connection.cursor() as cursor, cursor.copy(copy_memories) as copy:
        for number, identifier in enumerate(ids):
            written = at - over * (1 - number / size)
            row = same | _memory(number % 5_000) | {
                "id": identifier, "key": f"k{number}", "created_at": written, "updated_at": written,
            }  # fmt: skip
            copy.write_row([row[field.column] for field in columns])
    # each key was written just above: looking it up again takes ten times as long as the row
    connection.execute("SET session_replication_role = replica")
    with connection.cursor() as cursor, cursor.copy(_VECTOR) as copy:
        copy.set_types(_VECTOR_TYPES)
        for identifier, vector in zip(ids, vectors, strict=True):
            copy.write_row(
                (
                    tenant,
                    uuid7(),
                    identifier,
                    PROFILE,
                    "$",
                    0,
                    HalfVector(vector.astype(np.float16)),
                )
            )
    connection.execute("RESET session_replication_role")
    return Filled(tenant, ids, vectors)


@lru_cache(maxsize=5_000)
def _memory(number: int) -> dict[str, Any]:
    """What a memory of this text is, but its key; lexing it takes longer than storing it."""
    value = {"text": text_of(number)}
    indexed = index_value(value, ("$",))
    return {
        "namespace": f"fill/u{number % 10}/", "value": json.dumps(value),
        "decay": 1.0, "content_hash": b"-", "embedding": "ready", "lexemes": indexed.lexemes,
        "length": indexed.length,
    }  # fmt: skip


def _as_column(value: Any) -> Any:
    return Jsonb(value) if isinstance(value, dict) else value
