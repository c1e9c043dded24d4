"""`pii_test FILE`: run cases of the format of `cases/pii.json`; exit 1 when one fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memoryhub.errors import Invalid
from privacy.cases import CaseResult, run_case
from tenants.clock import wall_clock
from tenants.commanding import HubCommand


class Command(HubCommand):
    help = "Run detection cases; print each failure with what was expected, found, and why."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", help="a JSON list of cases")

    def run(self, **options: Any) -> None:
        cases = _read(Path(options["file"]))
        today = wall_clock().date()
        failures: list[dict[str, Any]] = []
        for place, case in enumerate(cases):
            try:
                result = run_case(case, today=today)
            except Invalid as error:
                raise CommandError(f"case {place}: {error.detail}") from None
            if not result.passed:
                failures.append({"case": place, **_shown(result)})
        facts = {"cases": len(cases), "failed": len(failures), "failures": failures}
        lines = [*map(_in_words, failures), f"{len(cases)} cases, {len(failures)} failed"]
        self.answer(facts, "\n".join(lines), as_json=options["json"])
        if failures:
            raise SystemExit(1)


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        cases = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise CommandError(f"{path} is not JSON: {error}") from None
    if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
        raise CommandError(f"{path} is not a list of cases.")
    return cases


def _shown(result: CaseResult) -> dict[str, Any]:
    return {
        "text": result.text, "note": result.note, "expected": result.expected,
        "got": result.got, "because": result.because,
    }  # fmt: skip


def _in_words(failure: dict[str, Any]) -> str:
    because = "; ".join(failure["because"]) or "nothing was found"
    return (
        f"FAILED case {failure['case']}: {failure['text']}\n"
        f"  note      {failure['note'] or '-'}\n"
        f"  expected  {_listed(failure['expected'])}\n"
        f"  got       {_listed(failure['got'])}\n"
        f"  because   {because}"
    )


def _listed(findings: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{entity} {text}" for entity, text in findings) or "nothing"
