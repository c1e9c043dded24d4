"""Sessions as Redis keeps them."""

from __future__ import annotations

import pytest

from conversations import keeping
from conversations.sessions import (
    claim_message,
    end_session,
    find_sessions_of,
    has_ended,
    list_sessions,
    load_session,
    open_session,
    touch_session,
)
from memoryhub.errors import Missing
from tenants.models import Tenant


def test_a_session_is_read_as_it_was_opened(acting: Tenant) -> None:
    opened = open_session("u1", channel="web", ttl_seconds=60)
    found = load_session(opened.id)
    assert (found.subject, found.channel, found.ttl_seconds) == ("u1", "web", 60)
    assert found.home == f"users/{found.pseudonym}/"
    assert found.last_active_at >= opened.last_active_at
    for number in range(7):
        session, before = claim_message(opened.id, f"m{number}")
        assert before is None
        touch_session(session, f"m{number}", outcome="{}", counters=["messages"])
    assert load_session(opened.id).window == ("m6", "m5", "m4", "m3", "m2")
    assert load_session(opened.id).counts == {"messages": 7}
    assert claim_message(opened.id, "m0")[1] == "{}"
    assert [one.id for one in find_sessions_of("u1")] == [opened.id]
    end_session(opened.id)
    assert has_ended(opened.id)
    with pytest.raises(Missing):
        load_session(opened.id)
    assert list_sessions(limit=10) == ([], 0)


def test_a_subject_stands_in_no_namespace(acting: Tenant) -> None:
    session = open_session("zhang.san@example.com")
    assert session.home == f"users/{session.pseudonym}/"
    assert open_session("zhang.san@example.com").home == session.home
    assert open_session("u1").home.startswith("users/s_")
    assert load_session(session.id).subject == "zhang.san@example.com"
    server = keeping.client()
    held = server.hgetall(keeping.session_key(session.id))
    assert "zhang" not in str(held)
