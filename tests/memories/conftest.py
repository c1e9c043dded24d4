"""What the tests of this room share: asking Postgres about a filter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import settings

from memories.filter_sql import compile_sql, to_json
from memories.filters import parse_filter

settings.register_profile("shared machine", deadline=None)
settings.load_profile("shared machine")


@pytest.fixture(scope="module", params=[psycopg.Cursor, psycopg.ClientCursor])
def ask(
    database_url: str, request: pytest.FixtureRequest
) -> Iterator[Callable[[Any, list[Any]], list[Any]]]:
    """`ask(filter, values)`: what Postgres says of each value, however parameters are bound."""
    with psycopg.connect(database_url, autocommit=True, cursor_factory=request.param) as connection:
        connection.execute("SET datestyle = 'SQL, DMY'; SET timezone = 'Asia/Kathmandu'")

        def ask_postgres(condition: Any, values: list[Any]) -> list[Any]:
            sql, params = compile_sql(parse_filter(condition))
            statement = (
                f"SELECT {sql} FROM (SELECT text::jsonb AS value, n FROM unnest(%s::text[])"
                " WITH ORDINALITY AS texts(text, n) OFFSET 0) AS given ORDER BY n"
            )
            texts = [to_json(value) for value in values]
            return [row[0] for row in connection.execute(statement, [*params, texts])]

        yield ask_postgres
