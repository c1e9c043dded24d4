"""Loaded before Django's settings: tests have embedded servers and a data folder of their own."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MEMORYHUB_TEST_DATA", ROOT / ".data" / "test"))

os.environ["MEMORYHUB_DATA"] = str(DATA)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
if "MEMORYHUB_KEYS" not in os.environ:
    os.environ["MEMORYHUB_KEYS"] = tempfile.mkdtemp(prefix="hub-keys-")
    os.environ["MEMORYHUB_LEDGER"] = os.environ["MEMORYHUB_KEYS"] + "/erasures.jsonl"
    atexit.register(shutil.rmtree, os.environ["MEMORYHUB_KEYS"], ignore_errors=True)
