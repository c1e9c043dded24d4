"""Asking the database for a section: numbers at once, populations streamed into their files."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import connection

from evidence.report.shapes import Section, Table
from memories.masking import mask_text
from memories.statements.slots import in_slot
from tenants.context import now

SHOWN = 50
"""Rows of a table in the document; the whole of it is in its files."""
PIECE = 2000


def gather_section(section: Section, params: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The section's numbers and the first rows of its tables; whole tables into `folder`.

    Inside the caller's transaction. Text that looks personal is masked in both.
    """
    return {
        "figures": {one.key: _number(one.sql, params) for one in section.figures},
        "tables": {one.key: _population(one, params, folder) for one in section.tables},
    }


def _number(sql: str, params: Mapping[str, Any]) -> int | float:
    with connection.cursor() as cursor:
        cursor.execute(in_slot(sql), params)
        value = cursor.fetchone()[0]
    return float(value) if isinstance(value, Decimal) and value % 1 else int(value)


def _population(table: Table, params: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    shown: list[list[Any]] = []
    count = 0
    with (
        (folder / f"{table.key}.csv").open("w", encoding="utf-8", newline="") as as_csv,
        (folder / f"{table.key}.jsonl").open("w", encoding="utf-8") as as_lines,
    ):
        writer = csv.writer(as_csv)
        writer.writerow(table.columns)
        for row in _rows(table.sql, params):
            writer.writerow([_cell(value) for value in row])
            line = dict(zip(table.columns, row, strict=True))
            as_lines.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
            if count < SHOWN:
                shown.append(row)
            count += 1
    return {"rows": count, "shown": shown}


def _rows(sql: str, params: Mapping[str, Any]) -> Iterator[list[Any]]:
    today = now().date()
    with connection.chunked_cursor() as cursor:
        cursor.execute(in_slot(sql), params)
        while rows := cursor.fetchmany(PIECE):
            for row in rows:
                yield [_plain(value, today) for value in row]


def _plain(value: Any, today: Any) -> Any:
    """As JSON holds it."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value) if value % 1 else int(value)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, str) and len(value) > 3:
        return mask_text(value, today=today)
    return value


def _cell(value: Any) -> Any:
    """A spreadsheet must not take a text for a formula."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value
