"""Which prototypes a vector is nearest to. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from conversations.intent.judging import Likeness

Matrix = NDArray[np.float32]

NEAREST = 3
"""Prototypes of a class whose mean similarity counts: one odd neighbour decides nothing."""


def liken(vector: Matrix, prototypes: Mapping[Likeness, Matrix]) -> Likeness:
    """The class whose nearest prototypes are the nearest; all vectors are of unit length."""
    return max(prototypes, key=lambda name: _nearness(vector, prototypes[name]))


def nearest_of(vector: Matrix, rows: Sequence[Matrix]) -> float:
    """The similarity of the nearest of these; -1 without any."""
    return max((float(row @ vector) for row in rows), default=-1.0)


def _nearness(vector: Matrix, rows: Matrix) -> float:
    similarities = np.sort(rows @ vector)[::-1][:NEAREST]
    return float(similarities.mean())
