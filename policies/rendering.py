"""A rule as a sentence, in English and Chinese, in marked parts for the page.

Part of the editor's live preview and of the list of rules in force; derived from nothing but the
rule (and the tenant's trash days, when they are to be said).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple

from policies.facts import Duration, Rule
from policies.wording import CLASS_NAMES, KIND_NAMES, Lang, show_number, show_path

Mark = Literal["", "strong", "code"]


class Part(NamedTuple):
    """A piece of a sentence: plain text, a term to stress, or a path or type to set as code."""

    text: str
    mark: Mark = ""


_UNITS: Final = (("months", "个月"), ("days", "天"), ("hours", "小时"), ("minutes", "分钟"))
_SINCE: Final = {  # after …, counted from …, 自…起
    "created": ("creation", "creation", "创建"),
    "updated": (
        "their content last changed",
        "the last change of their content",
        "内容最后一次变更",
    ),
    "accessed": ("they were last read", "their last read", "最后一次读取"),
}


def say_rule(rule: Rule, lang: Lang, *, trash_days: int | None = None) -> str:
    """The rule as one or two plain sentences."""
    return "".join(part.text for part in render_rule(rule, lang, trash_days=trash_days))


def render_rule(rule: Rule, lang: Lang, *, trash_days: int | None = None) -> tuple[Part, ...]:
    """The same sentences in marked parts; the template escapes each and marks it."""
    parts = _in_chinese(rule, trash_days) if lang == "zh" else _in_english(rule, trash_days)
    return tuple(part for part in parts if part.text)


def show_duration(duration: Duration, lang: Lang) -> str:
    """36 months, 1 day and 12 hours; 36 个月."""
    given = [(getattr(duration, unit), unit, chinese) for unit, chinese in _UNITS]
    given = [entry for entry in given if entry[0]] or [(0, "days", "天")]
    if lang == "zh":
        return " ".join(f"{show_number(number)} {chinese}" for number, _, chinese in given)
    words = [f"{show_number(n)} {unit[:-1] if n == 1 else unit}" for n, unit, _ in given]
    return " and ".join(words)


def _in_english(rule: Rule, trash_days: int | None) -> Iterator[Part]:
    is_scoped = rule.level != (False, 0, False, False)
    noun = "memories" if is_scoped else "all memories"
    yield Part(f"In {noun}" if rule.kind == "anonymise" else noun.capitalize())
    yield from _scope_in_english(rule)
    verb, tail = _english_effect(rule, trash_days)
    yield Part(verb)
    yield from _time_in_english(rule)
    if rule.unless_accessed is not None:
        times = "once" if rule.unless_accessed == 1 else f"{rule.unless_accessed} times"
        yield Part(f", unless read at least {times}")
    yield Part(f"{tail}.")
    if rule.citation:
        yield Part(f" Ground: {rule.citation.rstrip('.')}.")


def _scope_in_english(rule: Rule) -> Iterator[Part]:
    if rule.memory_kind is not None:
        yield from (Part(" of kind "), Part(rule.memory_kind, "strong"))
    if rule.data_class is not None:
        joint = " of class " if rule.memory_kind is None else " and class "
        yield from (Part(joint), Part(rule.data_class, "strong"))
    if rule.label is not None:
        yield from (Part(" labelled "), Part(rule.label, "strong"))
    if rule.namespace:
        yield from (Part(" under "), Part(show_path(rule.namespace), "code"))


def _english_effect(rule: Rule, trash_days: int | None) -> tuple[str, str]:
    if rule.kind == "archive" or (rule.kind == "expire" and rule.end == "archive"):
        return " leave ordinary search ", "; a read brings them back"
    if rule.kind == "expire" and rule.end == "review":
        return " are hidden ", " and wait for a person to decide"
    if rule.kind == "expire":
        stay = f"stay {trash_days} days" if trash_days is not None else "stay"
        stay = "stay 1 day" if trash_days == 1 else stay
        return " leave use ", f", then {stay} in the trash" if trash_days != 0 else ""
    return {
        "keep": (" are kept at least ", ""),
        "cap": (" end no later than ", ""),
        "anonymise": (" personal data is masked in place ", ""),
        "degrade": (f" rank lower, weight {show_number(rule.weight)}, ", ""),
    }[rule.kind]


def _time_in_english(rule: Rule) -> Iterator[Part]:
    if rule.after is not None:
        yield from (Part(show_duration(rule.after, "en"), "strong"), Part(" after "))
        yield from _anchor_in_english(rule, 0)
    else:
        lead = "until" if rule.kind == "keep" else "when"
        yield Part(f"{lead} their strength falls below ")
        yield from (Part(show_number(rule.strength_below or 0), "strong"), Part(", counted from "))
        yield from _anchor_in_english(rule, 1)
    if rule.fallback is not None:
        yield Part("; if it never comes, ")
        yield from (Part(show_duration(rule.fallback, "en"), "strong"), Part(" after creation"))


def _anchor_in_english(rule: Rule, form: int) -> Iterator[Part]:
    if rule.event is not None:
        yield from (Part("the event "), Part(rule.event, "code"))
    else:
        yield Part(_SINCE[rule.anchor][form])


def _in_chinese(rule: Rule, trash_days: int | None) -> Iterator[Part]:
    yield from _scope_in_chinese(rule)
    yield Part("，自")
    if rule.event is not None:
        yield from (Part("事件 "), Part(rule.event, "code"), Part(" 发生"))
    else:
        yield Part(_SINCE[rule.anchor][2])
    yield Part("起")
    yield from _effect_in_chinese(rule, trash_days)
    if rule.fallback is not None:
        yield Part("；事件一直未发生的，自创建起按 ")
        yield from (Part(show_duration(rule.fallback, "zh"), "strong"), Part("计算"))
    if rule.unless_accessed is not None:
        yield Part(f"；已读取 {rule.unless_accessed} 次及以上的除外")
    yield Part("。")
    if rule.citation:
        yield Part(f"依据：{rule.citation.rstrip('.。')}。")


def _scope_in_chinese(rule: Rule) -> Iterator[Part]:
    if rule.namespace:
        yield from (Part("命名空间 "), Part(show_path(rule.namespace), "code"), Part(" 下的"))
    names: tuple[tuple[str, str | None, Mapping[str, str]], ...] = (
        ("种类为“", rule.memory_kind, KIND_NAMES),
        ("类别为“", rule.data_class, CLASS_NAMES),
        ("标签为“", rule.label, {}),
    )
    given = [entry for entry in names if entry[1] is not None]
    for index, (word, value, known) in enumerate(given):
        yield Part("、" if index else "")
        yield from (Part(word), Part(known.get(value or "", value or ""), "strong"), Part("”"))
    yield Part("的记忆" if given else "记忆" if rule.namespace else "所有记忆")


def _effect_in_chinese(rule: Rule, trash_days: int | None) -> Iterator[Part]:
    if rule.after is None:
        until = "，至少保留到强度低于 " if rule.kind == "keep" else "，强度低于 "
        yield from (Part(until), Part(show_number(rule.strength_below or 0), "strong"))
        yield Part("" if rule.kind == "keep" else f" 时{_chinese_verb(rule, trash_days)}")
        return
    length = Part(show_duration(rule.after, "zh"), "strong")
    if rule.kind in ("keep", "cap"):
        yield from (Part("至少保留 " if rule.kind == "keep" else "最长保留 "), length)
    else:
        yield from (Part("满 "), length, Part(_chinese_verb(rule, trash_days)))


def _chinese_verb(rule: Rule, trash_days: int | None) -> str:
    if rule.kind == "archive" or (rule.kind == "expire" and rule.end == "archive"):
        return "移出常规搜索，读取后恢复"
    if rule.kind == "expire" and rule.end == "review":
        return "隐藏，等待人工复核"
    if rule.kind == "expire":
        if trash_days is None:
            return "停止使用，随后转入回收站"
        return f"停止使用，随后在回收站保留 {trash_days} 天" if trash_days else "停止使用"
    return {
        "cap": "停止使用并彻底删除",
        "anonymise": "，就地脱敏其中的个人信息",
        "degrade": f"降权，权重 {show_number(rule.weight)}",
    }[rule.kind]
