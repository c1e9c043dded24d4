"""Tables of this room: candidates that wait, messages to be read, feedback, and golden questions.

None holds what was said: candidates and messages are memories, and rows here point to them and go
with them.
"""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from conversations.querysets import FeedbackQuerySet, OpenCandidateQuerySet, RecallRunQuerySet
from tenants.managers import TenantManager, TenantModel


class OpenCandidateManager(TenantManager["OpenCandidate"]):
    queryset_class = OpenCandidateQuerySet


class OpenCandidate(TenantModel):
    """A candidate (its id is the memory's) that no promotion has taken yet.

    `looked_at` is null until promotion has looked at it together with what else is known there.
    """

    noted_at = models.DateTimeField()
    looked_at = models.DateTimeField(null=True)
    marked = models.BooleanField(default=False, db_default=False)
    """A caller had marked what it became, which an erasure destroyed (`rebuilding`)."""

    objects: Any = OpenCandidateManager()

    class Meta:
        base_manager_name = "objects"
        indexes = (
            # promotion's scan: what came since it looked last
            models.Index(
                fields=["tenant_id", "noted_at"],
                condition=Q(looked_at__isnull=True),
                name="open_candidate_new",
            ),
        )

    def __str__(self) -> str:
        return f"candidate {self.id}"


class UnreadMessage(TenantModel):
    """A short-term memory (its id) from which an LLM has not extracted anything yet."""

    said_at = models.DateTimeField()
    due_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)

    class Meta:
        base_manager_name = "objects"
        indexes = (
            # extraction's scan
            models.Index(fields=["tenant_id", "due_at"], name="unread_message_due"),
        )

    def __str__(self) -> str:
        return f"unread {self.id}"


class FeedbackManager(TenantManager["SearchFeedback"]):
    queryset_class = FeedbackQuerySet


class SearchFeedback(TenantModel):
    """What a caller said about a search: its id is the search's, so the last word counts."""

    given_at = models.DateTimeField()
    given_by = models.CharField(max_length=64)
    shown = models.PositiveIntegerField()
    used = ArrayField(models.UUIDField(), default=list)
    helpful = models.BooleanField(null=True)

    objects: Any = FeedbackManager()

    class Meta:
        base_manager_name = "objects"
        indexes = (
            # the figures of the last days
            models.Index(fields=["tenant_id", "given_at"], name="search_feedback_newest"),
        )

    def __str__(self) -> str:
        return f"feedback on search {self.id}"


class GoldenQuestion(TenantModel):
    """A question whose answer is known: these memories should be found below this prefix."""

    question = models.TextField()
    namespace_prefix = models.TextField(db_collation="C", default="", blank=True)
    expected = ArrayField(models.UUIDField())
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=64)
    created_by_name = models.CharField(max_length=254)

    class Meta:
        base_manager_name = "objects"
        indexes = (
            # the list, newest first
            models.Index(fields=["tenant_id", "-created_at", "-id"], name="golden_question_newest"),
        )

    def __str__(self) -> str:
        return f"golden question {self.id}"


class RecallRunManager(TenantManager["RecallRun"]):
    queryset_class = RecallRunQuerySet


class RecallRun(TenantModel):
    """One measuring of all golden questions: the means of its results, and whether they fell."""

    class Trigger(models.TextChoices):
        NIGHTLY = "nightly"
        MANUAL = "manual"

    trigger = models.CharField(max_length=8, choices=Trigger.choices)
    job_id = models.UUIDField(null=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    questions = models.PositiveIntegerField(default=0)
    recall = models.FloatField(null=True)
    found = models.FloatField(null=True)
    dropped = models.BooleanField(default=False)

    objects: Any = RecallRunManager()

    class Meta:
        base_manager_name = "objects"
        constraints = (
            # one run a job, so that a job which goes on finds its own
            models.UniqueConstraint(
                fields=["tenant_id", "job_id"],
                condition=Q(job_id__isnull=False),
                name="recall_run_of_job",
            ),
        )
        indexes = (
            # the history, newest first
            models.Index(fields=["tenant_id", "-started_at", "-id"], name="recall_run_newest"),
        )

    def __str__(self) -> str:
        return f"recall at {self.started_at}"


class RecallResult(TenantModel):
    """One question in one run. `recall`: how much of the exact search the real one returned;
    `found`: how many of the expected memories; `missing`: those that are not there."""

    run_id = models.UUIDField()
    question_id = models.UUIDField()
    measured_at = models.DateTimeField()
    recall = models.FloatField(null=True)
    found = models.FloatField()
    missing = ArrayField(models.UUIDField(), default=list)
    degraded = models.CharField(max_length=32, default="", blank=True)

    class Meta:
        base_manager_name = "objects"
        constraints = (
            # a question once a run; also the results of a run
            models.UniqueConstraint(
                fields=["tenant_id", "run_id", "question_id"], name="recall_result_once"
            ),
        )
        indexes = (
            # the results of a question, newest first
            models.Index(
                fields=["tenant_id", "question_id", "-measured_at", "-id"],
                name="recall_result_newest",
            ),
        )

    def __str__(self) -> str:
        return f"{self.question_id} in {self.run_id}"
