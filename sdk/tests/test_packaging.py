"""What the distribution needs, and what it must never load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import memoryhub_sdk

SOURCES = Path(memoryhub_sdk.__file__).parent


def _modules_after(statement: str) -> set[str]:
    code = (
        f"import sys; sys.path.insert(0, {str(SOURCES.parent)!r}); {statement}; print(*sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in shown.stdout.split()}


def test_the_client_needs_neither_langgraph_nor_django() -> None:
    loaded = _modules_after("import memoryhub_sdk")
    assert "httpx" in loaded
    assert not loaded & {"django", "langgraph", "langchain_core", "memoryhub"}


def test_the_langgraph_store_does_not_load_django() -> None:
    loaded = _modules_after("import memoryhub_sdk.langgraph")
    assert "langgraph" in loaded
    assert "django" not in loaded


def test_no_source_names_django_and_the_package_says_that_it_is_typed() -> None:
    assert (SOURCES / "py.typed").exists()
    assert not [path for path in SOURCES.rglob("*.py") if "django" in path.read_text().lower()]


def test_everything_that_is_promised_is_there() -> None:
    assert all(hasattr(memoryhub_sdk, name) for name in memoryhub_sdk.__all__)
