"""A rule set as a text that people keep beside their code: YAML or JSON, read and written.

A list of rules, or an object with `rules`, `cases` and `note`, in the formats of RETENTION.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from memoryhub.errors import Invalid

PARTS = frozenset({"rules", "cases", "note"})
MOST_CHARACTERS = 1_000_000


class _Loader(yaml.SafeLoader):
    """YAML whose dates stay text, as in JSON."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - as the base class has it
        first: [(tag, pattern) for tag, pattern in known if not tag.endswith(":timestamp")]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


class _Dumper(yaml.SafeDumper):
    """Lists within lists are indented, and nothing is an alias of something else."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        return super().increase_indent(flow, False)

    def ignore_aliases(self, data: object) -> bool:
        return True


def read_document(text: str) -> dict[str, Any]:
    """The parts that the text gives, not yet checked. Raises Invalid at `text`.

    JSON is YAML, so one reader takes both.
    """
    if len(text) > MOST_CHARACTERS:
        raise Invalid.at("text", "too_long", "The text is too long.")
    try:
        content = yaml.load(text, _Loader)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f" (line {mark.line + 1}, column {mark.column + 1})"
        detail = f"{getattr(error, 'problem', None) or 'This cannot be read'}{where}."
        raise Invalid.at("text", "malformed", detail) from None
    if isinstance(content, list):
        content = {"rules": content}
    if not isinstance(content, dict) or set(content) - PARTS:
        raise Invalid.at("text", "malformed", "Give a list of rules, or rules, cases and a note.")
    return content


def write_document(content: Mapping[str, Any]) -> str:
    """The parts as YAML, in the order in which people read them."""
    parts = {name: content[name] for name in ("note", "rules", "cases") if content.get(name)}
    return yaml.dump(
        parts or {"rules": []}, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100,
        default_flow_style=False,
    )  # fmt: skip
