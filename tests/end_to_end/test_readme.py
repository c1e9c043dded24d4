"""The README's tour does what it says: each block is run and its output compared."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable

import pytest

from memoryhub import embedded
from tenants.models import Tenant
from tests.plugin import DATA, ROOT

BLOCK = re.compile(
    r"<!-- tour: (\w+) -->\n```(bash|python)\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL
)


def run_block(language: str, code: str, environment: dict[str, str]) -> str:
    program = ["bash", "-euo", "pipefail", "-c"] if language == "bash" else [sys.executable, "-c"]
    done = subprocess.run(
        [*program, code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
def test_each_block_of_the_tour_prints_what_the_readme_shows(
    hub: str, address: str, tenant: Tenant, make_key: Callable[[Tenant], str]
) -> None:
    places = embedded.locate(DATA, database=hub)
    environment = {
        **os.environ,
        "HUB": f"{address}/api/v1",
        "KEY": make_key(tenant),
        "DATABASE_URL": places.database_url,
        "DATABASE_OWNER_URL": places.owner_url,
        "REDIS_URL": places.redis_url,
    }
    blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert [name for name, *_ in blocks] == [
        "put", "search", "ttl", "sweep", "python", "conversation", "hold", "explain",
    ]  # fmt: skip
    for name, language, code, shown in blocks:
        code = code.replace(".venv/bin/python", sys.executable).replace("acme", tenant.slug)
        output = run_block(language, code, environment)
        if shown:
            assert output.strip() == shown.strip(), name
