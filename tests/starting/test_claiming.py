"""One `up` for a data folder, and a port that is free."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryhub.embedded.failures import StartFailure
from memoryhub.embedded.places import find_places
from memoryhub.supervising.claiming import check_port, claim_data, find_free_port


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_taken_port_is_named_with_the_way_to_another(taken: int) -> None:
    with pytest.raises(StartFailure) as caught:
        check_port("127.0.0.1", taken)
    assert caught.value.code == "port_taken"
    assert f"Port {taken} on 127.0.0.1 is taken" in caught.value.detail
    assert "make run PORT=" in caught.value.detail


def test_a_port_taken_on_every_address_is_taken_here_too() -> None:
    with socket.create_server(("0.0.0.0", 0)) as server, pytest.raises(StartFailure):
        check_port("127.0.0.1", server.getsockname()[1])


def test_a_free_port_is_free() -> None:
    check_port("127.0.0.1", find_free_port("127.0.0.1"))


@pytest.mark.parametrize("host", ["192.0.2.1", "no such host"])
def test_an_address_of_another_machine_is_refused(host: str) -> None:
    with pytest.raises(StartFailure, match="is not an address of this machine"):
        check_port(host, 8000)


def test_a_second_start_is_told_who_runs_where(data: Path) -> None:
    places = find_places(data)
    with claim_data(places, "http://127.0.0.1:8321", print):
        with (
            pytest.raises(StartFailure) as caught,
            claim_data(places, "http://127.0.0.1:9999", print),
        ):
            pytest.fail("both hold it")
        assert caught.value.code == "already_running"
        assert f"http://127.0.0.1:8321 (process {os.getpid()})" in caught.value.detail
    with claim_data(places, "http://127.0.0.1:9999", print):
        pass  # the first is gone: the folder is free again


def test_a_refused_start_leaves_the_first_one_announced(data: Path) -> None:
    places = find_places(data)
    with claim_data(places, "http://127.0.0.1:8321", print):
        for _ in range(2):
            with (
                pytest.raises(StartFailure, match="8321"),
                claim_data(places, "http://127.0.0.1:9999", print),
            ):
                pytest.fail("both hold it")
