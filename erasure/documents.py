"""Certificates and packages as pages that stand by themselves, in English and Chinese. Pure.

No style, no script, nothing from elsewhere: they are kept for years and read in any browser.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Literal

Lang = Literal["en", "zh"]
LANGS: tuple[Lang, ...] = ("en", "zh")

_WORDS: dict[str, tuple[str, str]] = {
    "certificate": ("Certificate of erasure", "删除证明"),
    "meaning": (
        "The personal data of the person named by this pseudonym were destroyed in the stores "
        "below, and looked for again afterwards.",
        "该化名所指个人的个人信息已在下列存储中彻底删除，并在删除后再次查找确认。",
    ),
    "subject": ("Person (pseudonym)", "个人（化名）"),
    "request": ("Request", "请求"),
    "tenant": ("Tenant", "租户"),
    "received_at": ("Received", "收到时间"),
    "identity_verified_by": ("Identity verified by", "身份核实人"),
    "decided_by": ("Decided by", "决定人"),
    "approved_by": ("Approved by", "批准人"),
    "approved_at": ("Approved", "批准时间"),
    "completed_at": ("Completed", "完成时间"),
    "kept_until": ("Kept at most until", "最晚保留至"),
    "ledger_entry": ("Entry in the ledger of erasures", "删除台账条目"),
    "store": ("Store", "存储"),
    "found": ("Found", "找到"),
    "removed": ("Removed", "删除"),
    "kept": ("Kept", "保留"),
    "ground": ("Ground", "依据"),
    "memories": ("Memories", "记忆"),
    "probe": ("Afterwards {queries} searches found {hits} traces.",
              "删除后进行了 {queries} 次查找，发现 {hits} 处残留。"),
    "copies": ("Recorded copies of the database that may still hold them: {copies}; "
               "the last one is destroyed on {end}.",
               "可能仍包含这些信息的已登记数据库备份：{copies} 份；最后一份将于 {end} 销毁。"),
    "no_copies": ("No copy of the database that may hold them is recorded.",
                  "没有登记可能包含这些信息的数据库备份。"),
    "signature": ("Signature", "签名"),
    "package": ("Your personal data", "您的个人信息"),
    "package_meaning": (
        "This is everything that is stored about you, as it is stored. What was sealed or masked "
        "when it was written is shown in that form.",
        "以下是所存储的关于您的全部信息，按存储形式展示。写入时已加密或遮盖的内容以相应形式显示。",
    ),
    "nothing": ("Nothing is stored about you.", "没有存储关于您的信息。"),
    "where": ("Where", "位置"),
    "what": ("What", "内容"),
    "since": ("Since", "始于"),
    "until": ("In use until", "使用至"),
    "source": ("Where from", "来源"),
    "history": ("Earlier values", "历史值"),
    "sessions": ("Open conversations", "进行中的会话"),
}  # fmt: skip
_STORES: dict[str, tuple[str, str]] = {
    "memories": ("Memories", "长期记忆"), "short_term": ("Short-term memory", "短期记忆"),
    "candidates": ("Candidates", "候选记忆"), "versions": ("Versions", "历史版本"),
    "versions_of_others": ("Old values of other memories", "其他记忆的旧值"),
    "vectors": ("Vectors", "向量"), "full_text": ("Full text", "全文索引"),
    "subject_index": ("Index of subjects", "主体索引"),
    "personal_data_findings": ("Personal data findings", "个人信息发现记录"),
    "sealed_originals": ("Sealed originals", "加密原文"),
    "scheduled_events": ("Scheduled events", "待触发事件"),
    "business_events": ("Business events", "业务事件"),
    "repeatable_calls": ("Repeatable calls", "幂等请求记录"), "findings": ("Findings", "发现项"),
    "event_labels": ("Labels in the log", "日志中的标签"),
    "golden_questions": ("Golden questions", "基准问题"),
    "released_holds": ("Released holds", "已解除的冻结"),
    "jobs": ("Jobs", "任务"), "job_files": ("Files of jobs", "任务文件"),
    "tombstones": ("Tombstones", "删除标记"), "sweeps": ("Sweeps", "清理记录"),
    "sessions": ("Sessions", "会话"),
    "query_cache": ("Cached queries", "查询缓存"),
    "queued_messages": ("Queued messages", "排队消息"),
    "pseudonym": ("Pseudonym and key", "化名与密钥"),
}  # fmt: skip


_FACTS = (
    "subject", "request", "tenant", "received_at", "identity_verified_by", "decided_by",
    "approved_by", "approved_at", "completed_at", "kept_until", "ledger_entry",
)  # fmt: skip


def word(name: str, lang: Lang) -> str:
    """A word of these documents."""
    return _WORDS[name][lang == "zh"]


def store_name(name: str, lang: Lang) -> str:
    """A store as people call it."""
    return _STORES.get(name, (name, name))[lang == "zh"]


def certificate_html(document: Mapping[str, Any], lang: Lang) -> str:
    """The certificate as a page."""
    stores = [
        [store_name(line["store"], lang), line["found"], line["removed"], line["kept"],
         line["ground"] or ""]
        for line in document["stores"]
    ]  # fmt: skip
    copies = document["backups"]
    said = word("copies" if copies["copies"] else "no_copies", lang)
    parts = [
        f"<p>{escape(word('meaning', lang))}</p>",
        _facts([(word(name, lang), document[name]) for name in _FACTS if document[name]]),
        _table([word(name, lang) for name in ("store", "found", "removed", "kept", "ground")],
               stores),
        f"<p>{escape(word('probe', lang).format(**document['probe']))}</p>",
        f"<p>{escape(said.format(copies=copies['copies'], end=copies['last_expires_at']))}</p>",
        f"<h2>{escape(word('signature', lang))}</h2>"
        f"<pre>{escape(document['signature'])}</pre><p><code>{escape(document['key'])}</code></p>",
    ]  # fmt: skip
    return page(word("certificate", lang), parts, lang)


def package_html(content: Mapping[str, Any], lang: Lang) -> str:
    """What an access request gives, as a page."""
    parts = [
        f"<p>{escape(word('package_meaning', lang))}</p>",
        _facts([(word(name, lang), content[name]) for name in ("request", "tenant")]),
    ]
    if not content["memories"]:
        parts.append(f"<p>{escape(word('nothing', lang))}</p>")
    for memory in content["memories"]:
        where = " / ".join([*memory["namespace"], memory["key"]])
        facts = [(word("since", lang), memory["created_at"]),
                 (word("until", lang), memory["retention"]["visible_until"]),
                 (word("source", lang), memory["source"])]  # fmt: skip
        parts.append(f"<h2>{escape(where)}</h2><pre>{escape(memory['value'])}</pre>")
        parts.append(_facts([(name, value) for name, value in facts if value]))
        if memory["versions"]:
            parts.append(f"<h3>{escape(word('history', lang))}</h3>")
            parts += [f"<pre>{escape(one['value'])}</pre>" for one in memory["versions"]]
    if content["sessions"]:
        parts.append(f"<h2>{escape(word('sessions', lang))}</h2>")
        rows = [[one["channel"] or "", one["created_at"]] for one in content["sessions"]]
        parts.append(_table([word("where", lang), word("since", lang)], rows))
    return page(word("package", lang), parts, lang)


def page(title: str, parts: Sequence[str], lang: Lang) -> str:
    """A whole page."""
    tag = "zh-Hans" if lang == "zh" else "en"
    return (
        f'<!doctype html>\n<html lang="{tag}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title></head>'
        f"<body><main><h1>{escape(title)}</h1>\n" + "\n".join(parts) + "\n</main></body></html>\n"
    )


def _facts(pairs: Sequence[tuple[str, Any]]) -> str:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in pairs)
    return f"<dl>{rows}</dl>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f'<table border="1"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
