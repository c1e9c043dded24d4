"""The HTML edge as a Django app: for its template tags. It has no models."""

from django.apps import AppConfig


class DashboardConfig(AppConfig):
    """No models, no signals."""

    name = "dashboard"
