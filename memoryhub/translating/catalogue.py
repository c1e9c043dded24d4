"""A .po file as entries, and entries as a .po or .mo file. Pure."""

from __future__ import annotations

import ast
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

CONTEXT_GLUE = "\x04"
PLURAL_GLUE = "\x00"
MAGIC = 0x950412DE


@dataclass(frozen=True, slots=True, order=True)
class Message:
    """What a page says, in English: with a context and a plural where it has them."""

    text: str
    plural: str = ""
    context: str = ""

    @property
    def key(self) -> str:
        """As gettext looks it up: the plural is no part of it."""
        return f"{self.context}{CONTEXT_GLUE}{self.text}" if self.context else self.text


@dataclass(slots=True)
class Entry:
    """A message with its translations (one a plural form) and the files that say it."""

    message: Message
    translations: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)

    @property
    def is_translated(self) -> bool:
        return bool(self.translations) and all(self.translations)


def read_po(path: Path) -> dict[str, Entry]:
    """The entries of a .po file by key; the header has the key ""."""
    entries: dict[str, Entry] = {}
    for block in path.read_text("utf-8").split("\n\n"):
        fields = dict(_fields(block))
        if "msgid" not in fields:
            continue
        plural, context = fields.get("msgid_plural", ""), fields.get("msgctxt", "")
        message = Message(fields["msgid"], plural, context)
        texts = [text for name, text in fields.items() if name.startswith("msgstr")]
        entries[message.key] = Entry(message, texts)
    return entries


def _fields(block: str) -> Iterator[tuple[str, str]]:
    """(keyword, text) of a block; a text may go on over several lines."""
    name, text = "", ""
    for line in block.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith('"'):
            text += ast.literal_eval(line)
            continue
        if name:
            yield name, text
        name, _, quoted = line.partition(" ")
        text = ast.literal_eval(quoted)
    if name:
        yield name, text


def write_po(path: Path, header: str, entries: Iterable[Entry]) -> None:
    """The entries in the order of their texts, with the files that say them."""
    head = "\n".join(_quote(f"{line}\n") for line in header.splitlines())
    blocks = ['msgid ""\nmsgstr ""\n' + head]
    for entry in sorted(entries, key=lambda one: (one.message.text.lower(), one.message)):
        lines = [f"#: {place}" for place in sorted(set(entry.places))]
        message = entry.message
        if message.context:
            lines.append(f"msgctxt {_quote(message.context)}")
        lines.append(f"msgid {_quote(message.text)}")
        texts = entry.translations or [""]
        if message.plural:
            lines.append(f"msgid_plural {_quote(message.plural)}")
            lines += [f"msgstr[{number}] {_quote(text)}" for number, text in enumerate(texts)]
        else:
            lines.append(f"msgstr {_quote(texts[0])}")
        blocks.append("\n".join(lines))
    path.write_text("\n\n".join(blocks) + "\n", "utf-8")


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def compile_mo(entries: Mapping[str, Entry]) -> bytes:
    """The .mo file: a sorted table of keys and a table of translations (the GNU format)."""
    pairs = sorted(
        (
            PLURAL_GLUE.join(filter(None, (key, entry.message.plural))).encode(),
            PLURAL_GLUE.join(entry.translations).encode(),
        )
        for key, entry in entries.items()
        if entry.is_translated
    )
    count = len(pairs)
    start = 28 + 16 * count
    table = {0: b"", 1: b""}
    texts = b""
    for side in (0, 1):
        for pair in pairs:
            table[side] += struct.pack("<II", len(pair[side]), start + len(texts))
            texts += pair[side] + b"\x00"
    head = struct.pack("<7I", MAGIC, 0, count, 28, 28 + 8 * count, 0, start)
    return head + table[0] + table[1] + texts
