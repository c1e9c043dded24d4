"""`apply_rules SLUG FILE [--approve-as EMAIL --password-stdin]`: rules from a file into force.

Draft, simulate, show the difference. It goes on only with the password of a person who may approve
and did not write the rules (here the operator at the console does).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from audit.jobs import find_job, run_job
from memories.activating import activate_rules
from memories.staging import simulate_rules
from memoryhub.errors import Conflict, Invalid
from policies.approving import approve_rules
from policies.comparing import Difference, compare_rules
from policies.documents import read_document
from policies.drafting import draft_rules, write_rules
from policies.models import RuleSet
from policies.versions import find_active
from tenants.access.authenticating import choose_membership, person_actor
from tenants.actors import Actor, operator_actor
from tenants.commanding import HubCommand, open_tenant
from tenants.context import acting_as
from tenants.models import Tenant, User

REASON = "applied from a file at the console"


class Command(HubCommand):
    help = "Draft and simulate rules from a YAML or JSON file; activate them as an approver."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", metavar="SLUG")
        parser.add_argument("file", metavar="FILE", help="rules, and perhaps cases and a note")
        parser.add_argument("--approve-as", metavar="EMAIL", help="who approves and activates")
        parser.add_argument(
            "--password-stdin", action="store_true", help="read the approver's password"
        )
        parser.add_argument(
            "--confirm-count", type=int, metavar="N", help="how many memories leave use, if asked"
        )

    def run(self, **options: Any) -> None:
        tenant = open_tenant(options["slug"])
        content = _read(Path(options["file"]))
        approver = None
        if options["approve_as"]:
            if not options["password_stdin"]:
                raise CommandError("The approver's password comes with --password-stdin.")
            approver = _sign_in(options["approve_as"], tenant)
        with acting_as(operator_actor(tenant.id)):
            version, difference, result = _rehearse(content)
        state = version.state
        if approver is not None:
            with acting_as(approver):
                state = _enforce(version.n, options["confirm_count"])
        facts = {
            "ruleset": version.n, "state": state, "diff": difference, "simulation": result,
        }  # fmt: skip
        text = _in_words(version.n, state, difference, result)
        self.answer(facts, text, as_json=options["json"])


def _read(path: Path) -> dict[str, Any]:
    """A list of rules, or an object with `rules`, `cases` and `note`."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from None
    try:
        return read_document(text)
    except Invalid as error:
        raise CommandError(f"{path} cannot be read: {error.errors[0].detail}") from None


def _sign_in(email: str, tenant: Tenant) -> Actor:
    password = sys.stdin.readline().rstrip("\r\n")
    user = User.objects.filter(email__iexact=email, is_active=True).first()
    if user is None or not user.check_password(password):
        raise CommandError("The address or the password is wrong.")
    return person_actor(user, choose_membership(user, tenant_id=tenant.id))


def _rehearse(content: dict[str, Any]) -> tuple[RuleSet, Difference, dict[str, Any]]:
    with transaction.atomic():
        active = find_active()
    version = draft_rules(based_on=None, note=str(content.get("note") or ""))
    rules, cases = content.get("rules") or [], content.get("cases") or []
    version = write_rules(version.n, rules=rules, cases=cases)
    job = simulate_rules(version.n)
    run_job(job.id)
    done = find_job(job.id)
    if done.result is None or done.state != done.State.DONE:
        raise CommandError(f"The simulation is {done.state}: {done.error}")
    with transaction.atomic():
        version = RuleSet.objects.get(n=version.n)
    return (
        version,
        compare_rules([] if active is None else active.rules, version.rules),
        done.result,
    )


def _enforce(n: int, confirm_count: int | None) -> str:
    version = approve_rules(n, reason=REASON)
    if version.state != version.State.APPROVED:
        return str(version.state)
    try:
        return str(activate_rules(n, confirm_count=confirm_count).state)
    except Conflict as error:
        if error.code == "confirm_count_required":
            raise CommandError(f"{error.detail} (--confirm-count)") from None
        raise


def _in_words(n: int, state: str, difference: Difference, result: dict[str, Any]) -> str:
    lines = [f"rules {n}: {state}"]
    lines += [f"  + {rule['key']}" for rule in difference["added"]]
    lines += [f"  - {rule['key']}" for rule in difference["removed"]]
    lines += [f"  ~ {change['key']}" for change in difference["changed"]]
    hidden = sum(group["newly_hidden"] for group in result["by"])
    lines.append(f"  {result['memories']} memories, {hidden} leave use")
    lines += [f"  FAILED {case['name']}" for case in result["failed_cases"]]
    return "\n".join(lines)
