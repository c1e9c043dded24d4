"""URLs of the embedded servers, and Postgres URLs as Django's settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub import embedded


def test_locate_starts_nothing_and_always_says_the_same(data: Path) -> None:
    first = embedded.locate(data)
    assert first == embedded.locate(data)
    assert embedded.find_servers(data) == {"postgres": None, "valkey": None}


def test_the_two_roles_have_different_passwords(data: Path) -> None:
    endpoints = embedded.locate(data)
    app = embedded.django_database(endpoints.database_url)
    owner = embedded.django_database(endpoints.owner_url)
    assert (app["USER"], owner["USER"]) == ("hub_app", "hub_owner")
    assert app["PASSWORD"] != owner["PASSWORD"]
    assert app["HOST"] == owner["HOST"] == str(data / "run")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "postgresql://ann:p%40ss@db.example.com:6000/hub?sslmode=verify-full&connect_timeout=3",
            {
                "NAME": "hub",
                "USER": "ann",
                "PASSWORD": "p@ss",
                "HOST": "db.example.com",
                "PORT": "6000",
                "OPTIONS": {"sslmode": "verify-full", "connect_timeout": "3"},
            },
        ),
        (
            "postgres://ann@/hub?host=%2Frun%2Fmy%20place&port=5433",
            {
                "NAME": "hub",
                "USER": "ann",
                "PASSWORD": "",
                "HOST": "/run/my place",
                "PORT": "5433",
                "OPTIONS": {},
            },
        ),
        (
            "postgresql://ann:pw@one:1,two:2/hub?target_session_attrs=primary",
            {
                "NAME": "hub",
                "USER": "ann",
                "PASSWORD": "pw",
                "HOST": "one,two",
                "PORT": "1,2",
                "OPTIONS": {"target_session_attrs": "primary"},
            },
        ),
        (
            "postgresql://ann:pw@[::1]/hub",
            {
                "NAME": "hub",
                "USER": "ann",
                "PASSWORD": "pw",
                "HOST": "::1",
                "PORT": "",
                "OPTIONS": {},
            },
        ),
    ],
)
def test_a_postgres_url_becomes_django_settings(url: str, expected: dict[str, object]) -> None:
    assert embedded.django_database(url) == expected


@pytest.mark.parametrize(
    "url", ["mysql://ann:hunter2@db/hub", "postgresql://ann:hunter2@db:port/hub", "hunter2"]
)
def test_a_bad_url_is_refused_without_quoting_the_password(url: str) -> None:
    with pytest.raises(embedded.StartFailure) as caught:
        embedded.django_database(url)
    assert caught.value.code == "bad_database_url"
    assert "hunter2" not in str(caught.value)


def test_celery_gets_its_own_spelling_of_a_socket() -> None:
    assert embedded.celery_url("unix:///a/valkey.sock?db=3") == (
        "redis+socket:///a/valkey.sock?virtual_host=3"
    )
    assert embedded.celery_url("rediss://x@host:6379/1") == "rediss://x@host:6379/1"
