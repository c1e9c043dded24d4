"""Subject requests of the demo: one past due, one that begins to press, one that just came."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction

from erasure.stepping import open_request
from memoryhub.demonstrating.people import person
from memoryhub.demonstrating.stories import Story
from tenants.context import acting_as, now
from tenants.models import Tenant

ASKED = (
    ("access", 34, "Wants to see what is remembered about them"),
    ("restriction", 26, "Disputes what was noted about a complaint"),
    ("erasure", 3, "Asks to be forgotten, by e-mail"),
)


def open_requests(tenant: Tenant, stories: Sequence[Story], *, officer: str) -> None:
    """For three of those whom the stories are about."""
    people = list(dict.fromkeys(story.subject for story in stories if story.subject))
    with acting_as(person(tenant, officer)):
        with transaction.atomic():
            present = now()
        for subject, (kind, days, reason) in zip(people, ASKED, strict=False):
            received = present - timedelta(days=days)
            open_request(subject=subject, kind=kind, reason=reason, received_at=received)
