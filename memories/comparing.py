"""A search compared with the exact one: what it returns, and what it would if it looked at all.

Nothing is read, counted or refreshed: only ids come out. For measuring recall.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from memories.embedding.profiles import profile_of
from memories.searching import Question, answer_question, scope_of
from tenants.snapshots import tenant_settings


@dataclass(frozen=True, slots=True)
class Compared:
    """The first ids of the search as it is and of the exact one, best first; None: not comparable,
    because the query has no vector."""

    returned: list[UUID]
    exact: list[UUID] | None
    degraded: str | None

    @property
    def recall(self) -> float | None:
        """How much of the exact search the real one returned; 1 where there is nothing."""
        if self.exact is None:
            return None
        if not self.exact:
            return 1.0
        return len({*self.returned} & {*self.exact}) / len(self.exact)


def compare_with_exact(question: Question) -> Compared:
    """Answer by the plan that would be chosen, and by computing everything. In a transaction."""
    op, scope = question.op, scope_of(question.op)
    if not scope.prefixes:
        return Compared([], None, question.degraded)
    if question.vector is not None and question.profile != profile_of(tenant_settings()):
        return Compared([], None, "profile_switched")
    real = answer_question(question, scope)
    returned = [one.candidate.id for one in real.ranked[: op.limit]]
    if question.vector is None:
        return Compared(returned, None, question.degraded)
    if real.plan == "exact":
        return Compared(returned, returned, question.degraded)
    exact = answer_question(question, scope, by="exact")
    return Compared(
        returned, [one.candidate.id for one in exact.ranked[: op.limit]], question.degraded
    )
