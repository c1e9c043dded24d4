"""The short proof says what the engine says, wherever it says anything."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.dating import Regime, evaluate_row, settings_for
from memories.rows import StoredMemory
from memories.sweeps.proving import Prover
from policies.facts import Duration, Rule

START = datetime(2026, 1, 1, tzinfo=UTC)
ROW = StoredMemory(
    id=UUID(int=1), namespace="a/b/", key="k", value="null", kind="fact", tier="long",
    session=None, subjects=[], classes=[], tags=[], label=None, source=None, derived_from=[],
    source_caps=[], decay=1.0, importance=0.5, weight=1.0, index_paths=None, content_hash=b"",
    version=1, created_at=START, updated_at=START, accessed_at=None, access_count=0, ttl=None,
    ttl_expires_at=None, visible_until=None, purge_at=None, ruled=False, rule=None, flags=[],
    archived_at=None, trashed_at=None, deleted_at=None, restored_at=None, ruleset=0,
    dates_moved_at=None, embedding="none",
)  # fmt: skip

instants = st.integers(0, 200).map(lambda number: START + timedelta(hours=6 * number))
maybe = st.none() | instants
rules = st.lists(
    st.builds(
        Rule,
        key=st.sampled_from("pq"),
        kind=st.sampled_from(["keep", "expire", "cap", "archive"]),
        after=st.builds(Duration, days=st.integers(0, 40)),
        namespace=st.sampled_from([(), ("a",), ("z",)]),
        memory_kind=st.sampled_from([None, "fact", "episode"]),
        data_class=st.sampled_from([None, "pii"]),
        label=st.sampled_from([None, "x"]),
    ),
    max_size=2,
    unique_by=lambda rule: rule.key,
)
changes = st.fixed_dictionaries(
    {"ttl_expires_at": maybe, "deleted_at": maybe},
    optional={
        "restored_at": maybe, "dates_moved_at": maybe, "reviewed_at": maybe,
        "quarantined_at": maybe, "restricted_at": maybe, "erasure_approved_at": maybe,
        "source_caps": st.lists(instants, max_size=1), "classes": st.sampled_from([[], ["pii"]]),
        "label": st.sampled_from([None, "x"]), "created_at": instants,
    },
)  # fmt: skip


@pytest.mark.slow
@given(changes, rules, instants, st.integers(0, 30))
def test_a_proof_is_the_engines_answer(
    changed: dict[str, Any], given_rules: list[Rule], at: datetime, trash_days: int
) -> None:
    row = replace(ROW, **changed)
    regime = Regime(tuple(given_rules), settings_for(trash_days, 7, "UTC"), 1)
    cause = Prover(regime, at).proven_cause(row)
    if cause is not None:
        found = evaluate_row(row, regime, at)
        assert (found.state, found.cause) == ("PURGED", cause)


@given(maybe, maybe, instants, st.integers(0, 30))
def test_where_only_a_ttl_and_a_delete_speak_all_that_is_due_is_proven(
    ttl: datetime | None, deleted: datetime | None, at: datetime, trash_days: int
) -> None:
    row = replace(ROW, ttl_expires_at=ttl, deleted_at=deleted)
    regime = Regime((), settings_for(trash_days, 7, "UTC"), 0)
    is_due = evaluate_row(row, regime, at).state == "PURGED"
    assert (Prover(regime, at).proven_cause(row) is not None) == is_due
