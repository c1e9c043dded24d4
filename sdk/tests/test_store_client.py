"""Items by namespace and key, through both clients."""

from __future__ import annotations

import inspect

import pytest
from fake_hub import FakeHub

from memoryhub_sdk import (
    UNSET,
    AsyncMemoryHub,
    Delete,
    Get,
    InvalidRequest,
    Job,
    ListNamespaces,
    MemoryHub,
    MemoryHubError,
    NotFound,
    Put,
    Search,
    UnexpectedReply,
)

ITEMS = "/api/v1/store/items"


def test_a_put_is_read_back(hub: MemoryHub) -> None:
    written = hub.store.put(("users", "u1"), "lang", {"content": "用户最喜欢的编程语言是 Python。"})
    memory = hub.store.get(("users", "u1"), "lang")
    assert written.outcome == "created"
    assert memory is not None
    assert memory.namespace == ("users", "u1")
    assert memory.value == {"content": "用户最喜欢的编程语言是 Python。"}
    assert memory.created_at.tzinfo is not None
    assert written.memory == memory


async def test_the_async_client_does_the_same(ahub: AsyncMemoryHub) -> None:
    await ahub.store.put(("users", "u1"), "lang", {"content": "Python"})
    found = await ahub.store.search(("users",), limit=5)
    assert [item.key for item in found.items] == ["lang"]
    assert await ahub.store.list_namespaces(prefix=("users",)) == [("users", "u1")]
    await ahub.store.delete(("users", "u1"), "lang")
    assert await ahub.store.get(("users", "u1"), "lang") is None


def test_an_option_that_is_not_given_is_not_sent_and_null_is(hub: MemoryHub, fake: FakeHub) -> None:
    hub.store.put(("a",), "k", {})
    hub.store.put(("a",), "k", {}, ttl=None, index=False, tags=(), kind=UNSET)
    bare, full = [request.body for request in fake.of("PUT", ITEMS)]
    assert bare == {"namespace": ["a"], "key": "k", "value": {}}
    assert full == bare | {"ttl": None, "index": False, "tags": []}


def test_a_missing_item_is_none(hub: MemoryHub) -> None:
    assert hub.store.get(("nobody",), "nothing") is None


def test_a_404_that_is_not_the_hubs_is_an_error(hub: MemoryHub, fake: FakeHub) -> None:
    fake.canned["GET", ITEMS] = (404, {"message": "this is some other server"})
    with pytest.raises(NotFound):
        hub.store.get(("a",), "k")


def test_a_get_joins_its_labels_and_sends_booleans_as_json_does(
    hub: MemoryHub, fake: FakeHub
) -> None:
    hub.store.get(("a", "名字/ %"), "k&=", refresh_ttl=False)
    assert fake.requests[-1].params == {
        "namespace": "a.名字/ %",
        "key": "k&=",
        "refresh_ttl": "false",
    }


@pytest.mark.parametrize("namespace", ["users", ("a.b",), ("a", ""), ("a", 1), (), ("a\0",), None])
def test_a_namespace_that_cannot_be_is_refused_before_it_is_sent(
    hub: MemoryHub, fake: FakeHub, namespace: object
) -> None:
    for call in (
        lambda: hub.store.get(namespace, "k"),
        lambda: hub.store.put(namespace, "k", {}),
        lambda: hub.store.delete(namespace, "k"),
        lambda: hub.store.delete_namespace(namespace),
    ):
        with pytest.raises(InvalidRequest) as caught:
            call()
        assert caught.value.code == "invalid_namespace"
    assert fake.requests == []


def test_a_bare_string_is_no_set_of_tags(hub: MemoryHub) -> None:
    with pytest.raises(InvalidRequest, match="tags"):
        hub.store.put(("a",), "k", {}, tags="work")


def test_only_a_conditional_put_carries_an_idempotency_key(hub: MemoryHub, fake: FakeHub) -> None:
    hub.store.put(("a",), "k", {})
    hub.store.put(("a",), "k", {}, if_version=0)
    plain, conditional = fake.of("PUT", ITEMS)
    assert "idempotency-key" not in plain.headers
    assert conditional.headers["idempotency-key"]


def test_a_quarantined_put_tells_only_its_id(hub: MemoryHub, fake: FakeHub) -> None:
    fake.canned["PUT", ITEMS] = (200, {"id": "m9", "outcome": "quarantined"})
    written = hub.store.put(("a",), "k", {"phone": "138"})
    assert (written.id, written.outcome, written.memory) == ("m9", "quarantined", None)


def test_a_batch_answers_by_position_and_reads_first(hub: MemoryHub) -> None:
    hub.store.put(("a",), "old", {"n": 1})
    results = hub.store.batch(
        [
            Put(("a",), "new", {"n": 2}),
            Get(("a",), "new"),
            Get(("a",), "old"),
            Search(("a",)),
            ListNamespaces(),
            Delete(("a",), "old"),
        ]
    )
    put, unborn, old, found, namespaces, deleted = results
    assert put.outcome == "created"
    assert unborn is None
    assert old.value == {"n": 1}
    assert [item.key for item in found.items] == ["old"]
    assert namespaces == [("a",)]
    assert deleted is None


def test_the_path_of_a_bad_value_in_a_batch_names_the_operation(
    hub: MemoryHub, fake: FakeHub
) -> None:
    with pytest.raises(ValueError, match=r"ops\[1\]\.value\.a\[2\]"):
        hub.store.batch([Get(("a",), "k"), Put(("a",), "k", {"a": [0, 1, float("nan")]})])
    assert fake.requests == []


def test_a_large_namespace_deletion_is_a_job(hub: MemoryHub, fake: FakeHub) -> None:
    where = ("DELETE", "/api/v1/store/namespaces")
    fake.canned[where] = (
        200,
        {"matched": 3, "deleted": 3, "kept": [{"reason": "held", "count": 1}]},
    )
    deletion = hub.store.delete_namespace(("a",))
    assert (deletion.matched, deletion.kept[0].reason) == (3, "held")
    fake.canned[where] = (202, {"id": "j1", "kind": "delete_namespace", "state": "queued"})
    assert isinstance(hub.store.delete_namespace(("a",)), Job)
    assert fake.requests[-1].body == {"namespace_prefix": ["a"], "dry_run": False}


def test_a_newer_hub_may_tell_more(hub: MemoryHub, fake: FakeHub) -> None:
    memory = {"id": "m", "namespace": ["a"], "key": "k", "value": {}, "version": 2, "mood": "good"}
    memory |= {"created_at": "2026-01-31T08:00:00Z", "updated_at": "2026-01-31T08:00:00.5Z"}
    memory["retention"] = {"state": "ACTIVE", "visible_until": None, "flags": ["ttl_clamped"]}
    fake.canned["GET", ITEMS] = (200, memory)
    read = hub.store.get(("a",), "k")
    assert read.retention.flags == ("ttl_clamped",)
    assert read.retention.visible_until is None


@pytest.mark.parametrize("answer", [b"<html>", [], {"id": "m"}, {"id": "m", "namespace": "a"}])
def test_an_answer_that_is_not_the_contracts_is_said_so(
    hub: MemoryHub, fake: FakeHub, answer: object
) -> None:
    fake.canned["GET", ITEMS] = (200, answer)
    with pytest.raises(UnexpectedReply):
        hub.store.get(("a",), "k")


def test_a_method_has_the_signature_and_words_of_its_operation(hub: MemoryHub) -> None:
    parameters = inspect.signature(hub.store.put).parameters
    assert list(parameters)[:3] == ["namespace", "key", "value"]
    assert parameters["ttl"].default is UNSET
    assert "if_version" in (hub.store.put.__doc__ or "")


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://hub", ""])
def test_an_address_that_cannot_be_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="http"):
        MemoryHub(url, "mh_k")


@pytest.mark.parametrize("key", ["", "mh_a\r\nx: y", "schlüssel"])
def test_a_key_that_cannot_be_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="API key"):
        MemoryHub("http://localhost", key)


def test_the_address_may_name_the_api(fake: FakeHub) -> None:
    with MemoryHub(f"{fake.url}/api/v1/", "mh_wrong") as hub, pytest.raises(MemoryHubError):
        hub.store.list_namespaces()
    assert fake.requests[-1].path == "/api/v1/store/namespaces"


def test_a_put_that_the_same_batch_deletes_again_has_no_result(
    hub: MemoryHub, fake: FakeHub
) -> None:
    fake.canned["POST", "/api/v1/store/batch"] = (200, {"results": [None, None]})
    assert hub.store.batch([Put(("a",), "k", {}), Delete(("a",), "k")]) == [None, None]
