"""Whoever may not call a route is refused, and that is one event: who, what, and why not."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from uuid import uuid4

import pytest

from tests.api.test_permissions import TABLE, Line, address_of_nothing
from tests.audit.everywhere.world import SCOPES, World
from tests.callers import Caller


@pytest.fixture(scope="module")
def key_without(world: World) -> Callable[[str], Caller]:
    """By scope: a key that has every other one."""
    return cache(lambda scope: world.make_key([one for one in SCOPES if one != scope]))


@pytest.mark.parametrize("line", TABLE, ids=lambda line: line.name)
def test_a_refusal_leaves_exactly_one_event(
    world: World, line: Line, key_without: Callable[[str], Caller]
) -> None:
    refused = key_without(line.scope) if line.scope else world.agent
    request_id = uuid4().hex
    where = address_of_nothing(line)
    answer = refused.call(line.method.upper(), where, line.body, x_request_id=request_id)
    assert answer.status_code == 403, answer.content
    assert world.left_by(request_id) == ("access.call denied",)


def test_a_key_that_is_none_leaves_its_event_on_the_platform(world: World) -> None:
    for line in TABLE[:3]:
        request_id = uuid4().hex
        nobody = Caller("mh_aaaaaaaaaaaa_" + "a" * 40)
        where = address_of_nothing(line)
        answer = nobody.call(line.method.upper(), where, line.body, x_request_id=request_id)
        assert answer.status_code == 401
        assert world.left_by(request_id) == ("access.key denied",)
