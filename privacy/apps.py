"""The app of personal data."""

from django.apps import AppConfig


class PrivacyConfig(AppConfig):
    """Its configuration models are recorded by their use cases, which know what may be said."""

    name = "privacy"
