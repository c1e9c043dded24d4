"""Django's migrate, as the owner of the tables: the application's role could not and must not."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.core.management.commands.migrate import Command as MigrateCommand


class Command(MigrateCommand):
    """`manage.py migrate`, on the database alias `owner` unless another is named."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(database="owner")

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(*args, **options)
