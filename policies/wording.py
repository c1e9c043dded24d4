"""The words of explanations in English and Chinese: one template per reason, side by side.

Terms follow the glossary of the design mock. Templates name their facts in braces; instants are
shown in the tenant's zone, 24 Mar 2026, 13:06 and 2026年3月24日 20:06.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final, Literal
from zoneinfo import ZoneInfo

Lang = Literal["en", "zh"]
LANGS: Final[tuple[Lang, ...]] = ("en", "zh")

_MONTHS: Final = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)
_UNITS: Final = (  # in seconds, one, many, Chinese
    (86_400, "day", "days", "天"),
    (3_600, "hour", "hours", "小时"),
    (60, "minute", "minutes", "分钟"),
)

REASONS: Final[Mapping[str, tuple[str, str]]] = {
    # holds, requests, quarantine
    "hold_open": (
        "a legal hold since {placed} suspends the purge",
        "法律冻结自 {placed} 起生效，暂停彻底删除",
    ),
    "hold_released": ("released on {released}", "已于 {released} 解除冻结"),
    "release_decides": (
        "released on {released}; what follows decides the purge date",
        "已于 {released} 解除冻结，彻底删除日期由此决定",
    ),
    "erased": ("an approved erasure ends use and bytes", "已批准的删除请求使其停止使用并彻底删除"),
    "source_erased": (
        "a source of this memory was erased",
        "这条记忆的来源已按删除请求删除",
    ),
    "erasure_blocked": (
        "an approved erasure; a statutory floor keeps the bytes, out of use",
        "删除请求已批准；法定最短保留期内仅留存，不再使用",
    ),
    "request_open": (
        "a verified request is not decided yet: no use, no purge",
        "请求已核实、尚未决定：不得使用，也不彻底删除",
    ),
    "request_decided": ("a verified request, decided since", "请求已核实，并已作出决定"),
    "restricted": (
        "processing is restricted: no use, no purge",
        "限制处理：不得使用，也不彻底删除",
    ),
    "quarantined": ("a detector hid it", "检测器已将其隐藏"),
    # caps
    "cap_ends_use": ("the shortest cap; nothing overrides it", "最短的上限，任何规则不得突破"),
    "cap_ends_bytes": (
        "out of use already; this cap decides the purge",
        "已停止使用；由这一上限决定彻底删除",
    ),
    "cap_later": (
        "would decide if nothing ended it sooner",
        "若没有更早的到期，则由它决定",
    ),
    "shorter_cap": ("“{other}” is a shorter cap", "上限“{other}”更短"),
    "shorter_source_cap": ("a source’s cap is shorter", "来源的上限更短"),
    # keeps
    "keeps_until": ("keeps the bytes until {date}", "数据留存至 {date}"),
    "keeps_unchallenged": (
        "the longest minimum; nothing is due before it",
        "最长的最短保留期；目前没有更早的彻底删除日期",
    ),
    "keep_satisfied": ("earlier than the purge date", "早于彻底删除的日期"),
    "longer_keep": ("“{other}” keeps it longer", "“{other}”的最短保留期更长"),
    "open_keep_longer": (
        "another floor waits for its event and keeps it longer",
        "另一最短保留期仍在等待事件，留存更久",
    ),
    "open_keep": (
        "the event {event} has not come; until then there is no purge date",
        "事件 {event} 尚未发生，在此之前没有彻底删除日期",
    ),
    "open_keep_yields": (
        "the event {event} has not come; a business floor yields to a cap",
        "事件 {event} 尚未发生；业务性最短保留期让位于上限",
    ),
    "yields_to_cap": ("a business floor yields to a cap", "业务性最短保留期让位于上限"),
    "yields_to_erasure": (
        "only a statutory floor outranks an erasure",
        "只有法定最短保留期优先于删除请求",
    ),
    # rules that choose by level
    "by_label": ("an officer’s label outranks every scope", "专员所加的标签优先于其他范围"),
    "by_namespace": ("deepest namespace, {labels}", "命名空间最深，{depth} 级"),
    "by_kind": ("goes by the kind; no namespace is narrower", "按种类；没有更具体的命名空间"),
    "by_class": ("goes by the class; nothing is narrower", "按类别；没有更具体的规则"),
    "tenant_wide": ("the tenant-wide rule; nothing is narrower", "全租户规则；没有更具体的规则"),
    "narrower": ("“{other}” is narrower", "“{other}”更具体"),
    "shorter_in_level": ("“{other}” of the same level is shorter", "同级的“{other}”更短"),
    "same_date": ("“{other}” of the same level comes first", "同级同日，“{other}”优先"),
    "ends_sooner": ("use ends sooner: {cause}", "更早停止使用：{cause}"),
    "ends_then_too": ("use ends at the same instant: {cause}", "同一时刻停止使用：{cause}"),
    "event_to_come": ("the event {event} has not come", "事件 {event} 尚未发生"),
    "archives": (
        "leaves ordinary search; a read brings it back",
        "移出常规搜索，读取后恢复",
    ),
    "archived_sooner": ("archived sooner by another rule", "另一规则更早将其归档"),
    "masks": ("masks personal data in place", "就地脱敏其中的个人信息"),
    "ranks_lower": ("ranks lower, weight {weight}", "降权，权重 {weight}"),
    "by_fallback": (
        "the event {event} has not come, so the fallback counts",
        "事件 {event} 尚未发生，按后备期限计算",
    ),
    "with_notice": (
        "in force since {active_since} only, so nothing is destroyed before {until}",
        "{active_since} 起才生效，{until} 之前不会彻底删除",
    ),
    # the agent's own
    "delete_decides": ("the agent deleted it", "智能体已将其删除"),
    "hidden_already": ("it was out of use already", "当时已停止使用"),
    "ttl_decides": (
        "the agent’s own lifetime, earlier than any rule",
        "智能体设定的期限，早于其他规则",
    ),
    "clamped": (
        "longer than “{other}”; an agent may only shorten",
        "比“{other}”更长；智能体只能缩短期限",
    ),
    "undone_by_restore": ("restored since, on {restored}", "此后已于 {restored} 恢复"),
    # notice
    "notice_decides": (
        "dates moved earlier on {moved}; nothing is destroyed before {date}",
        "日期于 {moved} 提前；{date} 之前不会彻底删除",
    ),
    "notice_over": (
        "dates moved on {moved}; the notice decides nothing",
        "日期于 {moved} 变动；通知期不影响结果",
    ),
    # not matched
    "other_namespace": ("only for memories under {namespace}", "只适用于命名空间 {namespace}"),
    "other_kind": ("only for the kind “{kind}”", "只适用于种类“{kind}”"),
    "other_class": ("only for the class “{data_class}”", "只适用于类别“{data_class}”"),
    "other_label": ("only for the label “{label}”", "只适用于标签“{label}”"),
    "not_active": ("in force from {active_since} on", "自 {active_since} 起生效"),
    "accessed_enough": (
        "read often enough to be spared: {count} of {unless_accessed}",
        "读取次数已达到例外标准：{count}/{unless_accessed}",
    ),
    "does_not_fade": ("this memory does not fade (decay 1)", "这条记忆不衰减（衰减系数为 1）"),
}

CAUSES: Final[Mapping[str, tuple[str, str]]] = {
    "erasure": ("an approved erasure", "已批准的删除请求"),
    "request": ("a verified request", "已核实的请求"),
    "restriction": ("a restriction of processing", "限制处理"),
    "cap": ("the cap “{rule}”", "上限“{rule}”"),
    "source_cap": ("a source’s cap", "来源的上限"),
    "expire": ("the rule “{rule}”", "规则“{rule}”"),
    "ttl": ("the agent’s TTL", "智能体设定的期限"),
    "delete": ("the agent’s delete", "智能体的删除操作"),
}

KIND_NAMES: Final[Mapping[str, str]] = {
    "fact": "事实",
    "episode": "情景",
    "procedure": "流程",
    "profile": "画像",
    "organization": "组织",
    "entity": "实体",
    "document": "文档",
    "intent": "意图",
    "summary": "摘要",
}
CLASS_NAMES: Final[Mapping[str, str]] = {"personal": "个人信息"}


def pick(texts: tuple[str, str], lang: Lang) -> str:
    """The English or the Chinese one."""
    return texts[LANGS.index(lang)]


def show_instant(instant: datetime, zone: ZoneInfo, lang: Lang) -> str:
    """To the minute, on the tenant's clock."""
    try:
        local = instant.astimezone(zone)
    except OverflowError:  # the last hours of the year 9999
        local = instant
    clock = f"{local.hour:02}:{local.minute:02}"
    if lang == "zh":
        return f"{local.year}年{local.month}月{local.day}日 {clock}"
    return f"{local.day} {_MONTHS[local.month - 1]} {local.year}, {clock}"


def show_length(length: timedelta, lang: Lang) -> str:
    """A length of time in its largest whole unit: 12 days, 12 天."""
    for seconds, one, many, chinese in _UNITS:
        count = int(length.total_seconds() // seconds)
        if count:
            return (
                f"{count} {chinese}" if lang == "zh" else f"{count} {one if count == 1 else many}"
            )
    return "不到 1 分钟" if lang == "zh" else "less than a minute"


def show_cause(cause: str, rule: str | None, lang: Lang) -> str:
    """What ends use, as a phrase: the rule “support-tickets”."""
    known = "source_cap" if cause == "cap" and rule is None else cause
    return pick(CAUSES[known], lang).format(rule=rule)


def show_number(number: float) -> str:
    """Without a needless .0: 90, 0.4."""
    return str(int(number)) if number == int(number) else str(number)


def show_path(namespace: tuple[str, ...]) -> str:
    """A prefix as people read it, and as the store writes it: support/tickets/."""
    return "".join(f"{_encode(label)}/" for label in namespace)


def _encode(label: str) -> str:
    return "".join(f"%{ord(c):02X}" if c in "%/" or ord(c) < 32 else c for c in label)
