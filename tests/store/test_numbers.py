"""Numbers come back numerically equal, however many digits they have."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from tests.callers import Caller
from tests.people import Person

NUMBERS = [
    "0", "-0", "0.0", "-0.0", "1.0", "1e0", "1E+2", "100000000000000000000", "0.1", "1e400",
    "-1e400", "1e-400", "12345678901234567890123", "-98765432109876543210987654321",
    "0.1234567890123456789", "3.14159265358979323846264338327950288", "9007199254740993",
    "1.7976931348623157e308", "5e-324", "2e-324", "123456789.123456789123456789e-30", "1e1000",
    "9" * 1000, "0." + "3" * 990,
]  # fmt: skip


def exact(answer: Any) -> Any:
    """The answer's value with every number as a Decimal."""
    return json.loads(answer.content, parse_float=Decimal, parse_int=Decimal)["value"]


@pytest.mark.parametrize("text", NUMBERS, ids=lambda text: text[:30])
def test_a_number_comes_back_numerically_equal(shared_agent: Caller, text: str) -> None:
    agent = shared_agent
    raw = '{"namespace": ["a"], "key": "k", "index": false, "value": {"n": [N]}}'
    raw = raw.replace("N", text)
    assert agent.call("PUT", "/store/items", raw=raw.encode()).status_code == 200
    for answer in (agent.get(["a"], "k"), agent.call("PUT", "/store/items", raw=raw.encode())):
        assert exact(answer)["n"] == [Decimal(text)]
    found = agent.search(["a"])
    item = json.loads(found.content, parse_float=Decimal, parse_int=Decimal)["items"][0]
    assert item["value"]["n"] == [Decimal(text)]


def test_numbers_that_a_float_would_confuse_are_different_values(agent: Caller) -> None:
    raw = '{"namespace": ["a"], "key": "k", "index": false, "value": {"n": %s}}'
    outcomes = [
        agent.call("PUT", "/store/items", raw=(raw % number).encode()).json()["outcome"]
        for number in ("9007199254740993", "9007199254740992", "9007199254740992")
    ]
    assert outcomes == ["created", "updated", "unchanged"]


@pytest.mark.parametrize("number", ["12345678901234567890.123456789", "1E+400", "0.10"])
def test_a_number_and_the_text_of_its_digits_are_different_values(
    agent: Caller, number: str
) -> None:
    raw = '{"namespace": ["a"], "key": "k", "index": false, "value": {"n": %s}}'
    outcomes = [
        agent.call("PUT", "/store/items", raw=(raw % spelled).encode()).json()["outcome"]
        for spelled in (number, f'"{number}"', number)
    ]
    assert outcomes == ["created", "updated", "updated"]
    assert exact(agent.get(["a"], "k"))["n"] == Decimal(number)


@pytest.mark.parametrize("index", [False, None])
def test_exact_numbers_can_be_indexed_filtered_and_kept_as_a_source(
    agent: Caller, index: bool | None
) -> None:
    options = {} if index is None else {"index": index}
    raw = json.dumps({"namespace": ["a"], "key": "k", "value": {"n": "N"}, **options})
    raw = raw.replace('"N"', "12345678901234567890123").replace(
        '"key"', '"source": {"at": 0.1234567890123456789}, "key"'
    )
    assert agent.call("PUT", "/store/items", raw=raw.encode()).status_code == 200
    assert b"0.1234567890123456789" in agent.get(["a"], "k").content
    ask = '{"namespace_prefix": [], "filter": {"n": {"$gte": %s}}}'
    for number, count in (("12345678901234567890123", 1), ("12345678901234567890124", 0)):
        found = agent.call("POST", "/store/items/search", raw=(ask % number).encode())
        assert len(found.json()["items"]) == count


def test_of_duplicate_keys_the_last_wins(agent: Caller) -> None:
    raw = b'{"namespace": ["a"], "key": "k", "index": false, "value": {"n": 1, "n": 2}}'
    agent.call("PUT", "/store/items", raw=raw)
    assert agent.get(["a"], "k").json()["value"] == {"n": 2}


@pytest.mark.parametrize(
    "text",
    ["e\u0301 and \u00e9", "\u212b", "\ufb01", "\u200b\ufeff", "\U0001f9d1\u200d\U0001f680",
     "\u2028", "مرحبا", "\u0001\u001f\u007f", "\\u0000", "</script>", "\U0010ffff"],
)  # fmt: skip
def test_text_comes_back_unchanged(shared_agent: Caller, text: str) -> None:
    value = {text: [text, {"deep": text}]}
    assert shared_agent.put(["texts"], text, value).status_code == 200
    assert shared_agent.get(["texts"], text).json()["value"] == value


def test_people_see_every_number_with_all_its_digits(agent: Caller, officer: Person) -> None:
    numbers = ["12345678901234567890123", "1e400", "0.1234567890123456789", "1.50", "7"]
    given = f'{{"n": [{", ".join(numbers)}]}}'
    raw = f'{{"namespace": ["a"], "key": "k", "index": false, "value": {given}, "source": {given}}}'
    answer = agent.call("PUT", "/store/items", raw=raw.encode())
    where = f"/memories/{answer.json()['id']}"
    agent.put(["a"], "k", {"n": 1}, index=False)
    agent.call("PUT", "/store/items", raw=raw.encode())

    def read(answer: Any) -> Any:
        assert answer.status_code == 200, answer.content
        return json.loads(answer.content, parse_float=Decimal, parse_int=Decimal)

    wanted = {"n": [Decimal(number) for number in numbers]}
    shown = [
        read(officer.call("GET", where)),
        read(officer.get(["a"], "k")),
        read(officer.search(["a"]))["items"][0],
        read(officer.call("POST", f"{where}/label", {"label": None, "reason": "none needed"})),
    ]
    assert [one["value"] for one in shown] == [wanted] * 4
    assert [one["source"] for one in shown] == [wanted] * 4
    versions = read(officer.call("GET", f"{where}/versions"))["items"]
    assert [one["value"] for one in versions] == [wanted, {"n": Decimal(1)}, wanted]
