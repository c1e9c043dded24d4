"""The API's addresses, one explicit line each (API.md)."""

from django.urls import path

from api.views.jobs import JobCancelView, JobFileView, JobView
from api.views.memories import (
    MemoryEventsView,
    MemoryExplainView,
    MemoryLabelView,
    MemoryRestoreView,
    MemoryVersionsView,
    MemoryView,
)
from api.views.service import UnknownView
from api.views.store import BatchView, ItemsView, NamespacesView, SearchView
from api.views.usage import UsageView

urlpatterns = [
    path("store/items", ItemsView.as_view()),
    path("store/items/search", SearchView.as_view()),
    path("store/namespaces", NamespacesView.as_view()),
    path("store/batch", BatchView.as_view()),
    path("jobs/<uuid:job_id>", JobView.as_view()),
    path("jobs/<uuid:job_id>/cancel", JobCancelView.as_view()),
    path("jobs/<uuid:job_id>/file", JobFileView.as_view()),
    path("memories/<uuid:memory_id>", MemoryView.as_view()),
    path("memories/<uuid:memory_id>/versions", MemoryVersionsView.as_view()),
    path("memories/<uuid:memory_id>/events", MemoryEventsView.as_view()),
    path("memories/<uuid:memory_id>/explain", MemoryExplainView.as_view()),
    path("memories/<uuid:memory_id>/restore", MemoryRestoreView.as_view()),
    path("memories/<uuid:memory_id>/label", MemoryLabelView.as_view()),
    path("usage", UsageView.as_view()),
    path("<path:rest>", UnknownView.as_view()),
]
