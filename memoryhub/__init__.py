"""Composition root: settings, addresses, the server processes. Holds no domain logic."""

from memoryhub.celery import app as celery_app

__all__ = ["celery_app"]
