"""What a log line says of itself: which request, which tenant, who acts."""

from __future__ import annotations

from memoryhub.logs import name_who_acts
from tenants.actors import operator_actor
from tenants.context import Origin, acting_as, coming_from
from tenants.models import Tenant


def test_a_log_line_names_the_request_the_tenant_and_who_acts(tenant: Tenant) -> None:
    actor = operator_actor(tenant.id)
    with coming_from(Origin("a-request")), acting_as(actor):
        line = name_who_acts(None, "info", {"event": "something"})
    assert line == {
        "event": "something",
        "request_id": "a-request",
        "tenant_id": str(tenant.id),
        "actor": f"operator:{actor.id}",
    }


def test_a_log_line_of_nobody_names_nobody() -> None:
    assert name_who_acts(None, "info", {"event": "something"}) == {"event": "something"}


def test_an_origin_ends_with_its_block(tenant: Tenant) -> None:
    with coming_from(Origin("outer")):
        with coming_from(Origin("inner")):
            pass
        assert name_who_acts(None, "info", {})["request_id"] == "outer"
