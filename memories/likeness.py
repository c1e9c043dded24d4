"""Whether two short texts that lie near each other also say the same. Pure.

A multilingual embedder puts "the deploy runs on Friday", "on Monday" and "never on Friday" at
cosines of 0.97 and more, nearer than many rewordings (bench/deduplication.py has the figures). So
nearness alone never merges. Two texts say the same when they deny alike, hold the same numbers, and
one's words are all among the other's: a word that each has and the other has not is another fact.
Read as one word are a few everyday ways of saying one thing, and what comes of one stem. Two that
are turned round about the same middle ("Tom reports to Sarah") are two. What is said in quite other
words stays two memories, which costs a little room and loses nothing.
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
_PIECES = re.compile(rf"[{UNSPACED}]|[^{UNSPACED}\\s]+")
_PARTICLES = frozenset(
    "的了吗呢吧啊是在有我你他她它们这那个只把被就都也还要会能可以到为时用着过得地和与及"
)

_ONE_THING = (
    (r"\b(?:every|each) day\b", "daily"),
    (r"\b(?:every|each) week\b", "weekly"),
    (r"\b(?:every|each) month\b", "monthly"),
    (r"\b(?:every|each) year\b", "yearly"),
    (r"\b(?:about|roughly|approximately|around|usually|generally|normally)\b|~", " "),
    (r"\bno more than\b|\bup to\b", "at most"),
    (r"\b(?:called|named)\b", "name"),
    (r"\bborn\b", "birthday"),
    (r"\bfirst\b", "one"), (r"\bsecond\b", "two"), (r"\bthird\b", "three"),
    (r"\bfourth\b", "four"), (r"\bfifth\b", "five"), (r"\bsixth\b", "six"),
    (r"\bseventh\b", "seven"), (r"\beighth\b", "eight"), (r"\bninth\b", "nine"),
    (r"大约|大概|差不多|左右|一般|平时|平常|通常|一下", ""),
    (r"一(?=[只个位名条台辆])[只个位名条台辆]", ""),
    (r"名字[是叫]?|名叫|取名", "叫"),
    (r"为止|截止", "到期"),
    (r"上司|领导|主管", "上级"),
    (r"(?<=[一二三四五六七八九十0-9])楼", "层"),
    (r"免运费|免邮费?", "包邮"),
    (r"每日", "每天"),
)  # fmt: skip
"""What is written in several ways and read in one; hedges are left out. Idioms of 一 and 不 come
before numbers and denials are looked for, because they are none."""
_REWRITTEN = [(re.compile(pattern), " " + plain) for pattern, plain in _ONE_THING]
_KIN = frozenset("妈母爸父姐妹哥弟妻夫婆儿女孙叔姨舅姑友邻") | set(
    query_terms(
        "sister brother wife husband mother father mom mum dad son daughter aunt uncle cousin "
        "child kid parent partner boss colleague friend neighbour neighbor roommate"
    )
)
"""A text that names one of these more than the other is about somebody else."""
_SUFFIXES = ("i", "er")
"""Of stems: allerg-i, play-er."""
_LEAST_STEM = 4
SHORT = 1_000
"""Characters of a text up to which it is read so closely."""
MOST_TURNED = 60
"""Words up to which a text is looked at for being another one turned round."""


def say_the_same(one: str, two: str) -> bool:
    """Whether either text adds nothing but words to what the other says."""
    if one == two:
        return True
    one, two = _plain(one), _plain(two)
    first, second = fold(one), fold(two)
    if _denials(one) != _denials(two) or _numbers(first) != _numbers(second):
        return False
    words, others = _words(first), _words(second)
    if not (words and others) or (words ^ others) & _KIN or _is_turned(first, second):
        return False
    return _are_among(words, others) or _are_among(others, words)


def _plain(text: str) -> str:
    """What can be said in several ways said in one; long texts as they are. Not folded yet, because
    that takes the denial from "don't"."""
    if len(text) > SHORT:
        return text
    text = text.casefold()
    for pattern, plain in _REWRITTEN:
        text = pattern.sub(plain, text)
    return text


def _are_among(words: set[str], others: set[str]) -> bool:
    return all(_is_of_stem(word, others - words) for word in words - others)


def _is_of_stem(word: str, others: set[str]) -> bool:
    """Whether one of the others comes of this word's stem."""
    return any(
        len(short) >= _LEAST_STEM and long in [short + suffix for suffix in _SUFFIXES]
        for other in others
        for short, long in (sorted((word, other), key=len),)
    )


def _is_turned(first: str, second: str) -> bool:
    """Whether one is the other with its ends exchanged about the same middle."""
    if max(len(first), len(second)) > SHORT:
        return False
    one, two = _in_order(first), _in_order(second)
    length = len(one)
    if not 3 <= length <= MOST_TURNED or len(two) != length or one == two:
        return False
    return any(
        two == [*one[end:], *one[start:end], *one[:start]]
        for start in range(1, length - 1)
        for end in range(start + 1, length)
    )


def _denials(text: str) -> int:
    return len(_DENIALS.findall(text))


def _numbers(folded: str) -> Counter[str]:
    return Counter(_NUMBERS.findall(folded))


def _words(folded: str) -> set[str]:
    """Stems of words, and single characters of scripts without spaces; particles left out."""
    characters = set(_UNSPACED.findall(folded)) - _PARTICLES
    return characters | set(query_terms(_UNSPACED.sub(" ", folded)))


def _in_order(folded: str) -> list[str]:
    """The same, as they stand."""
    found: list[str] = []
    for piece in _PIECES.findall(folded):
        if _UNSPACED.match(piece):
            found += [] if piece in _PARTICLES else [piece]
        else:
            found += query_terms(piece)
    return found
