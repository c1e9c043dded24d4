"""The section Retention without a script: written, simulated, approved, activated by forms."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from audit.jobs import run_job
from tenants.actors import job_actor
from tenants.context import acting_as
from tenants.models import Tenant, User
from tests.ageing import let_pass
from tests.callers import Caller

RULE = {
    "key": "tickets", "kind": "expire", "timing": "after", "after_days": "90", "anchor": "created",
    "namespace": "support/tickets", "end": "trash",
}  # fmt: skip


def body(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, answer.content
    return str(answer.content.decode())


def draft(client: Client) -> int:
    answer = client.post("/retention/drafts")
    assert answer.status_code == 302
    return int(answer["Location"].rpartition("/")[2])


def add(client: Client, n: int, **fields: str) -> Any:
    return client.post(f"/retention/{n}/rules/new", {**RULE, **fields, "do": "save"})


def simulate(client: Client, n: int, tenant: Tenant) -> None:
    assert client.post(f"/retention/{n}/simulate").status_code == 302
    version = client.get(f"/api/v1/policies/rulesets/{n}").json()
    assert version["simulation"] is None
    page = body(client, f"/retention/{n}/simulation")
    job = client.get(f"/retention/{n}").context["job_id"]
    assert 'hx-trigger="every 2s"' in page
    with acting_as(job_actor("test", tenant.id)):
        run_job(UUID(job))


def figures(page: str) -> list[int]:
    return [int(one) for one in re.findall(r'class="figure">(\d+)<', page)]


def rules_of(client: Client, n: int) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = client.get(f"/api/v1/policies/rulesets/{n}").json()["rules"]
    return rules


@pytest.mark.slow
def test_from_an_empty_page_to_rules_that_end_use(
    admin: Client, officer: Client, agent: Caller, tenant: Tenant, owner_url: str
) -> None:
    for number in range(3):
        agent.put(["support", "tickets"], f"k{number}", {"n": number}, index=False)
    agent.put(["sales"], "k", {"n": 1}, index=False)
    let_pass(owner_url, tenant, days=100)
    assert "Write the first rules" in body(admin, "/retention")
    n = draft(admin)
    assert add(admin, n).status_code == 302
    simulate(admin, n, tenant)
    result = body(admin, f"/retention/{n}/simulation")
    assert "3 memories leave use on activation, 75" in result
    assert "Who activates it has to type the count, 3" in result
    behind = "/moved?ns=support%2Ftickets%2F&amp;kind=fact&amp;effect=hidden"
    assert f"/retention/{n}{behind}" in result
    for query, count in (("effect=hidden", 3), ("effect=longer", 0), ("ns=sales", 0)):
        assert len(admin.get(f"/retention/{n}/moved?{query}").context["lines"]) == count
    refused = admin.post(f"/retention/{n}/approve", {"reason": "mine"})
    assert refused.status_code == 403
    assert "second_person_required" in refused.content.decode()
    assert officer.post(f"/retention/{n}/approve", {"reason": ""}).status_code == 422
    assert officer.post(f"/retention/{n}/approve", {"reason": "agreed"}).status_code == 302
    asked = officer.post(f"/retention/{n}/activate", {"confirm_count": "2"})
    assert asked.status_code == 409
    assert "confirm_count_required" in asked.content.decode()
    assert agent.get(["support", "tickets"], "k0").status_code == 200
    done = officer.post(f"/retention/{n}/activate", {"confirm_count": "3"})
    assert (done.status_code, done["Location"]) == (302, "/retention")
    assert agent.get(["support", "tickets"], "k0").status_code == 404
    assert agent.get(["sales"], "k").status_code == 200
    page = body(officer, "/retention")
    assert "Memories under <code>support/tickets/</code> leave use <b>90 days</b>" in page
    assert "Draft a change" in page


def test_a_rule_is_read_back_as_it_was_written(admin: Client) -> None:
    n = draft(admin)
    whole = {
        "key": "claims", "kind": "keep", "timing": "after", "after_months": "72", "anchor": "event",
        "event": "claim.closed", "fallback_months": "84", "fallback_days": "1.5",
        "namespace": "claims", "memory_kind": "episode", "data_class": "personal", "label": "legal",
        "statutory": "on", "citation": "HGB § 257", "locked": "on", "owner": "Ines",
        "review_by": "2027-03-31", "end": "review", "weight": "0.3",
    }  # fmt: skip
    assert admin.post(f"/retention/{n}/rules/new", {**whole, "do": "save"}).status_code == 302
    (rule,) = rules_of(admin, n)
    assert rule == {
        "key": "claims", "kind": "keep", "after": {"months": 72}, "anchor": "event:claim.closed",
        "fallback": {"months": 84, "days": 1.5}, "namespace": ["claims"], "memory_kind": "episode",
        "class": "personal", "label": "legal", "statutory": True, "citation": "HGB § 257",
        "locked": True, "owner": "Ines", "review_by": "2027-03-31",
    }  # fmt: skip
    form = admin.get(f"/retention/{n}/rules/0").context["form"]
    again = {f.html_name: f.value() for f in form if f.value() not in (None, "", False)}
    saved = admin.post(f"/retention/{n}/rules/0", {**again, "do": "save"})
    assert saved.status_code == 302, saved.context["form"].errors
    assert rules_of(admin, n) == [rule]
    strength = {"timing": "strength", "strength_below": "0.25", "kind": "degrade", "weight": "0.4"}
    assert add(admin, n, key="old", **strength).status_code == 302
    assert rules_of(admin, n)[1]["strength_below"] == 0.25


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"after_days": ""}, "after_days", "required"),
        ({"after_days": "0"}, "after_days", "ends_at_creation"),
        ({"kind": "cap", "anchor": "accessed"}, "anchor", "not_together"),
        ({"kind": "cap", "anchor": "event", "event": "x"}, "fallback_days", "required"),
        ({"kind": "keep", "statutory": "on"}, "citation", "citation_required"),
        ({"timing": "strength", "strength_below": "1"}, "strength_below", "out_of_range"),
        ({"unless_accessed": "0"}, "unless_accessed", "out_of_range"),
        ({"namespace": "a//b"}, "namespace", "empty_label"),
    ],
)
def test_a_fault_stands_at_its_field_with_the_apis_code(
    admin: Client, fields: dict[str, str], field: str, code: str
) -> None:
    n = draft(admin)
    answer = add(admin, n, **fields)
    assert answer.status_code == 422
    errors = answer.context["form"].errors.as_data()
    assert {name: [one.code for one in found] for name, found in errors.items()} == {field: [code]}
    assert f"<code>{code}</code>" in answer.content.decode()
    assert rules_of(admin, n) == []


def test_the_preview_says_the_rule_in_both_languages_and_counts(
    admin: Client, agent: Caller, tenant: Tenant, owner_url: str
) -> None:
    for number in range(3):
        agent.put(["support", "tickets"], f"k{number}", {"n": number}, index=False)
    let_pass(owner_url, tenant, days=100)
    agent.put(["support", "tickets"], "young", {"n": 1}, index=False)
    agent.put(["sales"], "k", {"n": 1}, index=False)
    n = draft(admin)
    says = admin.post(f"/retention/{n}/rules/new/says", RULE)
    text = says.content.decode()
    assert "leave use <b>90 days</b> after creation, then stay 30 days in the trash" in text
    assert "自创建起满 <b>90 天</b>停止使用" in text
    assert figures(text) == [4, 3]
    assert "<html" not in text
    without_script = admin.post(f"/retention/{n}/rules/new", {**RULE, "do": "preview"})
    assert "停止使用" in without_script.content.decode()
    assert rules_of(admin, n) == []
    waiting = {**RULE, "anchor": "event", "event": "ticket.closed"}
    path = f"/retention/{n}/rules/new/says"
    assert figures(admin.post(path, waiting).content.decode()) == [4, 0]
    fallen = admin.post(path, {**waiting, "fallback_days": "50"})
    assert figures(fallen.content.decode()) == [4, 3]


@pytest.mark.slow
def test_rules_are_moved_copied_and_removed(admin: Client) -> None:
    n = draft(admin)
    for key in ("a", "b", "c"):
        add(admin, n, key=key, locked="on")

    def arrange(place: int, do: str) -> list[str]:
        assert admin.post(f"/retention/{n}/arrange/{place}", {"do": do}).status_code == 302
        return [rule["key"] for rule in rules_of(admin, n)]

    assert arrange(2, "up") == ["a", "c", "b"]
    assert arrange(0, "down") == ["c", "a", "b"]
    assert arrange(0, "up") == ["c", "a", "b"]
    assert arrange(1, "copy") == ["c", "a", "a-2", "b"]
    assert "locked" not in rules_of(admin, n)[2]
    assert arrange(0, "drop") == ["a", "a-2", "b"]
    assert admin.post(f"/retention/{n}/arrange/9", {"do": "drop"}).status_code == 404


def test_who_was_overtaken_overwrites_nothing(admin: Client) -> None:
    n = draft(admin)
    add(admin, n)
    seen = admin.get(f"/retention/{n}/rules/0").context["form"]["seen"].value()
    add(admin, n, key="faster")
    late = admin.post(f"/retention/{n}/rules/0", {**RULE, "key": "late", "seen": seen})
    assert late.status_code == 422
    assert "Somebody changed these rules meanwhile" in late.content.decode()
    assert [rule["key"] for rule in rules_of(admin, n)] == ["tickets", "faster"]


@pytest.mark.slow
def test_examples_are_run_at_once_and_refused_while_they_make_no_sense(admin: Client) -> None:
    n = draft(admin)
    add(admin, n)
    case = {
        "name": "a ticket of 90 days", "at": "2026-04-01T00:00:00Z", "because": "90 days are over",
        "memory": {"namespace": ["support", "tickets"], "created_at": "2026-01-01T00:00:00Z"},
        "expect": {"state": "ACTIVE", "visible": False},
    }  # fmt: skip
    path = f"/retention/{n}/examples"
    seen = admin.get(path).context["form"]["seen"].value()
    ran = admin.post(path, {"cases": json.dumps([case]), "seen": seen, "do": "run"})
    (example,) = ran.context["examples"]
    assert not example.passed
    assert example.fields == [
        ("state", "ACTIVE", "TRASH", False), ("visible", False, False, True),
    ]  # fmt: skip
    assert "90 days are over" in ran.content.decode()
    for wrong in ("[{", json.dumps([{"name": "x"}]), json.dumps({"a": 1})):
        answer = admin.post(path, {"cases": wrong, "seen": seen, "do": "save"})
        assert answer.status_code == 422, wrong
    case["expect"]["state"] = "TRASH"  # type: ignore[index]
    saved = admin.post(path, {"cases": json.dumps([case]), "seen": seen, "do": "save"})
    assert saved.status_code == 302
    assert "passes" in body(admin, f"/retention/{n}")


@pytest.mark.slow
def test_the_text_of_a_version_makes_the_same_version(admin: Client) -> None:
    n = draft(admin)
    add(admin, n)
    add(admin, n, key="two", after_days="1.5")
    text = body(admin, f"/retention/{n}/rules.yaml")
    other = draft(admin)
    path = f"/retention/{other}/text"
    seen = admin.get(path).context["form"]["seen"].value()
    file = SimpleUploadedFile("rules.yaml", text.encode())
    assert admin.post(path, {"file": file, "text": "", "seen": seen}).status_code == 302
    assert rules_of(admin, other) == rules_of(admin, n)
    seen = admin.get(path).context["form"]["seen"].value()
    for wrong in ("rules: [", "a: 1", "- {key: x, kind: nothing}", "&a [*a]"):
        answer = admin.post(path, {"text": wrong, "seen": seen})
        assert answer.status_code == 422, wrong
    assert rules_of(admin, other) == rules_of(admin, n)


@pytest.mark.slow
def test_the_difference_is_told_in_sentences(admin: Client) -> None:
    first = draft(admin)
    add(admin, first)
    add(admin, first, key="gone")
    second = draft(admin)
    add(admin, second, after_days="120")
    add(admin, second, key="fresh")
    page = body(admin, f"/retention/{second}/difference?against={first}")
    assert re.search(r"<del>.*90 days.*</del>", page)
    assert re.search(r"<ins>.*120 days.*</ins>", page)
    compared = admin.get(f"/retention/{second}/difference?against={first}").context["compared"]
    assert [rule.key for rule, _ in compared.added] == ["fresh"]
    assert [rule.key for rule, _ in compared.removed] == ["gone"]
    assert [one.key for one in compared.changed] == ["tickets"]


def test_a_simulation_can_be_cancelled_and_a_draft_thrown_away(
    admin: Client, agent: Caller
) -> None:
    agent.put(["a"], "k", {"n": 1}, index=False)
    n = draft(admin)
    add(admin, n)
    admin.post(f"/retention/{n}/simulate")
    part = admin.get(f"/retention/{n}/simulation", headers={"HX-Request": "true"})
    assert "0 of 1 memories" in part.content.decode()
    assert admin.post(f"/retention/{n}/cancel").status_code == 302
    over = admin.get(f"/retention/{n}/simulation", headers={"HX-Request": "true"})
    assert (over.status_code, over["HX-Refresh"]) == (204, "true")
    assert "The simulation was cancelled" in body(admin, f"/retention/{n}/simulation")
    assert admin.post(f"/retention/{n}/drop").status_code == 302
    assert admin.get(f"/retention/{n}").status_code == 404


def test_who_may_not_write_sees_no_button(people: dict[str, Client], admin: Client) -> None:
    n = draft(admin)
    add(admin, n)
    for role in ("auditor", "viewer"):
        for path in ("/retention", f"/retention/{n}", f"/retention/{n}/simulation"):
            page = body(people[role], path)
            main = page[page.index("<main") :]
            assert "<form" not in main, (role, path)
    assert "another person approves" not in body(people["officer"], f"/retention/{n}")


def test_another_tenants_rules_are_not_there(
    admin: Client, rival: Tenant, make_person: Callable[..., User],
    sign_in: Callable[[User], Client],
) -> None:  # fmt: skip
    n = draft(admin)
    stranger = sign_in(make_person(rival, "admin"))
    for path in ("", "/difference", "/rules.yaml", "/text", "/examples", "/simulation", "/approve"):
        assert stranger.get(f"/retention/{n}{path}").status_code == 404
    assert stranger.post(f"/retention/{n}/drop").status_code == 404
    assert admin.get(f"/retention/{2**40}").status_code == 404
