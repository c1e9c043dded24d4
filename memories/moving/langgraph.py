"""A LangGraph PostgresStore: the tables `store` and `store_vectors` of a database.

Vectors are not taken over (they belong to another model); whether an item was indexed is. Rows are
read in chunks by key, so no cursor is held and a killed import goes on where it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from memories.moving.items import Item, read_instant
from memories.strict_json import parse_json

CHUNK = 500


class LanggraphStore:
    """The store behind a database URL. A mark is [prefix, key] of the last item, and its number."""

    def __init__(self, url: str) -> None:
        self.url = url
        with self._connect() as connection:
            self._columns = _columns_of(connection)
            row = connection.execute("SELECT count(*) AS n FROM store").fetchone()
        self.total: int | None = row["n"] if row else 0

    def position(self, mark: Any) -> int:
        return int(mark[2]) if mark else 0

    def read(self, mark: Any) -> Iterator[Item]:
        """The items behind the mark, in the order of (prefix, key)."""
        prefix, key, number = mark or ("", "", 0)
        while True:
            with self._connect() as connection:
                rows = connection.execute(self._chunk(), [prefix, key, CHUNK]).fetchall()
            for row in rows:
                number += 1
                yield _item_of(row, number)
            if len(rows) < CHUNK:
                return
            prefix, key = rows[-1]["prefix"], rows[-1]["key"]

    def _connect(self) -> psycopg.Connection[dict[str, Any]]:
        connection = psycopg.connect(self.url, row_factory=dict_row, autocommit=True)
        connection.read_only = True
        return connection

    def _chunk(self) -> sql.Composed:
        is_indexed = sql.SQL("NULL::bool")
        if "vectors" in self._columns:
            is_indexed = sql.SQL(
                "EXISTS (SELECT 1 FROM store_vectors v WHERE v.prefix = s.prefix AND v.key = s.key)"
            )
        ttl = {"ttl_minutes", "expires_at"} <= self._columns
        dates = sql.SQL(
            "s.ttl_minutes, s.expires_at" if ttl else "NULL AS ttl_minutes, NULL AS expires_at"
        )
        return sql.SQL(
            "SELECT s.prefix, s.key, s.value::text AS value, s.created_at, s.updated_at, {dates}, "
            "{is_indexed} AS is_indexed FROM store s WHERE (s.prefix, s.key) > (%s, %s) "
            "ORDER BY s.prefix, s.key LIMIT %s"
        ).format(dates=dates, is_indexed=is_indexed)


def _columns_of(connection: psycopg.Connection[dict[str, Any]]) -> set[str]:
    """The columns of `store`, and "vectors" when items of it are indexed."""
    found = connection.execute(
        "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'store'"
    ).fetchall()
    columns = {row["name"] for row in found}
    there = connection.execute("SELECT to_regclass('store_vectors') AS t").fetchone()
    if there and there["t"] is not None:
        some = connection.execute("SELECT EXISTS (SELECT 1 FROM store_vectors) AS t").fetchone()
        if some and some["t"]:
            columns.add("vectors")
    return columns


def _item_of(row: dict[str, Any], number: int) -> Item:
    where = f"item {number}"
    body: dict[str, Any] = {
        "namespace": row["prefix"].split("."), "key": row["key"],
        "value": parse_json(row["value"].encode()), "ttl": row["ttl_minutes"],
    }  # fmt: skip
    if row["is_indexed"] is False:
        body["index"] = False
    return Item(
        where=where,
        body=body,
        mark=[row["prefix"], row["key"], number],
        updated_at=read_instant(row["updated_at"], where),
        created_at=read_instant(row["created_at"], where),
        expires_at=read_instant(row["expires_at"], where),
    )
