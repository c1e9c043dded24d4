"""The composition root as a Django app: its commands, its checks."""

from django.apps import AppConfig


class MemoryHubConfig(AppConfig):
    """Registers the system checks."""

    name = "memoryhub"

    def ready(self) -> None:
        from memoryhub import checks  # noqa: F401 - registers them
