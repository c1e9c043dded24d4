"""The app."""

from django.apps import AppConfig


class EvidenceConfig(AppConfig):
    """Evidence for auditors."""

    name = "evidence"
