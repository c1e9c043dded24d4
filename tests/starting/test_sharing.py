"""Many processes, one pair of servers; the last one stops them."""

from __future__ import annotations

import socket
from pathlib import Path

import psycopg
import pytest

from memoryhub import embedded
from memoryhub.embedded.places import find_places
from tests.starting.neighbours import Neighbour, wait_for_end

pytestmark = pytest.mark.slow


def test_users_share_the_servers_and_the_last_one_stops_them(data: Path) -> None:
    with embedded.running(data):
        servers = embedded.find_servers(data)
        assert None not in servers.values()
        neighbour = Neighbour(data)
        assert embedded.find_servers(data) == servers
    assert embedded.find_servers(data) == servers  # we left, the neighbour is still there
    neighbour.leave()
    assert embedded.find_servers(data) == {"postgres": None, "valkey": None}


def test_many_who_start_at_once_start_one_pair(data: Path) -> None:
    with embedded.running(data):
        pass  # the data is there; now everybody races for the start
    neighbours = [Neighbour(data) for _ in range(3)]
    servers = embedded.find_servers(data)
    for neighbour in neighbours[1:]:
        neighbour.leave()
    assert embedded.find_servers(data) == servers
    neighbours[0].leave()
    assert embedded.find_servers(data) == {"postgres": None, "valkey": None}


def test_servers_end_after_their_only_user_was_killed(data: Path) -> None:
    neighbour = Neighbour(data)
    servers = [pid for pid in embedded.find_servers(data).values() if pid]
    neighbour.kill()
    assert len(servers) == 2
    assert all(wait_for_end(pid) for pid in servers)


def test_a_user_who_comes_after_a_killed_one_keeps_the_servers(data: Path) -> None:
    killed = Neighbour(data)
    with embedded.running(data):
        servers = embedded.find_servers(data)
        killed.kill()
        with psycopg.connect(embedded.locate(data).database_url) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert embedded.find_servers(data) == servers


def test_only_what_is_wanted_is_started(data: Path) -> None:
    with embedded.running(data, servers=["valkey"]):
        servers = embedded.find_servers(data)
        assert servers["postgres"] is None
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(find_places(data).valkey_socket))
            connection.sendall(b"PING\r\n")
            assert connection.recv(7) == b"+PONG\r\n"


def test_nothing_listens_on_the_network_and_nobody_gets_in_without_a_password(data: Path) -> None:
    with embedded.running(data) as endpoints:
        with psycopg.connect(endpoints.owner_url) as connection:
            expected = {
                "listen_addresses": "",
                "password_encryption": "scram-sha-256",
                "fsync": "on",
                "TimeZone": "UTC",
                "jit": "off",
            }
            for name, value in expected.items():
                shown = connection.execute("SELECT current_setting(%s)", (name,))
                assert shown.fetchone() == (value,)
        settings = embedded.django_database(endpoints.database_url)
        for role in ("hub_app", "hub_owner", "hub_super", "postgres"):
            for password in ("", "wrong"):
                with pytest.raises(psycopg.OperationalError):
                    psycopg.connect(
                        host=settings["HOST"], user=role, password=password, dbname="memoryhub"
                    )
