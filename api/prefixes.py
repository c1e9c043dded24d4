"""Namespace prefixes on the wire: labels, or the stored path that commands print."""

from __future__ import annotations

from collections.abc import Sequence

from memories.namespaces import check_prefix, decode, encode, parse_path


def read_prefixes(given: Sequence[list[str] | str], *, path: str = "prefixes") -> list[str]:
    """As stored paths. Raises Invalid that names the one at fault, `prefixes[1]`."""
    return [
        encode(
            parse_path(one, path=f"{path}[{number}]")
            if isinstance(one, str)
            else check_prefix(one, path=f"{path}[{number}]")
        )
        for number, one in enumerate(given)
    ]


def show_prefixes(stored: Sequence[str]) -> list[list[str]]:
    """As labels."""
    return [list(decode(prefix)) for prefix in stored]
