"""Large grids: the daily run takes one case of each kind, `make test-all` takes every case."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import pytest

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
