"""Problem documents become errors of one family."""

from __future__ import annotations

import threading

import pytest
from fake_hub import FakeHub, Problem

import memoryhub_sdk
from memoryhub_sdk import (
    InvalidRequest,
    MemoryHub,
    MemoryHubError,
    Purged,
    ServerError,
    TimedOut,
    Unauthenticated,
    Unreachable,
    VersionMismatch,
)


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (400, "BadRequest"),
        (401, "Unauthenticated"),
        (403, "Forbidden"),
        (404, "NotFound"),
        (409, "Conflict"),
        (410, "Purged"),
        (412, "VersionMismatch"),
        (413, "TooLarge"),
        (415, "MemoryHubError"),
        (422, "InvalidRequest"),
        (429, "RateLimited"),
        (500, "ServerError"),
        (502, "ServerError"),
        (503, "Unavailable"),
    ],
)
def test_each_status_has_its_class(hub: MemoryHub, fake: FakeHub, status: int, name: str) -> None:
    fake.script = [Problem(status, "some_code")] * 3
    with pytest.raises(MemoryHubError) as caught:
        hub.memories.get("m1")
    error = caught.value
    assert type(error) is getattr(memoryhub_sdk, name)
    assert (error.status, error.code, error.request_id) == (status, "some_code", "r1")
    assert "some_code" in str(error)
    assert "r1" in str(error)


def test_a_422_is_a_value_error_and_names_its_places(hub: MemoryHub, fake: FakeHub) -> None:
    places = [{"path": "value.a[2]", "code": "not_json", "detail": "NaN is not JSON"}]
    fake.script = [Problem(422, "not_json", facts={"errors": places})]
    with pytest.raises(ValueError, match=r"value\.a\[2\]: NaN") as caught:
        hub.store.put(("a",), "k", {})
    assert isinstance(caught.value, InvalidRequest)
    assert caught.value.errors[0].path == "value.a[2]"


def test_a_version_mismatch_tells_the_version(hub: MemoryHub, fake: FakeHub) -> None:
    fake.script = [Problem(412, "version_mismatch", facts={"version": 7})]
    with pytest.raises(VersionMismatch) as caught:
        hub.store.put(("a",), "k", {}, if_version=6)
    assert caught.value.version == 7


def test_a_purged_memory_comes_with_its_tombstone(hub: MemoryHub, fake: FakeHub) -> None:
    fake.script = [Problem(410, "purged", facts={"purged_at": "2026-02-01T00:00:00Z"})]
    with pytest.raises(Purged) as caught:
        hub.memories.get("m1")
    assert caught.value.facts == {"purged_at": "2026-02-01T00:00:00Z"}


def test_an_error_without_a_document_still_says_what(hub: MemoryHub, fake: FakeHub) -> None:
    fake.canned["GET", "/api/v1/memories/m1"] = (502, b"<html>Bad gateway</html>")
    with pytest.raises(ServerError, match="502 http_502: Bad Gateway"):
        hub.memories.get("m1")


def test_a_wrong_key_is_told_at_once(fake: FakeHub) -> None:
    with MemoryHub(fake.url, "mh_wrong") as hub, pytest.raises(Unauthenticated):
        hub.store.list_namespaces()
    assert len(fake.requests) == 1


def test_no_answer_in_time_is_not_tried_again(fake: FakeHub) -> None:
    answering = threading.Event()
    fake.before = lambda request: answering.wait(5)
    with MemoryHub(fake.url, "mh_k", timeout=0.1) as hub, pytest.raises(TimedOut):
        hub.memories.get("m1")
    answering.set()
    assert len(fake.requests) == 1


def test_nobody_there_is_unreachable() -> None:
    retries = memoryhub_sdk.Retries(attempts=2, first_wait=0.01)
    with MemoryHub("http://127.0.0.1:9", "mh_k", retries=retries) as hub:
        with pytest.raises(Unreachable) as caught:
            hub.health()
        assert caught.value.status is None
