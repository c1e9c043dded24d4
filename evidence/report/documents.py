"""The report as one page that stands by itself, in English and Chinese. Pure.

Its style is in it and nothing comes from elsewhere: it is kept for years and printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from evidence.report.heads import cell, head
from evidence.report.mapping import MAPPING
from evidence.report.populations import SECTIONS
from evidence.report.shapes import Figure, Lang, Section, Table, Words

STYLE = """
body{font:15px/1.5 system-ui,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;
color:#1b1f24;max-width:62rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.7rem}h2{margin-top:2.5rem;border-bottom:1px solid #d8dee4;padding-bottom:.3rem}
table{border-collapse:collapse;width:100%;margin:.6rem 0 1.2rem;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #e6e9ec;vertical-align:top;
overflow-wrap:anywhere}th{font-weight:600;background:#f6f8fa}
td.n{text-align:right;white-space:nowrap}caption{text-align:left;font-weight:600;padding:.3rem 0}
pre{white-space:pre-wrap;background:#f6f8fa;padding:.6rem;font-size:12px}
.note{color:#57606a}svg text{font:12px system-ui,sans-serif;fill:#1b1f24}
@media print{h2{break-after:avoid}table,svg{break-inside:avoid}}
"""
TITLE = Words("Retention and protection of agents’ memory", "智能体记忆的保留与保护报告")
SUMMARY = Words("Summary", "摘要")
PERIOD = Words("Period", "期间")
TENANT = Words("Tenant", "租户")
MADE = Words("Made", "生成时间")
BY = Words("Asked for by", "申请人")
INTEGRITY = Words("Integrity of the log", "日志完整性")
WHOLE = Words(
    "Verified: {events} events of the period match their sealed leaves and signed checkpoints.",
    "已验证：期间内 {events} 条事件与其封存叶子及签名检查点一致。",
)
BROKEN = Words("Verification failed with code {code}: {detail}. First bad event: {first_bad}.",
               "验证失败，代码 {code}：{detail}。首个异常事件：{first_bad}。")  # fmt: skip
CHECKPOINT = Words("Newest signed checkpoint", "最新签名检查点")
MAPPED = Words("Mapping to laws and standards", "法规与标准对照")
MAPPED_HEAD = (Words("Law or standard", "法规或标准"), Words("Place", "条款"),
               Words("Spoken to by", "对应章节"))  # fmt: skip
METHOD = Words("Method", "方法")
METHOD_TEXT = Words(
    "Each number and table above comes from one statement below, with the tenant’s id and the "
    "period as parameters; anybody with the database gets the same. Populations are in the files "
    "named with each table. Text that looks personal is masked. `manifest.json` lists every file "
    "with its SHA-256 and is signed; `verify_memoryhub.py` checks it without the hub.",
    "以上每个数字与表格均来自下列一条语句，以租户编号与期间为参数；任何可访问数据库者均可得到相同结果。"
    "完整数据见各表所列文件。疑似个人信息的文本已遮盖。"
    "manifest.json 列出每个文件的 SHA-256 并带签名；"
    "verify_memoryhub.py 可在没有本系统的机器上验证。",
)
FILES = Words(
    "{rows} rows, whole in {key}.csv and {key}.jsonl",
    "共 {rows} 行，完整数据见 {key}.csv 与 {key}.jsonl",
)
HIGHLIGHTS = (
    ("scope", "memories"), ("execution", "destroyed"), ("execution", "worst_lag"),
    ("rules", "active_ruleset"), ("holds", "open_holds"), ("holds", "prevented"),
    ("requests", "past_due"), ("requests", "closed_late"), ("personal", "within_24h"),
    ("personal", "worst_hours"), ("access", "denied"), ("exceptions", "open_findings"),
    ("exceptions", "uncovered"),
)  # fmt: skip


def report_html(facts: Mapping[str, Any], lang: Lang) -> str:
    """The document from what was gathered: `facts` is the report's `facts.json`."""
    parts = [_head(facts, lang), _summary(facts, lang)]
    parts += [_section(one, facts["sections"][one.key], lang) for one in SECTIONS]
    parts += [_integrity(facts, lang), _mapping(lang), _method(lang)]
    tag = "zh-Hans" if lang == "zh" else "en"
    title = escape(f"{TITLE.say(lang)} · {facts['name']}")
    return (
        f'<!doctype html>\n<html lang="{tag}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body><main>\n"
        + "\n".join(parts)
        + "\n</main></body></html>\n"
    )


def _head(facts: Mapping[str, Any], lang: Lang) -> str:
    rows = [
        (TENANT, facts["name"]), (PERIOD, f"{facts['since']} – {facts['until']}"),
        (MADE, facts["made_at"]), (BY, facts["by"]),
    ]  # fmt: skip
    lines = "".join(
        f'<tr><th scope="row">{escape(words.say(lang))}</th><td>{escape(str(value))}</td></tr>'
        for words, value in rows
    )
    return f"<h1>{escape(TITLE.say(lang))}</h1><table>{lines}</table>"


def _summary(facts: Mapping[str, Any], lang: Lang) -> str:
    words = {(s.key, f.key): f.words for s in SECTIONS for f in s.figures}
    rows = [
        (words[place].say(lang), facts["sections"][place[0]]["figures"][place[1]])
        for place in HIGHLIGHTS
    ]
    return _titled("summary", SUMMARY, lang) + _numbers(rows)


def _section(section: Section, found: Mapping[str, Any], lang: Lang) -> str:
    parts = [
        _titled(section.key, section.words, lang),
        f"<p>{escape(section.intro.say(lang))}</p>",
        _numbers([(one.words.say(lang), found["figures"][one.key]) for one in section.figures]),
    ]
    for table in section.tables:
        rows = found["tables"][table.key]
        heads = [head(column, lang) for column in table.columns]
        shown = [
            [cell(column, value, lang) for column, value in zip(table.columns, row, strict=True)]
            for row in rows["shown"]
        ]
        if table.key == "lateness":
            parts.append(_bars(table.words.say(lang), shown))
        parts.append(_table(table.words.say(lang), heads, shown))
        said = FILES.say(lang).format(rows=rows["rows"], key=table.key)
        parts.append(f'<p class="note">{escape(said)}</p>')
    return "\n".join(parts)


def _integrity(facts: Mapping[str, Any], lang: Lang) -> str:
    found = facts["integrity"]
    said = (WHOLE if found["code"] == 0 else BROKEN).say(lang).format(**found)
    return (
        _titled("integrity", INTEGRITY, lang) + f"<p>{escape(said)}</p>"
        f"<h3>{escape(CHECKPOINT.say(lang))}</h3><pre>{escape(facts['checkpoint'] or '–')}</pre>"
    )


def _mapping(lang: Lang) -> str:
    heads = [one.say(lang) for one in MAPPED_HEAD]
    rows = [[law, place, words.say(lang)] for law, place, words in MAPPING]
    return _titled("mapping", MAPPED, lang) + _table(MAPPED.say(lang), heads, rows)


def _method(lang: Lang) -> str:
    parts = [_titled("method", METHOD, lang), f"<p>{escape(METHOD_TEXT.say(lang))}</p>"]
    for section in SECTIONS:
        parts_of: list[Figure | Table] = [*section.figures, *section.tables]
        for one in parts_of:
            name = f"{section.key}.{one.key} – {one.words.say(lang)}"
            parts.append(f"<h3>{escape(name)}</h3><pre>{escape(one.sql.replace('%%', '%'))}</pre>")
    return "\n".join(parts)


def _titled(key: str, words: Words, lang: Lang) -> str:
    return f'<h2 id="{key}">{escape(words.say(lang))}</h2>'


def _numbers(rows: Sequence[tuple[str, Any]]) -> str:
    if not rows:
        return ""
    lines = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="n">{value:,}</td></tr>'
        for name, value in rows
    )
    return f"<table>{lines}</table>"


def _table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _cell(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f'<td class="n">{value:,}</td>'
    return f"<td>{escape('' if value is None else str(value))}</td>"


def _bars(caption: str, rows: Sequence[Sequence[Any]]) -> str:
    """A histogram; the table after it says the same."""
    most = max((row[1] for row in rows), default=0) or 1
    lines = "".join(
        f'<text x="0" y="{22 * n + 15}">{escape(str(name))}</text>'
        f'<rect x="90" y="{22 * n + 3}" width="{400 * count / most:.0f}" height="14" '
        'fill="#3b6ea5"/>'
        f'<text x="{400 * count / most + 96:.0f}" y="{22 * n + 15}">{count:,}</text>'
        for n, (name, count) in enumerate(rows)
    )
    return (
        f'<svg role="img" viewBox="0 0 600 {22 * len(rows) + 6}" width="600">'
        f"<title>{escape(caption)}</title>{lines}</svg>"
    )
