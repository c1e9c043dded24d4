"""What each mask shows, which action is the strictest, and the form of tokens."""

from __future__ import annotations

import itertools
from datetime import date

import pytest

from privacy.detecting import BUILT_IN, EXTRAS, find
from privacy.masking import (
    DEFAULT_ACTIONS,
    STRICTNESS,
    Action,
    apply_masks,
    default_action,
    is_token,
    mask,
    redaction,
    replace_spans,
    strictest,
    token,
)

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("entity", "text", "shown"),
    [
        ("cn_id", "110105 19491231 002X", "****************2X"),
        ("cn_id", "１１０１０５１９４９１２３１００２Ｘ", "****************2X"),
        ("cn_mobile", "+86 138-0013-8000", "138****8000"),
        ("cn_mobile", "１３８００１３８０００", "138****8000"),
        ("bank_card", "4111 1111 1111 1111", "************1111"),
        ("bank_card", "6222023074185296300", "***************6300"),
        ("email", "zhang@example.cn", "z***@example.cn"),
        ("email", "张三@例子.公司", "张***@例子.公司"),
        ("email", "zhang%40example.cn", "z***@example.cn"),
        ("us_ssn", "536-90-4399", "***-**-4399"),
        ("iban", "gb82 west 1234 5698 7654 32", "GB************5432"),
        ("intl_phone", "+44 20 7946 0958", "+44******58"),
        ("cn_passport", "E12345678", "E******78"),
        ("ip", "203.0.113.9", "203.0.*.*"),
        ("ip", "2001:db8::8a2e:370:7334", "2001:db8:****"),
        ("secret", "hunter2", "******"),
        ("person", "王小明", "王**"),
        ("cn_address", "北京市海淀区中关村大街27号", "******"),
        ("badge", "BD-20931", "******"),
    ],
)
def test_a_mask_shows_its_hint_and_no_more(entity: str, text: str, shown: str) -> None:
    assert mask(entity, text) == shown


def test_masks_are_put_in_place() -> None:
    text = "身份证11010519491231002X，手机13800138000。"
    masked = apply_masks(text, find(text, today=TODAY))
    assert masked == "身份证****************2X，手机138****8000。"


def test_other_replacements_are_put_in_place() -> None:
    text = "邮箱zhang@example.cn；密码：hunter2"
    spans = find(text, today=TODAY)
    assert replace_spans(text, spans, lambda span: redaction(span.entity)) == (
        "邮箱[email]；密码：[secret]"
    )


def test_strictness_is_the_order_of_the_privacy_page() -> None:
    order = ["flag", "mask", "encrypt", "tokenise", "redact", "quarantine", "reject"]
    assert [str(action) for action in STRICTNESS] == order
    for mild, strict in itertools.combinations(STRICTNESS, 2):
        assert strictest([mild, strict]) is strictest([strict, mild]) is strict
    assert strictest([Action.MASK]) is Action.MASK
    with pytest.raises(ValueError, match="empty"):
        strictest([])


def test_every_entity_has_its_default() -> None:
    assert set(DEFAULT_ACTIONS) == {*BUILT_IN, *EXTRAS}
    assert default_action("cn_id") is default_action("bank_card") is Action.TOKENISE
    assert default_action("secret") is Action.QUARANTINE
    assert default_action("cn_mobile") is default_action("badge") is Action.MASK
    assert default_action("person") is default_action("cn_address") is Action.FLAG


def test_a_token_has_one_form_and_is_never_found_again() -> None:
    shown = token("cn_id", "k7Q2")
    assert shown == "⟦cn_id:k7Q2⟧"
    assert is_token(shown)
    for entity in (*BUILT_IN, *EXTRAS, "badge"):
        for ticket in ("k7Q2", "E1234x5678", "a12345b", "Zz09Zz09Zz"):
            text = f"护照密码: {token(entity, ticket)} 电话={token(entity, ticket)}"
            assert find(text, today=TODAY, at_least=0) == []


@pytest.mark.parametrize(
    ("entity", "ticket"),
    [
        ("cn_id", "abc"),
        ("cn_id", "abcdefghijk"),
        ("cn_id", "12345"),
        ("cn_id", "a123456"),
        ("cn_id", "k7-2"),
        ("Cn", "k7Q2"),
        ("", "k7Q2"),
    ],
)
def test_what_could_carry_a_number_is_no_token(entity: str, ticket: str) -> None:
    with pytest.raises(ValueError, match="token"):
        token(entity, ticket)
    assert not is_token(f"⟦{entity}:{ticket}⟧")


def test_a_number_dressed_up_as_a_token_is_found() -> None:
    assert find("手机⟦cn_mobile:13800138000⟧", today=TODAY)
    assert find("⟦cn_id:11010519491231002X⟧", today=TODAY)
