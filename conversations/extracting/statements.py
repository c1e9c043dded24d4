"""What extraction finds: one statement about the subject, and when two of them say the same. Pure.

An attribute is either *single* (there is one residence; another one replaces it) or *many* (one may
like several things; another one stands beside it). Attributes of a topic carry it: `default:发货`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from memories.folding import fold

Kind = Literal["profile", "fact", "episode"]

SINGLE = frozenset({
    "name", "residence", "hometown", "birthday", "age", "occupation", "employer", "school",
    "marital_status", "language",
})  # fmt: skip
SINGLE_OF_TOPIC = frozenset({"favorite", "default"})
PROFILE = SINGLE | {"allergy", "diet", "called", "character", "family", "has"}
EPISODES = frozenset({"did", "doing"})
ATTRIBUTES = tuple(sorted(SINGLE | PROFILE | EPISODES | {
    "likes", "dislikes", "favorite", "default", "habit", "plan", "other",
}))  # fmt: skip

ATTRIBUTE_CHARACTERS = 64
VALUE_CHARACTERS = 200
TEXT_CHARACTERS = 500

_EDGES = " \t\n.,;:!?~。，、；：！？…～()（）"
_PARTICLES = re.compile(r"[了啦呢吧哦呀啊哈的]+$")
_BETWEEN = re.compile(r"[、，,;；/]|和|与|以及|还有|及|\band\b|\bor\b|&")

_TOPICS = {
    **dict.fromkeys(
        ("发货", "寄件", "寄送", "寄", "送货", "配送", "ship", "send", "deliver"), "shipping"
    ),
    **dict.fromkeys(("付款", "支付", "结账", "结算", "pay", "invoice"), "payment"),
    **dict.fromkeys(("沟通", "联系", "回复", "reply", "write"), "contact"),
}


@dataclass(frozen=True, slots=True)
class Statement:
    """One fact about the subject. `text` is what was said, `value` the part that may change.

    `is_confirmed`: the person asked to remember it, which is as good as saying it twice.
    """

    attribute: str
    value: str
    kind: Kind
    text: str
    is_confirmed: bool = False

    @property
    def is_single(self) -> bool:
        """Whether another value of this attribute replaces this one."""
        return is_single(self.attribute)


def is_single(attribute: str) -> bool:
    """Whether there is one value of it at a time."""
    topic, colon, _ = attribute.partition(":")
    return topic in SINGLE or (bool(colon) and topic in SINGLE_OF_TOPIC)


def kind_of(attribute: str) -> Kind:
    """What kind of memory an attribute makes: a person's nature, an episode, or a fact."""
    topic = attribute.partition(":")[0]
    if topic in PROFILE:
        return "profile"
    return "episode" if topic in EPISODES else "fact"


def with_topic(attribute: str, topic: str | None) -> str:
    """`favorite:颜色`, `default:shipping`, `family:妈妈`; without a topic nothing is single."""
    cleaned = clean_value(topic or "").casefold()
    match attribute:
        case "favorite":
            return f"favorite:{cleaned}"[:ATTRIBUTE_CHARACTERS] if cleaned else "likes"
        case "default" | "family":
            named = _TOPICS.get(cleaned, cleaned)
            return f"{attribute}:{named}"[:ATTRIBUTE_CHARACTERS] if named else attribute
        case _:
            return attribute


def clean_value(value: str) -> str:
    """Without punctuation around it and particles behind it."""
    stripped = value.strip(_EDGES)
    return (_PARTICLES.sub("", stripped) or stripped).strip(_EDGES)[:VALUE_CHARACTERS]


def items_of(value: str) -> frozenset[str]:
    """The things that a value lists, folded: `绘画、弹钢琴和品茶` are three."""
    parts = (clean_value(fold(part)) for part in _BETWEEN.split(value))
    return frozenset(part for part in parts if part)


def says_the_same(attribute: str, one: str, two: str) -> bool:
    """Whether two values of an attribute add nothing to each other."""
    first, second = items_of(one), items_of(two)
    if is_single(attribute) or not (first and second):
        return first == second
    return first <= second or second <= first
