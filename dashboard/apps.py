"""The HTML edge as a Django app: for its template tags and its one job. It has no models."""

from django.apps import AppConfig


class DashboardConfig(AppConfig):
    """No models, no signals."""

    name = "dashboard"
