"""Loaded before Django's settings: tests have embedded servers and a data folder of their own."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MEMORYHUB_TEST_DATA", ROOT / ".data" / "test"))

os.environ["MEMORYHUB_DATA"] = str(DATA)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
os.environ.setdefault("MEMORYHUB_KEYS", tempfile.mkdtemp(prefix="hub-keys-"))
