"""Secrets: keys and tokens of known form, private key blocks, and what is named a password.

The known forms are those of detect-secrets and of the providers' own pages. A named secret
(`password: …`, `密码是…`, `api_key=…`) is its value alone, and only a value that can be one: not a
placeholder, not a word of a sentence, not the name of a variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from privacy.detecting.folding import FILLER, Folded
from privacy.detecting.spans import Hit

_W = "[A-Za-z0-9_-]"
KNOWN = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?P<aws>(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9]))"
    r"|(?P<github>gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})"
    rf"|(?P<gitlab>gl(?:pat|dt|rt|ptt|cbt|ft|soat|agent)-{_W}{{20,}})"
    rf"|(?P<anthropic>sk-ant-{_W}{{16,}})"
    rf"|(?P<openai>sk-(?:proj-|svcacct-|admin-|or-v1-|lf-)?(?={_W}{{0,255}}[0-9]){_W}{{20,}})"
    r"|(?P<slack>xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}"
    r"|hooks\.slack\.com/services/[A-Za-z0-9_/-]{20,})"
    r"|(?P<stripe>(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,})"
    rf"|(?P<google>AIza{_W}{{35}}|ya29\.{_W}{{20,}}|GOCSPX-{_W}{{28}})"
    rf"|(?P<sendgrid>SG\.{_W}{{16,32}}\.{_W}{{16,64}})"
    r"|(?P<twilio>(?:AC|SK)[0-9a-f]{32}(?![A-Za-z0-9]))"
    r"|(?P<mailgun>key-[0-9a-f]{32}(?![A-Za-z0-9]))"
    rf"|(?P<registry>npm_[A-Za-z0-9]{{36}}|pypi-AgE{_W}{{30,}}|dckr_pat_{_W}{{20,}})"
    r"|(?P<cloud>LTAI[A-Za-z0-9]{12,24}|AKID[A-Za-z0-9]{32,36}|dop_v1_[0-9a-f]{64}"
    r"|dapi[0-9a-f]{32}|hv[sb]\.[A-Za-z0-9_-]{24,})"
    rf"|(?P<model>hf_[A-Za-z0-9]{{30,}}|gsk_[A-Za-z0-9]{{40,}}|r8_[A-Za-z0-9]{{30,}}"
    rf"|xai-[A-Za-z0-9]{{40,}}|pplx-[A-Za-z0-9]{{40,}}|nvapi-{_W}{{40,}}|tvly-{_W}{{20,}})"
    r"|(?P<shop>shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|sq0(?:atp|csp)-[A-Za-z0-9_-]{22,}"
    r"|EAAA[A-Za-z0-9_-]{60})"
    r"|(?P<memoryhub>mh_[A-Za-z0-9]{4,64}_[A-Za-z0-9_-]{16,})"
    r"|(?P<telegram>[0-9]{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-]))"
    r"|(?P<age>AGE-SECRET-KEY-1[A-Z0-9]{58})"
    r")"
)
JWT = re.compile(
    r"(?<![A-Za-z0-9_.-])eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){1,3}"
)
BEARER = re.compile(
    r"(?i:authorization: *basic +)(?P<basic>[A-Za-z0-9+/]{8,}=*)"
    r"|(?i:(?<![a-z])(?:bearer|basic) +)"
    r"(?P<bearer>(?=[A-Za-z._~+/-]{0,255}[0-9])[A-Za-z0-9._~+/-]{16,}=*)"
)
IN_URL = re.compile(r"://[^\s:/?#@]{0,64}:([^\s:/?#@]{3,128})@")
KEY_BEGINS = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[0-9]:"
)
_KEY_BODY = re.compile(r"(?:[A-Za-z0-9+/=\s:,.\\-]){0,20000}")

_ENTRIES = (
    "password|passwd|passwort|passphrase|pwd|passcode|pass_?word|密码|口令|密碼|登录密码|"
    "mnemonic|seed phrase|助记词"
)
_KEYS = (
    "secret[ _-]?access[ _-]?key|secret[ _-]?key|secret|token|api[ _-]?key|apikey|"
    "(?:api|app|client)[ _-]?secret|"
    "access[ _-]?key(?:[ _-]?(?:id|secret))?|private[ _-]?key|encryption[ _-]?key|"
    "signing[ _-]?key|account[ _-]?key|auth[ _-]?key|license[ _-]?key|"
    "(?:access|refresh|auth|bearer|session|id|bot)[ _-]?token|credentials?|"
    "密钥|秘钥|密匙|私钥|令牌|凭证|凭据"
)
_STEMS = (
    "pass", "pwd", "secret", "token", "key", "credential", "mnemonic", "seed phrase",
    "密", "口令", "秘钥", "私钥", "令牌", "凭", "助记词",
)  # fmt: skip
_SIGN = r":=|=>|[:=]"
_VERB = (
    r"(?<=[\s\u4e00-\u9fff])(?:(?:is|was|has been)(?: now| still)?(?: (?:changed|set|reset) to)?|"
    r"(?:changed|set|reset) to|"
    r"(?:也|就|都|还|改|设|设置|修改|重置|更新|换)?(?:是|为|成|叫)了?)[:=]?"
)
NAMED = re.compile(
    rf"(?:(?P<pass>{_ENTRIES})|(?P<keys>{_KEYS}))(?:(?<=[\u4e00-\u9fff])|(?![a-z]))(?:\\?[\"'`*\])])*"
    rf"(?:\s{{0,3}}(?:(?P<sign>{_SIGN})|(?P<verb>{_VERB}))"
    rf"|\s(?:for|of|to)\s[^\n:=]{{1,30}}?\s{{0,3}}(?P<far>{_SIGN}|{_VERB})"
    r"|(?P<nothing>\s{1,3}|(?<=[\u4e00-\u9fff])))\s{0,3}"
    r"(?:\\?[\"'`“‘](?P<quoted>[^\"'`”’\n\\]{3,200})\\?[\"'`”’]"
    r"|(?![:=])(?P<bare>(?:[!#-%(-+\--:<-_a-{}~]"
    r"|[,;|&](?=[^\s,;|&])(?![A-Za-z_]{1,20}[=:])){4,200}))",
    re.IGNORECASE,
)
_NO_VALUE = re.compile(
    r"(?i:none|null|nil|true|false|undefined|required|optional|incorrect|invalid|wrong|expired|missing|"
    r"protected|string|str|int|varchar|text|hidden|redacted|masked|secret|password|token|changed|reset|"
    r"placeholder|example|your.{0,40}|my[_-].{0,40}|forgot(?:ten)?|unknown|encrypted|hashed|empty|"
    r"process\.env.*|os\.environ.*|env\..*|getenv.*|https?:/*.*|self\..*|config\..*|settings\..*|"
    r"bearer|basic|x+|.*\*{3}.*|\*+|\.+|-+|_+|\?+|#+|•+|\[.*|<.*|~?/.*|\./.*|\{.*|\$[{(A-Z_].*|%\(?[a-z].*|@[a-z].*|⟦.*)\W*"
)


def find_secret(folded: Folded, *, today: date) -> Iterator[Hit]:
    """Known forms first, then what stands after a word for a secret."""
    text = folded.text
    for match in KNOWN.finditer(text):
        yield Hit("secret", *match.span(), 0.95, f"secret.{match.lastgroup}")
    if "eyJ" in text:
        for match in JWT.finditer(text):
            yield Hit("secret", *match.span(), 0.95, "secret.jwt")
    if "://" in text:
        for match in IN_URL.finditer(text):
            if not _NO_VALUE.fullmatch(match[1]):
                yield Hit("secret", *match.span(1), 0.9, "secret.url")
    if "PRIVATE KEY" in text or "PuTTY-User" in text:
        yield from _find_key_blocks(text)
    lowered = text.lower()
    if "bearer" in lowered or "basic" in lowered:
        for match in BEARER.finditer(text):
            span = match.span(match.lastgroup or 0)
            yield Hit("secret", *span, 0.9, "secret.bearer")
    if any(stem in lowered for stem in _STEMS):
        yield from _find_named(text)


def _find_key_blocks(text: str) -> Iterator[Hit]:
    """From the first line of a private key to its last, or as far as it looks like one."""
    place, last = 0, text.rfind("-----END")
    while match := KEY_BEGINS.search(text, place):
        end = text.find("-----END", match.end()) if last >= match.end() else -1
        closing = text.find("-----", end + 8) if end >= 0 else -1
        if 0 <= end - match.end() <= 20_000 and 0 <= closing - end <= 60:
            place = closing + 5
        else:
            body = _KEY_BODY.match(text, match.end())
            place = max(match.end(), body.end() if body else 0)
        yield Hit("secret", match.start(), place, 0.99, "secret.private_key")


def _find_named(text: str) -> Iterator[Hit]:
    for match in NAMED.finditer(text):
        before = text[max(0, match.start() - 1) : match.start()]
        if before.isascii() and before.isalpha() and match[0][0].islower():
            continue
        group = "quoted" if match["quoted"] is not None else "bare"
        start, end = match.span(group)
        if group == "bare":
            end = start + len(match[group].rstrip(".,:!?)]}>"))
        value = text[start:end]
        if FILLER in value or _NO_VALUE.fullmatch(value) or not value.isascii():
            continue
        if _can_be_secret(match, value, text[end : end + 3]):
            yield Hit("secret", start, end, 0.8, "secret.named")


def _can_be_secret(match: re.Match[str], value: str, follows: str) -> bool:
    """How much the value must look like a secret depends on how plainly it is named one."""
    digits = any(character.isdigit() for character in value)
    letters = any(character.isalpha() for character in value)
    plain = bool(match["sign"] or match["quoted"])
    if match["pass"] is None:
        least = 16 if match["nothing"] is not None and not plain else 6
        strong = digits or len(value) >= 24
        return strong and letters and len(value) >= least and " " not in value
    chinese = not match["pass"].isascii()
    if len(value) < 4 or re.match(r"\s?[位个字次天年条]", follows):
        return False
    if " " in value:
        return "phrase" in match["pass"].lower() or match["pass"] in ("mnemonic", "助记词")
    if match["nothing"] is not None and not plain and not chinese:
        return digits and letters and len(value) >= 6
    if digits or (letters and not value.replace("-", "").isalpha()):
        return True
    named = plain or (chinese and match["nothing"] is None and not follows.startswith("的"))
    return named and not re.match(r" [a-z]", follows)
