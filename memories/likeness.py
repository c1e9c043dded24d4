"""Whether two short texts that lie near each other also say the same. Pure.

A multilingual embedder puts "the deploy runs on Friday", "on Monday" and "never on Friday" at
cosines of 0.97 and more, nearer than many rewordings (bench/deduplication.py has the figures). So
nearness alone never merges. Two texts say the same when they deny alike, hold the same numbers, and
one's words are all among the other's: a word that each has and the other has not is another fact.
What is said in quite other words stays two memories, which costs a little room and loses nothing.
"""

from __future__ import annotations

import re
from collections import Counter

from memories.folding import UNSPACED, fold
from memories.lexing import query_terms

_DENIALS = re.compile(
    r"n't\b|n’t\b|\b(?:no|not|never|none|nobody|nothing|without|cannot|stop(?:s|ped)?|refuses?d?"
    r"|dislikes?d?|hates?d?|away|former(?:ly)?|anymore)\b|[不没无非别未勿莫停离]",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"[0-9]+(?:[.,:][0-9]+)*|[零一二三四五六七八九十百千万亿两]+")
_UNSPACED = re.compile(rf"[{UNSPACED}]")
_PARTICLES = frozenset(
    "的了吗呢吧啊是在有我你他她它们这那个只把被就都也还要会能可以到为时用着过得地和与及"
)


def say_the_same(one: str, two: str) -> bool:
    """Whether either text adds nothing but words to what the other says."""
    if one == two:
        return True
    first, second = fold(one), fold(two)
    if _denials(one) != _denials(two) or _numbers(first) != _numbers(second):
        return False
    words, others = _words(first), _words(second)
    return bool(words and others) and (words <= others or others <= words)


def _denials(text: str) -> int:
    return len(_DENIALS.findall(text))


def _numbers(folded: str) -> Counter[str]:
    return Counter(_NUMBERS.findall(folded))


def _words(folded: str) -> set[str]:
    """Stems of words, and single characters of scripts without spaces; particles left out."""
    characters = set(_UNSPACED.findall(folded)) - _PARTICLES
    return characters | set(query_terms(_UNSPACED.sub(" ", folded)))
