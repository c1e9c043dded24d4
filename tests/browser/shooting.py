"""`make shots`: pictures of the main pages, for the README and the docs, from a hub of its own.

`python -m tests.browser.shooting [FOLDER]`: starts the hub beside a scratch data folder, makes the
demo tenant, and takes each page in both themes and languages, wide and narrow.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.browser.chromium import chromium

ROOT = Path(__file__).resolve().parent.parent.parent
PORT = os.environ.get("PORT", "8941")
HUB = f"http://127.0.0.1:{PORT}"
SEALED_SECONDS = 10
LOOKS = (
    ("light", "en", 1280),
    ("dark", "zh-hans", 1280),
    ("light", "zh-hans", 360),
    ("dark", "en", 360),
)
PAGES = {
    "officer": {
        "overview": "/", "memories": "/memories?q=who+wants+a+refund", "memory": "MEMORY",
        "hold": "/holds a[href^='/holds/']:not([href$='/new'])",
        "request": "/requests main a[href^='/requests/']:not([href$='/new']) >> nth=-1",
        "audit": "/audit",
    },
    "admin": {
        "rules": "/retention", "simulation": "/retention/2/simulation", "settings": "/settings",
    },
}  # fmt: skip
"""By role, a name and an address; behind a space: what to follow from there, the first of it."""


def main() -> None:
    """Start, shoot, stop."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "screens"
    with (
        tempfile.TemporaryDirectory(prefix="hub-shots-") as data,
        tempfile.TemporaryDirectory(prefix="shots-") as taken,
    ):
        environment = {**os.environ, "MEMORYHUB_DATA": data}
        command = [sys.executable, "manage.py", "up", "--port", PORT]
        hub = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
        try:
            _wait()
            with chromium() as browser:
                shoot(browser, _logins(environment), Path(taken))
            _replace(folder, Path(taken))
        finally:
            hub.send_signal(signal.SIGINT)
            hub.wait(timeout=60)


def _replace(folder: Path, taken: Path) -> None:
    """All at once: a run that fails leaves the pictures that were there."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.png"):
        old.unlink()
    for new in taken.glob("*.png"):
        shutil.copyfile(new, folder / new.name)


def _wait() -> None:
    """Until web answers and a worker reports, and has sealed the log of the demo."""
    until = time.monotonic() + 300
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{HUB}/readyz", timeout=5):
                time.sleep(SEALED_SECONDS)
                return
        except (urllib.error.URLError, OSError):
            time.sleep(1)
    raise SystemExit("the hub does not answer")


def _logins(environment: dict[str, str]) -> dict[str, tuple[str, str]]:
    answer = subprocess.run(
        [sys.executable, "manage.py", "demo", "--json"],
        cwd=ROOT, env=environment, capture_output=True, check=True, text=True,
    )  # fmt: skip
    found = json.loads(answer.stdout.strip().splitlines()[-1])
    return {one["role"]: (one["email"], one["password"]) for one in found["logins"]}


def shoot(browser: Browser, logins: dict[str, tuple[str, str]], folder: Path) -> None:
    """Every page in every look."""
    for role, pages in PAGES.items():
        for theme, language, width in LOOKS:
            context = browser.new_context(viewport={"width": width, "height": 900})
            context.add_cookies(
                [
                    {"name": "hub_theme", "value": theme, "url": HUB},
                    {"name": "django_language", "value": language, "url": HUB},
                ]
            )
            page = context.new_page()
            look = f"{theme}-{language[:2]}-{width}"
            page.goto(f"{HUB}/signin")
            if role == "officer":
                _take(page, folder / f"signin-{look}.png")
            page.fill("#id_login", logins[role][0])
            page.fill("#id_password", logins[role][1])
            page.click("main .button.primary")
            page.wait_for_url(f"{HUB}/")
            for name, path in pages.items():
                page.goto(HUB + (_a_memory(page) if path == "MEMORY" else _follow(page, path)))
                _take(page, folder / f"{name}-{look}.png")
            context.close()


def _follow(page: Page, path: str) -> str:
    """The address itself, or that of the first link of its page that fits."""
    address, _, link = path.partition(" ")
    if not link:
        return address
    page.goto(HUB + address)
    return page.locator(link).first.get_attribute("href") or address


def _a_memory(page: Page) -> str:
    """One with versions and personal data near it."""
    page.goto(f"{HUB}/memories?ns=sales/accounts/northwind-cafes/")
    for link in page.locator("#results a.path").all():
        if "budget" in link.inner_text():
            return link.get_attribute("href") or "/memories"
    return "/memories"


def _take(page: Page, path: Path) -> None:
    """What stands on the first screen: small files, and what one sees."""
    narrow = (page.viewport_size or {"width": 1280})["width"] < 700
    page.set_viewport_size({"width": 360 if narrow else 1280, "height": 900 if narrow else 860})
    page.screenshot(path=path)


if __name__ == "__main__":
    main()
