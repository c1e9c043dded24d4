"""Cursors that convert a long statement once.

psycopg turns `%s` into `$1` anew each time for a statement beyond 4,096 bytes or 50 parameters,
because such texts are usually made by an ORM and never seen again. Ours are constants: a put is one
statement of 8,000 bytes, and converting it took as long as dumping its parameters.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import psycopg
from psycopg._queries import PostgresQuery, _query2pg_nocache
from psycopg.abc import Params, Query

LONGEST = 16_384
"""Characters of a statement that is kept. What is longer writes many rows, and differs by their
number."""


class HubQuery(PostgresQuery):
    """A statement and its parameters, as Postgres takes them."""

    __slots__ = ()

    def convert(self, query: Query, vars: Params | None) -> None:
        if vars is None or not isinstance(query, str) or len(query) > LONGEST:
            super().convert(query, vars)
            return
        self.query, self._want_formats, self._order, self._parts = _convert(
            query, self._tx.encoding
        )
        self.dump(vars)


class HubCursor(psycopg.Cursor[Any]):
    """psycopg's cursor that binds on the server, with statements kept."""

    _query_cls = HubQuery


@lru_cache(maxsize=256)
def _convert(text: str, encoding: str) -> Any:
    return _query2pg_nocache(text.encode(encoding), encoding)
