"""`demo [--if-new]`: the demo tenant with realistic data; prints the logins and a key, once."""

from __future__ import annotations

import os
from typing import Any

from django.core.management.base import CommandParser

from memoryhub.demonstrating.making import SLUG, Demo, find_demo, make_demo
from tenants.commanding import HubCommand


class Command(HubCommand):
    help = "Make the demo tenant, or new passwords for its people; prints them, once."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--if-new", action="store_true", help="do nothing when the demo tenant exists"
        )

    def run(self, **options: Any) -> None:
        if options["if_new"] and find_demo() is not None:
            text = f"The demo tenant {SLUG} is here. New passwords: python manage.py demo"
            self.answer({"tenant": SLUG, "made": False}, text, as_json=options["json"])
            return
        demo = make_demo(self.stderr.write)
        facts = {
            "tenant": demo.tenant.slug, "made": True, "memories": demo.memories, "key": demo.key,
            "logins": [
                {"email": one.email, "name": one.name, "role": one.role, "password": one.password}
                for one in demo.logins
            ],
        }  # fmt: skip
        self.answer(facts, _tell(demo), as_json=options["json"])


def _tell(demo: Demo) -> str:
    """For the terminal: who can sign in, and how a machine asks."""
    address = f"http://localhost:{os.environ.get('PORT') or 8000}"
    width = max(len(one.email) for one in demo.logins)
    rows = [f"  {one.role:8} {one.email:{width}}  {one.password}" for one in demo.logins]
    logins = "\n".join(rows)
    return (
        f"The demo tenant “{demo.tenant.name}”. Its passwords and key are shown only now.\n\n"
        f"Sign in at {address}/\n{logins}\n\n"
        f"Ask with the key:\n"
        f"  curl {address}/api/v1/store/items/search -H 'Authorization: Bearer {demo.key}' \\\n"
        f"    -H 'Content-Type: application/json' \\\n"
        f'    -d \'{{"namespace_prefix": [], "query": "who wants a refund?"}}\'\n'
    )
