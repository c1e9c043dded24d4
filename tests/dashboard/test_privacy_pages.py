"""The pages of personal data: figures, quarantine and its decision, the test box."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.callers import Caller

SECRET, CN_ID = "AKIAIOSFODNN7EXAMPLE", "11010519491231002X"


@pytest.mark.slow
def test_figures_findings_and_what_waits(
    agent: Caller, officer: Client, people: dict[str, Client]
) -> None:
    agent.put(["a"], "k", {"t": f"身份证{CN_ID}"})
    agent.put(["a"], "waiting-one", {"t": f"{SECRET} is it"})
    page = officer.get("/privacy").content.decode()
    assert "waiting-one" in page
    assert "Chinese identity number" in page
    assert SECRET not in page
    for role in ("admin", "viewer"):
        assert "waiting-one" not in people[role].get("/privacy").content.decode()


def test_an_officer_decides_by_the_page(agent: Caller, officer: Client) -> None:
    made = agent.put(["a"], "k", {"t": f"{SECRET} is it"}).json()["id"]
    assert officer.get(f"/privacy/{made}").status_code == 200
    refused = officer.post(f"/privacy/{made}", {"decision": "redact", "reason": " "})
    assert refused.status_code == 422
    done = officer.post(f"/privacy/{made}", {"decision": "redact", "reason": "a real key"})
    assert done.status_code == 302
    assert agent.get(["a"], "k").json()["value"] == {"t": "[secret] is it"}
    assert officer.get(f"/privacy/{made}").status_code == 404


def test_the_box_says_what_is_found_and_never_the_text(officer: Client) -> None:
    page = officer.post("/privacy/detectors", {"sample": f"身份证{CN_ID}"}).content.decode()
    assert "****************2X" in page
    assert CN_ID not in page.replace(f"身份证{CN_ID}</textarea>", "")
    empty = officer.post("/privacy/detectors", {"sample": "tea"}).content.decode()
    assert "Nothing was found in it." in empty
