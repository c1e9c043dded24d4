"""Golden questions: questions whose answers are known, by which recall is measured.

The question is kept as searches are, with personal data masked; being shown it is a read of content
and leaves an event. What is expected are memories that whoever writes the question can see below
the prefix.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from audit.recording import Facts, Target, record
from conversations.models import GoldenQuestion, RecallResult
from memories.models import Memory
from memories.namespaces import Labels, covers, encode
from memories.ops import SearchOp
from memories.protecting import shield_search
from memoryhub.errors import Conflict, Denied, FieldError, Invalid, Missing
from tenants.authorising import require
from tenants.context import current_actor, now
from tenants.managers import TenantQuerySet
from tenants.roles import Action

MOST_QUESTIONS = 500
QUESTION_CHARACTERS = 1_000


def add_question(
    question: str, *, namespace_prefix: Labels, expected: Sequence[UUID]
) -> GoldenQuestion:
    """Add one. Raises Denied, Invalid `unknown_memory`, Conflict `too_many_questions`."""
    actor = require(Action.DRAFT_RULES)
    path = encode(namespace_prefix)
    if not covers(actor.prefixes, path):
        raise Denied("That is outside your prefixes.", code="outside_prefix")
    text = question.strip()
    if not 1 <= len(text) <= QUESTION_CHARACTERS:
        detail = f"A question has 1 to {QUESTION_CHARACTERS} characters."
        raise Invalid.at("question", "invalid_question", detail)
    text = shield_search(SearchOp(namespace_prefix=[], query=text)).query or text
    wanted = list(dict.fromkeys(expected))
    with transaction.atomic():
        _check_expected(wanted, path)
        if GoldenQuestion.objects.count() >= MOST_QUESTIONS:
            detail = f"A tenant has at most {MOST_QUESTIONS} golden questions."
            raise Conflict(detail, code="too_many_questions")
        made: GoldenQuestion = GoldenQuestion.objects.create(
            question=text, namespace_prefix=path, expected=wanted, created_at=now(),
            created_by=actor.id, created_by_name=actor.name,
        )  # fmt: skip
        _record("golden.add", made)
    return made


def _check_expected(expected: Sequence[UUID], path: str) -> None:
    if not expected:
        raise Invalid.at("expected", "empty", "Name at least one memory that answers it.")
    rows = (
        Memory.objects.all().visible(now()).below(path).filter(tier="long", id__in=list(expected))
    )
    there = set(rows.values_list("id", flat=True))
    faults = [
        FieldError(f"expected[{number}]", "unknown_memory", "There is no such memory there.")
        for number, one in enumerate(expected)
        if one not in there
    ]
    if faults:
        raise Invalid(faults)


def remove_question(identifier: UUID) -> None:
    """Remove one with its results; one that is not there stays so. Raises Denied."""
    require(Action.DRAFT_RULES)
    with transaction.atomic():
        found = list_questions().filter(id=identifier).first()
        if found is not None:
            found.delete()
            _record("golden.remove", found)


def open_question(identifier: UUID) -> GoldenQuestion:
    """One inside the caller's prefixes. Raises Denied, Missing."""
    require(Action.SEE_USAGE)
    with transaction.atomic(savepoint=False):
        found: GoldenQuestion | None = list_questions().filter(id=identifier).first()
    if found is None:
        raise Missing("There is no such question.")
    return found


def list_questions() -> TenantQuerySet[Any]:
    """Those inside the caller's prefixes, lazily. Raises Denied."""
    require(Action.SEE_USAGE)
    rows: TenantQuerySet[Any] = GoldenQuestion.objects.all()
    prefixes = current_actor().prefixes
    if "" in prefixes:
        return rows
    mine = Q(pk__in=[])
    for prefix in prefixes:
        mine |= Q(namespace_prefix__startswith=prefix)
    return rows.filter(mine)


def note_read(shown: Sequence[UUID]) -> None:
    """The texts of these questions are shown: one event, in the current transaction."""
    if shown:
        target = Target("golden question", str(shown[0]) if len(shown) == 1 else "")
        ids = [str(one) for one in shown]
        record("golden.read", target, Facts(counts={"n": len(ids)}, links={"ids": ids}))


def list_results(identifier: UUID) -> TenantQuerySet[Any]:
    """What was measured with one question, lazily. Raises Denied, Missing."""
    question = open_question(identifier)
    rows: TenantQuerySet[Any] = RecallResult.objects.filter(question_id=question.id)
    return rows


def _record(action: str, question: GoldenQuestion) -> None:
    record(
        action,
        Target("golden question", str(question.id), question.namespace_prefix),
        Facts(counts={"expected": len(question.expected)}),
    )
