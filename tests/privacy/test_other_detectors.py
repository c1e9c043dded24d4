"""Detectors from outside the pack, the optional extras, the self-test and the case runner."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from memoryhub.errors import Invalid
from privacy.cases import run_case
from privacy.detecting import Detector, Span, find
from privacy.detecting.people import AddressDetector, PersonDetector
from privacy.selftest import PROBES, Failure, run_selftest, untested

TODAY = date(2026, 11, 30)


class StaffList:
    """A company's own service, by hand: knows one word."""

    name = "staff-list"

    def __init__(self, word: str = "小明", *, reach: int = 0) -> None:
        self.word = word
        self.reach = reach

    def find(self, text: str) -> Iterator[Span]:
        start = text.find(self.word)
        if start >= 0:
            end = start + len(self.word) + self.reach
            yield Span("staff", start - self.reach, end, "not the text", 7.0, "liar")


class Broken:
    name = "broken"

    def find(self, text: str) -> list[Span]:
        raise TimeoutError


def test_a_service_plugs_in_by_the_protocol() -> None:
    assert isinstance(StaffList(), Detector)
    [span] = find("问小明要", today=TODAY, detectors=[StaffList()])
    assert span == Span("staff", 1, 3, "小明", 1.0, "staff-list")


def test_its_spans_are_cut_to_the_text() -> None:
    [span] = find("小明", today=TODAY, detectors=[StaffList(reach=50)])
    assert (span.start, span.end, span.text) == (0, 2, "小明")


def test_ours_stand_before_its() -> None:
    text = "电话13800138000"
    [span] = find(text, today=TODAY, detectors=[StaffList("话13800138000")])
    assert span.entity == "cn_mobile"


def test_it_may_not_report_our_tokens() -> None:
    assert find("⟦cn_id:k7Q2⟧", today=TODAY, detectors=[StaffList("k7Q2")]) == []


def test_what_it_raises_is_passed_on_so_that_a_write_fails_closed() -> None:
    with pytest.raises(TimeoutError):
        find("x", today=TODAY, detectors=[Broken()])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("我叫王小明，住杭州", "王小明"),
        ("联系人：欧阳修文", "欧阳修文"),
        ("请找张先生", "张"),
        ("My name is Jane Doe.", "Jane Doe"),
        ("Dr. Smith called", "Smith"),
        ("王者荣耀很好玩，今天天气不错", None),
        ("程序员的工作", None),
    ],
)
def test_names_are_flagged_by_cue_and_surname(text: str, name: str | None) -> None:
    found = [span.text for span in find(text, today=TODAY, detectors=[PersonDetector()])]
    assert found == ([name] if name else [])
    assert find(text, today=TODAY) == []


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("他住在北京市海淀区中关村大街27号", "北京市海淀区中关村大街27号"),
        ("寄到杭州市西湖区文三路100号3幢201室谢谢", "杭州市西湖区文三路100号3幢201室"),
        ("这条路27号才通车", None),
        ("今天是11月30号", None),
    ],
)
def test_addresses_are_flagged_by_region_and_number(text: str, address: str | None) -> None:
    found = [span.text for span in find(text, today=TODAY, detectors=[AddressDetector()])]
    assert found == ([address] if address else [])


def test_the_self_test_passes_and_probes_every_recogniser() -> None:
    assert run_selftest(today=TODAY) == []
    assert untested() == set()


def test_the_self_test_says_which_detector_fails() -> None:
    def without_cards(text: str, **options: Any) -> list[Span]:
        return [span for span in find(text, **options) if span.entity != "bank_card"]

    failures = run_selftest(today=TODAY, finder=without_cards)
    assert {failure.detector for failure in failures} == {"bank_card"}
    assert failures[0].got == ""


def test_the_self_test_survives_a_detector_that_raises() -> None:
    def raising(text: str, **options: Any) -> list[Span]:
        raise RuntimeError("content must not be shown")

    failures = run_selftest(today=TODAY, finder=raising, probes=PROBES[:2])
    assert failures == [
        Failure(probe.detector, probe.text, probe.expected, "raised RuntimeError")
        for probe in PROBES[:2]
    ]


def test_the_self_test_says_what_overreaches() -> None:
    def eager(text: str, **options: Any) -> list[Span]:
        return [Span("cn_id", 0, len(text), text, 1.0, "cn_id")]

    failures = run_selftest(today=TODAY, finder=eager, probes=[p for p in PROBES if not p.expected])
    assert len(failures) == sum(not probe.expected for probe in PROBES)


def test_a_case_that_fails_says_expected_got_and_why() -> None:
    result = run_case({"text": "电话13800138000", "found": []}, today=TODAY)
    assert not result.passed
    assert result.expected == ()
    assert result.got == (("cn_mobile", "13800138000"),)
    assert result.because == ("cn_mobile at 2–13 by cn_mobile, score 0.80",)


def test_a_case_is_judged_by_findings_not_by_their_order() -> None:
    case = {
        "text": "a@b.cn 13800138000",
        "found": [["cn_mobile", "13800138000"], ["email", "a@b.cn"]],
    }
    assert run_case(case, today=TODAY).passed


@pytest.mark.parametrize(
    "case", [{}, {"text": 1, "found": []}, {"text": "x"}, {"text": "x", "found": [["a"]]}]
)
def test_what_is_no_case_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        run_case(case, today=TODAY)
