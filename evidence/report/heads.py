"""The heads of the report's tables in both languages, and the few words among their cells. Pure.

In the files beside the report the columns keep their names: machines read those. Words of the store
(a state, a role, an outcome) are translated in the document, and stand as stored in the files.
"""

from __future__ import annotations

from typing import Any

from evidence.report.shapes import Lang, Words

HEADS: dict[str, Words] = {
    "action": Words("Action", "动作"),
    "activated_at": Words("Activated", "启用时间"),
    "activated_by": Words("Activated by", "启用人"),
    "at": Words("Time", "时间"),
    "by": Words("By", "执行者"),
    "bytes": Words("Bytes", "字节数"),
    "closed_at": Words("Closed", "办结时间"),
    "counts": Words("Counts", "计数"),
    "created_at": Words("Created", "创建时间"),
    "created_by": Words("Created by", "创建人"),
    "custodian": Words("Custodian", "保管负责人"),
    "decision": Words("Decision", "决定"),
    "due_at": Words("Due", "到期时间"),
    "entity": Words("Kind of personal data", "个人信息类型"),
    "events": Words("Events", "事件数"),
    "expires_at": Words("Expires", "失效时间"),
    "finished_at": Words("Finished", "结束时间"),
    "first": Words("First", "最早"),
    "found_at": Words("Found", "发现时间"),
    "hash": Words("Hash", "哈希值"),
    "id": Words("Id", "编号"),
    "key": Words("Key", "标识"),
    "key_version": Words("Version of the key", "密钥版本"),
    "kind": Words("Kind", "类型"),
    "lag_seconds": Words("Lateness, s", "延迟（秒）"),
    "last": Words("Last", "最晚"),
    "last_used_at": Words("Last used", "最近使用"),
    "matter": Words("Matter", "事项"),
    "memories": Words("Memories", "记忆数"),
    "memory": Words("Memory", "记忆"),
    "n": Words("Version", "版本"),
    "name": Words("Name", "名称"),
    "namespace": Words("Namespace", "命名空间"),
    "newest": Words("Newest", "最新"),
    "oldest": Words("Oldest", "最旧"),
    "originals": Words("Originals", "原文数"),
    "outcome": Words("Outcome", "结果"),
    "placed_at": Words("Placed", "冻结时间"),
    "placed_by": Words("Placed by", "冻结人"),
    "places": Words("Places", "位置数"),
    "prefixes": Words("Prefixes", "前缀"),
    "prevented": Words("Prevented", "已阻止"),
    "reason": Words("Reason", "原因"),
    "received_at": Words("Received", "收到时间"),
    "recorded_at": Words("Recorded", "登记时间"),
    "released_at": Words("Released", "解除时间"),
    "released_by": Words("Released by", "解除人"),
    "revoked_at": Words("Revoked", "吊销时间"),
    "role": Words("Role", "角色"),
    "rule": Words("Rule", "规则"),
    "scopes": Words("Scopes", "权限范围"),
    "since": Words("Since", "起始时间"),
    "started_at": Words("Started", "开始时间"),
    "state": Words("State", "状态"),
    "subject": Words("Person", "个人（化名）"),
    "sweeps": Words("Sweeps", "清扫次数"),
    "taken_at": Words("Taken", "备份时间"),
    "target": Words("About", "对象"),
    "tier": Words("Tier", "层级"),
    "trigger": Words("Trigger", "触发方式"),
    "up_to": Words("Up to", "不超过"),
    "user": Words("Person", "人员"),
}
CELLS: dict[str, dict[str, Words]] = {
    "up_to": {
        "1 minute": Words("1 minute", "1 分钟"),
        "5 minutes": Words("5 minutes", "5 分钟"),
        "1 hour": Words("1 hour", "1 小时"),
        "1 day": Words("1 day", "1 天"),
        "longer": Words("longer", "更久"),
    },
    "outcome": {
        "success": Words("success", "成功"),
        "denied": Words("denied", "已拒绝"),
        "failed": Words("failed", "失败"),
    },
    "role": {
        "admin": Words("admin", "管理员"),
        "officer": Words("officer", "合规专员"),
        "auditor": Words("auditor", "审计员"),
        "viewer": Words("viewer", "查看者"),
    },
    "state": {
        "draft": Words("draft", "草案"),
        "simulated": Words("simulated", "已模拟"),
        "approved": Words("approved", "已批准"),
        "active": Words("active", "生效中"),
        "superseded": Words("superseded", "已被取代"),
        "release_requested": Words("release requested", "待解除"),
        "released": Words("released", "已解除"),
        "running": Words("running", "进行中"),
        "done": Words("done", "完成"),
        "failed": Words("failed", "失败"),
    },
}


def head(column: str, lang: Lang) -> str:
    """What stands above a column."""
    return HEADS[column].say(lang)


def cell(column: str, value: Any, lang: Lang) -> Any:
    """A value in the reader's language where the store has a word for it; else as it is."""
    words = CELLS.get(column, {}).get(value) if isinstance(value, str) else None
    return value if words is None else words.say(lang)
