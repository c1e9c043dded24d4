"""Independent changes in one round trip: `WITH a AS (INSERT ..), b AS (DELETE ..) SELECT ..`.

All parts see the same snapshot and none sees another's effect, so only changes that do not depend
on each other's order may go together. Foreign keys are checked at the end of the statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection


class Together:
    """Collects data-modifying statements and runs them as one."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._params: list[Any] = []
        self._counted: list[str] = []

    def add(self, sql: str, params: Sequence[Any]) -> None:
        """A statement whose number of rows does not matter."""
        self._parts.append(f"s{len(self._parts)} AS ({sql})")
        self._params.extend(params)

    def add_counted(self, sql: str, params: Sequence[Any]) -> None:
        """A statement with RETURNING; `run` gives the number of rows of each, in order."""
        self._counted.append(f"(SELECT count(*) FROM s{len(self._parts)})")
        self.add(sql, params)

    def run(self) -> list[int]:
        """Run what was collected; the counts asked for."""
        if not self._parts:
            return []
        final = "SELECT " + (", ".join(self._counted) or "1")
        with connection.cursor() as cursor:
            cursor.execute("WITH " + ", ".join(self._parts) + " " + final, self._params)
            row = cursor.fetchone()
        return list(row) if self._counted else []


def rows_of_values(template: str, rows: Sequence[Sequence[Any]]) -> tuple[str, list[Any]]:
    """`VALUES` text for rows of one template such as `(%s, %s::jsonb)`, and flat parameters."""
    return ", ".join([template] * len(rows)), [value for row in rows for value in row]
