"""The one door of every write: personal data found and dealt with before anything else sees it.

**The invariant.** What is serialised, hashed, lexed, embedded, logged and queued is `Protected`'s
value, never the one that came in. Masks and tokens are the same for the same value of a tenant, so
writing a value again is recognised as unchanged.

**Identifiers** (item keys, namespace labels, subjects, tags, session ids) are how things are
addressed: they stand in lists and addresses, and replacing one would make the thing
unfindable for its writer. So an identifier that holds an identity, card, account or passport number
or a secret is refused (`pii_rejected`), and what is often a plain handle (an address, a telephone
number) is only flagged. Keys *inside* values are part of the value and are replaced like it.

**What can fail.** An outside detector does not answer: the write is refused with 503, because what
was not looked at must not be stored. The tenant's key is gone: nothing can be sealed (503).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any
from uuid import UUID

import structlog

from memoryhub.errors import FieldError, Invalid, Unavailable
from privacy.choosing import PrivacyRegime, Scope, choose_action
from privacy.detecting.negatives import TOKEN
from privacy.detecting.spans import LIKELY, POSSIBLE, Span
from privacy.detecting.walking import Located, find_in_value, replace_in_value
from privacy.masking import Action, mask_span, redaction, token
from privacy.vault import Original, keep
from sealing.originals import SealRefused

log = structlog.get_logger(__name__)

REFUSED_IN_IDENTIFIERS = frozenset(
    {"cn_id", "bank_card", "us_ssn", "iban", "cn_passport", "secret"}
)
SHORTEST_IDENTIFIER = 8
"""No number, account or secret of the built-in kinds is shorter."""
RETRY_AFTER = 5
_LOSSY = (Action.MASK, Action.REDACT, Action.QUARANTINE)
HARD = frozenset({Action.QUARANTINE, Action.REJECT})
"""Actions that take a whole memory out of use; an officer may lift them."""
_HIDING = (Action.MASK, Action.ENCRYPT, Action.TOKENISE, Action.REDACT)


@dataclass(frozen=True, slots=True)
class Found:
    """What was found at a path and what was done.

    `copied`: a token that the writer sent. `released`: an officer said that it is no secret.
    """

    entity: str
    path: str
    action: Action
    token_id: str | None = None
    count: int = 1
    copied: bool = False
    released: bool = False


@dataclass(frozen=True, slots=True)
class Protected:
    """A value that may be stored, what was found in it, and the originals that its tokens need.

    `is_quarantined`: nobody may use it before an officer decides; its value is redacted all the
    same.
    """

    value: Any = field(repr=False)
    found: tuple[Found, ...] = ()
    originals: tuple[Original, ...] = ()
    is_quarantined: bool = False

    @property
    def keeps_lost(self) -> bool:
        """Whether it has originals of what was masked or redacted, which are lost otherwise."""
        return any(one.token_id is not None and one.action in _LOSSY for one in self.found)

    def without_lost(self) -> Protected:
        """The same without those originals: nothing protects them."""
        found = tuple(
            replace(one, token_id=None) if one.action in _LOSSY else one for one in self.found
        )
        needed = {one.token_id for one in found}
        originals = tuple(one for one in self.originals if one.token_id in needed)
        return replace(self, found=found, originals=originals)

    def with_found(self, more: Iterable[Found]) -> Protected:
        """The same with further findings."""
        return replace(self, found=(*self.found, *more))


@dataclass(frozen=True, slots=True)
class Guard:
    """What protecting needs to know.

    `lifted`: actions that an officer reduced to a flag. `refuses`: whether there is a writer who
    can be told no; what is stored already is quarantined instead.
    """

    regime: PrivacyRegime
    tenant_id: UUID
    today: date
    lifted: frozenset[Action] = frozenset()
    refuses: bool = True

    def find(self, value: Any, *, at_least: float = POSSIBLE) -> list[Located]:
        """Where personal data is. Raises Unavailable when a detector fails."""
        regime = self.regime
        try:
            return find_in_value(
                value,
                today=self.today,
                allow=regime.allow,
                patterns=regime.patterns,
                detectors=regime.detectors,
                at_least=at_least,
            )
        except Exception as error:
            if not regime.detectors:
                raise
            log.warning("detector_failed", error=type(error).__name__)
            raise Unavailable(
                "A detector of personal data does not answer.",
                code="detector_unavailable", retry_after=RETRY_AFTER,
            ) from None  # fmt: skip

    def action_of(self, span: Span, scope: Scope) -> Action:
        """What is to be done with a finding."""
        chosen = choose_action(span.entity, self.regime, scope)
        if chosen in self.lifted:
            return Action.FLAG
        if chosen is Action.REJECT and not self.refuses:
            return Action.QUARANTINE
        return chosen

    def is_lifted(self, entity: str, scope: Scope) -> bool:
        """Whether an officer lifted what would be done with it."""
        return choose_action(entity, self.regime, scope) in self.lifted


def protect_value(value: Any, guard: Guard, scope: Scope, *, root: str = "value") -> Protected:
    """The value as it may be stored. Raises Invalid `pii_rejected`, Unavailable."""
    located = guard.find(value)
    if not located:
        return Protected(value)
    work = _Work(guard, scope)
    _refuse_rejected(located, work, root)
    try:
        shown = replace_in_value(value, located, work.render)
    except SealRefused:
        raise Unavailable(
            "The tenant's key is not here.", code="key_gone", retry_after=RETRY_AFTER
        ) from None
    found = [
        Found(*key, count=count, released=guard.is_lifted(key[0], scope))
        for key, count in Counter(
            (span.entity, one.path, work.action(span), work.kept.get((span.entity, span.text)))
            for one in located
            for span in one.spans
        ).items()
    ]
    originals = {one.token_id: one for one in work.originals}
    return Protected(
        shown,
        tuple(found),
        tuple(originals[name] for name in sorted(originals)),
        is_quarantined=any(one.action is Action.QUARANTINE for one in found),
    )


class _Work:
    """One value under way: actions chosen once an entity, originals kept once a value."""

    def __init__(self, guard: Guard, scope: Scope) -> None:
        self._guard, self._scope = guard, scope
        self._actions: dict[str, Action] = {}
        self.originals: list[Original] = []
        self.kept: dict[tuple[str, str], str] = {}

    def action(self, span: Span) -> Action:
        action = self._actions.get(span.entity)
        if action is None:
            action = self._actions[span.entity] = self._guard.action_of(span, self._scope)
        return action

    def render(self, span: Span) -> str:
        """What stands in the place of the span."""
        match self.action(span):
            case Action.FLAG:
                return span.text
            case Action.MASK:
                if self._scope.keeps_originals:
                    self._keep(span)
                return mask_span(span)
            case Action.ENCRYPT:
                self._keep(span)
                return mask_span(span)
            case Action.TOKENISE:
                return token(span.entity, self._keep(span))
            case Action.REDACT | Action.QUARANTINE if self._scope.keeps_originals:
                self._keep(span)
        return redaction(span.entity)

    def _keep(self, span: Span) -> str:
        name = (span.entity, span.text)
        if name not in self.kept:
            original = keep(span.entity, span.text, self._guard.tenant_id)
            self.originals.append(original)
            self.kept[name] = original.token_id
        return self.kept[name]


def _refuse_rejected(located: Collection[Located], work: _Work, root: str) -> None:
    faults = {
        (one.path, span.entity): _fault(_below(root, one.path), span.entity)
        for one in located
        for span in one.spans
        if work.action(span) is Action.REJECT
    }
    if faults:
        raise Invalid(faults.values())


def _below(root: str, path: str) -> str:
    return f"{root}{'' if not path or path.startswith('[') else '.'}{path}"


def _fault(path: str, entity: str) -> FieldError:
    return FieldError(path, "pii_rejected", f"This holds personal data: {entity}.")


def check_identifiers(
    names: Iterable[tuple[str, str]], guard: Guard, scope: Scope
) -> tuple[Found, ...]:
    """What is flagged in identifiers, given as (path, text). Raises Invalid `pii_rejected`."""
    flagged, faults = [], []
    has_own = bool(guard.regime.patterns or guard.regime.detectors)
    for path, text in names:
        if len(text) < SHORTEST_IDENTIFIER and "@" not in text and not has_own:
            continue
        for located in guard.find(text, at_least=LIKELY):
            for span in located.spans:
                is_refused = span.entity in REFUSED_IN_IDENTIFIERS
                if is_refused or guard.action_of(span, scope) is Action.REJECT:
                    faults.append(_fault(path, span.entity))
                else:
                    flagged.append(Found(span.entity, path, Action.FLAG))
    if faults:
        raise Invalid(faults)
    return tuple(flagged)


def copied_tokens(text: str, known: Collection[Original] = ()) -> tuple[Found, ...]:
    """Tokens that a writer sent in a value's JSON text: uses of originals that are there."""
    if "⟦" not in text:
        return ()
    own = {one.token_id for one in known}
    counted = Counter(match[0][1:-1] for match in TOKEN.finditer(text))
    pairs = [(name.partition(":"), count) for name, count in counted.items()]
    return tuple(
        Found(entity, "", Action.TOKENISE, token_id, count, copied=True)
        for (entity, _, token_id), count in pairs
        if token_id not in own
    )


def shield_query(value: Any, guard: Guard) -> Any:
    """A search text or filter as the stored values are: tokens and masks for what is personal.

    Nothing is kept, so that a search neither stores nor embeds a clear value; what would be
    refused or quarantined is redacted.
    """
    located = guard.find(value)
    if not located:
        return value
    work = _Work(guard, Scope())

    def render(span: Span) -> str:
        hides = work.action(span) in (*_HIDING, Action.FLAG)
        return work.render(span) if hides else redaction(span.entity)

    return replace_in_value(value, located, render)
