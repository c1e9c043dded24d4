"""Conversations as a Django app: its own tables are candidates, feedback and golden questions."""

from django.apps import AppConfig


class ConversationsConfig(AppConfig):
    """No signals."""

    name = "conversations"
