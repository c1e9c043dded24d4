"""The registry of events: a stable code, an action, a sentence in English and Chinese. Pure.

A code has three parts: area, verb, and S (success), D (denied) or F (failed). Codes are for ever:
an event once sealed names its code, so none is renamed or used again for something else.

Sentences take only the facts named here; nothing in an event is memory content, clear personal
data, a vector, a search text or a secret.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """How it ended."""

    SUCCESS = "success"
    DENIED = "denied"
    FAILED = "failed"


_LETTER = {Outcome.SUCCESS: "S", Outcome.DENIED: "D", Outcome.FAILED: "F"}


@dataclass(frozen=True, slots=True)
class EventKind:
    """One kind of event; `en` and `zh` are templates over `{actor}`, `{target}`, `{n}`."""

    action: str
    stem: str
    en: str
    zh: str

    def code(self, outcome: Outcome) -> str:
        """`MEM-PUT-S` and the like."""
        return f"{self.stem}-{_LETTER[outcome]}"


def _kinds(*rows: tuple[str, str, str, str]) -> dict[str, EventKind]:
    return {row[0]: EventKind(*row) for row in rows}


EVENTS = _kinds(
    ("memory.put", "MEM-PUT", "{actor} wrote {target}", "{actor} 写入了 {target}"),
    ("memory.get", "MEM-GET", "{actor} read {target}", "{actor} 读取了 {target}"),
    ("memory.search", "MEM-SRC", "{actor} searched and was shown {n} memories",
     "{actor} 进行了检索，返回 {n} 条记忆"),
    ("memory.delete", "MEM-DEL", "{actor} deleted {target}", "{actor} 删除了 {target}"),
    ("memory.batch", "MEM-BAT", "{actor} ran a batch of {n} operations",
     "{actor} 执行了 {n} 个批量操作"),
    ("memory.import", "MEM-IMP", "{actor} imported {n} memories with their dates",
     "{actor} 导入了 {n} 条带原有日期的记忆"),
    ("memory.embed", "MEM-EMB", "{actor} embedded {n} memories", "{actor} 为 {n} 条记忆生成了向量"),
    ("memory.restore", "MEM-RES", "{actor} restored {target}", "{actor} 恢复了 {target}"),
    ("memory.label", "MEM-LAB", "{actor} labelled {target}", "{actor} 为 {target} 加了标签"),
    ("memory.versions", "MEM-VER", "{actor} read the versions of {target}",
     "{actor} 读取了 {target} 的历史版本"),
    ("memory.export", "MEM-EXP", "{actor} exported {n} memories", "{actor} 导出了 {n} 条记忆"),
    ("memory.reveal", "MEM-REV", "{actor} was shown what is sealed in {target}",
     "{actor} 查看了 {target} 中的加密原文"),
    ("memory.find", "MEM-FND", "{actor} looked for a sealed value and found {n} memories",
     "{actor} 按加密值查找，找到 {n} 条记忆"),
    ("memory.promote", "MEM-PRO", "{actor} promoted {target} from {n} candidates",
     "{actor} 依据 {n} 条候选记忆晋升了 {target}"),
    ("search.feedback", "SRC-FBK", "{actor} said of a search that {n} of its memories were used",
     "{actor} 反馈某次检索有 {n} 条记忆被采用"),
    ("golden.add", "GLD-NEW", "{actor} added {target}", "{actor} 新增了 {target}"),
    ("golden.read", "GLD-GET", "{actor} read {n} golden questions",
     "{actor} 查看了 {n} 个黄金问题"),
    ("golden.remove", "GLD-DEL", "{actor} removed {target}", "{actor} 移除了 {target}"),
    ("recall.measure", "RCL-MSR", "{actor} measured recall with {n} golden questions",
     "{actor} 用 {n} 个黄金问题测量了召回率"),
    ("privacy.scan", "PII-SCN", "{actor} looked at {n} memories again for personal data",
     "{actor} 重新检查了 {n} 条记忆中的个人信息"),
    ("privacy.quarantine", "PII-QUA", "{actor} quarantined {target}", "{actor} 隔离了 {target}"),
    ("privacy.decide", "PII-DEC", "{actor} decided about the quarantined {target}",
     "{actor} 对隔离的 {target} 作出了决定"),
    ("privacy.rules", "PII-RUL", "{actor} changed what is done with personal data",
     "{actor} 更改了个人信息的处理方式"),
    ("privacy.drop", "PII-DRP", "{actor} destroyed {n} sealed originals that nothing needs",
     "{actor} 销毁了 {n} 条不再需要的加密原文"),
    ("keys.destroy", "SEA-DES", "{actor} destroyed version {n} of the keys of {target}",
     "{actor} 销毁了 {target} 的第 {n} 版密钥"),
    ("keys.rotate", "SEA-ROT", "{actor} rotated the keys of {target}",
     "{actor} 轮换了 {target} 的密钥"),
    ("tenant.close", "TEN-END", "{actor} closed {target} and destroyed its keys",
     "{actor} 关闭了 {target} 并销毁其密钥"),
    ("namespace.delete", "NSP-DEL", "{actor} deleted the namespace {target}",
     "{actor} 删除了命名空间 {target}"),
    ("job.begin", "JOB-NEW", "{actor} started the job {target}", "{actor} 启动了任务 {target}"),
    ("job.cancel", "JOB-CAN", "{actor} asked the job {target} to stop",
     "{actor} 请求停止任务 {target}"),
    ("job.file", "JOB-FIL", "{actor} took the file of {target}", "{actor} 下载了 {target} 的文件"),
    ("job.end", "JOB-END", "the job {target} is over", "任务 {target} 已结束"),
    ("sweep.run", "SWP-RUN", "{actor} swept {target}", "{actor} 清理了 {target}"),
    ("sweep.hide", "SWP-HID", "{actor} took {n} expired memories out of use",
     "{actor} 将 {n} 条到期记忆停止使用"),
    ("sweep.purge", "SWP-PRG", "{actor} destroyed {n} memories", "{actor} 彻底删除了 {n} 条记忆"),
    ("sweep.archive", "SWP-ARC", "{actor} archived {n} memories", "{actor} 归档了 {n} 条记忆"),
    ("sweep.degrade", "SWP-DEG", "{actor} lowered the rank of {n} memories",
     "{actor} 降低了 {n} 条记忆的排序权重"),
    ("sweep.lift", "SWP-LFT", "{actor} gave {n} memories their full rank back",
     "{actor} 恢复了 {n} 条记忆的排序权重"),
    ("sweep.anonymise", "SWP-ANO", "{actor} masked the personal data of {n} memories",
     "{actor} 对 {n} 条记忆中的个人信息做了脱敏"),
    ("sweep.unseal", "SWP-UNS", "{actor} destroyed the sealed originals of {n} memories",
     "{actor} 销毁了 {n} 条记忆的加密原文"),
    ("review.decide", "REV-DEC", "{actor} decided about {target}, which waited for review",
     "{actor} 对待复核的 {target} 作出了决定"),
    ("finding.close", "FND-CLS", "{actor} closed the finding {target}",
     "{actor} 关闭了发现项 {target}"),
    ("sweep.scope", "SWP-SCO", "{actor} changed the sweep scope {target}",
     "{actor} 更改了清理范围 {target}"),
    ("memory.event", "MEM-EVT", "{actor} told of the event {target}, which {n} memories heard",
     "{actor} 通报了事件 {target}，涉及 {n} 条记忆"),
    ("session.open", "SES-NEW", "{actor} opened the session {target}",
     "{actor} 开启了会话 {target}"),
    ("session.read", "SES-GET", "{actor} read the session {target}",
     "{actor} 读取了会话 {target}"),
    ("session.change", "SES-CHG", "{actor} changed the task state of the session {target}",
     "{actor} 更改了会话 {target} 的任务状态"),
    ("session.message", "SES-MSG", "{actor} added a message to the session {target}",
     "{actor} 向会话 {target} 添加了一条消息"),
    ("session.end", "SES-END",
     "{actor} ended the session {target} and deleted {n} short-term memories",
     "{actor} 结束了会话 {target}，删除了 {n} 条短期记忆"),
    ("context.assemble", "CTX-ASM", "{actor} was given a context of {n} memories",
     "{actor} 获得了由 {n} 条记忆组成的上下文"),
    ("rules.draft", "RUL-NEW", "{actor} drafted the rules {target}",
     "{actor} 起草了规则集 {target}"),
    ("rules.write", "RUL-WRT", "{actor} changed the draft {target}",
     "{actor} 修改了规则草稿 {target}"),
    ("rules.delete", "RUL-DEL", "{actor} deleted the draft {target}",
     "{actor} 删除了规则草稿 {target}"),
    ("rules.simulate", "RUL-SIM", "{actor} simulated the rules {target} over {n} memories",
     "{actor} 用 {n} 条记忆模拟了规则集 {target}"),
    ("rules.approve", "RUL-APP", "{actor} approved the rules {target}",
     "{actor} 批准了规则集 {target}"),
    ("rules.activate", "RUL-ACT", "{actor} put the rules {target} into force",
     "{actor} 启用了规则集 {target}"),
    ("hold.place", "HLD-NEW", "{actor} placed the hold {target} over {n} memories",
     "{actor} 设置了法律冻结 {target}，涉及 {n} 条记忆"),
    ("hold.request", "HLD-REQ", "{actor} asked for the release of the hold {target}",
     "{actor} 申请解除法律冻结 {target}"),
    ("hold.keep", "HLD-KEP", "{actor} kept the hold {target}, whose release was asked for",
     "{actor} 决定维持被申请解除的法律冻结 {target}"),
    ("hold.release", "HLD-REL", "{actor} released the hold {target}",
     "{actor} 解除了法律冻结 {target}"),
    ("hold.prevent", "HLD-PRV", "the hold {target} prevented {n} destructions",
     "法律冻结 {target} 阻止了 {n} 次销毁"),
    ("request.open", "REQ-NEW", "{actor} opened the subject request {target}",
     "{actor} 登记了个人请求 {target}"),
    ("request.identity", "REQ-IDN", "{actor} verified who asked in the request {target}",
     "{actor} 核实了请求 {target} 的身份"),
    ("request.scope", "REQ-SCO", "{actor} found {n} memories for the request {target}",
     "{actor} 为请求 {target} 找到 {n} 条记忆"),
    ("request.exclude", "REQ-EXC", "{actor} excluded {n} memories from the request {target}",
     "{actor} 从请求 {target} 中排除了 {n} 条记忆"),
    ("request.decide", "REQ-DEC", "{actor} decided about the request {target}",
     "{actor} 对请求 {target} 作出了决定"),
    ("request.approve", "REQ-APP", "{actor} approved the request {target}",
     "{actor} 批准了请求 {target}"),
    ("request.extend", "REQ-EXT", "{actor} extended the request {target} by a month",
     "{actor} 将请求 {target} 延期一个月"),
    ("request.withdraw", "REQ-WDR", "{actor} noted that the request {target} was withdrawn",
     "{actor} 记录了请求 {target} 的撤回"),
    ("request.read", "REQ-RED", "{actor} read the request {target}", "{actor} 查看了请求 {target}"),
    ("request.package", "REQ-PKG", "{actor} took the package of the request {target}",
     "{actor} 取走了请求 {target} 的资料包"),
    ("request.purge", "REQ-PRG", "{actor} destroyed {n} memories for a subject request",
     "{actor} 因个人请求彻底删除了 {n} 条记忆"),
    ("request.probe", "REQ-PRB", "{actor} looked for what the request {target} left: {n}",
     "{actor} 复查请求 {target} 的残留，发现 {n} 处"),
    ("request.close", "REQ-CLO", "{actor} closed the request {target}",
     "{actor} 结束了请求 {target}"),
    ("erasure.replay", "ERA-REP", "{actor} repeated the erasure {target} after a restore",
     "{actor} 在恢复后重新执行了删除 {target}"),
    ("backup.record", "BAK-REC", "{actor} recorded a backup", "{actor} 登记了一次备份"),
    ("tenant.create", "TEN-NEW", "{actor} created the tenant {target}",
     "{actor} 创建了租户 {target}"),
    ("tenant.settings", "TEN-SET", "{actor} changed the settings of {target}",
     "{actor} 更改了 {target} 的设置"),
    ("member.add", "MBR-NEW", "{actor} gave {target} a role", "{actor} 授予了 {target} 角色"),
    ("member.invite", "MBR-INV", "{actor} invited {target}", "{actor} 邀请了 {target}"),
    ("member.accept", "MBR-ACC", "{actor} accepted the invitation", "{actor} 接受了邀请"),
    ("member.change", "MBR-CHG", "{actor} changed the role of {target}",
     "{actor} 更改了 {target} 的角色"),
    ("member.remove", "MBR-REM", "{actor} removed {target}", "{actor} 移除了 {target}"),
    ("key.issue", "KEY-NEW", "{actor} issued the key {target}", "{actor} 签发了密钥 {target}"),
    ("key.revoke", "KEY-REV", "{actor} revoked the key {target}", "{actor} 吊销了密钥 {target}"),
    ("audit.epoch", "AUD-EPO", "the log began the epoch {target}", "日志开始了新的纪元 {target}"),
    ("audit.verify", "AUD-VER", "{actor} verified {n} events of the log",
     "{actor} 核验了日志中的 {n} 个事件"),
    ("audit.bundle", "AUD-BUN", "{actor} exported {n} events with their proofs",
     "{actor} 导出了 {n} 个事件及其证明"),
    ("audit.drop", "AUD-DRP", "{actor} dropped {target} after exporting {n} events",
     "{actor} 在导出 {n} 个事件后移除了 {target}"),
    ("evidence.export", "EVI-EXP", "{actor} exported {n} rows of {target}",
     "{actor} 导出了 {target} 的 {n} 行"),
    ("evidence.report", "EVI-REP", "{actor} made the report of a period",
     "{actor} 生成了期间报告"),
    ("evidence.known", "EVI-KNW", "{actor} asked what {target} knew",
     "{actor} 查询了 {target} 当时所知"),
    ("audit.reconcile", "AUD-REC", "{actor} compared the rows with their events, {n} without one",
     "{actor} 核对了数据行与事件，{n} 行没有对应事件"),
    ("config.change", "CFG-CHG", "{actor} changed {target}", "{actor} 更改了 {target}"),
    ("access.key", "ACC-KEY", "a request came with a key that is not good",
     "收到一个携带无效密钥的请求"),
    ("access.call", "ACC-CAL", "{actor} was refused: {target}", "{actor} 的请求被拒绝：{target}"),
    ("access.login", "ACC-LOG", "{actor} signed in", "{actor} 登录了"),
    ("access.enter", "ACC-ENT", "{actor} entered the tenant", "{actor} 进入了租户"),
    ("access.logout", "ACC-OUT", "{actor} signed out", "{actor} 退出了登录"),
    ("access.session", "ACC-SES", "{actor} ended a session", "{actor} 结束了一个会话"),
    ("access.review", "ACC-REV", "{actor} confirmed the access of {target}",
     "{actor} 确认了 {target} 的访问权限"),
    ("access.password", "ACC-PWD", "{actor} changed the password", "{actor} 更改了密码"),
    ("access.codes", "ACC-COD", "{actor} was shown the recovery codes",
     "{actor} 查看了恢复码"),
    ("access.factor", "ACC-2FA", "{actor} changed the second factor", "{actor} 更改了第二因素"),
)  # fmt: skip

_BY_STEM = {kind.stem: kind for kind in EVENTS.values()}


def sentence(code: str, *, actor: str, target: str, count: int | None, lang: str = "en") -> str:
    """What happened, as one sentence in `lang` ("en" or "zh")."""
    stem, _, letter = code.rpartition("-")
    kind = _BY_STEM.get(stem)
    if kind is None:
        return f"{actor}: {code}"
    template = kind.zh if lang == "zh" else kind.en
    text = template.format(actor=actor, target=target, n="?" if count is None else count)
    ending = {
        "D": (" — denied", "——被拒绝"),
        "F": (" — failed", "——失败"),
    }.get(letter, ("", ""))
    return text + ending[lang == "zh"]
