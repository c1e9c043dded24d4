"""Something real for the variable parts of an address, and bodies that change something."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from tests.api.test_permissions import Line
from tests.audit.everywhere.world import NUMBERS, World, identifier


def address_of(world: World, line: Line) -> str:
    """The address of a line with things that are there; what is only looked at is made once."""
    path = line.path
    while "<" in path:
        before, _, rest = path.partition("<")
        part, _, after = rest.partition(">")
        name = part.partition(":")[2]
        if line.method == "get" and name not in world.places:
            world.places[name] = make(world, name, line)
        place = world.places[name] if line.method == "get" else make(world, name, line)
        path = before + place + after
    return f"/{path}{line.query}"


def make(world: World, name: str, line: Line) -> str:
    """A new one of its kind."""
    number = next(NUMBERS)
    if name == "memory_id":
        made = world.put(["a"], f"made{number}", {"a": "call me on +49 30 901820"})
        if line.path.endswith("restore"):
            world.agent.delete(["a"], f"made{number}")
        return made
    if name == "event_id":
        return str(world.agent.call("GET", "/audit/events").json()["items"][0]["id"])
    by = {"A": world.people["A"], "O": world.people["O"], "key": world.agent}
    who, path, body, at = _MAKERS[name](world, number)
    answer = by[who].call("POST", path, body)
    assert answer.status_code in (200, 201), answer.content
    return identifier(answer, at)


HOLD = {"matter": "m", "custodian": "c", "reason": "r", "scope": {"subjects": ["s"]}}

_MAKERS: dict[str, Any] = {
    "n": lambda *_: ("key", "/policies/rulesets", {"based_on": None, "note": ""}, "n"),
    "search_id": lambda *_: (
        "key", "/store/items/search", {"namespace_prefix": ["a"]}, "search_id",
    ),
    "key_id": lambda _, n: ("A", "/keys", {"name": f"k{n}"}, "id"),
    "member_id": lambda _, n: (
        "A", "/members", {"email": f"m{n}-{uuid4().hex[:6]}@example.com", "role": "viewer"}, "id",
    ),
    "scope_id": lambda _, n: (
        "A", "/policies/sweep-scopes", {"namespace_prefix": [f"s{n}"], "interval_minutes": 5}, "id",
    ),
    "run_id": lambda *_: ("A", "/policies/sweeps", {"dry_run": True}, "id"),
    "hold_id": lambda *_: ("O", "/policies/holds", HOLD, "id"),
    "rule_id": lambda _, n: (
        "A", "/privacy/rules",
        {"entity": "cn_id", "action": "redact", "namespace_prefix": [f"p{n}"]}, "id",
    ),
    "pattern_id": lambda _, n: (
        "A", "/privacy/patterns", {"entity": f"badge{n}", "pattern": "BD-[0-9]{5}"}, "id",
    ),
    "allowed_id": lambda _, n: ("A", "/privacy/allowed", {"value": f"hotline {n}"}, "id"),
    "session_id": lambda *_: ("key", "/sessions", {"subject": "s"}, "session_id"),
    "question_id": lambda world, _: (
        "key", "/golden-questions", {"question": "?", "expected": [world.memory]}, "id",
    ),
    "request_id": lambda _, n: (
        "O", "/subject-requests", {"subject": f"c-{n}", "kind": "access", "reason": "why"}, "id",
    ),
}  # fmt: skip


def body_of(world: World, line: Line) -> Any:
    """The body of the table of permissions, or one that changes something.

    More days in the trash each time: fewer would bring purges forward, and whoever does that is
    asked for their count.
    """
    return {
        "post sessions": {"subject": f"s{next(NUMBERS)}"},
        "patch settings": {"trash_days": 40 + next(NUMBERS)},
        "post policies/sweep-scopes": {"namespace_prefix": ["n"], "interval_minutes": 5},
        "patch members/<uuid:member_id>": {"role": "auditor"},
        "post golden-questions": {"question": "?", "expected": [world.memory]},
        "post members": {"email": f"m-{uuid4().hex}@example.com", "role": "viewer"},
        "post store/batch": {"ops": [{"op": "get", "namespace": ["kept"], "key": "k"}]},
        "post sessions/<str:session_id>/messages": {
            "role": "user", "content": "I live in Lyon and I work as a baker."
        },
    }.get(line.name, line.body)  # fmt: skip
