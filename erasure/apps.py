"""The app of subject requests that are carried out."""

from django.apps import AppConfig


class ErasureConfig(AppConfig):
    """No signals: every step is a use case."""

    name = "erasure"
