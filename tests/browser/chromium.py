"""Starting Chromium: Debian's when it is there, else Playwright's own; never a call outside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Error, sync_playwright

DEBIAN = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser. Raises RuntimeError where there is none."""
    with sync_playwright() as playwright:
        path = str(DEBIAN) if DEBIAN.exists() else None
        try:
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        except Error as error:
            raise RuntimeError(f"no Chromium here: {error}") from None
        yield browser
        browser.close()
