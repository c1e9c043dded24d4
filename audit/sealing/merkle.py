"""Merkle trees of RFC 6962: growing one leaf at a time, roots, and proofs. Pure.

A tree of `size` leaves is the row of its complete subtrees, largest first, one for each bit of the
size: its *frontier*. Growing needs only that, so it costs a few hashes a leaf whatever the size.

Proofs need hashes inside the tree. Every eighth level of complete subtrees is stored (one row for
each 256 below it); the others are folded from at most 255 stored ones. A subtree is named by its
level and its number: it covers the leaves [number << level, (number + 1) << level).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

HASH = 32
STEP = 8
"""Levels 8, 16, 24 and so on are stored."""
EMPTY = sha256(b"").digest()

Complete = Callable[[int, int], bytes]
"""The hash of a complete subtree, by level and number."""


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A complete subtree of a stored level."""

    level: int
    number: int
    hash: bytes


@dataclass(frozen=True, slots=True)
class Grown:
    """A tree after it grew, and the stored nodes that became complete."""

    size: int
    frontier: tuple[bytes, ...]
    nodes: tuple[StoredNode, ...] = ()

    @property
    def root(self) -> bytes:
        return root_of(self.frontier)


def hash_leaf(content: bytes) -> bytes:
    """The leaf of some content."""
    return sha256(b"\x00" + content).digest()


def hash_pair(left: bytes, right: bytes) -> bytes:
    """The node above two."""
    return sha256(b"\x01" + left + right).digest()


def grow(size: int, frontier: Sequence[bytes], leaves: Iterable[bytes]) -> Grown:
    """Append leaf hashes to a tree of `size` leaves."""
    row = list(frontier)
    nodes: list[StoredNode] = []
    for leaf in leaves:
        node, rest, level = leaf, size, 0
        while rest & 1:
            node = hash_pair(row.pop(), node)
            rest >>= 1
            level += 1
            if level % STEP == 0:
                nodes.append(StoredNode(level, rest, node))
        row.append(node)
        size += 1
    return Grown(size, tuple(row), tuple(nodes))


def root_of(frontier: Sequence[bytes]) -> bytes:
    """The root of the tree with this frontier."""
    if not frontier:
        return EMPTY
    root = frontier[-1]
    for left in frontier[-2::-1]:
        root = hash_pair(left, root)
    return root


def cover(low: int, high: int) -> list[tuple[int, int]]:
    """The complete subtrees (level, number) of which the leaves [low, high) consist, in order."""
    parts = []
    while low < high:
        level = ((low & -low).bit_length() if low else (high - low).bit_length()) - 1
        while 1 << level > high - low:
            level -= 1
        parts.append((level, low >> level))
        low += 1 << level
    return parts


def frontier_of(size: int, complete: Complete) -> tuple[bytes, ...]:
    """The frontier of the first `size` leaves."""
    return tuple(complete(*part) for part in cover(0, size))


def hash_range(low: int, high: int, complete: Complete) -> bytes:
    """MTH of the leaves [low, high), where `low` begins a subtree, as RFC 6962 splits them."""
    return root_of([complete(*part) for part in cover(low, high)])


def prove_inclusion(index: int, size: int, complete: Complete) -> list[bytes]:
    """PATH of RFC 6962, 2.1.1: from the leaf's neighbour up to the root's child."""
    path: list[bytes] = []
    low, high = 0, size
    while high - low > 1:
        middle = low + _split(high - low)
        if index < middle:
            path.append(hash_range(middle, high, complete))
            high = middle
        else:
            path.append(hash_range(low, middle, complete))
            low = middle
    return path[::-1]


def prove_consistency(old: int, new: int, complete: Complete) -> list[bytes]:
    """PROOF of RFC 6962, 2.1.2: that the tree of `new` leaves begins with the `old` ones."""
    if old in (0, new):
        return []
    path: list[bytes] = []
    low, high, is_whole = 0, new, True
    while old != high:
        middle = low + _split(high - low)
        if old <= middle:
            path.append(hash_range(middle, high, complete))
            high = middle
        else:
            path.append(hash_range(low, middle, complete))
            low, is_whole = middle, False
    if not is_whole:
        path.append(hash_range(low, high, complete))
    return path[::-1]


def fold(hashes: Sequence[bytes]) -> bytes:
    """The subtree over 2^n hashes of one level."""
    row = list(hashes)
    while len(row) > 1:
        row = [hash_pair(row[place], row[place + 1]) for place in range(0, len(row), 2)]
    return row[0]


def _split(count: int) -> int:
    """The largest power of two below `count`."""
    return 1 << (count - 1).bit_length() - 1
