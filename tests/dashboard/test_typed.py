"""What was typed is never lost and never sent twice: no form is without the means for either."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.sessions.backends.cache import SessionStore
from django.db import transaction
from django.test import Client

from dashboard.urls import urlpatterns
from policies.models import RuleSet
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.dashboard.conftest import PASSWORD

TEMPLATES = Path(settings.BASE_DIR) / "templates"
FORM = re.compile(r"""<form\b(?:[^>{]|\{%.*?%\}|\{\{.*?\}\})*?>.{0,120}""", re.DOTALL)
WITHOUT_TOKEN = {
    "preferences": "twice is the same as once",
    "enter_tenant": "twice is the same as once",
    "account_logout": "twice is the same as once",
}
OUTSIDE = {
    "account": "signing in and the password: secrets only, and allauth's own limits",
    "mfa": "codes, which work once",
    "invitation.html": "nobody is signed in yet; an invitation works once",
    "styleguide.html": "shows parts, sends nothing",
}
NEW_KEY = {"name": "night-agent", "scopes": ["memory:read"], "prefixes": "night/", "days": "30"}


def _forms() -> Iterator[tuple[str, str]]:
    for path in sorted(TEMPLATES.rglob("*.html")):
        place = path.relative_to(TEMPLATES)
        if place.parts[0] in OUTSIDE or place.name in OUTSIDE:
            continue
        for found in FORM.finditer(path.read_text()):
            if re.search(r"method=[\"']?post", found[0], re.IGNORECASE):
                yield str(place), found[0]


def test_every_form_that_sends_acts_once() -> None:
    forms = list(_forms())
    assert len(forms) > 60
    without = [
        (place, form)
        for place, form in forms
        if "{% csrf_token %}{% once %}" not in form
        and not any(f"'{name}'" in form for name in WITHOUT_TOKEN)
    ]
    assert without == []


def test_every_page_keeps_what_is_typed_and_names_what_is_not(officer: Client) -> None:
    page = officer.get("/requests/new").content.decode()
    assert "hub/typed" in page
    assert 'id="typed"' in page
    body = re.search(r"<body([^>]*)>", page)
    assert body is not None
    assert "data-whose=" in body[1]
    for secret in ("csrfmiddlewaretoken", "form_token", "password", "code", "sample"):
        assert secret in body[1]
    assert "data-whose" not in Client().get("/signin").content.decode()


def test_after_signing_in_one_is_on_a_page_whatever_was_sent() -> None:
    only_post = [one for one in urlpatterns if getattr(one.callback, "methods", ()) == ("POST",)]
    assert len(only_post) > 15
    for pattern in only_post:
        address = "/" + re.sub(r"<(\w+):\w+>", _example, str(pattern.pattern))
        for header, expected in {
            "/retention/3?x=1": "next=%2Fretention%2F3%3Fx%3D1",
            "https://elsewhere.example/": "next=%2F",
        }.items():
            came_from = header if header[0] != "/" else f"http://testserver{header}"
            answer = Client().post(address, {"note": "n"}, headers={"referer": came_from})
            assert answer.status_code == 302, address
            assert answer.headers["Location"].endswith(f"/signin?{expected}"), address


def _example(found: re.Match[str]) -> str:
    uuid = "01a22c50-f8dc-70bb-b564-4ee23cae7319"
    return {"uuid": uuid, "int": "3", "slug": "events"}[found[1]]


def test_a_part_of_a_page_leads_back_to_the_page(hub: str) -> None:
    page = "http://testserver/holds/new?subject=c-1"
    answer = Client().post(
        "/holds/new/covers", {"matter": "M"},
        headers={"HX-Request": "true", "HX-Current-URL": page},
    )  # fmt: skip
    assert answer.status_code == 204
    assert answer.headers["HX-Redirect"] == "/signin?next=%2Fholds%2Fnew%3Fsubject%3Dc-1"


@pytest.mark.parametrize("is_same", [True, False])
def test_what_was_typed_is_given_back_to_nobody_else(
    is_same: bool, tenant: Tenant, make_person: Callable[..., User],
    sign_in: Callable[[User], Client],
) -> None:  # fmt: skip
    user = make_person(tenant, "admin")
    browser = sign_in(user)
    page = browser.get("/access/keys/new").content.decode()
    token = re.search(r'name="form_token" value="([^"]+)"', page)
    assert token is not None
    SessionStore(browser.cookies["sessionid"].value).flush()
    answer = browser.post("/access/keys/new", {**NEW_KEY, "form_token": token[1]})
    after = user if is_same else make_person(tenant, "admin")
    browser.post(answer.headers["Location"], {"login": after.email, "password": PASSWORD})
    assert ("night-agent" in browser.get("/access/keys/new").content.decode()) is is_same
    assert "night-agent" not in browser.get("/access/keys/new").content.decode(), "once"


def test_one_button_pressed_twice_acts_once(tenant: Tenant, officer: Client) -> None:
    page = officer.get("/retention/versions").content.decode()
    form = page.split('action="/retention/drafts"')[1]
    token = re.search(r'name="form_token" value="([^"]+)"', form)
    assert token is not None
    answers = [officer.post("/retention/drafts", {"form_token": token[1]}) for _ in range(2)]
    assert answers[0].headers["Location"] == answers[1].headers["Location"]
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        assert RuleSet.objects.count() == 1


def test_a_note_is_given_back_without_a_script_too(
    tenant: Tenant, make_person: Callable[..., User], sign_in: Callable[[User], Client]
) -> None:
    user = make_person(tenant, "officer")
    browser = sign_in(user)
    made = browser.post("/retention/drafts").headers["Location"]
    form = browser.get(made).content.decode().split(f'action="{made}/note"')[1]
    token = re.search(r'name="form_token" value="([^"]+)"', form)
    assert token is not None
    SessionStore(browser.cookies["sessionid"].value).flush()
    typed = {"note": "for the auditors", "seen": "x", "form_token": token[1]}
    answer = browser.post(f"{made}/note", typed, headers={"referer": f"http://testserver{made}"})
    credentials = {"login": user.email, "password": PASSWORD, "next": made}
    back = browser.post(answer.headers["Location"], credentials)
    page = browser.get(back.headers["Location"]).content.decode()
    assert "for the auditors" in page
    assert "session had ended" in page
