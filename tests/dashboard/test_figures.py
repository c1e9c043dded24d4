"""A large tenant is counted by a job and never by its page; a small one as one looks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from dashboard import figures
from dashboard.tasks import count_figures_all, count_figures_of
from tenants.models import Schedule, Tenant, User
from tests.callers import Caller


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Who is counted by and by; four memories make a large tenant."""
    found: list[str] = []
    monkeypatch.setattr(figures, "LARGE", 4)
    monkeypatch.setattr("dashboard.tasks.count_figures_of.delay", found.append)
    return found


def _put(agent: Caller, root: str, number: int) -> None:
    for key in range(number):
        agent.put([root], f"k{key}", {"n": key}, index=False)


def _in_use(client: Client) -> str:
    page = client.get("/").content.decode()
    return page.split('href="/memories"><span class="label">')[1].split('"figure">')[1][:1]


def _refuse(*args: object, **kwargs: object) -> None:
    raise AssertionError("the page counts")


def test_a_small_tenant_is_counted_as_one_looks(
    tenant: Tenant, agent: Caller, officer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    _put(agent, "a", 2)
    assert _in_use(officer) == "2"
    _put(agent, "b", 1)
    assert _in_use(officer) == "3"
    assert "Counted" not in officer.get("/").content.decode()
    monkeypatch.setattr(figures, "LARGE", 400)
    count_figures_of(str(tenant.id))
    _put(agent, "c", 1)
    assert _in_use(officer) == "4", "the job leaves it to the page"


def test_a_large_one_is_counted_by_the_job(
    tenant: Tenant, agent: Caller, officer: Client, asked: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    _put(agent, "a", 5)
    for _ in range(2):
        assert "It is being counted" in officer.get("/").content.decode()
    assert asked == [str(tenant.id)], "once a minute"
    count_figures_of(str(tenant.id))
    monkeypatch.setattr(figures, "_count", _refuse)
    page = officer.get("/").content.decode()
    assert "Counted <time datetime=" in page
    assert _in_use(officer) == "5"
    _put(agent, "b", 2)
    assert _in_use(officer) == "5", "as it was counted"


def test_each_sees_their_part_of_the_count(
    tenant: Tenant, agent: Caller, make_person: Callable[..., User],
    sign_in: Callable[[User], Client], asked: list[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    _put(agent, "a", 5)
    _put(agent, "b", 3)
    persons = {
        "8": make_person(tenant, "viewer"),
        "3": make_person(tenant, "officer"),
    }
    persons["3"].memberships.filter(tenant=tenant).update(prefixes=["b/"])
    count_figures_of(str(tenant.id))
    monkeypatch.setattr(figures, "_count", _refuse)
    for number, user in persons.items():
        client = sign_in(user)
        assert _in_use(client) == number
        assert ("What happened" in client.get("/").content.decode()) is (number == "3")


def test_a_tenant_that_became_small_is_counted_by_its_page_again(
    tenant: Tenant, agent: Caller, officer: Client, asked: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    _put(agent, "a", 5)
    count_figures_of(str(tenant.id))
    assert "Counted" in officer.get("/").content.decode()
    monkeypatch.setattr(figures, "LARGE", 400)
    count_figures_of(str(tenant.id))
    assert "Counted" not in officer.get("/").content.decode()


def test_beat_asks_for_every_tenant_by_its_schedule(tenant: Tenant, asked: list[str]) -> None:
    count_figures_all()
    count_figures_all()
    assert asked.count(str(tenant.id)) == 1
    assert Schedule.objects.get(tenant=tenant, job="figures").interval_seconds == 300


def test_the_page_of_personal_data_shows_what_the_job_counted(
    tenant: Tenant, agent: Caller, officer: Client, asked: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    agent.put(["a"], "id", {"t": "身份证11010519491231002X"})
    _put(agent, "a", 5)
    count_figures_of(str(tenant.id))
    monkeypatch.setattr("memories.statements.scans.count_found", _refuse)
    monkeypatch.setattr("memories.statements.scans.clock", _refuse)
    page = officer.get("/privacy").content.decode()
    assert "Chinese identity number" in page
    assert "100 %" in page
