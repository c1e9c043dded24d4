"""A built-in list that says which detector fails, to be run at start, by hand and by the dashboard.

Every recogniser and every form of secret has a text it must find and, where it could overreach, one
it must leave. The texts hold published examples only; tokens are put together here, so that no
scanner of repositories takes them for real ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from privacy.detecting import RECOGNISERS, Span, compile_patterns, find
from privacy.detecting.patterns import PatternSpec
from privacy.detecting.people import AddressDetector, PersonDetector


@dataclass(frozen=True, slots=True)
class Probe:
    """What `detector` must find in `text`: `expected`, or nothing of its kind if that is empty."""

    detector: str
    text: str
    expected: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """A probe that did not give what it must; `got` may be the name of an exception."""

    detector: str
    text: str
    expected: str
    got: str


_A16 = "Ab1" * 5 + "Z"
_A36 = "a1B2" * 9
_HEX32 = "0a1b2c3d" * 4
_B64 = "eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxIn0", "c2lnbmF0dXJl"

PROBES: tuple[Probe, ...] = (
    Probe("cn_id", "我的身份证号是11010519491231002X，谢谢", "11010519491231002X"),
    Probe(
        "cn_id", "１１０１０５ １９４９１２３１ ００２Ｘ", "１１０１０５ １９４９１２３１ ００２Ｘ"
    ),
    Probe("cn_id", "编号 110105194912310021"),
    Probe("cn_id", "编号 110101190002290011"),
    Probe("cn_mobile", "请拨打138-0013-8000联系", "138-0013-8000"),
    Probe("cn_mobile", "号码 1700000000000"),
    Probe("bank_card", "卡号6222023074185296300", "6222023074185296300"),
    Probe("bank_card", "pay with 4111 1111 1111 1111 please", "4111 1111 1111 1111"),
    Probe("bank_card", "card 4111111111111112"),
    Probe("us_ssn", "ssn 536-90-4399", "536-90-4399"),
    Probe("us_ssn", "SSN 078-05-1120"),
    Probe("iban", "IBAN DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00"),
    Probe("iban", "IBAN GB82WEST12345698765433"),
    Probe("email", "联系邮箱zhang@example.cn。", "zhang@example.cn"),
    Probe("email", "user@例子.中国的邮箱", "user@例子.中国"),
    Probe("email", "user@localhost"),
    Probe("intl_phone", "call +44 20 7946 0958 today", "+44 20 7946 0958"),
    Probe("intl_phone", "+1 555 123 4567"),
    Probe("cn_passport", "护照号E12345678", "E12345678"),
    Probe("cn_passport", "part E12345678 in stock"),
    Probe("ip", "from 203.0.113.9:8080", "203.0.113.9"),
    Probe("ip", "host 2001:db8::8a2e:370:7334", "2001:db8::8a2e:370:7334"),
    Probe("ip", "version 1.2.3.4 of the agent"),
    Probe("secret.named", "密码：Sunny-2024", "Sunny-2024"),
    Probe("secret.named", "password: required"),
    Probe("secret.aws", "AKIAIOSFODNN7EXAMPLE is the key id", "AKIAIOSFODNN7EXAMPLE"),
    Probe("secret.github", f"ghp_{_A36}", f"ghp_{_A36}"),
    Probe("secret.gitlab", f"glpat-{_A36}", f"glpat-{_A36}"),
    Probe("secret.openai", f"sk-proj-{_A36}", f"sk-proj-{_A36}"),
    Probe("secret.anthropic", f"sk-ant-{_A36}", f"sk-ant-{_A36}"),
    Probe("secret.slack", f"xoxb-{_A16}", f"xoxb-{_A16}"),
    Probe("secret.stripe", f"sk_live_{_A16}", f"sk_live_{_A16}"),
    Probe("secret.google", f"AIza{_A36[:35]}", f"AIza{_A36[:35]}"),
    Probe("secret.sendgrid", f"SG.{_A16}.{_A36}", f"SG.{_A16}.{_A36}"),
    Probe("secret.twilio", f"AC{_HEX32}", f"AC{_HEX32}"),
    Probe("secret.mailgun", f"key-{_HEX32}", f"key-{_HEX32}"),
    Probe("secret.registry", f"npm_{_A36}", f"npm_{_A36}"),
    Probe("secret.cloud", f"LTAI{_A16}", f"LTAI{_A16}"),
    Probe("secret.model", f"hf_{_A36}", f"hf_{_A36}"),
    Probe("secret.shop", f"shpat_{_HEX32}", f"shpat_{_HEX32}"),
    Probe("secret.memoryhub", f"mh_k7Q2k7Q2_{_A36}", f"mh_k7Q2k7Q2_{_A36}"),
    Probe("secret.telegram", f"123456789:{_A36[:35]}", f"123456789:{_A36[:35]}"),
    Probe("secret.age", f"AGE-SECRET-KEY-1{'Q7' * 29}", f"AGE-SECRET-KEY-1{'Q7' * 29}"),
    Probe("secret.jwt", ".".join(_B64), ".".join(_B64)),
    Probe("secret.bearer", f"Authorization: Bearer {_A36}", _A36),
    Probe("secret.url", "postgres://app:s3cret@db.example.com/x", "s3cret"),
    Probe(
        "secret.private_key",
        "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----",
    ),
    Probe("people.person", "联系人：王小明，下周见", "王小明"),
    Probe("people.cn_address", "他住在北京市海淀区中关村大街27号", "北京市海淀区中关村大街27号"),
    Probe("pattern.probe_badge", "工牌 BD-20931", "BD-20931"),
    Probe("negatives", "⟦cn_id:k7Q2⟧ 550e8400-e29b-41d4-a716-446655440000"),
)

Finder = Callable[..., list[Span]]


def run_selftest(
    *, today: date, finder: Finder = find, probes: Iterable[Probe] = PROBES
) -> list[Failure]:
    """The probes that failed; empty if all is well. Never raises for what a detector does."""
    patterns = compile_patterns([PatternSpec("probe_badge", "BD-[0-9]{5}")])
    failures = []
    for probe in probes:
        try:
            spans = finder(
                probe.text,
                today=today,
                patterns=patterns,
                detectors=(PersonDetector(), AddressDetector()),
            )
            got = _of_detector(spans, probe)
        except Exception as error:  # a detector that raises is what is looked for
            got = f"raised {type(error).__name__}"
        if got != probe.expected:
            failures.append(Failure(probe.detector, probe.text, probe.expected, got))
    return failures


def _of_detector(spans: list[Span], probe: Probe) -> str:
    """What the probe's detector found; a negative probe takes in the findings of all."""
    own = [span for span in spans if span.detector == probe.detector or not probe.expected]
    return " ".join(span.text for span in own)


def untested() -> set[str]:
    """Recognisers without a probe; a test keeps this empty."""
    probed = {probe.detector.partition(".")[0] for probe in PROBES}
    return set(RECOGNISERS) - probed
