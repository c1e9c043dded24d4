"""E-mail addresses, also in Chinese text, with international domains, and as `%40` in a URL.

In Chinese nothing need stand between an address and the next word: `zhang@example.cn吧`. An ASCII
domain therefore ends before the first Chinese character, and a Chinese one at a top-level domain
that exists. Letters of other scripts (`münchen.de`) belong to the domain. The whole is checked by
`idna`. An address inside a URL's `user:password@host` or a repository's `git@host:` is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

import idna

from privacy.detecting.folding import Folded
from privacy.detecting.spans import Hit

AT = re.compile(r"(?<=[^\s@])(?:@|%40)(?=[^\s@.][^\s@]{0,252}?\.[^\s@])")
_LOCAL = re.compile(r"[A-Za-z0-9._%+'~\u00c0-\u052f-]+\Z")
_QUOTED = re.compile(r"(?<![^\s,;:<(])\"[^\"\n]{1,62}\"\Z")
_DOMAIN = re.compile(r"[^\W_](?:[^\W_]|-)*(?:\.(?:[^\W_]|-)+)*")
_ASCII = re.compile(r"[A-Za-z0-9.-]+")
_LABEL = re.compile(r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)")
_USER_INFO = re.compile(r"://[^\s/@]*\Z")
_IDEOGRAPH = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]")
_CHINESE_LOCAL = re.compile(r"[\u4e00-\u9fff0-9]{1,16}\Z")
_LEADING = re.compile(
    r".*(?:邮箱|邮件|地址|联系|发送|发给|发到|发至|抄送|写信|寄给|寄到|回复|请给|请|给|到|至|是|为|找)"
)

NOT_PUBLIC = re.compile(
    "local|localhost|localdomain|internal|intranet|private|lan|home|corp|invalid|onion|arpa"
)
"""Names of networks of one's own, and reserved ones that no address of a person has."""

NOT_DOMAINS = re.compile(
    "png|jpe?g|gif|svg|webp|ico|bmp|css|jsx?|tsx?|json|html?|php|txt|pdf|xml|ya?ml|csv|log|exe|dll|"
    "tar|gz|jar|java|cpp"
)
"""Endings of files (`logo@2x.png`), without those that are top-level domains (py, md, zip)."""

CHINESE_TOP = re.compile(
    "中国|中國|公司|网络|網絡|在线|中文网|我爱你|商城|商店|网址|网站|网店|集团|公益|政务|组织机构|机构|"
    "香港|台湾|台灣|澳门|澳門|新加坡|世界|手机|移动|企业|信息|娱乐|游戏|时尚|广东|佛山|餐厅|健康|购物|慈善|"
    "招聘|食品|书籍|通販|政府|珠宝|家電|微博|联通|みんな|コム|セール|ストア|닷컴|닷넷|한국"
)
"""Top-level domains in Chinese, Japanese and Korean: where an address ends in a sentence."""


def find_email(folded: Folded, *, today: date) -> Iterator[Hit]:
    """An address with a local part of at most 64 characters and a public domain."""
    text = folded.text
    done = 0
    for match in AT.finditer(text):
        end = _chain_end(text, match.end())
        start = _local_start(text, match.start(), done) if end else -1
        if start < 0:
            continue
        if _USER_INFO.search(text, max(0, start - 80), start):
            continue
        if text.startswith("git@", start) and text.startswith(":", end):
            continue
        done = end
        yield Hit("email", start, end, 0.95, "email")


def _chain_end(text: str, start: int) -> int:
    """The end of the domain; of `a@b.cnc@d.cn`, which cannot be told apart, the end of the last."""
    end = domain_end(text, start)
    while end and text.startswith("@", end):
        further = domain_end(text, end + 1)
        if not further:
            break
        end = further
    return end


def _local_start(text: str, at: int, done: int) -> int:
    """Where the local part between `done` and the at sign starts; -1 if there is no good one."""
    low = max(done, at - 66)
    quoted = _QUOTED.search(text, low, at)
    if quoted:
        return quoted.start()
    found = _LOCAL.search(text, low, at)
    if found is None:
        named = _CHINESE_LOCAL.search(text, low, at)
        if named is None or named[0].isascii():
            return -1
        lead = _LEADING.match(named[0])
        start = named.start() + (lead.end() if lead else 0)
        return start if start < at else -1
    local = found[0]
    if "..." in local:
        local = local[local.rindex("...") + 3 :]
    local = local.lstrip(".'%+~-")
    if not local or ".." in local or local.endswith(".") or len(local) > 64:
        return -1
    return at - len(local)


def domain_end(text: str, start: int) -> int:
    """Where the domain that starts at `start` ends; 0 if it is no public one."""
    found = _DOMAIN.match(text, start, start + 253)
    if found is None:
        return 0
    whole = found[0]
    plain = _ASCII.match(whole)
    if plain:
        rest = whole[plain.end() : plain.end() + 1]
        domain = plain[0].rstrip(".-")
        glued = bool(rest) and len(domain) == plain.end() and not _IDEOGRAPH.match(rest)
        while not glued and domain:
            if _is_public(domain):
                return start + len(domain)
            domain, _, last = domain.rpartition(".")
            if last.isalpha():
                break
    return _international_end(whole, start)


def _is_public(domain: str) -> bool:
    labels = domain.split(".")
    top = labels[-1].lower()
    return (
        len(labels) > 1
        and (re.fullmatch("[a-z]{2,63}", top) is not None or top.startswith("xn--"))
        and not NOT_PUBLIC.fullmatch(top)
        and not NOT_DOMAINS.fullmatch(top)
        and all(_LABEL.fullmatch(label) for label in labels)
    )


def _international_end(whole: str, start: int) -> int:
    """The end of a domain with other letters than ASCII, tried from its last label backwards."""
    labels = whole.split(".")
    while len(labels) > 1:
        top = _top_of(labels[-1])
        domain = ".".join([*labels[:-1], top])
        if top and not domain.isascii() and _is_encodable(domain):
            return start + len(domain)
        labels.pop()
    return 0


def _top_of(label: str) -> str:
    """The top-level domain that a label is or starts with."""
    plain = _ASCII.match(label)
    if plain:
        return plain[0] if _is_public(f"a.{plain[0]}") else ""
    if _IDEOGRAPH.match(label) or re.match("[\u3040-\u30ff]", label):
        known = CHINESE_TOP.match(label)
        return known[0] if known else ""
    return label if len(label) > 1 and label.isalpha() else ""


def _is_encodable(domain: str) -> bool:
    try:
        idna.encode(domain, uts46=True)
    except idna.IDNAError:
        return False
    return True
