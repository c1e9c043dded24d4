"""First-person statements in English: what stands after I and tells something that lasts. Pure."""

from __future__ import annotations

import re

from conversations.extracting.statements import Statement, clean_value, kind_of, with_topic

_LEAD = (
    r"^(?:(?:hi|hello|hey|there|well|okay|ok|oh|hmm|haha|great|sure|yes|yeah|actually|also|and"
    r"|but|so|besides|because"
    r"|by the way|speaking of which|on another note|on a brighter note|the fact is|of course"
    r"|definitely|please|remember(?: that)?"
    r"|note that|don't forget(?: that)?|keep in mind(?: that)?|today|recently|lately|yesterday"
    r"|now|currently|these days|right now"
    r"|last (?:night|week|weekend|month|year)|this (?:morning|evening|afternoon|week)|my friend"
    r"|friend|ai companion)[,.!]?\s+)*"
)
_ADV = (
    r"(?:(?:also|really|just|usually|always|often|currently|now|still|mainly|especially"
    r"|particularly|absolutely|do"
    r"|personally|generally|normally|typically|recently|actually|even|sometimes|quite|already"
    r"|finally|mostly|very much"
    r"|have always|have also|definitely) )*"
)
_AM = r"I(?:'m|’m| am)(?: (?:also|currently|now|actually|really|originally))*"
_HAVE = r"I(?:'ve|’ve| have)?(?: (?:just|recently|also|now|finally|already))*"
_V = r"(?P<value>.{1,160})$"
_NOT_THESE = r"(?!(?:it|that|this|you|them|these|those|chatting|talking)\b(?: with| to)?)"
_WORKS = (
    r"(?:\w+ ){0,2}(?:teacher|engineer|developer|programmer|doctor|nurse|student|designer|lawyer"
    r"|accountant|driver|writer"
    r"|journalist|manager|editor|chef|cook|photographer|artist|musician|consultant|scientist"
    r"|researcher|analyst|salesman"
    r"|salesperson|freelancer|translator|architect|pilot|farmer|trainer)"
)
_KIN = (
    r"wife|husband|partner|girlfriend|boyfriend|mother|mom|mum|father|dad|son|daughter|kids?"
    r"|children|brother|sister"
    r"|grandmother|grandfather|boss|dog|cat"
)

_RULES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (attribute, re.compile(_LEAD + pattern, re.IGNORECASE))
    for attribute, pattern in (
        ("name", r"my name(?: is|'s) (?P<value>(?-i:[A-Z])[\w'’-]+(?: (?-i:[A-Z])[\w'’-]+){0,2})$"),
        ("called", r"(?:I think )?(?:you can "
                   r"|please )?call me (?P<value>[\w'’-]+(?: (?-i:[A-Z])[\w'’-]+)?)$"),
        ("residence", rf"I {_ADV}(?:live|reside) in (?!a hotel"
                      rf"|hotels)(?P<value>.{{0,40}}(?-i:[A-Z]).{{1,40}})$"),
        ("residence", rf"{_AM} based in (?P<value>(?-i:[A-Z]).{{1,60}})$"),
        ("residence", rf"{_HAVE} (?:moved"
                      rf"|relocated)(?: back)?(?: from .{{1,40}}?)? to "
                      rf"(?P<value>(?-i:[A-Z]).{{1,60}})$"),
        ("hometown", rf"(?:{_AM} (?:originally )?from|I come from|I was born in"
                     rf"|I grew up in) (?P<value>(?-i:[A-Z]).{{1,60}})$"),
        ("hometown", r"my home ?town is (?P<value>.{1,60})$"),
        ("birthday", r"(?:my birthday is (?:on )?|I was born on )(?P<value>.{0,30}(?:\d|January"
                     r"|February|March|April|May|June|July"
                     r"|August|September|October|November|December).{0,30})$"),
        ("age", rf"{_AM} (?P<value>\d{{1,3}})(?: years? old)?$"),
        ("occupation", rf"(?:{_AM} an? |I work as an? |my job is an? )(?P<value>{_WORKS})\b"),
        ("employer", rf"I {_ADV}work (?:at|for) (?P<value>(?!a\b|an\b|the\b|my\b)[^,]{{1,60}})$"),
        ("school", r"I (?:study|go to school) at (?P<value>[^,]{1,60})$"),
        ("marital_status", rf"{_AM} (?P<value>single|married|divorced|engaged)\b"),
        ("allergy", rf"{_AM} (?:severely |very )?allergic to (?P<value>.{{1,60}})$"),
        ("diet", rf"{_AM} (?:a |an )?(?P<value>(?:strict )?(?:vegetarian|vegan|pescatarian"
                 rf"|teetotal(?:l?er)?))\b"),
        ("diet", rf"I {_ADV}(?P<value>(?:don't|don’t|do not|never|can't|cannot) (?:eat"
                 rf"|drink) .{{1,60}})$"),
        ("dislikes", rf"I {_ADV}(?:(?:don't|don’t|do not) (?:really )?(?:like|enjoy)|dislike"
                     rf"|hate|can't stand|cannot stand) {_NOT_THESE}{_V}"),
        ("favorite", r"my (?:all-time )?favou?rite (?P<topic>[\w' ]{0,40}?)\s?(?:is|are|was"
                     r"|were) (?P<value>.{1,160})$"),
        ("likes", rf"I {_ADV}(?:like|liked|love|loved|enjoy|enjoyed|prefer"
                  rf"|adore) {_NOT_THESE}{_V}"),
        ("likes", rf"{_AM} (?:really )?(?:fond of|into|interested in|keen on) {_NOT_THESE}{_V}"),
        ("likes", rf"I(?:'ve|’ve| have) always (?:liked|loved|enjoyed) {_NOT_THESE}{_V}"),
        ("likes", rf"I(?:'ve|’ve| have) been (?:really )?(?:interested in|into) {_V}"),
        ("likes", r"my (?:hobbies|hobby|interests?) (?:are|is|include) (?P<value>.{1,160})$"),
        ("default", r"(?:I |we |please )?(?:always |by default,? )(?P<topic>ship|send|pay|reply"
                    r"|write|deliver|invoice)"
                    r"(?: \w+){0,3} (?:with|by|via|using|in|through) (?P<value>.{1,60})$"),
        ("has", rf"I {_ADV}(?:have|own|keep) (?P<value>(?:a|an|one|two|three|four"
                rf"|\d+) (?:\w+ ){{0,2}}"
                r"(?:dogs?|cats?|kids?|sons?|daughters?|child|children|brothers?|sisters?|cars?"
                r"|houses?|parrots?|rabbits?)\b.{0,60})$"),
        ("family", rf"my (?P<topic>{_KIN})(?:'s|’s)? (?P<value>(?:name is|is|lives|likes|loves"
                   rf"|has|works|named|birthday is)\b.{{1,160}})$"),
        ("character", rf"{_AM} (?:quite |a bit |very |rather |pretty "
                      rf"|more of an? )?(?P<value>introverted|extroverted|lazy|shy|outgoing"
                      rf"|an introvert|an extrovert)\b"),
        ("plan", rf"(?:{_AM} (?:planning|going|preparing|about)|I (?:plan|intend|decided"
                 rf"|want)) (?P<value>(?:to|on|for|a|an) (?!talk|chat|tell|share|ask|discuss"
                 rf"|have (?:dinner|lunch)|find some).{{2,160}})$"),
        ("plan", r"I(?:'ve|’ve| have) been (?:planning|preparing) (?P<value>.{2,160})$"),
        ("doing", rf"(?:{_AM}|I(?:'ve|’ve| have)(?: \w+)? been) (?:currently |recently "
                  rf"|always )?(?P<value>(?:learning|studying|practicing|practising"
                  r"|reading|preparing|collecting|working|writing|thinking|considering|trying"
                  r"|following|playing|watching|looking"
                  r"|spending) .{2,160})$"),
        ("doing", rf"{_HAVE} (?:started|began|begun) (?P<value>.{{2,160}})$"),
        ("did", rf"(?:my friends? and "
                rf"|my colleagues? and )?{_HAVE}(?: and my \w+)? (?P<value>(?:went|watched|saw"
                rf"|read|bought|made|cooked|learned|learnt|visited"
                r"|tried|attended|discovered|took|signed|registered|enrolled|climbed|ran|formed"
                r"|found|received|got|finished"
                r"|wrote|applied|ate|spent|listened|recorded|passed|won) (?!it\b|that\b|you\b"
                r"|a lot of useful).{2,160})$"),
        ("did", r"we (?P<value>(?:went|watched|saw|visited|read|made|ate) .{2,160})$"),
        ("habit", r"I (?P<value>(?:usually|often|always|normally|typically|generally) (?!feel"
                  r"|think|felt).{2,160}"
                  r"|.{2,100} every (?:day|week|weekend|morning|evening|month)\b.{0,60})$"),
    )
)  # fmt: skip

_REMEMBER = re.compile(
    r"\b(?:remember (?:that )?(?:I|my|we)\b|please (?:remember|note)|don['’]t forget"
            r"|keep in mind)", re.IGNORECASE
)  # fmt: skip


MOST_TOGETHER = 12
"""Clauses that one list may have."""


def read_clause(clauses: tuple[str, ...], place: int) -> tuple[Statement, int] | None:
    """What is stated from the clause at `place` on, and how many clauses that takes; or None.

    English lists with commas, so the clauses that begin no sentence of their own belong to it.
    """
    taken, most = 1, min(len(clauses) - place, MOST_TOGETHER)
    while taken < most and not _BEGINS.match(clauses[place + taken]):
        taken += 1
    text = ", ".join(clauses[place : place + taken])
    for attribute, pattern in _RULES:
        found = pattern.search(text)
        if found is None:
            continue
        parts = found.groupdict()
        value = clean_value(parts["value"])
        if not value:
            continue
        attribute = with_topic(attribute, parts.get("topic"))
        return Statement(attribute, value, kind_of(attribute), text), taken
    return None


_BEGINS = re.compile(
    r"(?:and |but |so |because |which |where |who )?(?:I|I'\w+|I’\w+|we|you|it|he|she|they|this"
            r"|that|there|my|your|the (?!\w+$)"
    r"|do|does|did|can|could|would|will|what|which|who|where|when|why|how|is|are"
            r"|have)\b(?! \w+ed$)",
    re.IGNORECASE,
)  # fmt: skip


def asks_to_remember(text: str) -> bool:
    """Whether the person asks that this be remembered."""
    return _REMEMBER.search(text) is not None
