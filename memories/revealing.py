"""Showing an officer what stands behind a token, and finding memories by a sealed value.

Both answer in the clear about sealed values, so both are for people who may reveal (officers), cost
a budget an hour, and leave an event that says who, what, where and why, never the value. Finding is
under the same right as revealing: whoever may ask "is this number in here?" for every number in
turn has revealed them all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from audit.models import Event
from audit.recording import Facts, Target, record
from memories.inspecting import find_memory
from memories.masking import mask_text
from memories.namespaces import covers
from memories.reasons import check_reason
from memories.rows import StoredMemory
from memories.statements.lookup import find_by_ids
from memoryhub.errors import Conflict, Denied, Invalid, TooMany
from privacy.detecting.negatives import TOKEN
from privacy.detecting.patterns import NAME
from privacy.models import PiiFinding, VaultEntry
from privacy.vault import equality_hash, open_original
from sealing.originals import SealRefused
from tenants.actors import Actor
from tenants.authorising import require
from tenants.context import current_tenant_id, now
from tenants.roles import Action

SHOWN_FOR = timedelta(minutes=5)
HOUR = timedelta(hours=1)
MOST_FOUND = 200
LONGEST_VALUE = 1024
_STEP = re.compile(r"\.?([^.\[\]\"]+)|\[(\d+)\]|\[\"((?:[^\"\\]|\\.)*)\"\]")


@dataclass(frozen=True, slots=True)
class Revealed:
    """A clear value, and until when it may be shown."""

    value: str
    until: datetime


def reveal_value(identifier: UUID, *, path: str, reason: str) -> Revealed:
    """The text at a path of the current value, with its originals.

    Raises Denied, Missing, Gone, Invalid `unknown_path`, Conflict `nothing_sealed` or that of a
    seal that does not open, TooMany `reveal_budget`.
    """
    actor = _require_person()
    reason = check_reason(reason)
    with transaction.atomic():
        row = find_memory(identifier)
        _spend(actor, "memory.reveal", settings.REVEALS_PER_HOUR)
        shown = _text_at(json.loads(row.value), path)
        value, entities = _restore(row, _plain_path(path), shown)
        record(
            "memory.reveal",
            Target("memory", str(row.id), row.namespace),
            Facts(
                subjects=None,
                counts={"version": row.version, "n": len(entities)},
                links={
                    "path": mask_text(path, today=now().date()),
                    "entities": sorted(set(entities)),
                    "reason": reason,
                },
            ),
        )
        return Revealed(value, now() + SHOWN_FOR)


def find_by_value(entity: str, value: str) -> tuple[list[StoredMemory], datetime]:
    """Memories that hold this sealed value, newest first, at most 200. Raises as `reveal_value`."""
    actor = _require_person()
    if not NAME.fullmatch(entity):
        raise Invalid.at("entity", "unknown_entity", "Name a kind of personal data.")
    if not value.strip() or len(value) > LONGEST_VALUE:
        raise Invalid.at("value", "invalid_value", f"1 to {LONGEST_VALUE} characters.")
    with transaction.atomic():
        _spend(actor, "memory.find", settings.FINDS_PER_HOUR)
        hashed = equality_hash(entity, value, current_tenant_id())
        rows = _rows_of(hashed, actor)
        record(
            "memory.find",
            Target("search"),
            Facts(
                subjects=None,
                counts={"returned": len(rows)},
                links={"entity": entity, "ids": [str(row.id) for row in rows]},
            ),
        )
        return rows, now()


def list_sealed(row: StoredMemory) -> list[tuple[str, str]]:
    """(path, entity) of what can be revealed in the current value, by place."""
    require(Action.REVEAL)
    with transaction.atomic():
        findings = PiiFinding.objects.all().of_memory(row.id, row.version)
        kept = findings.filter(token_id__isnull=False).exclude(path="")
        found = set(kept.values_list("path", "entity"))
    return sorted(one for one in found if not one[0].startswith("source:"))


def _require_person() -> Actor:
    actor = require(Action.REVEAL)
    if not actor.is_person:
        raise Denied("Only people may do this.", code="people_only")
    return actor


def _spend(actor: Actor, action: str, most: int) -> None:
    """Refuses when the last hour's budget of this person is used up; events are the account."""
    rows = Event.objects.all().filter(
        action=action, outcome="success", actor_id=actor.id, at__gt=now() - HOUR
    )
    used = list(rows.order_by("at").values_list("at", flat=True)[: most + 1])
    if len(used) >= most:
        wait = (used[-most] + HOUR - now()).total_seconds()
        raise TooMany(
            f"You may do this {most} times an hour.",
            code="reveal_budget", retry_after=max(1, int(wait)),
        )  # fmt: skip


def _rows_of(hashed: str, actor: Actor) -> list[StoredMemory]:
    entry = VaultEntry.objects.all().filter(equality_hash=hashed).first()
    if entry is None:
        return []
    uses = PiiFinding.objects.all().of_token(entry.token_id).order_by("-memory_id")
    ids = list(uses.values_list("memory_id", flat=True).distinct()[:MOST_FOUND])
    rows = [row for row in find_by_ids(ids).values() if covers(actor.prefixes, row.namespace)]
    return sorted(rows, key=lambda row: (row.updated_at, row.id), reverse=True)


# --- one place of a value -------------------------------------------------------------------------


def _plain_path(path: str) -> str:
    """`value.a[2]`, `$.a[2]` and `a[2]` are one place."""
    for lead in ("value", "$"):
        if path == lead or path.startswith((f"{lead}.", f"{lead}[")):
            return path.removeprefix(lead).removeprefix(".")
    return path


def _text_at(value: Any, path: str) -> str:
    """The text at the path; tried as given first, so that a field named `value` can be meant."""
    for text in dict.fromkeys((path, _plain_path(path))):
        steps = _steps_of(text)
        found = _follow(value, steps) if steps is not None else None
        if isinstance(found, str):
            return found
    raise Invalid.at("path", "unknown_path", "There is no text at this path of the value.")


def _steps_of(path: str) -> Sequence[str | int] | None:
    steps: list[str | int] = []
    place = 0
    while place < len(path):
        match = _STEP.match(path, place)
        if match is None:
            return None
        name, number, quoted = match.groups()
        if number is not None:
            steps.append(int(number))
        else:
            steps.append(name if name is not None else re.sub(r"\\(.)", r"\1", quoted))
        place = match.end()
    return steps


def _follow(value: Any, steps: Sequence[str | int]) -> Any:
    for step in steps:
        is_item = isinstance(step, int) and isinstance(value, list) and step < len(value)
        is_field = isinstance(step, str) and isinstance(value, dict) and step in value
        if not (is_item or is_field):
            return None
        value = value[step]
    return value


def _restore(row: StoredMemory, path: str, shown: str) -> tuple[str, list[str]]:
    """The text with the originals of its tokens; of masked ones, the originals alone."""
    named = [match[0][1:-1].partition(":")[2] for match in TOKEN.finditer(shown)]
    if not named:
        findings = PiiFinding.objects.all().of_memory(row.id, row.version)
        kept = findings.filter(path=path, token_id__isnull=False)
        named = list(kept.values_list("token_id", flat=True))
    entries = {one.token_id: one for one in VaultEntry.objects.all().with_tokens(named)}
    if not entries:
        raise Conflict("No original is kept of this text.", code="nothing_sealed")
    clear = {token_id: _open(entry) for token_id, entry in entries.items()}
    entities = [entry.entity for entry in entries.values()]
    if not TOKEN.search(shown):
        return "\n".join(clear[name] for name in named if name in clear), entities

    def original(match: re.Match[str]) -> str:
        return clear.get(match[0][1:-1].partition(":")[2], match[0])

    return TOKEN.sub(original, shown), entities


def _open(entry: VaultEntry) -> str:
    try:
        return open_original(entry.sealed, tenant_id=current_tenant_id(), token_id=entry.token_id)
    except SealRefused as refused:
        raise Conflict(str(refused), code=refused.code) from None
