"""Data of another Postgres major version is left alone, with words about what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub import embedded


def test_data_of_another_major_is_refused_and_not_touched(data: Path) -> None:
    cluster = data / "postgres"
    embedded.locate(data)
    cluster.mkdir()
    (cluster / "PG_VERSION").write_text("17\n")
    (cluster / "base").write_text("rows")
    with (
        pytest.raises(embedded.StartFailure, match=r"Postgres 17, .* brings Postgres 18") as caught,
        embedded.running(data),
    ):
        pytest.fail("it started")
    assert caught.value.code == "postgres_major"
    assert "pg_dump" in caught.value.detail
    assert "DATA=" in caught.value.detail
    assert {path.name: path.read_text() for path in cluster.iterdir()} == {
        "PG_VERSION": "17\n",
        "base": "rows",
    }
