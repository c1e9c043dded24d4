"""Every address of the hub, at its edges."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from memoryhub.health import healthz, readyz

urlpatterns = [
    path("healthz", healthz),
    path("readyz", readyz),
    path("api/schema", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="docs"),
    path("api/v1/", include("api.urls")),
]

handler404 = "api.failing.page_not_found"
handler500 = "api.failing.server_error"
handler400 = "api.failing.bad_request"
handler403 = "api.failing.permission_denied"
