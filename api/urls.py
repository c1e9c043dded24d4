"""The API's addresses, one explicit line each (API.md)."""

from django.urls import path

from api.views.access import KeysView, KeyView, MembersView, MemberView
from api.views.audit import CheckpointsView, ConsistencyView, EventsView, EventView, VerifyView
from api.views.conversations import (
    ContextView,
    MessagesView,
    RecallView,
    SessionsView,
    SessionView,
)
from api.views.engine import EngineView
from api.views.events import BusinessEventsView
from api.views.evidence import ExportsView, KnownView, ReportsView
from api.views.findings import FindingsView
from api.views.holds import (
    HeldMemoriesView,
    HoldKeepView,
    HoldPreviewView,
    HoldReleaseView,
    HoldsView,
    HoldView,
)
from api.views.jobs import JobCancelView, JobFileView, JobView
from api.views.learning import (
    FeedbackView,
    GoldenQuestionsView,
    GoldenQuestionView,
    MeasureRecallView,
    PromoteView,
    QuestionResultsView,
    RecallResultsView,
)
from api.views.memories import (
    MemoryEventsView,
    MemoryExplainView,
    MemoryLabelView,
    MemoryRestoreView,
    MemoryVersionsView,
    MemoryView,
)
from api.views.policies import (
    ActiveRuleSetView,
    EvaluateView,
    RuleSetActivateView,
    RuleSetApproveView,
    RuleSetDiffView,
    RuleSetSimulateView,
    RuleSetsView,
    RuleSetView,
)
from api.views.privacy import (
    ClockView,
    FindView,
    QuarantinedView,
    QuarantineView,
    RevealView,
)
from api.views.privacy_rules import (
    AllowedValueView,
    AllowedView,
    PatternsView,
    PatternView,
    PrivacyRulesView,
    PrivacyRuleView,
)
from api.views.requests import (
    ApproveRequestView,
    CertificateView,
    DecideView,
    ExclusionsView,
    ExtendView,
    IdentityView,
    PackageView,
    RequestMemoriesView,
    RequestsView,
    RequestView,
    WithdrawView,
)
from api.views.requests import ScopeView as RequestScopeView
from api.views.reviews import ReviewsView, ReviewView
from api.views.service import UnknownView
from api.views.settings import SettingsView
from api.views.store import BatchView, ItemsView, NamespacesView, SearchView
from api.views.sweeps import ScopesView, ScopeView, SweepsView, SweepView
from api.views.usage import UsageView

urlpatterns = [
    path("store/items", ItemsView.as_view()),
    path("store/items/search", SearchView.as_view()),
    path("store/namespaces", NamespacesView.as_view()),
    path("store/batch", BatchView.as_view()),
    path("sessions", SessionsView.as_view()),
    path("sessions/<str:session_id>", SessionView.as_view()),
    path("sessions/<str:session_id>/messages", MessagesView.as_view()),
    path("sessions/<str:session_id>/recall", RecallView.as_view()),
    path("sessions/<str:session_id>/promote", PromoteView.as_view()),
    path("context", ContextView.as_view()),
    path("searches/<uuid:search_id>/feedback", FeedbackView.as_view()),
    path("golden-questions", GoldenQuestionsView.as_view()),
    path("golden-questions/results", RecallResultsView.as_view()),
    path("golden-questions/run", MeasureRecallView.as_view()),
    path("golden-questions/<uuid:question_id>", GoldenQuestionView.as_view()),
    path("golden-questions/<uuid:question_id>/results", QuestionResultsView.as_view()),
    path("jobs/<uuid:job_id>", JobView.as_view()),
    path("jobs/<uuid:job_id>/cancel", JobCancelView.as_view()),
    path("jobs/<uuid:job_id>/file", JobFileView.as_view()),
    path("memories/<uuid:memory_id>", MemoryView.as_view()),
    path("memories/<uuid:memory_id>/versions", MemoryVersionsView.as_view()),
    path("memories/<uuid:memory_id>/events", MemoryEventsView.as_view()),
    path("memories/<uuid:memory_id>/explain", MemoryExplainView.as_view()),
    path("memories/<uuid:memory_id>/restore", MemoryRestoreView.as_view()),
    path("memories/<uuid:memory_id>/label", MemoryLabelView.as_view()),
    path("memories/<uuid:memory_id>/reveal", RevealView.as_view()),
    path("memories/find", FindView.as_view()),
    path("privacy/quarantine", QuarantineView.as_view()),
    path("privacy/quarantine/<uuid:memory_id>", QuarantinedView.as_view()),
    path("privacy/clock", ClockView.as_view()),
    path("privacy/rules", PrivacyRulesView.as_view()),
    path("privacy/rules/<uuid:rule_id>", PrivacyRuleView.as_view()),
    path("privacy/patterns", PatternsView.as_view()),
    path("privacy/patterns/<uuid:pattern_id>", PatternView.as_view()),
    path("privacy/allowed", AllowedView.as_view()),
    path("privacy/allowed/<uuid:allowed_id>", AllowedValueView.as_view()),
    path("policies/rulesets", RuleSetsView.as_view()),
    path("policies/rulesets/active", ActiveRuleSetView.as_view()),
    path("policies/rulesets/<int:n>", RuleSetView.as_view()),
    path("policies/rulesets/<int:n>/diff", RuleSetDiffView.as_view()),
    path("policies/rulesets/<int:n>/simulate", RuleSetSimulateView.as_view()),
    path("policies/rulesets/<int:n>/approve", RuleSetApproveView.as_view()),
    path("policies/rulesets/<int:n>/activate", RuleSetActivateView.as_view()),
    path("policies/evaluate", EvaluateView.as_view()),
    path("policies/reviews", ReviewsView.as_view()),
    path("policies/reviews/<uuid:memory_id>", ReviewView.as_view()),
    path("findings", FindingsView.as_view()),
    path("events", BusinessEventsView.as_view()),
    path("usage", UsageView.as_view()),
    path("engine", EngineView.as_view()),
    path("audit/events", EventsView.as_view()),
    path("audit/events/<uuid:event_id>", EventView.as_view()),
    path("audit/checkpoints", CheckpointsView.as_view()),
    path("audit/checkpoints/consistency", ConsistencyView.as_view()),
    path("audit/verify", VerifyView.as_view()),
    path("audit/exports", ExportsView.as_view()),
    path("audit/reports", ReportsView.as_view()),
    path("audit/known", KnownView.as_view()),
    path("keys", KeysView.as_view()),
    path("keys/<slug:key_id>", KeyView.as_view()),
    path("members", MembersView.as_view()),
    path("members/<uuid:member_id>", MemberView.as_view()),
    path("settings", SettingsView.as_view()),
    path("policies/holds", HoldsView.as_view()),
    path("policies/holds/preview", HoldPreviewView.as_view()),
    path("policies/holds/<uuid:hold_id>", HoldView.as_view()),
    path("policies/holds/<uuid:hold_id>/memories", HeldMemoriesView.as_view()),
    path("policies/holds/<uuid:hold_id>/release", HoldReleaseView.as_view()),
    path("policies/holds/<uuid:hold_id>/keep", HoldKeepView.as_view()),
    path("policies/sweep-scopes", ScopesView.as_view()),
    path("policies/sweep-scopes/<uuid:scope_id>", ScopeView.as_view()),
    path("policies/sweeps", SweepsView.as_view()),
    path("policies/sweeps/<uuid:run_id>", SweepView.as_view()),
    path("subject-requests", RequestsView.as_view()),
    path("subject-requests/<uuid:request_id>", RequestView.as_view()),
    path("subject-requests/<uuid:request_id>/identity", IdentityView.as_view()),
    path("subject-requests/<uuid:request_id>/scope", RequestScopeView.as_view()),
    path("subject-requests/<uuid:request_id>/exclusions", ExclusionsView.as_view()),
    path("subject-requests/<uuid:request_id>/decide", DecideView.as_view()),
    path("subject-requests/<uuid:request_id>/approve", ApproveRequestView.as_view()),
    path("subject-requests/<uuid:request_id>/extend", ExtendView.as_view()),
    path("subject-requests/<uuid:request_id>/withdraw", WithdrawView.as_view()),
    path("subject-requests/<uuid:request_id>/memories", RequestMemoriesView.as_view()),
    path("subject-requests/<uuid:request_id>/package", PackageView.as_view()),
    path("subject-requests/<uuid:request_id>/certificate", CertificateView.as_view()),
    path("<path:rest>", UnknownView.as_view()),
]
