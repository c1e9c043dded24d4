"""`audit_verify`: is the log what was sealed? The exit code says what is wrong (API.md)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from audit.verifying.offline import WORDS, check_bundle
from audit.verifying.running import Span, verify_log
from audit.verifying.walking import list_epochs
from sealing.signing import public_key
from tenants.actors import operator_actor
from tenants.commanding import HubCommand, open_tenant
from tenants.context import acting_as
from tenants.ids import PLATFORM_TENANT
from tenants.models import Tenant


class Command(HubCommand):
    help = "Verify the sealed log of all tenants or one, a span of time, or an exported bundle."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--tenant", metavar="SLUG", help="only this tenant's log")
        parser.add_argument("--from", dest="since", metavar="INSTANT", help="as 2026-11-30T00:00Z")
        parser.add_argument("--to", dest="until", metavar="INSTANT", help="not included")
        parser.add_argument(
            "--checkpoint", type=Path, metavar="FILE", help="a signed checkpoint that you kept"
        )
        parser.add_argument(
            "--bundle", type=Path, metavar="ZIP", help="an exported bundle instead of the log"
        )

    def run(self, **options: Any) -> None:
        witness = _read(options["checkpoint"])
        if options["bundle"] is not None:
            answers = [_check_bundle(options["bundle"], witness)]
        else:
            answers = list(self._verify_logs(options, witness))
        code = next((answer["code"] for answer in answers if answer["code"]), 0)
        text = "\n".join(_say(answer) for answer in answers)
        document = answers[0] if len(answers) == 1 else {"code": code, "logs": answers}
        self.answer(document, text, as_json=options["json"])
        if code:
            sys.exit(code)

    def _verify_logs(
        self, options: dict[str, Any], witness: str | None
    ) -> Iterator[dict[str, Any]]:
        span = Span(read_instant(options["since"]), read_instant(options["until"]))
        if witness is not None and options["tenant"] is None:
            options["tenant"] = _slug_of(witness)
        epochs = [{"n": one.n, "reason": one.reason, "gap": one.gap} for one in list_epochs()]
        for tenant_id, slug in find_logs(options["tenant"]):
            with _acting(tenant_id):
                answer = verify_log(span, witness=witness)
            yield {"tenant": slug, **answer, "epochs": epochs}


def _acting(tenant_id: Any) -> Any:
    return acting_as(operator_actor(tenant_id))


def find_logs(slug: str | None) -> list[tuple[Any, str]]:
    """The log of one tenant, or every log, the platform's with them."""
    if slug == "platform":
        return [(PLATFORM_TENANT, slug)]
    if slug is not None:
        tenant = Tenant.objects.filter(slug=slug).first() or open_tenant(slug)
        return [(tenant.id, tenant.slug)]
    with transaction.atomic():
        rows = list(Tenant.objects.order_by("slug").values_list("id", "slug"))
    return [(PLATFORM_TENANT, "platform"), *(row for row in rows if row[0] != PLATFORM_TENANT)]


def _check_bundle(path: Path, witness: str | None) -> dict[str, Any]:
    if not path.is_file():
        raise CommandError(f"There is no file {path}.")
    answer = check_bundle(path, key=public_key().text, witness=witness)
    return {"bundle": path.name, **answer}


def _slug_of(note: str) -> str:
    """Whose log a checkpoint is of."""
    identifier = note.split("\n", 1)[0].split("/")[1:2]
    tenant = Tenant.objects.filter(id__in=identifier).first() if _is_uuid(identifier) else None
    if tenant is None:
        raise CommandError("The file holds no checkpoint of a log of this hub.")
    return str(tenant.slug)


def _is_uuid(words: list[str]) -> bool:
    return len(words) == 1 and len(words[0]) == 36


def _read(path: Path | None) -> str | None:
    if path is None:
        return None
    if not path.is_file():
        raise CommandError(f"There is no file {path}.")
    return path.read_text(encoding="utf-8")


def read_instant(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise CommandError(f"Write an instant as 2026-11-30T12:00Z, not {text}.") from None
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def _say(answer: dict[str, Any]) -> str:
    """One log in words."""
    good = answer["last_good"]
    words = [
        f"{answer.get('tenant') or answer.get('bundle')}: {WORDS[answer['code']]}, "
        f"{answer['events']} events"
    ]
    if answer["code"]:
        words.append(f"  {answer['detail']}")
        words.append(f"  first bad event: {answer['first_bad'] or 'not known'}")
    if good:
        words.append(f"  last good checkpoint: epoch {good['epoch']}, size {good['size']}")
    words += [
        f"  epoch {one['n']}: {one['reason']} {one['gap']}"
        for one in answer.get("epochs", [])
        if answer["code"] and one["n"] > 1
    ]
    return "\n".join(words)
