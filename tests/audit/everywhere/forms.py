"""Each form of the dashboard with what it is about, what is typed, and what sending it leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from dashboard.forms import SettingsForm
from tenants.access.configuring import open_settings
from tenants.actors import operator_actor
from tenants.context import acting_as
from tests.audit.everywhere.visiting import SEALED, SECRET, WHY, Visits
from tests.audit.everywhere.world import NOTHING

Filled = tuple[str, dict[str, Any]]
RULE = {
    "key": "tickets", "kind": "expire", "timing": "after", "after_days": "9000",
    "anchor": "created", "namespace": "support/tickets", "end": "trash",
}  # fmt: skip
HELD = {"matter": "m", "custodian": "c", **WHY, "subjects": "s"}


@dataclass(frozen=True)
class Form:
    """`of` makes what it is about: the address, and what is typed."""

    of: Callable[[Visits], Filled]
    left: tuple[str, ...] = NOTHING
    by: str = "O"
    status: int = 302


def _at(
    path: str, make: Callable[[Visits], Any] = str, /, **typed: Any
) -> Callable[[Visits], Filled]:
    """A form whose address names one thing made for it."""
    return lambda visits: (path.format(make(visits)), typed)


def _of_draft(path: str, /, **typed: Any) -> Callable[[Visits], Filled]:
    def fill(visits: Visits) -> Filled:
        n = visits.draft()
        return path.format(n), {**typed, "seen": visits.seen(n)}

    return fill


def _settings(visits: Visits) -> Filled:
    with acting_as(operator_actor(visits.world.tenant.id)):
        initial = SettingsForm.of(open_settings()).initial
    typed = {name: value for name, value in initial.items() if value not in (None, False)}
    return "/settings", {**typed, "trash_days": 100 + visits.number}


def _exclusion(visits: Visits) -> Filled:
    request, memory = visits.scoped()
    typed = {"memory": memory, "ground": "legal_claims", "text": "a dispute"}
    return f"/requests/{request}/exclusions", typed


def _decision(visits: Visits) -> Filled:
    return f"/requests/{visits.scoped()[0]}/decide", {"grant": "yes", **WHY}


def _measure(visits: Visits) -> Filled:
    visits.measured()
    return "/memories/recall/now", {}


def _ask(visits: Visits) -> Filled:
    typed = {"question": "?", "namespace_prefix": "", "expected": visits.world.memory}
    return "/memories/recall", typed


def _cancel(visits: Visits) -> Filled:
    n = visits.draft()
    visits.visit("O", "POST", f"/retention/{n}/simulate")
    return f"/retention/{n}/cancel", {}


def _scope(visits: Visits) -> Filled:
    prefix = f"n{visits.number}"
    return "/settings/sweeps", {"namespace_prefix": prefix, "interval_minutes": 5, "enabled": "on"}


def _badge(visits: Visits) -> Filled:
    return "/privacy/patterns", {"entity": f"badge{visits.number}", "pattern": "BD-[0-9]{5}"}


def _allow(visits: Visits) -> Filled:
    return "/privacy/allowed", {"value": f"hotline {visits.number}"}


def _invite(visits: Visits) -> Filled:
    return "/access/invite", {"email": f"{uuid4().hex}@example.com", "role": "viewer"}


def _tighten(visits: Visits) -> Filled:
    typed = {"entity": "cn_id", "action": "redact", "namespace_prefix": f"p{visits.number}"}
    return "/privacy/rules", typed


def _withdraw(visits: Visits) -> Filled:
    return f"/requests/{visits.request()}/withdraw", WHY


FORMS: dict[str, list[Form]] = {
    "recall": [Form(_ask, ("golden.add",))],
    "measure_recall": [Form(_measure, ("job.begin",))],
    "remove_golden": [
        Form(_at("/memories/recall/{}/remove", lambda v: v.question()), ("golden.remove",))
    ],
    "reveal": [
        Form(
            _at("/memories/{}/reveal", lambda v: v.memory(SEALED), path="text", **WHY),
            ("memory.reveal",), status=200,
        ),
    ],
    "memory_step": [
        Form(_at("/memories/{}/do/restore", lambda v: v.deleted(), **WHY), ("memory.restore",)),
        Form(
            _at("/memories/{}/do/label", lambda v: v.memory(), label="x", **WHY), ("memory.label",)
        ),
        Form(_at("/memories/{}/do/delete", lambda v: v.memory(), **WHY), ("memory.delete",)),
    ],
    "detectors": [Form(_at("/privacy/detectors", sample="13800138000"), status=200)],
    "privacy_rules": [Form(_tighten, ("privacy.rules",), by="A")],
    "privacy_patterns": [Form(_badge, ("privacy.rules",), by="A")],
    "privacy_allowed": [Form(_allow, ("privacy.rules",), by="A")],
    "remove_privacy_rule": [
        Form(_at("/privacy/allowed/{}/remove", lambda v: v.allowed()), ("privacy.rules",), by="A")
    ],
    "rotate_keys": [Form(_at("/privacy/keys/rotate"), ("job.begin",), by="A")],
    "quarantined": [
        Form(
            _at("/privacy/{}", lambda v: v.memory(SECRET), decision="redact", **WHY),
            ("privacy.decide",),
        ),
    ],
    "review": [
        Form(
            _at("/retention/reviews/{}", lambda v: v.waiting(), decision="keep", **WHY),
            ("review.decide",),
        ),
    ],
    "new_draft": [Form(_at("/retention/drafts"), ("rules.draft",))],
    "write_note": [Form(_of_draft("/retention/{}/note", note="why"), ("rules.write",))],
    "edit_document": [Form(_of_draft("/retention/{}/text", text="rules: []"), ("rules.write",))],
    "edit_cases": [
        Form(_of_draft("/retention/{}/examples", cases="[]", do="save"), ("rules.write",))
    ],
    "edit_rule": [
        Form(_of_draft("/retention/{}/rules/new", **RULE, do="save"), ("rules.write",)),
        Form(_of_draft("/retention/{}/rules/new", **RULE, do="preview"), status=200),
    ],
    "preview_rule": [Form(_of_draft("/retention/{}/rules/new/says", **RULE), status=200)],
    "arrange_rule": [Form(_of_draft("/retention/{}/arrange/0", do="copy"), ("rules.write",))],
    "begin_simulation": [
        Form(_of_draft("/retention/{}/simulate"), ("config.change", "job.begin"))
    ],
    "end_simulation": [Form(_cancel, ("job.cancel", "job.end"))],
    "approve_rules": [
        Form(_at("/retention/{}/approve", lambda v: v.simulated(), **WHY), ("rules.approve",))
    ],
    "activate_rules": [
        Form(
            _at("/retention/{}/activate", lambda v: v.approved()),
            ("config.change", "job.begin", "job.end", "rules.activate"),
        ),
    ],
    "drop_draft": [Form(_at("/retention/{}/drop", lambda v: v.draft()), ("rules.delete",))],
    "place_hold": [Form(_at("/holds/new", **HELD), ("hold.place", "job.begin", "job.end"))],
    "preview_hold": [Form(_at("/holds/new/covers", **HELD), status=200)],
    "hold_step": [
        Form(_at("/holds/{}/release", lambda v: v.hold(), **WHY), ("hold.request",)),
        Form(
            _at("/holds/{}/release", lambda v: v.hold(asked_for=True), **WHY),
            ("hold.release", "job.begin", "job.end"), by="second",
        ),
        Form(
            _at("/holds/{}/keep", lambda v: v.hold(asked_for=True), **WHY), ("hold.keep",),
            by="second",
        ),
    ],
    "new_request": [
        Form(_at("/requests/new", kind="erasure", subject="c", **WHY), ("request.open",))
    ],
    "request_step": [
        Form(
            _at("/requests/{}/identity", lambda v: v.request(), method="id", reference="seen"),
            ("request.identity",),
        ),
        Form(_at("/requests/{}/scope", lambda v: v.identified()), ("job.begin",)),
        Form(_exclusion, ("request.exclude",)),
        Form(_decision, ("request.decide",)),
        Form(
            _at("/requests/{}/approve", lambda v: v.ready(), **WHY),
            ("job.begin", "request.approve"), by="second",
        ),
        Form(_at("/requests/{}/extend", lambda v: v.request(), **WHY), ("request.extend",)),
        Form(_withdraw, ("request.close", "request.withdraw")),
    ],
    "verify_log": [Form(_at("/audit/integrity/verify"), ("job.begin",))],
    "make_bundle": [Form(_at("/audit/integrity/bundle"), ("job.begin",))],
    "reports": [
        Form(
            _at("/audit/reports", since="2026-01-01", until="2026-01-31", lang="en"),
            ("job.begin",),
        ),
    ],
    "export_list": [Form(_at("/audit/export/events", format="csv"), ("job.begin",))],
    "cancel_job": [
        Form(_at("/jobs/{}/cancel", lambda v: v.job()), ("job.cancel", "job.end"))
    ],
    "invite": [
        Form(_invite, ("config.change", "config.change", "member.invite"), by="A", status=200)
    ],
    "confirm_access": [
        Form(_at("/access/review/key/{}", lambda v: v.key()), ("access.review",), by="A")
    ],
    "member": [
        Form(
            _at("/access/{}", lambda v: v.member(), role="auditor"),
            ("config.change", "member.change"), by="A",
        ),
    ],
    "remove_member": [
        Form(
            _at("/access/{}/remove", lambda v: v.member()), ("config.change", "member.remove"),
            by="A",
        ),
    ],
    "renew_invitation": [
        Form(_at("/access/{}/link", lambda v: v.member()), ("member.invite",), by="A", status=200)
    ],
    "new_key": [
        Form(
            _at("/access/keys/new", name="new", scopes=["memory:read"], days="90"),
            ("config.change", "key.issue"), by="A", status=200,
        ),
    ],
    "revoke_key": [
        Form(
            _at("/access/keys/{}/revoke", lambda v: v.key()), ("config.change", "key.revoke"),
            by="A",
        ),
    ],
    "settings": [
        Form(_settings, ("config.change", "job.begin", "job.end", "tenant.settings"), by="A")
    ],
    "count_calendar": [Form(_at("/calendar"), ("job.begin",))],
    "finding": [
        Form(_at("/settings/findings/{}", lambda v: v.finding(), **WHY), ("finding.close",))
    ],
    "sweeps": [Form(_scope, ("sweep.scope",), by="A")],
    "sweep_now": [
        Form(_at("/settings/sweeps/now"), ("sweep.run",), by="A"),
        Form(_at("/settings/sweeps/now", prefix="nothing", do="sweep"), ("sweep.run",), by="A"),
    ],
    "sweep_scope": [
        Form(
            _at("/settings/sweeps/{}", lambda v: v.sweep_scope(), interval_minutes=9),
            ("sweep.scope",), by="A",
        ),
    ],
    "drop_sweep_scope": [
        Form(_at("/settings/sweeps/{}/remove", lambda v: v.sweep_scope()), ("sweep.scope",), by="A")
    ],
    "enter_tenant": [
        Form(lambda v: (f"/tenants/{v.world.tenant.slug}", {}), ("access.enter",))
    ],
    "preferences": [Form(_at("/preferences", theme="dark"))],
}  # fmt: skip
