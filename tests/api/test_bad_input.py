"""Bad input of every kind in API.md: the named status, the named code, the path of the fault."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import RequestFactory

from api.base import HubView
from memoryhub.errors import Invalid, Malformed
from tests.callers import Caller


@pytest.fixture
def agent(shared_agent: Caller) -> Caller:
    """What is refused leaves nothing, so all of these may come from one."""
    return shared_agent


ITEMS, SEARCH, LIST, BATCH = (
    "/store/items", "/store/items/search", "/store/namespaces", "/store/batch",
)  # fmt: skip
GOOD_PUT = {"namespace": ["a"], "key": "k", "value": {"n": 1}}


def put(**changes: Any) -> dict[str, Any]:
    return {**GOOD_PUT, **changes}


def without(name: str) -> dict[str, Any]:
    return {field: value for field, value in GOOD_PUT.items() if field != name}


def nested(depth: int) -> dict[str, Any]:
    return {"a": nested(depth - 1)} if depth else {}


INVALID: list[tuple[str, str, Any, str, str]] = [
    # method, path, body, path of the fault, code
    ("PUT", ITEMS, without("namespace"), "namespace", "required"),
    ("PUT", ITEMS, without("key"), "key", "required"),
    ("PUT", ITEMS, without("value"), "value", "required"),
    ("PUT", ITEMS, put(value=None), "value", "required"),
    ("PUT", ITEMS, put(value=[1]), "value", "invalid_type"),
    ("PUT", ITEMS, put(value="text"), "value", "invalid_type"),
    ("PUT", ITEMS, put(stray=1), "stray", "unknown_field"),
    ("PUT", ITEMS, put(namespace="a.b"), "namespace", "invalid_type"),
    ("PUT", ITEMS, put(namespace=[]), "namespace", "empty_namespace"),
    ("PUT", ITEMS, put(namespace=["a", ""]), "namespace[1]", "empty_label"),
    ("PUT", ITEMS, put(namespace=["a", 1]), "namespace[1]", "invalid_label"),
    ("PUT", ITEMS, put(namespace=["a.b"]), "namespace[0]", "dot_in_label"),
    ("PUT", ITEMS, put(namespace=["x" * 257]), "namespace[0]", "label_too_long"),
    ("PUT", ITEMS, put(namespace=["/" * 86]), "namespace[0]", "label_too_long"),
    ("PUT", ITEMS, put(namespace=["a"] * 13), "namespace", "too_many_labels"),
    ("PUT", ITEMS, put(namespace=["x" * 250] * 5), "namespace", "namespace_too_long"),
    ("PUT", ITEMS, put(namespace=["langgraph", "a"]), "namespace[0]", "reserved_namespace"),
    ("PUT", ITEMS, put(key=""), "key", "empty"),
    ("PUT", ITEMS, put(key="x" * 513), "key", "too_long"),
    ("PUT", ITEMS, put(key="语" * 171), "key", "too_long"),
    ("PUT", ITEMS, put(key=7), "key", "invalid_type"),
    ("PUT", ITEMS, put(ttl=0), "ttl", "invalid_ttl"),
    ("PUT", ITEMS, put(ttl=-1), "ttl", "invalid_ttl"),
    ("PUT", ITEMS, put(ttl="5"), "ttl", "invalid_type"),
    ("PUT", ITEMS, put(ttl=True), "ttl", "invalid_type"),
    ("PUT", ITEMS, put(ttl=1e300), "ttl", "out_of_range"),
    ("PUT", ITEMS, put(ttl=5_256_000_000), "ttl", "out_of_range"),
    ("PUT", ITEMS, put(index=True), "index", "invalid_index"),
    ("PUT", ITEMS, put(index="$"), "index", "invalid_index"),
    ("PUT", ITEMS, put(kind="no such kind"), "kind", "unknown_kind"),
    ("PUT", ITEMS, put(kind=""), "kind", "too_short"),
    ("PUT", ITEMS, put(importance=1.1), "importance", "out_of_range"),
    ("PUT", ITEMS, put(importance=-0.1), "importance", "out_of_range"),
    ("PUT", ITEMS, put(decay=0), "decay", "out_of_range"),
    ("PUT", ITEMS, put(decay=1.5), "decay", "out_of_range"),
    ("PUT", ITEMS, put(subjects="s"), "subjects", "invalid_type"),
    ("PUT", ITEMS, put(subjects=["s", 1]), "subjects[1]", "invalid_type"),
    ("PUT", ITEMS, put(subjects=[str(n) for n in range(65)]), "subjects", "too_long"),
    ("PUT", ITEMS, put(tags=["x" * 257]), "tags", "invalid_item"),
    ("PUT", ITEMS, put(derived_from=["nonsense"]), "derived_from[0]", "invalid_id"),
    ("PUT", ITEMS, put(source={"text": "x" * 4097}), "source", "too_long"),
    ("PUT", ITEMS, put(session_id="x" * 65), "session_id", "too_long"),
    ("PUT", ITEMS, put(dedup="x"), "dedup", "invalid_type"),
    ("PUT", ITEMS, put(dedup=None), "dedup", "invalid_type"),
    ("PUT", ITEMS, put(dedup={"threshold": 2}), "dedup.threshold", "out_of_range"),
    ("PUT", ITEMS, put(dedup={"stray": 1}), "dedup.stray", "unknown_field"),
    ("PUT", ITEMS, put(if_version=-1), "if_version", "out_of_range"),
    ("PUT", ITEMS, put(if_version=1.5), "if_version", "invalid_type"),
    ("PUT", ITEMS, put(if_version=2**31), "if_version", "out_of_range"),
    ("PUT", ITEMS, put(value={"text": "x" * 1024 * 1024}), "value", "value_too_large"),
    ("GET", ITEMS + "?key=k", None, "namespace", "required"),
    ("GET", ITEMS + "?namespace=a", None, "key", "required"),
    ("GET", ITEMS + "?namespace=a&key=k&stray=1", None, "stray", "unknown_field"),
    ("GET", ITEMS + "?namespace=a..b&key=k", None, "namespace[1]", "empty_label"),
    ("GET", ITEMS + "?namespace=a&key=", None, "key", "empty"),
    ("GET", ITEMS + "?namespace=a&key=k&refresh_ttl=maybe", None, "refresh_ttl", "invalid_type"),
    ("GET", ITEMS + "?namespace=a&key=%00", None, "key", "nul"),
    ("GET", ITEMS + "?namespace=a%00&key=k", None, "namespace", "nul"),
    ("GET", "/audit/events?subject=%00", None, "subject", "nul"),
    ("GET", "/audit/events?from=9999-12-31T23:59:59-12:00", None, "from", "invalid_instant"),
    ("GET", "/audit/events?to=0001-01-01T00:00:00%2B12:00", None, "to", "invalid_instant"),
    ("GET", "/usage?namespace_prefix=%00", None, "namespace_prefix", "nul"),
    ("GET", ITEMS + "?%ff=%fe", None, "?", "invalid_encoding"),
    ("DELETE", ITEMS, {"namespace": ["a"]}, "key", "required"),
    ("DELETE", ITEMS, {"namespace": ["a"], "key": "k", "x": 1}, "x", "unknown_field"),
    ("POST", SEARCH, {}, "namespace_prefix", "required"),
    ("POST", SEARCH, {"namespace_prefix": [], "limit": -1}, "limit", "out_of_range"),
    ("POST", SEARCH, {"namespace_prefix": [], "limit": 1001}, "limit", "out_of_range"),
    ("POST", SEARCH, {"namespace_prefix": [], "offset": -1}, "offset", "out_of_range"),
    ("POST", SEARCH, {"namespace_prefix": [], "offset": 9_991}, "offset", "out_of_range"),
    ("POST", SEARCH, {"namespace_prefix": [], "limit": "10"}, "limit", "invalid_type"),
    ("POST", SEARCH, {"namespace_prefix": [], "limit": True}, "limit", "invalid_type"),
    ("POST", SEARCH, {"namespace_prefix": [], "mode": "vector"}, "mode", "query_required"),
    ("POST", SEARCH, {"namespace_prefix": [], "query": "q", "mode": "x"}, "mode", "unknown_value"),
    ("POST", SEARCH, {"namespace_prefix": [], "tier": "x"}, "tier", "unknown_value"),
    ("POST", SEARCH, {"namespace_prefix": [], "recency": 2}, "recency", "out_of_range"),
    ("POST", SEARCH, {"namespace_prefix": ["a", None]}, "namespace_prefix[1]", "invalid_label"),
    ("POST", SEARCH, {"namespace_prefix": [], "query": "x" * 20_001}, "query", "too_long"),
    ("POST", SEARCH + "?limit=5", {"namespace_prefix": []}, "limit", "unknown_field"),
    ("POST", LIST, {"max_depth": 0}, "max_depth", "out_of_range"),
    ("POST", LIST, {"limit": 1001}, "limit", "out_of_range"),
    ("POST", LIST, {"prefix": "a"}, "prefix", "invalid_type"),
    ("POST", LIST, {"suffix": ["a.b"]}, "suffix[0]", "dot_in_label"),
    ("DELETE", LIST, {"namespace_prefix": []}, "namespace_prefix", "empty"),
    ("DELETE", LIST, {}, "namespace_prefix", "required"),
    ("DELETE", LIST, {"namespace_prefix": ["a"], "dry_run": "no"}, "dry_run", "invalid_type"),
    ("POST", BATCH, {}, "ops", "required"),
    ("POST", BATCH, {"ops": {}}, "ops", "required"),
    ("POST", BATCH, {"ops": [], "x": 1}, "x", "unknown_field"),
    ("POST", BATCH, {"ops": [1]}, "ops[0]", "invalid_type"),
    ("POST", BATCH, {"ops": [{"op": "drop"}]}, "ops[0].op", "unknown_op"),
    ("POST", BATCH, {"ops": [{"op": ["put"]}]}, "ops[0].op", "unknown_op"),
    ("POST", BATCH, {"ops": [{"op": "put", **GOOD_PUT}, {"op": "put", **put(ttl=-1)}]},
     "ops[1].ttl", "invalid_ttl"),
    ("POST", BATCH, {"ops": [{"op": "put", **GOOD_PUT}, {"op": "put", **put(kind="x")}]},
     "ops[1].kind", "unknown_kind"),
    ("GET", "/usage?namespace_prefix=a..b", None, "namespace_prefix[1]", "empty_label"),
    ("GET", "/usage?stray=1", None, "stray", "unknown_field"),
]  # fmt: skip

RAW: list[tuple[str, str, str, str]] = [
    # the value as written, path of the fault, code
    ("{\"a\": NaN}", "value.a", "not_a_number", "constant"),
    ("{\"a\": [1, {\"b\": Infinity}]}", "value.a[1].b", "not_a_number", "deep constant"),
    ("{\"a\": -Infinity}", "value.a", "not_a_number", "negative"),
    ("{\"a\": [0, 1, \"\\u0000\"]}", "value.a[2]", "nul", "NUL"),
    ("{\"a\\u0000\": 1}", "value", "nul", "NUL in a key"),
    ("{\"a\": \"\\ud800\"}", "value.a", "lone_surrogate", "high surrogate"),
    ("{\"a\": \"\\udc00x\"}", "value.a", "lone_surrogate", "low surrogate"),
    ("{\"a\": \"\\udc00\\ud800\"}", "value.a", "lone_surrogate", "turned round"),
    ("{\"a\": 1e1001}", "value.a", "out_of_range", "exponent"),
    ("{\"a\": 1e" + "9" * 40 + "}", "value.a", "out_of_range", "endless exponent"),
    ("{\"a\": " + "9" * 5000 + "}", "value.a", "out_of_range", "thousands of digits"),
    ("{\"\\ud800\": {\"a\": \"\\udfff\"}}", "value.\ufffd.a", "lone_surrogate", "below one"),
    ("{\"a\": 1e-2000}", "value.a", "out_of_range", "negative exponent"),
    ("{\"a\": " + "9" * 1001 + "}", "value.a", "out_of_range", "digits"),
]  # fmt: skip


def faults(answer: Any, status: int = 422) -> list[tuple[str, str]]:
    assert answer.status_code == status, answer.content[:500]
    assert answer.headers["Content-Type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert body["request_id"] == answer.headers["X-Request-Id"]
    assert all(one["detail"] for one in body["errors"])
    return [(one["path"], one["code"]) for one in body["errors"]]


@pytest.mark.parametrize(
    ("method", "path", "body", "fault", "code"), INVALID,
    ids=[f"{row[0]} {row[1].split('?')[0]} {row[3]} {row[4]} {n}" for n, row in enumerate(INVALID)],
)  # fmt: skip
def test_bad_input_is_422_with_its_path_and_code(
    agent: Caller, method: str, path: str, body: Any, fault: str, code: str
) -> None:
    assert (fault, code) in faults(agent.call(method, path, body))
    assert agent.get(["a"], "k").status_code == 404  # nothing of a refused request is stored


@pytest.mark.parametrize(("value", "fault", "code", "name"), RAW, ids=[row[3] for row in RAW])
def test_what_json_or_postgres_cannot_hold_is_named(
    agent: Caller, value: str, fault: str, code: str, name: str
) -> None:
    raw = '{"namespace": ["a"], "key": "k", "value": ' + value + "}"
    assert (fault, code) in faults(agent.call("PUT", ITEMS, raw=raw.encode()))


@pytest.mark.parametrize("field", ["key", "namespace", "tags", "subjects", "kind", "session_id"])
@pytest.mark.parametrize("letter", ["\\u0000", "\\ud800"])
def test_nul_and_surrogates_are_refused_wherever_they_stand(
    agent: Caller, field: str, letter: str
) -> None:
    body = put(**{field: ["LETTER"] if field in ("namespace", "tags", "subjects") else "LETTER"})
    raw = json.dumps(body).replace("LETTER", letter)
    found = faults(agent.call("PUT", ITEMS, raw=raw.encode()))
    assert found[0][0].startswith(field)


@pytest.mark.parametrize(
    "body",
    [b"{", b"[1,", b"nonsense", b"'a'", b"{\"a\": 01}", b"\xff\xfe", b"\"\xed\xa0\x80\"", b"{} {}",
     b"[]", b"null", b"1", b"\"text\"", b"\xef\xbb\xbf{}"],
)  # fmt: skip
@pytest.mark.parametrize("path", [SEARCH, LIST])
def test_what_is_no_json_object_is_400(agent: Caller, path: str, body: bytes) -> None:
    answer = agent.call("POST", path, raw=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_json")


@pytest.mark.parametrize("body", [b"[]", b"null", b"1", b'"text"'])
def test_a_batch_is_an_object_too(agent: Caller, body: bytes) -> None:
    answer = agent.call("POST", BATCH, raw=body)
    assert answer.status_code in (400, 422)


@pytest.mark.parametrize(
    ("media_type", "code"),
    [
        ("application/x-www-form-urlencoded", "unsupported_media_type"),
        ("text/plain", "unsupported_media_type"),
        ("*/*", "unsupported_media_type"), ("application/JSON; charset=utf-8", "malformed_json"),
    ],
)  # fmt: skip
def test_another_media_type_is_415(agent: Caller, media_type: str, code: str) -> None:
    answer = agent.client.generic(
        "PUT", "/api/v1/store/items", b"a=1", content_type=media_type,
        HTTP_AUTHORIZATION=f"Bearer {agent.key}",
    )  # fmt: skip
    assert answer.json()["code"] == code
    assert answer.status_code == (400 if code == "malformed_json" else 415)


def test_no_view_can_read_json_that_is_not_strict() -> None:
    post = RequestFactory().post("/", b'{"n": NaN}', content_type="application/json")
    with pytest.raises((Invalid, Malformed)):
        _ = HubView().initialize_request(post).data


def test_json_deeper_than_64_is_refused_and_64_is_not(agent: Caller) -> None:
    raw = '{"namespace": ["a"], "key": "deep", "index": false, "value": %s}'
    for depth, status in ((63, 200), (64, 422), (50_000, 422)):
        value = '{"a":' * depth + "1" + "}" * depth
        answer = agent.call("PUT", ITEMS, raw=(raw % value).encode())
        assert answer.status_code == status
    assert answer.json()["code"] == "too_deep"


def test_a_body_over_the_limit_is_413(agent: Caller, settings: Any) -> None:
    big = put(value={"text": "x" * (settings.MAX_BODY_BYTES + 1)})
    answer = agent.call("PUT", ITEMS, big)
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


def test_a_batch_over_its_number_of_operations_is_refused(agent: Caller) -> None:
    ops = [{"op": "get", "namespace": ["a"], "key": "k"}] * 20_001
    assert faults(agent.batch(*ops)) == [("ops", "too_many_ops")]


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("POST", ITEMS, 405, "method_not_allowed"),
        ("PATCH", ITEMS, 405, "method_not_allowed"),
        ("GET", SEARCH, 405, "method_not_allowed"),
        ("DELETE", BATCH, 405, "method_not_allowed"),
        ("GET", "/store/item", 404, "not_found"),
        ("GET", "/store/items/", 404, "not_found"),
        ("PUT", "/nothing/here", 404, "not_found"),
        ("GET", "/%00", 404, "not_found"),
        ("GET", "/..%2f..%2fetc", 404, "not_found"),
    ],
)
def test_addresses_and_methods_that_are_not_there(
    agent: Caller, method: str, path: str, status: int, code: str
) -> None:
    answer = agent.call(method, path)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_several_faults_are_told_at_once(agent: Caller) -> None:
    body = put(key="", importance=2, stray=1)
    assert {path for path, _ in faults(agent.call("PUT", ITEMS, body))} == {
        "key", "importance", "stray",
    }  # fmt: skip


def test_a_fault_never_echoes_what_was_sent(agent: Caller) -> None:
    for body in (put(ttl="SECRET"), put(kind="SECRET"), put(index="SECRET"), put(value="SECRET")):
        assert b"SECRET" not in agent.call("PUT", ITEMS, body).content
    found = agent.search(["a"], filter={"SECRET": {"$no": "SECRET"}})
    assert found.status_code == 422


@pytest.mark.parametrize(
    "filter",
    [{"a": {"$no": 1}}, {"a": {"$in": "text"}}, {"$or": {}}, {"a": {"$exists": "x"}}, [], "text", 1,
     {"$and": [1]}, {"$not": []}, {"a": {"$gt": None, "b": 1}}],
)  # fmt: skip
def test_a_filter_that_means_nothing_is_422(agent: Caller, filter: Any) -> None:
    found = faults(agent.search(["a"], filter=filter))
    assert found[0][0].startswith("filter")
