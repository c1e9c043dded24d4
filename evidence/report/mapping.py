"""Which part of the report speaks to which requirement of which law or standard. Pure."""

from __future__ import annotations

from evidence.report.shapes import Words

MAPPING: tuple[tuple[str, str, Words], ...] = (
    ("GDPR", "Art. 5(1)(e)", Words("Storage limitation: rules, execution", "存储限制：规则、执行")),
    ("GDPR", "Art. 5(2), 30", Words("Accountability and records: the log, scope",
                                    "问责与记录：日志、范围")),
    ("GDPR", "Art. 15–18", Words("Access, rectification, erasure, restriction: subject requests",
                                 "查阅、更正、删除、限制：个人信息请求")),
    ("GDPR", "Art. 25, 32", Words("Protection by design and security: personal data, encryption, "
                                  "access", "设计保护与安全：个人信息、加密、访问")),
    ("PIPL", "第十九条", Words("Shortest necessary retention: rules, execution",
                               "保存期限为实现目的所必要的最短时间：规则、执行")),
    ("PIPL", "第四十四至四十七条", Words("Rights of individuals: subject requests",
                                          "个人在个人信息处理活动中的权利：个人信息请求")),
    ("PIPL", "第五十一条", Words("Encryption, de-identification, access: personal data, encryption",
                                 "加密、去标识化、权限：个人信息、加密、访问")),
    ("PIPL", "第五十四条", Words("Regular compliance audit: this report", "定期合规审计：本报告")),
    ("GB/T 35273", "6.1, 6.2", Words("Minimised retention, de-identification: rules, personal data",
                                     "保存时间最小化、去标识化：规则、个人信息")),
    ("GB/T 35273", "8.3, 8.7", Words("Deletion and response to requests: subject requests",
                                     "删除与响应请求：个人信息请求")),
    ("GB/T 35273", "11.7", Words("Security audit: the log", "安全审计：审计日志")),
    ("ISO/IEC 27001", "A.5.15, A.5.18", Words("Access control and rights: access and grants",
                                              "访问控制与权限：访问与授权")),
    ("ISO/IEC 27001", "A.8.10, A.8.11", Words("Deletion and masking: execution, personal data",
                                              "信息删除与数据脱敏：执行、个人信息")),
    ("ISO/IEC 27001", "A.8.15", Words("Logging: the log", "日志：审计日志")),
    ("ISO/IEC 27001", "A.8.24", Words("Cryptography: encryption", "密码技术：加密")),
    ("SOC 2", "CC6.1–CC6.3", Words("Logical access: access and grants", "逻辑访问：访问与授权")),
    ("SOC 2", "CC7.2, CC7.3", Words("Monitoring: the log, exceptions", "监控：日志、异常")),
    ("SOC 2", "C1.2, P4.3", Words("Disposal: execution, holds, subject requests",
                                  "处置：执行、冻结、请求")),
)  # fmt: skip
"""(law or standard, place, what in the report)."""
