"""When a statement repeats what is known, and when it replaces it. Pure.

Of a single attribute (one lives somewhere) another value replaces the one before. Of the others a
second value stands beside the first; only liking and disliking the same thing exclude each other.
"""

from __future__ import annotations

from conversations.extracting.statements import is_single, items_of, says_the_same

_OPPOSITES = {"likes": "dislikes", "dislikes": "likes"}


def repeats(attribute: str, value: str, known_attribute: str, known_value: str) -> bool:
    """Whether the statement says nothing but what is known."""
    return attribute == known_attribute and says_the_same(attribute, value, known_value)


def contradicts(attribute: str, value: str, known_attribute: str, known_value: str) -> bool:
    """Whether both cannot hold at once, so that the later one replaces the earlier."""
    if attribute == known_attribute:
        return is_single(attribute) and not says_the_same(attribute, value, known_value)
    if _OPPOSITES.get(attribute) == known_attribute:
        return items_of(value) == items_of(known_value)
    return False


def adds_to(value: str, known_value: str) -> bool:
    """Whether the value lists all that is known and more."""
    return items_of(value) > items_of(known_value)


def related_attributes(attribute: str) -> tuple[str, ...]:
    """The attributes whose memories may repeat or contradict a statement of this one."""
    opposite = _OPPOSITES.get(attribute)
    return (attribute,) if opposite is None else (attribute, opposite)
