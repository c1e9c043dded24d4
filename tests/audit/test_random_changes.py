"""Ten thousand random changes of single bytes, each of them found."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from datetime import datetime

import pytest
from django.db import transaction

from audit.models import Checkpoint, Leaf
from audit.verifying.offline import Fault, Line, Walk, feed
from audit.verifying.walking import read_lines_of
from sealing.signing import public_key
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.audit.tampering import tamper, verify, write_events

CHANGES = 10_000


def read_log(tenant: Tenant) -> tuple[int, list[Line], list[tuple[int, str]]]:
    with acting_as(operator_actor(tenant.id)), transaction.atomic():
        epoch = Leaf.objects.order_by("-epoch").first().epoch
        lines = read_lines_of(epoch, 0, 1000)
        notes = list(Checkpoint.objects.order_by("size").values_list("size", "note"))
    return epoch, lines, notes


def changed_byte(text: str, draw: random.Random) -> str:
    """The text with one byte changed so that it is still UTF-8, as Postgres demands."""
    blob = bytearray(text.encode())
    while True:
        place = draw.randrange(len(blob))
        kept = blob[place]
        blob[place] = draw.randrange(1, 256)
        try:
            if blob[place] != kept:
                return blob.decode()
        except UnicodeDecodeError:
            pass
        blob[place] = kept


def changed_column(line: Line, draw: random.Random) -> Line:
    """One letter of one column that people search by (`xid` and `node` are none)."""
    assert line.columns is not None
    while True:
        columns = deepcopy(line.columns)
        name = draw.choice([one for one in sorted(columns) if one not in ("xid", "node")])
        try:
            columns[name] = json.loads(changed_byte(json.dumps(columns[name]), draw))
        except ValueError:
            continue
        is_same = name == "at" and is_same_instant(columns[name], line.columns[name])
        if columns[name] != line.columns[name] and not is_same:
            return replace(line, columns=columns)


def is_same_instant(left: str, right: str) -> bool:
    """A space for the T, or -00:00: no change in a column of type timestamptz."""
    try:
        return datetime.fromisoformat(left) == datetime.fromisoformat(right)
    except (ValueError, TypeError):
        return False


@pytest.mark.slow
def test_every_random_change_is_found(tenant: Tenant, seal_now: Callable[[], int]) -> None:
    write_events(tenant, 12)
    seal_now()
    epoch, lines, notes = read_log(tenant)
    walk = Walk(tenant=str(tenant.id), key=public_key().text)
    states = []
    walk.begin(epoch)
    for line in lines:
        states.append(walk.save())
        feed(walk, [line], iter(notes), {})
    whole = walk.save()
    draw, passed = random.Random(11), []
    for number in range(CHANGES):
        index = draw.randrange(len(lines))
        line, note = lines[index], notes[-1]
        state = states[index]
        if number % 10 == 9:
            state, line, note = whole, None, (note[0], changed_byte(note[1].rstrip("\n"), draw))
        elif number % 10 == 8:
            line = changed_column(line, draw)
        elif number % 10 == 7:
            line = replace(line, leaf=draw.randbytes(32))
        else:
            line = replace(line, payload=changed_byte(line.payload, draw))
        attempt = Walk.load(deepcopy(state))
        try:
            feed(attempt, [line] if line else [], iter([note]), {})
            passed.append((number, line, note))
        except Fault:
            pass
    assert passed == []


@pytest.mark.slow
def test_random_changes_in_the_database_are_found_and_named(
    tenant: Tenant, seal_now: Callable[[], int]
) -> None:
    for _ in range(5):
        write_events(tenant, 20)
        seal_now()
    _, lines, _ = read_log(tenant)
    draw = random.Random(12)
    change = (
        "UPDATE audit_event SET payload = %(text)s WHERE tenant_id = %(tenant)s AND id = %(id)s"
    )
    for _ in range(100):
        line = draw.choice(lines)
        values = {"tenant": tenant.id, "id": line.event}
        tamper(change, text=changed_byte(line.payload, draw), **values)
        answer = verify(tenant)
        assert (answer["code"], answer["first_bad"]) == (1, line.event)
        tamper(change, text=line.payload, **values)
    assert verify(tenant)["code"] == 0
