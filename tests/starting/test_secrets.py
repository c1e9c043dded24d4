"""The secrets of a data folder: random, lasting, and closed to others."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from memoryhub import embedded


def _modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


def test_the_secrets_are_readable_by_their_owner_alone(data: Path) -> None:
    embedded.locate(data)
    assert stat.S_IMODE((data / "secrets").stat().st_mode) == 0o700
    assert _modes(data / "secrets") == {"postgres-hub_app": 0o600, "postgres-hub_owner": 0o600}


def test_secrets_that_were_opened_are_closed_again(data: Path) -> None:
    embedded.locate(data)
    (data / "secrets").chmod(0o755)
    (data / "secrets" / "postgres-hub_app").chmod(0o644)
    embedded.locate(data)
    assert stat.S_IMODE((data / "secrets").stat().st_mode) == 0o700
    assert _modes(data / "secrets")["postgres-hub_app"] == 0o600


def test_many_who_ask_first_get_the_same_secret(data: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        answers = set(pool.map(lambda _: embedded.secret(data, "name"), range(64)))
    assert len(answers) == 1
    assert len(answers.pop()) == 43
    assert list(_modes(data / "secrets")) == ["name"]
