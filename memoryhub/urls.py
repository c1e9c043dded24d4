"""Every address of the hub, at its edges."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from memoryhub.health import healthz, readyz
from memoryhub.metrics import metrics

urlpatterns = [
    path("api/v1/", include("api.urls")),  # the first to be tried is the most asked for
    path("healthz", healthz),
    path("readyz", readyz),
    path("metrics", metrics),
    path("api/schema", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="docs"),
    path("", include("dashboard.urls")),
]

handler404 = "memoryhub.failing.page_not_found"
handler500 = "memoryhub.failing.server_error"
handler400 = "memoryhub.failing.bad_request"
handler403 = "memoryhub.failing.permission_denied"
