"""The sections of the report that come from the database, with their statements."""

from __future__ import annotations

from evidence.report.shapes import Figure, Section, Table, Words

_IN_PERIOD = "tenant_id = %(tenant)s AND at >= %(since)s AND at < %(until)s"
_ACTION = "SELECT count(*) FROM audit_event WHERE " + _IN_PERIOD + " AND action = "


def _events(key: str, en: str, zh: str, action: str) -> Figure:
    return Figure(key, Words(en, zh), f"{_ACTION}'{action}' AND outcome = 'success'")


SCOPE = Section(
    "scope", Words("Scope and inventory", "范围与清单"),
    Words("What the hub stores for this tenant at the end of the period, as it is now.",
          "本租户当前存储的内容。"),
    figures=(
        Figure("memories", Words("Memories stored", "存储的记忆"),
               "SELECT count(*) FROM memories_memory WHERE tenant_id = %(tenant)s"),
        Figure("versions", Words("Earlier versions stored", "存储的历史版本"),
               "SELECT count(*) FROM memories_memoryversion WHERE tenant_id = %(tenant)s"),
        Figure("vectors", Words("Vectors stored", "存储的向量"),
               "SELECT count(*) FROM memories_memoryvector WHERE tenant_id = %(tenant)s"),
        Figure("subjects", Words("People that memories are about", "记忆涉及的个人"),
               "SELECT count(DISTINCT subject) FROM memories_memorysubject "
               "WHERE tenant_id = %(tenant)s"),
        Figure("tombstones", Words("Memories destroyed so far", "累计销毁的记忆"),
               "SELECT count(*) FROM memories_tombstone WHERE tenant_id = %(tenant)s"),
    ),
    tables=(
        Table("inventory", Words("Memories by kind and tier", "按类型与层级统计的记忆"),
              ("kind", "tier", "memories", "bytes", "oldest", "newest"),
              "SELECT kind, tier, count(*), sum(octet_length(value::text)), min(created_at), "
              "max(created_at) FROM memories_memory WHERE tenant_id = %(tenant)s "
              "GROUP BY 1, 2 ORDER BY 1, 2"),
    ),
)  # fmt: skip

RULES = Section(
    "rules", Words("Rules in force and their changes", "生效规则及其变更"),
    Words("Every version of the retention rules that was written, who approved it and when it came "
          "into force. A version is never changed afterwards.",
          "保留规则的每个版本、批准人及生效时间。版本一经写入不再更改。"),
    figures=(
        Figure("active_ruleset", Words("Version in force", "生效版本"),
               "SELECT coalesce(max(n), 0) FROM policies_ruleset "
               "WHERE tenant_id = %(tenant)s AND state = 'active'"),
        Figure("rules_in_force", Words("Rules in force", "生效规则数"),
               "SELECT coalesce(sum(jsonb_array_length(rules)), 0) FROM policies_ruleset "
               "WHERE tenant_id = %(tenant)s AND state = 'active'"),
        _events("activations", "Activations in the period", "期间内的启用次数", "rules.activate"),
    ),
    tables=(
        Table("rules_in_force", Words("The rules in force", "生效规则"),
              ("key", "kind", "rule"),
              "SELECT r ->> 'key', r ->> 'kind', r::text FROM policies_ruleset, "
              "jsonb_array_elements(rules) AS r WHERE tenant_id = %(tenant)s AND state = 'active' "
              "ORDER BY 1"),
        Table("ruleset_versions", Words("Versions", "版本"),
              ("n", "state", "created_at", "created_by", "activated_at", "activated_by", "hash"),
              "SELECT n, state, created_at, created_by_name, activated_at, activated_by_name, hash "
              "FROM policies_ruleset WHERE tenant_id = %(tenant)s ORDER BY n DESC"),
    ),
)  # fmt: skip

EXECUTION = Section(
    "execution", Words("Execution", "执行情况"),
    Words("Sweeps in the period: what they hid, destroyed and changed, and how late the oldest "
          "due memory was when each began. Lateness shows nothing expired: reads filter by date.",
          "期间内的清扫：隐藏、销毁与变更的数量，以及每次开始时最早到期记忆的延迟。"
          "延迟不会展示已过期内容：读取时按日期过滤。"),
    figures=(
        Figure("sweeps", Words("Sweeps", "清扫次数"),
               "SELECT count(*) FROM memories_sweeprun WHERE tenant_id = %(tenant)s "
               "AND NOT dry_run AND started_at >= %(since)s AND started_at < %(until)s"),
        Figure("destroyed", Words("Memories destroyed in the period", "期间内销毁的记忆"),
               "SELECT count(*) FROM memories_tombstone WHERE tenant_id = %(tenant)s "
               "AND purged_at >= %(since)s AND purged_at < %(until)s"),
        Figure("failed", Words("Sweeps that failed", "失败的清扫"),
               "SELECT count(*) FROM memories_sweeprun WHERE tenant_id = %(tenant)s "
               "AND state = 'failed' AND started_at >= %(since)s AND started_at < %(until)s"),
        Figure("worst_lag", Words("Worst lateness, in seconds", "最大延迟（秒）"),
               "SELECT coalesce(max(lag_seconds), 0)::numeric(12, 1) FROM memories_sweeprun "
               "WHERE tenant_id = %(tenant)s AND NOT dry_run "
               "AND started_at >= %(since)s AND started_at < %(until)s"),
    ),
    tables=(
        Table("lateness", Words("Lateness of sweeps", "清扫延迟分布"), ("up_to", "sweeps"),
              "SELECT b.name, count(r.id) FROM (VALUES (1, '1 minute', 0, 60), "
              "(2, '5 minutes', 60, 300), (3, '1 hour', 300, 3600), (4, '1 day', 3600, 86400), "
              "(5, 'longer', 86400, 1e12)) AS b (n, name, low, high) "
              "LEFT JOIN memories_sweeprun r ON r.tenant_id = %(tenant)s AND NOT r.dry_run "
              "AND r.started_at >= %(since)s AND r.started_at < %(until)s "
              "AND r.lag_seconds >= b.low AND r.lag_seconds < b.high GROUP BY b.n, b.name "
              "ORDER BY b.n"),
        Table("destroyed_by_reason",
              Words("Destroyed, by reason and rule", "按原因与规则统计的销毁"),
              ("reason", "rule", "memories", "first", "last"),
              "SELECT reason, rule, count(*), min(purged_at), max(purged_at) "
              "FROM memories_tombstone WHERE tenant_id = %(tenant)s "
              "AND purged_at >= %(since)s AND purged_at < %(until)s GROUP BY 1, 2 ORDER BY 3 DESC"),
        Table("sweeps", Words("Sweeps that acted", "有动作的清扫"),
              ("id", "namespace", "trigger", "state", "started_at", "finished_at", "lag_seconds",
               "counts"),
              "SELECT id, namespace_prefix, trigger, state, started_at, finished_at, lag_seconds, "
              "counts::text FROM memories_sweeprun WHERE tenant_id = %(tenant)s AND NOT dry_run "
              "AND started_at >= %(since)s AND started_at < %(until)s "
              "AND (state <> 'done' OR EXISTS (SELECT FROM jsonb_each_text(counts) AS c "
              "WHERE c.value <> '0')) ORDER BY started_at DESC, id DESC"),
    ),
)  # fmt: skip

REVIEWS = Section(
    "reviews", Words("Reviews", "人工复核"),
    Words("Decisions of people about memories that a rule sent to review or a detector hid.",
          "对规则送审或检测器隐藏的记忆所作的人工决定。"),
    figures=(
        _events("review_decisions", "Decisions in the review queue", "复核队列中的决定",
                "review.decide"),
        _events("quarantine_decisions", "Decisions about quarantined memories", "隔离记忆的决定",
                "privacy.decide"),
    ),
    tables=(
        Table("reviews", Words("Decisions", "决定"), ("at", "by", "action", "memory", "decision"),
              "SELECT at, actor_name, action, target_id, links ->> 'decision' FROM audit_event "
              "WHERE " + _IN_PERIOD + " AND action IN ('review.decide', 'privacy.decide') "
              "AND outcome = 'success' ORDER BY at DESC, id DESC"),
    ),
)  # fmt: skip

HOLDS = Section(
    "holds", Words("Legal holds", "法律冻结"),
    Words("What must not be destroyed, and what holds kept from being destroyed.",
          "不得销毁的内容，以及因法律冻结而未被销毁的内容。"),
    figures=(
        Figure("open_holds", Words("Open holds", "生效中的冻结"),
               "SELECT count(*) FROM policies_hold WHERE tenant_id = %(tenant)s "
               "AND released_at IS NULL"),
        Figure("prevented", Words("Destructions prevented in the period", "期间内阻止的销毁"),
               "SELECT count(*) FROM policies_prevention WHERE tenant_id = %(tenant)s "
               "AND prevented_at >= %(since)s AND prevented_at < %(until)s"),
    ),
    tables=(
        Table("holds", Words("Holds", "法律冻结"),
              ("id", "matter", "custodian", "state", "placed_at", "placed_by", "released_at",
               "released_by", "prevented"),
              "SELECT h.id, h.matter, h.custodian, h.state, h.placed_at, h.placed_by_name, "
              "h.released_at, h.released_by_name, (SELECT count(*) FROM policies_prevention p "
              "WHERE p.tenant_id = h.tenant_id AND p.hold_id = h.id) FROM policies_hold h "
              "WHERE h.tenant_id = %(tenant)s AND h.placed_at < %(until)s "
              "AND (h.released_at IS NULL OR h.released_at >= %(since)s) "
              "ORDER BY h.placed_at DESC, h.id DESC"),
    ),
)  # fmt: skip

REQUESTS = Section(
    "requests", Words("Subject requests", "个人信息请求"),
    Words("Requests of people to see, restrict or erase what is stored of them. People appear by "
          "pseudonym.", "个人查阅、限制或删除其信息的请求。个人仅以化名出现。"),
    figures=(
        Figure("received", Words("Received in the period", "期间内收到"),
               "SELECT count(*) FROM erasure_subjectrequest WHERE tenant_id = %(tenant)s "
               "AND received_at >= %(since)s AND received_at < %(until)s"),
        Figure("closed", Words("Closed in the period", "期间内办结"),
               "SELECT count(*) FROM erasure_subjectrequest WHERE tenant_id = %(tenant)s "
               "AND closed_at >= %(since)s AND closed_at < %(until)s"),
        Figure("closed_late", Words("Of these after their due date", "其中逾期办结"),
               "SELECT count(*) FROM erasure_subjectrequest WHERE tenant_id = %(tenant)s "
               "AND closed_at >= %(since)s AND closed_at < %(until)s AND closed_at > due_at"),
        Figure("past_due", Words("Open and past due now", "当前逾期未结"),
               "SELECT count(*) FROM erasure_subjectrequest WHERE tenant_id = %(tenant)s "
               "AND closed_at IS NULL AND due_at < statement_timestamp()"),
    ),
    tables=(
        Table("requests", Words("Requests", "请求"),
              ("id", "kind", "subject", "state", "outcome", "received_at", "due_at", "closed_at"),
              "SELECT id, kind, pseudonym, state, outcome, received_at, due_at, closed_at "
              "FROM erasure_subjectrequest WHERE tenant_id = %(tenant)s "
              "AND received_at < %(until)s AND (closed_at IS NULL OR closed_at >= %(since)s) "
              "ORDER BY received_at DESC, id DESC"),
    ),
)  # fmt: skip

_LOOKED = (
    "FROM memories_memory WHERE tenant_id = %(tenant)s "
    "AND created_at >= %(since)s AND created_at < %(until)s"
)
PERSONAL = Section(
    "personal", Words("Personal data found and time to mask", "发现的个人信息与遮盖用时"),
    Words("Personal data is looked for as it is written. The duty is 24 hours; until a memory was "
          "looked at, reads show it masked.",
          "写入时即检测个人信息。时限为 24 小时；检测完成前读取结果均作遮盖。"),
    figures=(
        Figure("found", Words("Memories with findings now", "当前含个人信息的记忆"),
               "SELECT count(DISTINCT memory_id) FROM privacy_piifinding "
               "WHERE tenant_id = %(tenant)s"),
        Figure("within_24h", Words("Looked at within 24 hours, in %", "24 小时内完成检测（%）"),
               "SELECT coalesce(round(100.0 * count(*) FILTER (WHERE scanned_at - updated_at "
               "<= interval '24 hours' OR scanned_at <= updated_at) "
               "/ nullif(count(*), 0), 2), 100) "
               + _LOOKED),
        Figure("worst_hours", Words("Longest time to look, in seconds", "最长检测用时（秒）"),
               "SELECT coalesce(max(greatest(extract(epoch FROM scanned_at - updated_at), 0)), 0)"
               "::numeric(12, 1) " + _LOOKED),
        _events("reveals", "Values revealed to people", "向人员展示原文次数", "memory.reveal"),
    ),
    tables=(
        Table("personal_data", Words("Findings by kind and action", "按类型与处理方式统计"),
              ("entity", "action", "memories", "places"),
              "SELECT entity, action, count(DISTINCT memory_id), sum(count) "
              "FROM privacy_piifinding WHERE tenant_id = %(tenant)s GROUP BY 1, 2 ORDER BY 3 DESC"),
        Table("reveals", Words("Values revealed", "原文展示记录"), ("at", "by", "memory"),
              "SELECT at, actor_name, target_id FROM audit_event WHERE " + _IN_PERIOD
              + " AND action = 'memory.reveal' ORDER BY at DESC, id DESC"),
    ),
)  # fmt: skip

ACCESS = Section(
    "access", Words("Access and grants", "访问与授权"),
    Words("Who may come in now, and what changed in the period. People appear by id and name.",
          "当前可访问者，以及期间内的变更。人员以编号与姓名出现。"),
    figures=(
        Figure("members", Words("People with a role", "有角色的人员"),
               "SELECT count(*) FROM tenants_membership WHERE tenant_id = %(tenant)s"),
        Figure("keys", Words("Keys that work", "有效密钥"),
               "SELECT count(*) FROM tenants_apikey WHERE tenant_id = %(tenant)s "
               "AND revoked_at IS NULL "
               "AND (expires_at IS NULL OR expires_at > statement_timestamp())"),
        Figure("denied", Words("Denied in the period", "期间内的拒绝次数"),
               "SELECT count(*) FROM audit_event WHERE " + _IN_PERIOD + " AND outcome = 'denied'"),
    ),
    tables=(
        Table("members", Words("People", "人员"), ("user", "name", "role", "prefixes", "since"),
              "SELECT m.user_id, u.name, m.role, m.prefixes::text, m.created_at "
              "FROM tenants_membership m JOIN tenants_user u ON u.id = m.user_id "
              "WHERE m.tenant_id = %(tenant)s ORDER BY m.created_at, m.id"),
        Table("keys", Words("Keys", "密钥"),
              ("id", "name", "scopes", "prefixes", "created_at", "created_by", "expires_at",
               "revoked_at", "last_used_at"),
              "SELECT id, name, scopes::text, prefixes::text, created_at, "
              "split_part(created_by, '@', 1), expires_at, revoked_at, last_used_at "
              "FROM tenants_apikey WHERE tenant_id = %(tenant)s ORDER BY created_at, id"),
        Table("grants", Words("Changes of access", "授权变更"),
              ("at", "by", "action", "outcome", "target"),
              "SELECT at, actor_name, action, outcome, target_id FROM audit_event WHERE "
              + _IN_PERIOD + " AND (action LIKE 'key.%%' OR action LIKE 'member.%%' "
              "OR action LIKE 'user.%%') ORDER BY at DESC, id DESC"),
    ),
)  # fmt: skip

LOG = Section(
    "log", Words("The log", "审计日志"),
    Words("Every change and every read that returned content is an event in the same transaction.",
          "每次变更及返回内容的读取均在同一事务中记录事件。"),
    figures=(
        Figure("events", Words("Events in the period", "期间内的事件"),
               "SELECT count(*) FROM audit_event WHERE " + _IN_PERIOD),
        Figure("sealed", Words("Of these sealed", "其中已封存"),
               "SELECT count(*) FROM audit_leaf WHERE tenant_id = %(tenant)s "
               "AND event_at >= %(since)s AND event_at < %(until)s"),
        Figure("checkpoints", Words("Signed checkpoints", "已签名检查点"),
               "SELECT count(*) FROM audit_checkpoint WHERE " + _IN_PERIOD),
    ),
    tables=(
        Table("events_by_action", Words("Events by action and outcome", "按动作与结果统计的事件"),
              ("action", "outcome", "events"),
              "SELECT action, outcome, count(*) FROM audit_event WHERE " + _IN_PERIOD
              + " GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"),
    ),
)  # fmt: skip

ENCRYPTION = Section(
    "encryption", Words("Encryption", "加密"),
    Words("Identity numbers and other originals are sealed with AES-256-GCM under keys of the "
          "tenant that lie outside the database; agents and this report see tokens and masks only.",
          "身份证号等原文以 AES-256-GCM 加密，密钥按租户存放于数据库之外；"
          "智能体与本报告仅可见令牌与遮盖值。"),
    figures=(
        Figure("sealed_originals", Words("Sealed originals", "加密原文"),
               "SELECT count(*) FROM privacy_vaultentry WHERE tenant_id = %(tenant)s"),
        _events("rotations", "Rotations of keys in the period", "期间内的密钥轮换", "keys.rotate"),
    ),
    tables=(
        Table("sealed_by_key", Words("Originals by version of the key", "按密钥版本统计的原文"),
              ("key_version", "originals"),
              "SELECT key_version, count(*) FROM privacy_vaultentry WHERE tenant_id = %(tenant)s "
              "GROUP BY 1 ORDER BY 1"),
    ),
)  # fmt: skip

BACKUPS = Section(
    "backups", Words("Backups", "备份"),
    Words("Copies of the database that were recorded. What was erased ends with the last of them.",
          "已登记的数据库备份。被删除的信息随最后一份备份到期而彻底消失。"),
    figures=(
        Figure("copies", Words("Copies that have not expired", "未到期备份"),
               "SELECT count(*) FROM erasure_recordedbackup WHERE expires_at > %(until)s"),
    ),
    tables=(
        Table("backups", Words("Copies", "备份"), ("taken_at", "expires_at", "recorded_at"),
              "SELECT taken_at, expires_at, recorded_at FROM erasure_recordedbackup "
              "WHERE expires_at >= %(since)s ORDER BY taken_at DESC, id DESC"),
    ),
)  # fmt: skip

EXCEPTIONS = Section(
    "exceptions", Words("Exceptions", "异常"),
    Words("What a job could not do, what failed, and where rules contradict each other.",
          "任务未能完成的事项、失败记录以及规则冲突。"),
    figures=(
        Figure("open_findings", Words("Findings that are open", "未关闭的发现"),
               "SELECT count(*) FROM memories_finding WHERE tenant_id = %(tenant)s "
               "AND closed_at IS NULL"),
        Figure("failed_jobs", Words("Jobs that failed in the period", "期间内失败的任务"),
               "SELECT count(*) FROM audit_job WHERE tenant_id = %(tenant)s AND state = 'failed' "
               "AND created_at >= %(since)s AND created_at < %(until)s"),
        Figure("conflicts", Words("Memories under contradicting rules", "规则冲突的记忆"),
               "SELECT count(*) FROM memories_memory m WHERE m.tenant_id = %(tenant)s "
               "AND 'policy_conflict' = ANY(m.flags)"),
        Figure("uncovered", Words("Memories that no rule and no lifetime covers",
                                  "没有规则或期限覆盖的记忆"),
               "SELECT count(*) FROM memories_memory m WHERE m.tenant_id = %(tenant)s "
               "AND 'uncovered' = ANY(m.flags) AND m.trashed_at IS NULL"),
    ),
    tables=(
        Table("findings", Words("Findings", "发现"), ("kind", "memory", "found_at", "closed_at"),
              "SELECT kind, memory_id, found_at, closed_at FROM memories_finding "
              "WHERE tenant_id = %(tenant)s AND found_at < %(until)s "
              "AND (closed_at IS NULL OR closed_at >= %(since)s) ORDER BY found_at DESC, id DESC"),
    ),
)  # fmt: skip

SECTIONS = (
    SCOPE, RULES, EXECUTION, REVIEWS, HOLDS, REQUESTS, PERSONAL, ACCESS, ENCRYPTION, LOG, BACKUPS,
    EXCEPTIONS,
)  # fmt: skip
"""In the order of the report; the mapping and the method follow in `documents`."""
