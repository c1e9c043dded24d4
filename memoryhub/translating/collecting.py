"""What the pages say: every text that templates and modules mark for translation. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.utils.translation.template import templatize

from memoryhub.translating.catalogue import Message

ROOMS = ("dashboard", "memoryhub", "tenants")
CALLS = {"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy"}
_IN_TEMPLATE = re.compile(r"\b(?:gettext|ngettext|pgettext|npgettext)\(")


def collect(root: Path) -> dict[Message, list[str]]:
    """Each message with the files, relative to the root, that say it."""
    found: dict[Message, list[str]] = {}
    for path in sorted(root.joinpath("templates").rglob("*.html")):
        for message in messages_of_template(path.read_text("utf-8")):
            found.setdefault(message, []).append(str(path.relative_to(root)))
    for room in ROOMS:
        for path in sorted(root.joinpath(room).rglob("*.py")):
            for message in messages_of_module(path.read_text("utf-8")):
                found.setdefault(message, []).append(str(path.relative_to(root)))
    return found


def messages_of_template(text: str) -> Iterator[Message]:
    """Django turns a template into calls of gettext; these are read like a module's."""
    source = templatize(text)
    for found in _IN_TEMPLATE.finditer(source):
        call = _parse_call(source, found.start())
        if call is not None:
            yield from _message_of(call)


def _parse_call(source: str, start: int) -> ast.Call | None:
    """The call that begins here: up to the first bracket at which it is an expression."""
    end = start
    while (end := source.find(")", end + 1)) != -1:
        try:
            parsed = ast.parse(source[start : end + 1], mode="eval").body
        except SyntaxError:
            continue
        return parsed if isinstance(parsed, ast.Call) else None
    return None


def messages_of_module(text: str) -> Iterator[Message]:
    """Calls of gettext and its kin with literal texts."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            yield from _message_of(node)


def _message_of(call: ast.Call) -> Iterator[Message]:
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    texts = [
        argument.value
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]
    if name not in CALLS or not texts:
        return
    if name.startswith("n") and len(texts) > 1:
        yield Message(texts[0], plural=texts[1])
    elif name.startswith("p") and len(texts) > 1:
        yield Message(texts[1], context=texts[0])
    else:
        yield Message(texts[0])
