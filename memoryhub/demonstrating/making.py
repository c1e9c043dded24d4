"""Making the demo tenant: people with random passwords, agents with keys, memories with a past."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from memories.deleting import delete_memory
from memories.importing import DatedPut, import_memories
from memories.models import Memory
from memories.ops import parse_delete, parse_get, parse_put, parse_search
from memories.reading import get_memory
from memories.scopes import add_scope
from memories.searching import search_memories
from memories.sweeping import sweep_now
from memoryhub.demonstrating.asking import open_requests
from memoryhub.demonstrating.living import live_on, older_memories
from memoryhub.demonstrating.people import INES, JONAS, PEOPLE, WEI
from memoryhub.demonstrating.ruling import put_rules_into_force
from memoryhub.demonstrating.stories import FOLDER, Story, read_stories
from tenants.access.authenticating import authenticate_key
from tenants.access.provisioning import create_tenant, create_user, issue_key, list_keys, revoke_key
from tenants.actors import operator_actor
from tenants.context import acting_as, now
from tenants.models import Tenant
from tenants.roles import Role, Scope

SLUG = "demo"
NAME = "Kaffeehaus Demo 咖啡馆"
KEY_NAME = "demo key"
AGENTS = (
    ("support-copilot", "support/"),
    ("sales-assistant", "sales/"),
    ("personal-assistant", "assistant/"),
)
QUESTIONS = {
    "support-copilot": (
        "customer wants the money back", "water under the machine", "谁要求退款",
        "severe allergy", "parcel is late",
    ),
    "sales-assistant": (
        "who decides about the budget", "discount limits", "招标要求", "cost per cup",
    ),
    "personal-assistant": (
        "when are no meetings allowed", "我一般使用哪个编程语言", "vegetarian lunch",
        "travel by train",
    ),
}  # fmt: skip
READ = (
    (("support", "macros"), "refund-rule"), (("sales", "playbook"), "discount-limits"),
    (("assistant", "users", "u-maya"), "meetings"),
)  # fmt: skip
DELETED = (
    (("support", "tickets", "T-20950"), "allergen"), (("sales", "leads", "2026-q1"), "trade-fair"),
    (("assistant", "users", "u-maya"), "wifi-password"),
    (("assistant", "users", "u-lin"), "身份信息"),
)  # fmt: skip
PASSWORD_WORDS = (FOLDER / "words.txt").read_text("utf-8").split()


@dataclass(frozen=True, slots=True)
class Login:
    """A person of the demo with the password just made for them."""

    email: str
    name: str
    role: str
    password: str


@dataclass(frozen=True, slots=True)
class Demo:
    """What was made; passwords and the key are known here and nowhere else."""

    tenant: Tenant
    logins: list[Login]
    key: str
    memories: int


def find_demo() -> Tenant | None:
    """The demo tenant, if it was made before."""
    return Tenant.objects.filter(slug=SLUG).first()


def make_demo(say: Callable[[str], None]) -> Demo:
    """The whole demo; run again, it gives everybody a new password and adds what is missing."""
    tenant = create_tenant(SLUG, name=NAME, exist_ok=True)
    with acting_as(operator_actor(tenant.id)):
        is_new = _settle(tenant)
        logins = [_make_person(tenant, *person) for person in PEOPLE]
        for old in list_keys():
            if old.name == KEY_NAME:
                revoke_key(old.id)
        key = issue_key(
            tenant, name=KEY_NAME,
            scopes=[Scope.MEMORY_READ, Scope.MEMORY_WRITE, Scope.MEMORY_DELETE],
        )  # fmt: skip
        stories = read_stories()
        if is_new:
            say(f"writing {len(stories)} memories and their vectors")
            import_memories([*_dated(stories), *older_memories()])
    if is_new:
        _live(tenant)
        open_requests(tenant, stories, officer=INES)
        live_on(tenant)
    return Demo(tenant, logins, str(key.text), len(stories))


def _settle(tenant: Tenant) -> bool:
    """The tenant's settings; False when it has memories already."""
    with transaction.atomic():
        if Memory.objects.exists():
            return False
    if tenant.timezone == "UTC":
        tenant.timezone = "Europe/Berlin"
        tenant.save(update_fields=["timezone"])
        add_scope("support/", interval_minutes=15)
    return True


def _make_person(tenant: Tenant, email: str, name: str, role: Role) -> Login:
    password = "-".join(secrets.choice(PASSWORD_WORDS) for _ in range(6))
    create_user(email, tenant=tenant, role=role, password=password, name=name)
    return Login(email, name, role.value, password)


def _dated(stories: Sequence[Story]) -> list[DatedPut]:
    """Each at its day, at an hour of work that its key decides, so that it is always the same."""
    with transaction.atomic():
        present = now()
    return [DatedPut(parse_put(_body(story)), _instant(story, present)) for story in stories]


def _body(story: Story) -> dict[str, object]:
    body: dict[str, object] = {
        "namespace": list(story.namespace), "key": story.key, "kind": story.kind,
        "value": {"text": story.text},
        "tags": list(story.tags), "subjects": [story.subject] if story.subject else [],
        "source": {
            "channel": "call" if story.namespace[0] == "sales" else "chat",
            "language": story.language,
        },
        "ttl": None if story.ttl_days is None else story.ttl_days * 1440,
    }  # fmt: skip
    return body


def _instant(story: Story, present: datetime) -> datetime:
    minutes = sum(map(ord, story.key + story.text[:20])) % (9 * 60)
    day = (present - timedelta(days=story.days_ago)).replace(hour=8, minute=0, second=0)
    return min(day + timedelta(minutes=minutes, seconds=minutes % 60), present)


def _live(tenant: Tenant) -> None:
    """What a day brings: agents search, read, delete; a sweep makes true what expired."""
    for name, prefix in AGENTS:
        with acting_as(operator_actor(tenant.id)):
            key = issue_key(tenant, name=name, prefixes=[prefix])
        with acting_as(authenticate_key(str(key.text))):
            for question in QUESTIONS[name]:
                search_memories(parse_search(
                    {"namespace_prefix": [prefix.strip("/")], "query": question, "limit": 5}
                ))  # fmt: skip
            for namespace, item in READ:
                if f"{namespace[0]}/" == prefix:
                    get_memory(parse_get({"namespace": list(namespace), "key": item}))
            for namespace, item in DELETED:
                if f"{namespace[0]}/" == prefix:
                    delete_memory(parse_delete({"namespace": list(namespace), "key": item}))
    put_rules_into_force(tenant, author=JONAS, approvers=(INES, WEI))
    with acting_as(operator_actor(tenant.id)):
        sweep_now()
