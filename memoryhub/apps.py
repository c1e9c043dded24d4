"""The composition root as a Django app: its commands, its checks."""

from django.apps import AppConfig


class MemoryHubConfig(AppConfig):
    """Registers the system checks, and the Celery application that `shared_task` belongs to."""

    name = "memoryhub"

    def ready(self) -> None:
        from memoryhub import celery, checks  # noqa: F401 - both register themselves
