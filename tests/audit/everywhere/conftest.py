"""What the tests of all events share: one world a module, and every task as a worker knows it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memoryhub.celery import app
from tests.audit.everywhere.world import World, make_world


@pytest.fixture(scope="module")
def world(hub: str) -> World:
    """One tenant for all tests of a module: it costs more than most requests."""
    app.loader.import_default_modules()
    return make_world()


@pytest.fixture
def fresh(hub: str) -> World:
    """A tenant of the test's own."""
    app.loader.import_default_modules()
    return make_world()


@pytest.fixture
def run_task() -> Callable[..., None]:
    """Runs a task by its name, as a worker does."""

    def run(name: str, *words: str) -> None:
        app.tasks[name](*words)

    return run
