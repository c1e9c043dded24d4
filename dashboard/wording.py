"""Names of states, kinds, actions and scopes as people read them."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

STATE_NAMES: dict[str, str | Promise] = {
    "ACTIVE": _("Active"),
    "ARCHIVED": _("Archived"),
    "TRASH": _("Trash"),
    "RETAINED": _("Retained"),
    "RESTRICTED": _("Restricted"),
    "IN_REVIEW": _("In review"),
    "QUARANTINED": _("Quarantined"),
    "HELD": _("Held"),
    "PURGED": _("Purged"),
}

KIND_NAMES: dict[str, str | Promise] = {
    "fact": _("fact"),
    "episode": _("episode"),
    "procedure": _("procedure"),
    "profile": _("profile"),
    "organization": _("organization"),
    "entity": _("entity"),
    "document": _("document"),
    "intent": _("intent"),
    "summary": _("summary"),
    "candidate": _("candidate"),
}

FLAG_NAMES: dict[str, str | Promise] = {
    "policy_conflict": _("Rules contradict each other"),
    "uncovered": _("No rule, no lifetime"),
    "scan_late": _("Personal data scan late"),
}

SKIP_REASON_NAMES: dict[str, str | Promise] = {
    "chatter": _("chatter"),
    "question_only": _("only a question"),
    "too_short": _("too short"),
    "not_user": _("not said by the user"),
    "pii_rejected": _("personal data refused"),
}

AREA_NAMES: dict[str, str | Promise] = {
    "memory": _("memories"),
    "session": _("sessions"),
    "context": _("contexts"),
    "sweep": _("sweeps"),
    "member": _("people"),
    "key": _("keys"),
    "access": _("sign-ins and refusals"),
    "tenant": _("tenant and settings"),
    "config": _("configuration"),
    "privacy": _("personal data"),
    "keys": _("encryption keys"),
    "search": _("searches"),
    "golden": _("golden questions"),
    "recall": _("recall"),
    "audit": _("the log"),
    "backup": _("backups"),
    "erasure": _("erasures"),
    "evidence": _("reports and exports"),
    "finding": _("findings"),
    "hold": _("holds"),
    "job": _("jobs"),
    "namespace": _("namespaces"),
    "request": _("subject requests"),
    "review": _("reviews"),
    "rules": _("rules"),
}

FINDING_NAMES: dict[str, str | Promise] = {
    "sweep_failed": _("a sweep could not deal with it"),
    "event_missing": _("a change has no event"),
    "embedding_changed": _("the embedding model answers otherwise than before"),
    "extraction_failed": _("a conversation could not be read"),
    "promotion_failed": _("a candidate could not be promoted"),
    "recall_dropped": _("recall has dropped"),
}

TRIGGER_NAMES: dict[str, str | Promise] = {
    "beat": _("by schedule"),
    "manual": _("by hand"),
    "command": _("at the console"),
}

ACTOR_NAMES: dict[str, str | Promise] = {
    "person": _("people"),
    "key": _("agents"),
    "job": _("the hub’s jobs"),
    "operator": _("operators"),
    "anonymous": _("nobody known"),
}

OUTCOME_NAMES: dict[str, str | Promise] = {
    "success": _("success"),
    "denied": _("denied"),
    "failed": _("failed"),
}

ENTITY_NAMES: dict[str, str | Promise] = {
    "cn_id": _("Chinese identity number"),
    "cn_mobile": _("Chinese mobile number"),
    "bank_card": _("bank card"),
    "secret": _("secret"),
    "email": _("e-mail address"),
    "us_ssn": _("US social security number"),
    "iban": _("IBAN"),
    "intl_phone": _("phone number"),
    "cn_passport": _("Chinese passport"),
    "ip": _("IP address"),
    "person": _("name of a person"),
    "cn_address": _("Chinese address"),
}

ACTION_NAMES: dict[str, str | Promise] = {
    "flag": _("noted"),
    "mask": _("masked"),
    "encrypt": _("masked, original sealed"),
    "tokenise": _("token, original sealed"),
    "redact": _("redacted"),
    "quarantine": _("quarantined"),
    "reject": _("refused"),
}

SCOPE_NAMES: dict[str, str | Promise] = {
    "memory:read": _("read and search memories"),
    "memory:write": _("write memories"),
    "memory:delete": _("delete memories"),
    "session:use": _("conversations and context"),
    "event:write": _("report events such as a closed ticket"),
    "policy:read": _("figures, states, rules; no values"),
    "policy:write": _("draft rules, place holds"),
    "subject:write": _("open subject requests"),
    "audit:read": _("events and their proof"),
}

ROLE_SENSES: dict[str, str | Promise] = {
    "admin": _("People, keys, settings, rules. Sees no content."),
    "officer": _("Content (masked), holds, requests, approvals."),
    "auditor": _("Content (masked), events, proof. Changes nothing."),
    "viewer": _("Figures, states and dates only."),
}

OUTCOMES_OF_CLAUSES: dict[str, str | Promise] = {
    "won": _("decides"),
    "lost": _("overruled"),
    "waiting": _("waiting"),
    "not_matched": _("none"),
}

CLAUSE_KINDS: dict[str, str | Promise] = {
    "hold": _("Legal hold"),
    "keep": _("Keep"),
    "statutory_floor": _("Statutory floor"),
    "floor": _("Floor"),
    "cap": _("Cap"),
    "source_cap": _("Cap"),
    "quarantine": _("Quarantine"),
    "request": _("Request"),
    "erasure": _("Erasure"),
    "restriction": _("Restriction"),
    "expire": _("Expiry"),
    "ttl": _("Lifetime (TTL)"),
    "delete": _("Deletion"),
    "archive": _("Archiving"),
    "anonymise": _("Anonymise"),
    "degrade": _("Degrade"),
    "notice": _("Notice period"),
    "trash": _("Trash"),
}
