"""Finding personal data in a text: pure, versioned, in time linear in the text.

**The invariant.** `find` gives spans of the *original* text, sorted, none overlapping, each with
`text == original[start:end]`, the same for the same text, date and version. It reads no clock, no
setting and no database. Masking what it found and running it again finds nothing of that kind.

**The way.** The text is folded (`folding`), our own tokens are hidden, UUIDs and hashes too
(`negatives`); each recogniser takes candidates by a pattern with ASCII look-arounds (`\\b` sees no
boundary beside a Chinese character), checks them by check digit or parser, and scores them by form
and by the words within 24 characters (`contexts`); `overlaps` leaves one reading for each place.

**Two thresholds.** A checksum of one digit proves little: of random digit strings seven in a
hundred of eleven digits look like a mobile number, two in a hundred of sixteen like a card. So
there are two scores to ask for. LIKELY, the default of `find`, wants strong checks or something
that says the same: a word, a prefix, the usual grouping. POSSIBLE also takes the bare number of the
right form. Whatever acts on a write asks for POSSIBLE (`walking.find_in_value` does so by default):
better to mask an order number than to store a telephone number.

**What can fail.** An outside detector may raise; that is passed on: who writes must fail closed.
All patterns of ours have bounded repetitions or consume what they match; a tenant's run in RE2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date
from types import MappingProxyType

from privacy.detecting import (
    accounts,
    credentials,
    emails,
    identities,
    negatives,
    networks,
    numbers,
    phones,
)
from privacy.detecting.folding import FILLER, Folded, compact, fold
from privacy.detecting.overlaps import resolve
from privacy.detecting.patterns import Pattern, PatternSpec, compile_patterns, find_patterns
from privacy.detecting.spans import (
    BUILT_IN,
    EXTRAS,
    LIKELY,
    POSSIBLE,
    Detector,
    Hit,
    Recogniser,
    Span,
)

__all__ = [
    "BUILT_IN",
    "EXTRAS",
    "LIKELY",
    "POSSIBLE",
    "RECOGNISERS",
    "VERSION",
    "Detector",
    "Pattern",
    "PatternSpec",
    "Span",
    "compile_patterns",
    "find",
]

VERSION = "1"
"""Of the built-in pack. Raise it with every change of what is found: a new one rescans."""

_PASSES = 3

RECOGNISERS: Mapping[str, Recogniser] = MappingProxyType(
    {
        "secret": credentials.find_secret,
        "cn_id": identities.find_cn_id,
        "bank_card": numbers.find_bank_card,
        "cn_mobile": numbers.find_cn_mobile,
        "email": emails.find_email,
        "us_ssn": accounts.find_us_ssn,
        "iban": accounts.find_iban,
        "intl_phone": phones.find_intl_phone,
        "cn_passport": identities.find_cn_passport,
        "ip": networks.find_ip,
    }
)


def find(
    text: str,
    *,
    today: date,
    allow: Collection[str] = (),
    patterns: Iterable[Pattern] = (),
    detectors: Iterable[Detector] = (),
    at_least: float = LIKELY,
) -> list[Span]:
    """Personal data in `text`, as spans of it.

    `allow`: values never reported (numbers compared without grouping, secrets exactly), or
    `@example.com` for all addresses of a domain. `patterns`: a tenant's, from `compile_patterns`.
    `detectors`: others, such as a company's service or `people.PersonDetector()`; what they raise
    is passed on.
    """
    folded = fold(text)
    shown = Folded(text, negatives.hide_tokens(folded.text), folded.starts)
    hits = _scan(shown, today, tuple(patterns), at_least)
    spans = list(_spans(folded, hits))
    foreign = [span for span in _foreign(text, detectors) if span.score >= at_least]
    if foreign:
        spans = _with_foreign(spans, foreign)
    return _not_allowed(spans, allow) if allow and spans else spans


def _scan(folded: Folded, today: date, patterns: tuple[Pattern, ...], least: float) -> list[Hit]:
    """The hits that stand.

    Where a loser stuck out of a winner, or something is glued to one (`…EXAMPLE+1 415 …`), the rest
    is read again without the winners.
    """
    standing: list[Hit] = []
    for _ in range(_PASSES):
        hits = [*_built_in(folded, today), *find_patterns(folded, patterns)]
        found, stuck_out = resolve(hit for hit in hits if hit.score >= least)
        standing += found
        text = folded.text
        if not stuck_out and not any(_is_glued(text, hit) for hit in found):
            break
        pieces, place = [], 0
        for hit in found:
            pieces += [text[place : hit.start], FILLER * (hit.end - hit.start)]
            place = hit.end
        folded = Folded(folded.original, "".join([*pieces, text[place:]]), folded.starts)
    return sorted(standing, key=lambda hit: hit.start)


def _is_glued(text: str, hit: Hit) -> bool:
    beside = text[max(0, hit.start - 1) : hit.start] + text[hit.end : hit.end + 1]
    return any(
        character == "+" or (character.isascii() and character.isalnum()) for character in beside
    )


def _built_in(folded: Folded, today: date) -> Iterator[Hit]:
    """Each recogniser runs only if the text has what it cannot do without."""
    text = folded.text
    yield from credentials.find_secret(folded, today=today)
    if "@" in text or "%40" in text:
        yield from emails.find_email(folded, today=today)
    calm = Folded(folded.original, negatives.hide_impersonal(text), folded.starts)
    digits = sum(map(calm.text.count, "0123456789"))
    if digits >= 4 or calm.text.count(":") >= 2:
        yield from networks.find_ip(calm, today=today)
    if digits < 7:
        return
    yield from phones.find_intl_phone(calm, today=today)
    yield from identities.find_cn_passport(calm, today=today)
    yield from accounts.find_iban(calm, today=today)
    if digits >= 9:
        yield from accounts.find_us_ssn(calm, today=today)
    if digits >= 11:
        yield from numbers.find_cn_mobile(calm, today=today)
    if digits >= 13:
        yield from numbers.find_bank_card(calm, today=today)
        yield from identities.find_cn_id(calm, today=today)


def _spans(folded: Folded, hits: Iterable[Hit]) -> Iterator[Span]:
    """In the places of the original, where two hits may share a character such as `½`."""
    done = 0
    for hit in hits:
        start, end = folded.place(hit.start, hit.end)
        start = max(start, done)
        if start < end:
            text = folded.original[start:end]
            yield Span(hit.entity, start, end, text, hit.score, hit.detector)
            done = end


def _foreign(text: str, detectors: Iterable[Detector]) -> Iterator[Span]:
    """What outside detectors say, where it is in the text and not one of our tokens."""
    places = negatives.TokenPlaces(text)
    for detector in detectors:
        for span in detector.find(text):
            start, end = max(0, span.start), min(len(text), span.end)
            if start < end and not places.touch(start, end):
                score = min(max(span.score, 0.0), 1.0)
                yield Span(span.entity, start, end, text[start:end], score, detector.name)


def _with_foreign(spans: list[Span], foreign: list[Span]) -> list[Span]:
    """Both, with ours first where they overlap: theirs has no check that we know of."""
    hits = {
        Hit(span.entity, span.start, span.end, span.score, span.detector, own): span
        for own, listed in ((False, foreign), (True, spans))
        for span in listed
    }
    return [hits[hit] for hit in resolve(hits)[0]]


def _not_allowed(spans: list[Span], allow: Collection[str]) -> list[Span]:
    exact = frozenset(allow)
    folded = frozenset(fold(value).text.casefold() for value in allow)
    bare = frozenset(map(compact, allow))
    domains = tuple(value for value in folded if value.startswith("@"))

    def is_allowed(span: Span) -> bool:
        if span.entity == "secret":
            return span.text in exact
        if span.entity == "email":
            address = fold(span.text).text.casefold()
            return address in folded or address.endswith(domains)
        return compact(span.text) in bare

    return [span for span in spans if not is_allowed(span)]
