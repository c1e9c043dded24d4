"""The documents say what is there: settings, links, commands, packages, worked examples."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands
from drf_spectacular.drainage import GENERATOR_STATS

from policies.cases import parse_case, run_case
from tests.fuzzing.contract import schema

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "sdk/README.md"])
FENCED = re.compile(r"```json\n(.*?)```", re.DOTALL)
NAMED = re.compile(r'env\.\w+\(\s*"([A-Z_]+)"')
LINK = re.compile(r"\]\(([^)\s]+)\)")
# A command at the beginning of a line, of a code span, or behind manage.py.
COMMAND = re.compile(r"manage\.py +([a-z][a-z_]+)")


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def environment_of_compose() -> tuple[set[str], set[str]]:
    """(names that the containers of the hub get, names that the file takes from `.env`)."""
    text = read("docker-compose.yml")
    given = yaml.safe_load(text)["services"]["web"]["environment"]
    return set(given), set(re.findall(r"\$\{([A-Z_]+)", text))


def test_every_setting_is_explained() -> None:
    named = set(NAMED.findall(read("memoryhub/settings.py")))
    assert len(named) > 50
    explained = set(re.findall(r"`([A-Z_]{4,})`", read("docs/configuration.md")))
    assert named - explained == set()


def test_nothing_is_explained_that_nobody_reads() -> None:
    rows = [line for line in read("docs/configuration.md").splitlines() if line.startswith("| `")]
    heads = [row.split(" | ")[0] for row in rows]
    explained = {name for head in heads for name in re.findall(r"`([A-Z_]{4,})`", head)}
    code = "".join(
        path.read_text(encoding="utf-8") for path in ROOT.glob("memoryhub/**/*.py")
    ) + read("Dockerfile")
    assert {name for name in explained if name not in code} == set()


def test_the_example_of_an_environment_is_what_compose_takes() -> None:
    _, taken = environment_of_compose()
    example = set(re.findall(r"^([A-Z_]+)=", read(".env.example"), re.MULTILINE))
    assert example == taken


def test_containers_get_only_what_the_hub_reads() -> None:
    given, _ = environment_of_compose()
    read_by_code = set(NAMED.findall(read("memoryhub/settings.py")))
    of_libraries = {name for name in given if name.startswith(("GRANIAN_", "OMP_"))}
    assert given - of_libraries - read_by_code == set()


def test_keys_ledger_and_anchors_have_volumes_of_their_own() -> None:
    services = yaml.safe_load(read("docker-compose.yml"))["services"]
    for name in ("migrate", "web", "worker", "beat"):
        places = {volume.split(":")[1] for volume in services[name]["volumes"]}
        assert places == {"/data", "/data/keys", "/data/ledger", "/data/anchors"}, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    links = LINK.findall(page.read_text(encoding="utf-8"))
    local = [one.partition("#")[0] for one in links if "://" not in one and not one.startswith("#")]
    assert [one for one in local if not (page.parent / one).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_are_there(page: Path) -> None:
    named = set(COMMAND.findall(page.read_text(encoding="utf-8")))
    assert named - set(get_commands()) == set()


def test_tests_that_a_threat_names_are_there() -> None:
    """The first of a cell names the folder, those after it may lie in the same one."""
    missing = []
    rows = [one for one in read("docs/threat-model.md").splitlines() if one.startswith("| ")]
    for row in rows:
        folder = Path()
        for name in re.findall(r"`((?:\w+/)?(?:test_\w+\.py)?)`", row.rpartition(" | ")[2]):
            path = ROOT / "tests" / (name if "/" in name else folder / name)
            folder = path.parent
            missing += [] if not name or path.exists() else [name]
    assert missing == []


def test_every_page_is_in_the_index_and_short() -> None:
    index = read("docs/README.md")
    pages = sorted(path.name for path in (ROOT / "docs").glob("*.md") if path.name != "README.md")
    assert [name for name in pages if f"({name})" not in index] == []
    long = [name for name in pages if len(read(f"docs/{name}").splitlines()) > 150]
    assert long == []


def test_every_decision_is_in_the_index() -> None:
    index = read("docs/adr/README.md")
    decisions = [path.name for path in (ROOT / "docs/adr").glob("0*.md")]
    assert [name for name in decisions if f"({name})" not in index] == []


def test_every_package_has_its_reason() -> None:
    reasons = read("docs/dependencies.md").casefold()
    for name in ("requirements.in", "requirements-dev.in", "requirements-install.in"):
        for line in read(name).splitlines():
            package = re.split(r"[\[<>= #]", line.strip(), maxsplit=1)[0].casefold()
            if package and not line.startswith("-"):
                assert package in reasons, package


def examples() -> list[Any]:
    return [json.loads(text) for text in FENCED.findall(read("docs/retention.md"))]


@pytest.mark.parametrize("example", examples(), ids=lambda example: example["name"])
def test_the_examples_of_retention_come_out_as_written(example: Any) -> None:
    assert example["expect"]
    result = run_case(parse_case(example))
    assert result.passed, (result.expected, result.got)


def test_the_schema_tells_of_every_call_and_is_made_without_a_warning() -> None:
    document = schema()
    assert not GENERATOR_STATS
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            place = f"{method} {path}"
            assert operation["summary"], place
            assert len(operation["tags"]) == 1, place
            assert {"401", "422", "503"} <= set(operation["responses"]), place


def test_the_codes_named_for_the_api_are_raised_somewhere() -> None:
    rows = [line for line in read("docs/api.md").splitlines() if re.match(r"\| \d{3}", line)]
    codes = {code for row in rows for code in re.findall(r"`([a-z_]{6,})`", row)}
    code = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("api", "audit", "erasure", "memories", "memoryhub", "policies", "privacy",
                       "tenants", "conversations")
        for path in (ROOT / folder).rglob("*.py")
    )  # fmt: skip
    shown = {"required", "version", "state"}  # fields beside a code
    assert {one for one in codes - shown if f'"{one}"' not in code} == set()
