"""Rule sets as callers get them (API.md, Governance)."""

from __future__ import annotations

from typing import Any

from policies.models import RuleSet


def present_line(version: RuleSet) -> dict[str, Any]:
    """One version in a list."""
    return {
        "n": version.n, "state": version.state, "based_on": version.based_on,
        "hash": version.hash, "note": version.note, "rules": len(version.rules),
        "created_at": version.created_at, "created_by": version.created_by_name,
        "activated_at": version.activated_at,
    }  # fmt: skip


def present_version(version: RuleSet) -> dict[str, Any]:
    """One version in full; of several approvals the last is `approval`."""
    approvals = [{name: one[name] for name in ("by", "at", "reason")} for one in version.approvals]
    since = version.since
    rules = [
        {**rule, "active_since": since[rule["key"]]} if rule["key"] in since else rule
        for rule in version.rules
    ]
    return {
        **present_line(version), "rules": rules, "cases": version.cases,
        "simulation": _without_texts(version.simulation),
        "approval": approvals[-1] if approvals else None, "approvals": approvals,
    }  # fmt: skip


def _without_texts(simulation: dict[str, Any] | None) -> dict[str, Any] | None:
    """As the contract has it: the samples' texts in Chinese are for the page alone."""
    if simulation is None:
        return None
    return {name: value for name, value in simulation.items() if name != "texts_zh"}
