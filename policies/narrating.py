"""The few sentences that open an explanation: what happens to a memory, when, and why."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from policies.facts import Kind
from policies.finding import list_waiting
from policies.outcomes import Evaluation
from policies.purging import deciding_cap, end_of_trash
from policies.wording import (
    Lang,
    pick,
    show_cause,
    show_instant,
    show_length,
    show_number,
)

_WHY: Final = {
    "statutory": ("when the statutory floor “{key}” ends", "法定最短保留期“{key}”届满"),
    "floor": ("when the floor “{key}” ends", "最短保留期“{key}”届满"),
    "notice": ("when the notice period ends", "通知期届满"),
    "erasure": ("as the erasure was approved", "删除请求已批准"),
    "cap": ("by the cap “{key}”", "依据上限“{key}”"),
    "source_cap": ("by a source’s cap", "依据来源的上限"),
    "review": ("as a person decided", "依据复核决定"),
    "trash": ("after {length} in the trash", "在回收站保留 {length}之后"),
    "no_trash": ("without trash", "不经回收站"),
    "rule": ("by the rule “{key}”", "依据规则“{key}”"),
}
_EFFECTS: Final[dict[str, tuple[tuple[Kind, str], ...]]] = {
    "archived": (("archive", "archive_at"), ("expire", "archive_at")),
    "anonymised": (("anonymise", "anonymise_at"),),
    "degraded": (("degrade", "degrade_at"),),
}

_TEXT: Final = {
    "leaves": (
        "Leaves use on {date} ({length} from now) because of {cause}",
        "{date}（{length}后）停止使用，依据{cause}",
    ),
    "left": ("Left use on {date} because of {cause}", "已于 {date} 停止使用，依据{cause}"),
    "stays": ("Stays in use: no date ends it", "继续使用：没有停止使用的日期"),
    "then_destroyed": ("; destroyed on {date}, {why}", "；{date} 彻底删除（{why}）"),
    "was_destroyed": ("; due to be destroyed on {date}, {why}", "；应于 {date} 彻底删除（{why}）"),
    "held": ("; not destroyed while a legal hold is open", "；解除冻结之前不会彻底删除"),
    "request": (
        "; not destroyed while a request or restriction is open",
        "；请求或限制处理结束之前不会彻底删除",
    ),
    "open": (
        "; not destroyed before the event {event} comes",
        "；事件 {event} 发生之前不会彻底删除",
    ),
    "review": ("; then a person decides", "；随后等待人工复核"),
    "quarantined": ("A detector hid it. ", "检测器已将其隐藏。"),
    "waiting": (
        " “{key}” waits for the event {event}.",
        "“{key}”正在等待事件 {event}。",
    ),
    "archive": (
        " Leaves ordinary search on {date} {why}.",
        "{date} 移出常规搜索（{why}）。",
    ),
    "archived": (
        " Out of ordinary search since {date} {why}; a read brings it back.",
        "自 {date} 起已移出常规搜索（{why}），读取后恢复。",
    ),
    "anonymise": (
        " Personal data is masked from {date} on {why}.",
        "自 {date} 起就地脱敏个人信息（{why}）。",
    ),
    "degrade": (
        " Ranks lower from {date} on {why}, weight {weight}.",
        "自 {date} 起降权（{why}），权重 {weight}。",
    ),
    "uncovered": (" No rule covers it, so it is kept.", "没有规则覆盖，因此一直保留。"),
    "ttl_clamped": (
        " The agent’s TTL is later than the rule and is not followed.",
        "智能体设定的期限晚于规则，未采纳。",
    ),
    "policy_conflict": (
        " A floor is later than a cap: the cap ends use, only a statutory floor keeps the bytes.",
        "最短保留期晚于上限，存在冲突：上限使其停止使用，只有法定最短保留期可以留存数据。",
    ),
    "erasure_blocked_by_floor": (
        " The approved erasure waits for a statutory floor.",
        "已批准的删除请求须等待法定最短保留期届满。",
    ),
    "notice": (
        " The notice period of {length} moved the destruction.",
        "{length}的通知期推迟了彻底删除。",
    ),
}


def narrate(evaluation: Evaluation, lang: Lang) -> str:
    """The answer in words: both dates with their grounds, then what else is to be known."""
    teller = _Teller(evaluation, lang)
    return "".join(teller.tell()).strip()


def tell_why(what: str, evaluation: Evaluation, lang: Lang) -> str:
    """Why a step (as in NextStep) comes at its date."""
    if what == "leaves_use" and evaluation.cause is not None:
        return show_cause(evaluation.cause, evaluation.winner, lang)
    if what == "destroyed":
        code, facts = _why_destroyed(evaluation, lang)
        return pick(_WHY[code], lang).format(**facts)
    for kind, date in _EFFECTS[what]:
        winner = evaluation.found.choices[kind].winner
        if winner is not None and winner.date == getattr(evaluation, date):
            return pick(_WHY["rule"], lang).format(key=winner.rule.key)
    return ""


def _why_destroyed(evaluation: Evaluation, lang: Lang) -> tuple[str, dict[str, str]]:
    found, due = evaluation.found, evaluation.due_at
    for keep in found.matches.keep if evaluation.floor_keeps else ():
        if keep.date == due:
            return ("statutory" if keep.rule.statutory else "floor"), {"key": keep.rule.key}
    if found.history.approved is not None:
        return "erasure", {}
    if deciding_cap(found) is not None:
        for dated in found.matches.cap:
            if dated.date == due:
                return "cap", {"key": dated.rule.key}
        if due in found.memory.source_caps:
            return "source_cap", {}
    if "notice" in evaluation.flags:
        return "notice", {}
    if found.expiry is None or found.expiry.end == "review":
        return "review", {}
    trash = (end_of_trash(found.expiry, found) or found.expiry.date) - found.expiry.date
    return ("trash", {"length": show_length(trash, lang)}) if trash else ("no_trash", {})


class _Teller:
    """Chooses and fills the sentences for one evaluation in one language."""

    def __init__(self, evaluation: Evaluation, lang: Lang) -> None:
        self.evaluation, self.lang = evaluation, lang
        self.stop = "。" if lang == "zh" else "."

    def tell(self) -> Iterator[str]:
        """The parts of the text in order."""
        if self.evaluation.found.memory.quarantined:
            yield self._say("quarantined")
        yield from self._tell_use()
        yield from self._tell_bytes()
        yield self.stop
        yield from self._tell_effects()
        yield from self._tell_flags()

    def _tell_use(self) -> Iterator[str]:
        date, cause = self.evaluation.visible_until, self.evaluation.cause
        if date is None or cause is None:
            yield self._say("stays")
            return
        cause_shown = show_cause(cause, self.evaluation.winner, self.lang)
        if self.evaluation.is_in_use_by_date:
            length = show_length(date - self.evaluation.at, self.lang)
            yield self._say("leaves", date=date, length=length, cause=cause_shown)
        else:
            yield self._say("left", date=date, cause=cause_shown)

    def _tell_bytes(self) -> Iterator[str]:
        evaluation, found = self.evaluation, self.evaluation.found
        if found.history.is_held:
            yield self._say("held")
        if found.history.is_request_open:
            yield self._say("request")
        if evaluation.purge_at is not None:
            known = "was_destroyed" if evaluation.state == "PURGED" else "then_destroyed"
            why = tell_why("destroyed", evaluation, self.lang)
            yield self._say(known, date=evaluation.purge_at, why=why)
        elif evaluation.due_at is None and evaluation.visible_until is not None:
            waiting = [keep.rule.event for keep in found.matches.keep if keep.date is None]
            if waiting:
                yield self._say("open", event=waiting[0])
            elif found.expiry is not None and found.expiry.end == "review":
                yield self._say("review")

    def _tell_effects(self) -> Iterator[str]:
        evaluation = self.evaluation
        if evaluation.state in ("ACTIVE", "ARCHIVED") and evaluation.archive_at is not None:
            known = "archived" if evaluation.state == "ARCHIVED" else "archive"
            yield self._say(known, date=evaluation.archive_at, why=self._why("archived"))
        if evaluation.anonymise_at is not None and evaluation.state != "PURGED":
            why = self._why("anonymised")
            yield self._say("anonymise", date=evaluation.anonymise_at, why=why)
        if evaluation.degrade_at is not None and evaluation.visible:
            weight, why = show_number(evaluation.degrade_weight or 0), self._why("degraded")
            yield self._say("degrade", date=evaluation.degrade_at, weight=weight, why=why)

    def _tell_flags(self) -> Iterator[str]:
        flags, found = self.evaluation.flags, self.evaluation.found
        if "waiting_for_event" in flags:
            for rule in list_waiting(found):
                yield self._say("waiting", key=rule.key, event=rule.event)
        for flag in ("ttl_clamped", "policy_conflict", "erasure_blocked_by_floor", "uncovered"):
            if flag in flags:
                yield self._say(flag)
        if "notice" in flags:
            yield self._say("notice", length=show_length(found.settings.notice, self.lang))

    def _why(self, what: str) -> str:
        return tell_why(what, self.evaluation, self.lang)

    def _say(self, known: str, **facts: object) -> str:
        zone = self.evaluation.found.settings.zone
        shown = {
            name: show_instant(value, zone, self.lang) if isinstance(value, datetime) else value
            for name, value in facts.items()
        }
        return pick(_TEXT[known], self.lang).format(**shown)
