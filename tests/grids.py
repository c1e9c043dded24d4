"""How much a run tries: the daily one takes a case of each kind, `make test-all` takes every case.

And so with what hypothesis draws: daily a fifth, by the profile that the run names.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import pytest
from hypothesis import settings

T = TypeVar("T")


def one_of_each(
    cases: Iterable[T], kind: Callable[[T], Hashable], *, name: Callable[[T], str] = str
) -> list[Any]:
    """A parameter for every case; one whose kind an earlier case had is slow."""
    seen: set[Hashable] = set()
    found = []
    for case in cases:
        marks = [pytest.mark.slow] if kind(case) in seen else []
        seen.add(kind(case))
        found.append(pytest.param(case, id=name(case), marks=marks))
    return found


def examples(full: int) -> int:
    """So many examples of a property in a full run, and fewer in one whose profile has fewer."""
    return full * settings().max_examples // 100
