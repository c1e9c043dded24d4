"""Trees of RFC 6962: known roots, and every proof of every small tree, by two implementations."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.sealing import merkle
from audit.sealing.merkle import Grown, fold, grow, hash_leaf, prove_consistency, prove_inclusion
from audit.verifying.offline import is_consistent, root_by_inclusion

LEAVES = [hash_leaf(str(number).encode()) for number in range(300)]

# The reference tree of Certificate Transparency's test vectors: its leaves, and roots by size.
VECTOR = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657",
          "606162636465666768696a6b6c6d6e6f"]  # fmt: skip
ROOTS = {
    0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    7: "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}


def plain_root(leaves: list[bytes]) -> bytes:
    """MTH as the RFC writes it."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return sha256(b"\x01" + plain_root(leaves[:split]) + plain_root(leaves[split:])).digest()


def complete(level: int, number: int) -> bytes:
    return fold(LEAVES[number << level : (number + 1) << level])


@pytest.mark.parametrize("size", ROOTS)
def test_the_roots_of_the_reference_tree(size: int) -> None:
    leaves = [hash_leaf(bytes.fromhex(content)) for content in VECTOR[:size]]
    assert grow(0, (), leaves).root.hex() == ROOTS[size]


def test_roots_are_those_of_the_definition() -> None:
    for size in range(0, 300, 7):
        assert grow(0, (), LEAVES[:size]).root == plain_root(LEAVES[:size])


@given(st.lists(st.integers(0, 80), max_size=6))
def test_a_tree_grows_the_same_in_any_portions(portions: list[int]) -> None:
    tree, taken = Grown(0, ()), 0
    for portion in portions:
        tree = grow(tree.size, tree.frontier, LEAVES[taken : taken + portion])
        taken = min(taken + portion, len(LEAVES))
        assert tree.root == plain_root(LEAVES[: tree.size])


def test_stored_nodes_are_complete_subtrees() -> None:
    nodes = grow(0, (), [hash_leaf(str(n).encode()) for n in range(70_000)]).nodes
    places = [(node.level, node.number) for node in nodes]
    assert places.count((16, 0)) == 1
    assert [place for place in places if place[0] == 8] == [(8, n) for n in range(273)]
    assert nodes[0].hash == fold(LEAVES[:256])


def test_every_inclusion_of_small_trees_is_proved_and_no_other() -> None:
    for size in range(1, 35):
        root = plain_root(LEAVES[:size])
        for index in range(size):
            path = prove_inclusion(index, size, complete)
            assert root_by_inclusion(LEAVES[index], index, size, path) == root
            for other in range(size):
                if other != index:
                    assert root_by_inclusion(LEAVES[other], index, size, path) != root
            assert root_by_inclusion(LEAVES[index], index, size, [*path, root]) != root
            if path:
                assert root_by_inclusion(LEAVES[index], index, size, path[:-1]) != root


def test_every_growth_of_small_trees_is_proved_and_no_other() -> None:
    for new in range(1, 35):
        root = plain_root(LEAVES[:new])
        for old in range(1, new + 1):
            before = plain_root(LEAVES[:old])
            path = prove_consistency(old, new, complete)
            assert is_consistent((old, before), (new, root), path)
            assert not is_consistent((old, bytes(32)), (new, root), path)
            if old < new:
                assert not is_consistent((old, before), (new, bytes(32)), path)
                assert not is_consistent((old, before), (new, root), path[:-1])
                assert not is_consistent((old, before), (new, root), [*path, root])


def test_covers_are_complete_subtrees_in_order() -> None:
    for low in range(40):
        for high in range(low, 40):
            place = low
            for level, number in merkle.cover(low, high):
                assert number << level == place
                place += 1 << level
            assert place == high
