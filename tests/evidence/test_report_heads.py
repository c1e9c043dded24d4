"""A Chinese report has no English head; the files beside it keep the names of their columns."""

from __future__ import annotations

import re
from typing import Any

import pytest

from evidence.report.documents import report_html
from evidence.report.heads import HEADS, cell
from evidence.report.populations import SECTIONS

CHINESE = re.compile(r"[\u4e00-\u9fff]")


def _facts() -> dict[str, Any]:
    """A report in which every number is 1 and every table has one row."""
    sections = {
        section.key: {
            "figures": {one.key: 1 for one in section.figures},
            "tables": {
                one.key: {"rows": 1, "shown": [_row(one.columns)]} for one in section.tables
            },
        }
        for section in SECTIONS
    }
    return {
        "name": "t", "since": "2026-01-01", "until": "2026-02-01", "made_at": "2026-02-01",
        "by": "p", "sections": sections, "checkpoint": None,
        "integrity": {"code": 0, "events": 1, "detail": "", "first_bad": None},
    }  # fmt: skip


def _row(columns: tuple[str, ...]) -> list[Any]:
    known = {"up_to": "1 hour", "outcome": "denied", "role": "officer", "sweeps": 1}
    return [known.get(column) for column in columns]


def test_a_chinese_report_has_no_english_head() -> None:
    page = report_html(_facts(), "zh")
    heads = re.findall(r"<th[^>]*>(.*?)</th>", page)
    assert len(heads) > 80
    assert [one for one in heads if not CHINESE.search(one)] == []
    captions = re.findall(r"<caption>(.*?)</caption>", page)
    assert [one for one in captions if not CHINESE.search(one)] == []
    for word in ("1 小时", "已拒绝", "合规专员"):
        assert word in page


def test_an_english_report_has_heads_in_words() -> None:
    page = report_html(_facts(), "en")
    heads = re.findall(r"<th[^>]*>(.*?)</th>", page)
    assert not [one for one in heads if "_" in one or CHINESE.search(one)]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_value_that_is_no_word_of_the_store_stays_as_it_is(lang: Any) -> None:
    assert cell("state", "a tenant's own", lang) == "a tenant's own"
    assert cell("outcome", 3, lang) == 3
    assert cell("name", "admin", lang) == "admin"


def test_no_head_is_left_over() -> None:
    columns = {name for section in SECTIONS for one in section.tables for name in one.columns}
    assert columns == set(HEADS)
