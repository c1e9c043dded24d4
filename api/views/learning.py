"""What is learned, and how well it is found: promotion, feedback, golden questions (API.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from uuid import UUID

from django.db import transaction
from rest_framework.request import Request

from api.base import HubView, parsed
from api.openapi import learning as shapes
from api.openapi.learning import FeedbackRequest, PromoteRequest, QuestionRequest
from api.paging import PAGE_FIELDS, page_asked, page_of
from api.rendering import Response
from api.repeating import read_again, repeatable
from audit.jobs import present_job
from audit.repeating import settle
from conversations.feedback import give_feedback
from conversations.golden import (
    add_question,
    list_questions,
    list_results,
    note_read,
    open_question,
    remove_question,
)
from conversations.marking import Asked, promote_session
from conversations.measuring import list_runs, measure_now
from conversations.models import GoldenQuestion, RecallResult, RecallRun
from conversations.sessions import load_session
from memories.namespaces import check_prefix, decode
from tenants.authorising import require
from tenants.roles import Action


class PromoteView(HubView):
    """Keep what a session stated."""

    @shapes.promote_session
    @repeatable(read_again)
    def post(self, request: Request, session_id: str) -> Response:
        require(Action.USE_SESSIONS)
        asked = parsed(PromoteRequest, request)
        session = load_session(session_id)
        promotion = present_promotion(promote_session(session, asked.memory_ids))
        with transaction.atomic():  # a crash before it is a repeat, which promotes nothing twice
            settle(promotion)
        return Response(promotion)


class FeedbackView(HubView):
    """Which memories of a search were of use."""

    @shapes.give_feedback
    def post(self, request: Request, search_id: UUID) -> Response:
        require(Action.READ_VALUES)
        asked = parsed(FeedbackRequest, request)
        give_feedback(search_id, asked.used, helpful=asked.helpful)
        return Response(status=204)


class GoldenQuestionsView(HubView):
    """Golden questions, and one more."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.list_questions
    def get(self, request: Request) -> Response:
        rows, asked = list_questions(), page_asked(request)
        with transaction.atomic():
            page = page_of(rows, asked, present=present_question)
            note_read([item["id"] for item in page["items"]])
        return Response(page)

    @shapes.add_question
    @repeatable(read_again)
    def post(self, request: Request) -> Response:
        require(Action.DRAFT_RULES)
        asked = parsed(QuestionRequest, request)
        made = add_question(
            asked.question,
            namespace_prefix=check_prefix(asked.namespace_prefix, path="namespace_prefix"),
            expected=asked.expected,
        )
        with transaction.atomic():
            document = present_question(made)
        where = f"/api/v1/golden-questions/{made.id}"
        return Response(document, status=201, headers={"Location": where})


class GoldenQuestionView(HubView):
    """One golden question."""

    @shapes.get_question
    def get(self, request: Request, question_id: UUID) -> Response:
        with transaction.atomic():
            question = open_question(question_id)
            note_read([question.id])
            return Response(present_question(question))

    @shapes.remove_question
    def delete(self, request: Request, question_id: UUID) -> Response:
        remove_question(question_id)
        return Response(status=204)


class QuestionResultsView(HubView):
    """What was measured with one question."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.list_question_results
    def get(self, request: Request, question_id: UUID) -> Response:
        rows = list_results(question_id)
        page = page_of(rows, page_asked(request), by=("measured_at", "id"), present=present_result)
        return Response(page)


class RecallResultsView(HubView):
    """Recall over time."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.list_results
    def get(self, request: Request) -> Response:
        rows = list_runs()
        return Response(
            page_of(rows, page_asked(request), by=("started_at", "id"), present=present_recall)
        )


class MeasureRecallView(HubView):
    """Ask all golden questions now."""

    @shapes.measure_now
    @repeatable(read_again)
    def post(self, request: Request) -> Response:
        job = measure_now()
        return Response(
            present_job(job), status=202, headers={"Location": f"/api/v1/jobs/{job.id}"}
        )


def present_promotion(asked: Asked) -> Mapping[str, Any]:
    """What was promoted and what was not."""
    return {
        "promoted": [
            {
                "memory_id": str(one.memory_id), "from": [str(source) for source in one.sources],
                "reason": one.reason,
            }
            for one in asked.promoted
        ],
        "skipped": [
            {"memory_id": str(one.memory_id), "reason": one.reason} for one in asked.skipped
        ],
    }  # fmt: skip


def present_question(row: GoldenQuestion) -> dict[str, Any]:
    """A question with its last result. In a transaction."""
    last = RecallResult.objects.filter(question_id=row.id).order_by("-measured_at", "-id").first()
    return {
        "id": row.id, "question": row.question,
        "namespace_prefix": list(decode(row.namespace_prefix)), "expected": row.expected,
        "created_at": row.created_at, "created_by": row.created_by_name,
        "last_result": None if last is None else present_result(last),
    }  # fmt: skip


def present_result(row: RecallResult) -> dict[str, Any]:
    """One question in one run."""
    return {
        "run_id": row.run_id, "measured_at": row.measured_at, "recall": row.recall,
        "found": row.found, "missing": row.missing, "degraded": row.degraded or None,
    }  # fmt: skip


def present_recall(row: RecallRun) -> dict[str, Any]:
    """One run."""
    return {
        "id": row.id, "trigger": row.trigger, "started_at": row.started_at,
        "finished_at": row.finished_at, "questions": row.questions, "recall": row.recall,
        "found": row.found, "dropped": row.dropped,
    }  # fmt: skip
