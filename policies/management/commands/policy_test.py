"""`policy_test FILE [--tenant SLUG]`: run retention cases; exit 1 when one fails."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from policies.cases import Case, CaseResult, parse_cases, run_case
from policies.facts import Settings
from tenants.commanding import HubCommand, open_tenant
from tenants.models import Tenant


class Command(HubCommand):
    help = "Run retention cases; print each failure with what was expected, got, and why."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", help="a JSON list of cases (RETENTION.md)")
        parser.add_argument(
            "--tenant", metavar="SLUG", help="whose settings count where a case gives none"
        )

    def run(self, **options: Any) -> None:
        raw = _read(Path(options["file"]))
        cases = parse_cases(raw, "cases")
        if options["tenant"]:
            tenant = open_tenant(options["tenant"])
            cases = tuple(
                _under(tenant, case, given) for case, given in zip(cases, raw, strict=True)
            )
        results = [run_case(case) for case in cases]
        failures = [result for result in results if not result.passed]
        facts = {
            "cases": len(results), "failed": len(failures),
            "failures": [asdict(result) for result in failures],
        }  # fmt: skip
        lines = [*map(_in_words, failures), f"{len(results)} cases, {len(failures)} failed"]
        self.answer(facts, "\n".join(lines), as_json=options["json"])
        if failures:
            raise SystemExit(1)


def _read(path: Path) -> list[Any]:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise CommandError(f"{path} is not JSON: {error}") from None
    if isinstance(raw, dict):
        raw = raw.get("cases")
    if not isinstance(raw, list):
        raise CommandError(f"{path} is not a list of cases.")
    return raw


def _under(tenant: Tenant, case: Case, given: dict[str, Any]) -> Case:
    """The case with the tenant's settings, unless it brings its own."""
    if "settings" in given:
        return case
    return replace(case, settings=Settings(tenant.trash_days, tenant.notice_days, tenant.timezone))


def _in_words(result: CaseResult) -> str:
    lines = [f"FAILED {result.name}"]
    for name in result.differs:
        lines.append(f"  {name}: expected {result.expected.get(name)}, got {result.got.get(name)}")
    lines.append(f"  because   {result.because or '-'}")
    return "\n".join(lines)
