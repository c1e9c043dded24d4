"""`reembed SLUG --profile NAME`: build the new vectors beside the old, compare, switch."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from memories.embedding.profiles import profile_names
from memories.embedding.providers import EmbeddingRefused, EmbeddingUnavailable
from memories.embedding.switching import switch_profile
from memoryhub.errors import Missing
from tenants.actors import operator_actor
from tenants.commanding import HubCommand, open_tenant
from tenants.context import acting_as


class Command(HubCommand):
    help = "Give a tenant another embedding profile; run it with the old one's name to go back."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("tenant", metavar="SLUG")
        parser.add_argument("--profile", required=True, metavar="NAME")

    def run(self, **options: Any) -> None:
        tenant, told = open_tenant(options["tenant"]), -1

        def say(done: int, total: int) -> None:
            nonlocal told
            if done != told:
                told = done
                self.stderr.write(f"{done} of {total} memories embedded")

        try:
            with acting_as(operator_actor(tenant.id)):
                done = switch_profile(tenant, options["profile"], say)
        except Missing:
            known = ", ".join(profile_names())
            raise CommandError(f"There is no such profile. There are: {known}.") from None
        except (EmbeddingUnavailable, EmbeddingRefused) as error:
            message = f"Nothing was switched: {error}. What was built stays; run it again."
            raise CommandError(message) from None
        agreed = (
            "" if done.overlap is None else f"; both agree on {done.overlap:.0%} of the first ten"
        )
        facts = {
            "tenant": tenant.slug, "before": done.before, "after": done.after,
            "embedded": done.embedded, "overlap": done.overlap,
        }  # fmt: skip
        text = f"{tenant.slug}: {done.before} → {done.after}, {done.embedded} memories{agreed}"
        self.answer(facts, text, as_json=options["json"])
