"""The words of the dashboard, explained in English and Chinese, and the order of authority. Pure.

The terms are those of the design's glossary. 法律保留 is avoided for a hold: in Chinese law it
means something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Lang = Literal["en", "zh"]


@dataclass(frozen=True, slots=True)
class Word:
    """A term and what it means, each as (English, Chinese)."""

    term: tuple[str, str]
    says: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Shown:
    """A word as one language shows it, with the term of the other."""

    term: str
    other: str
    says: str


WORDS: tuple[Word, ...] = (
    Word(("leaves use", "停止使用"),
         ("The instant from which no agent sees a memory any more. Exact at once, whatever a "
          "worker does.",
          "从这一时刻起，任何智能体都看不到这条记忆。立即生效，与后台任务无关。")),
    Word(("destroyed", "彻底删除"),
         ("The instant from which its bytes may go: value, versions, vectors, full text, sealed "
          "originals. A tombstone stays.",
          "从这一时刻起数据可被销毁：内容、历史版本、向量、全文索引与加密原文，仅留删除凭证。")),
    Word(("trash", "回收站"),
         ("Between the two: out of use, and an officer can bring it back. Never longer than the "
          "memory lived.",
          "两者之间：已停止使用，专员可以恢复。时长不超过记忆本身存在的时间。")),
    Word(("notice period", "通知期"),
         ("A change of rules or settings destroys nothing earlier than this many days after it "
          "came into force.",
          "规则或设置变更生效后，至少经过这些天才会彻底删除。")),
    Word(("expire", "到期"),
         ("The ordinary end of use. Of several rules the most specific decides, and among equals "
          "the shortest.",
          "正常的使用期限。多条规则时以最具体者为准，同级以最短者为准。")),
    Word(("cap", "上限"),
         ("A maximum: ends use and bytes, and nothing below it in the order overrides it.",
          "最长期限：到时停止使用并彻底删除，次序在其后的规则不得突破。")),
    Word(("keep (floor)", "最短保留期"),
         ("A minimum: the bytes stay until then. It protects bytes, never use.",
          "最短期限：在此之前数据留存。只保护数据留存，不延长使用。")),
    Word(("statutory floor", "法定最短保留期"),
         ("A minimum by law, with its citation: it outranks an erasure, and the memory stays out "
          "of use.",
          "法律要求的最短期限，须注明依据：优先于删除请求，期间不得使用。")),
    Word(("legal hold", "法律冻结"),
         ("Suspends every destruction of what it covers, also of what is written later. Two "
          "people release it.",
          "暂停对其范围内（包括以后写入的）记忆的一切彻底删除。解除须两人。")),
    Word(("archive", "归档"),
         ("Out of ordinary search, not gone: a read brings it back.",
          "移出常规搜索但未删除：读取后恢复。")),
    Word(("degrade", "降权"),
         ("Ranks lower in searches until it is used again.", "在搜索中排序靠后，再次使用后恢复。")),
    Word(("anonymise", "匿名化"),
         ("Masks the personal data in a memory where it stands.", "就地脱敏记忆中的个人信息。")),
    Word(("review queue", "待复核队列"),
         ("Hidden by a rule until a person keeps, labels or destroys it.",
          "被规则隐藏，等待人工决定保留、加标签或删除。")),
    Word(("label", "标签"),
         ("Put on by an officer; a rule for a label outranks every namespace.",
          "由专员添加；针对标签的规则优先于任何命名空间。")),
    Word(("restriction", "限制处理"),
         ("A person’s request under way: out of use and not destroyed until it is decided.",
          "个人请求处理期间：停止使用，也不彻底删除，直至作出决定。")),
    Word(("masked, tokenised", "已脱敏、令牌化"),
         ("What agents and people see instead of personal data. A token is the same for the same "
          "value.",
          "智能体与人员看到的替代内容。同一数值的令牌相同。")),
    Word(("reveal", "查看原文"),
         ("An officer looks at one original, with a reason, for five minutes; it is an event.",
          "专员说明理由后查看一处原文，五分钟内有效，并记入审计日志。")),
    Word(("not covered", "未覆盖"),
         ("No rule, cap, floor or TTL says a word about it: it is kept, and counted.",
          "没有规则、上限、最短保留期或期限涉及：予以保留并计数。")),
    Word(("conflict", "冲突"),
         ("A floor is later than a cap. Law keeps the bytes out of use; a business floor yields.",
          "最短保留期晚于上限。法定者仅留存不使用，业务性者让位于上限。")),
    Word(("simulation", "模拟"),
         ("A draft of rules tried on every memory, changing nothing, before anybody approves it.",
          "在审批之前，将规则草案在全部记忆上试算，不作任何更改。")),
    Word(("sweep", "清理"),
         ("The job that makes true on the disk what every read says already.",
          "后台任务：使磁盘上的数据与读取结果一致。")),
    Word(("checkpoint, anchor", "检查点、锚定"),
         ("The signed state of the log, and its copy outside the database: with them an outsider "
          "verifies that nothing was changed.",
          "审计日志的签名状态及其在数据库之外的副本，外部人员可据此验证日志未被改动。")),
)  # fmt: skip

AUTHORITY: tuple[tuple[str, str], ...] = (
    ("legal hold", "法律冻结"),
    ("statutory floor", "法定最短保留期"),
    ("approved erasure", "已批准的删除请求"),
    ("cap", "上限"),
    ("business floor", "业务性最短保留期"),
    ("label", "标签"),
    ("deeper namespace", "更深的命名空间"),
    ("kind", "种类"),
    ("class", "类别"),
    ("tenant-wide expire rule", "全租户到期规则"),
    ("the agent’s TTL, or the tenant’s default where it sent none",
     "智能体的期限，或未给出时租户的默认期限"),
    ("keep", "予以保留"),
)  # fmt: skip
"""What wins over what, the strongest first (docs/retention.md)."""


def words_in(language: Lang) -> Sequence[Shown]:
    """The words as this language shows them."""
    own, other = (1, 0) if language == "zh" else (0, 1)
    return [Shown(one.term[own], one.term[other], one.says[own]) for one in WORDS]


def authority_in(language: Lang) -> Sequence[str]:
    """The order of authority in words."""
    return [one[1 if language == "zh" else 0] for one in AUTHORITY]
