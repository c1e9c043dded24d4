"""What marks an English clause: requests, entities with an attribute, facts, chatter, questions.

Pure. A clause is its words; a mark is a word at a place (an imperative begins its clause), or a
phrase; what is left without the marks and small words is the object.
"""

from __future__ import annotations

import re

from conversations.intent.clauses import Clause, vocabulary
from conversations.intent.marks import Marks

_LEAD = vocabulary(
    """
    please then also and so but ok okay great sure yes yeah hey hi hello thanks well alright now
    just kindly oh
    """
)
_SMALL = vocabulary(
    """
    a an the this that these those it its to of in on at for with by from as is are was were be
    been am i me my mine we us our you your he she him her they them their and or but so too
    very really just much more some any there here all do does did not no will would can could
    should may
    """
)
_SOUNDS = vocabulary("hmm mmm ooh aha huh yep nah meh ugh")
_CHAT = vocabulary(
    """
    hi hello hey morning afternoon evening night good bye goodbye later tomorrow see thanks
    thank thx cheers welcome sorry ok okay okey alright sure yes yeah yep yup no nope problem
    worries cool nice great awesome amazing fantastic wonderful lovely brilliant perfect wow
    haha hahaha lol lmao hehe hilarious funny kidding oh ah uh um hm hmm mm ugh true right
    exactly indeed agreed totally absolutely understood got gotcha sense makes interesting
    sounds sound smart clever done well bored chat talk time long year new happy merry christmas
    birthday weekend best again million lot help recommendation recommendations suggestion
    advice look have has had think know expect happen how doing going are anything let's leave
    must i'm you're that's it's i'll i'd guess say said please so what's up
    """
)
_WEATHER = vocabulary(
    """
    weather rain raining rained rainy sun sunny snow snowing snowed wind windy cloudy foggy
    humid hot cold colder warmer chilly freezing breeze air fresh sunshine storm stormy
    """
)
_WEATHER_SMALL = vocabulary(
    """
    today yesterday tonight outside last night days lately getting looks like feels hard brutal
    beautiful nice lovely such day morning again
    """
)

_IMPERATIVES = vocabulary(
    """
    book move remind recommend change cancel dim turn set get make order return translate check
    write draft schedule reschedule note remember compare put send email call text ship deliver
    stop track tell generate create add remove delete update find search look buy reserve pay
    transfer print export summarize summarise prepare plan play open close switch start lower
    raise forward copy invite ask fetch show give list calculate convert transcribe transpose
    install renew top refund exchange upgrade arrange rename save keep always never bring pick
    leave sum count download upload share post reply
    """
)
_ASKING = (
    "i want", "i need", "i'd like", "i would like", "i'm looking for", "we need", "we want",
    "we'd like", "help me", "remind me", "let me know", "from now on", "by default", "could you",
    "can you", "would you", "will you", "please", "make sure", "don't forget", "i wish to",
    "is it possible to", "keep in mind",
)  # fmt: skip
_NO_REQUEST = (
    "do you", "are you", "who are", "what do you", "can you speak", "let's chat", "tell me more",
    "look at that", "keep it up", "i want to say", "i need to say", "let's leave",
)  # fmt: skip

_ATTRIBUTES = vocabulary(
    """
    number phone mobile email e-mail address birthday password account card passport plate spot
    tax size hours deadline budget office contact title position department school schedule
    model price invoice membership location username id manager supplier
    """
)
_OWNER = re.compile(r"\b(?:[a-z]+\.? ){0,2}[a-z]{2,}(?:'s|s') (?:[a-z-]+ ){0,2}(?P<what>[a-z-]+)")
_STATES = re.compile(r"\b(?:is|are|was|were|:|=|has|at|called|due|on|as)\s+(?P<what>.{2,})")

_ME = vocabulary("i i'm i've i'd i'll my our we we're we've we'll me mine")
_TELLING = vocabulary(
    """
    live lives living work works working am was were been have has had study studied studying
    learn learned learning graduated moved moving married divorced bought sold visited visit
    went going go travel travelling traveling love loves like likes enjoy enjoys hate hates
    prefer prefers dislike usually always never often every each don't doesn't can't cannot
    won't eat drink drive ride take takes run runs play plays read watched finished saw met
    cooked made built wrote started joined quit plan planning agreed allergic diabetic
    vegetarian vegan daughter son wife husband mother father mom mum dad brother sister cat dog
    parents kids children team company boss colleague friend friends name called calls meets
    interview trip birthday appointment surgery hobby hobbies born raised teach teaches manage
    lead own owns keep use fan interested been grew tried practice practise painted got
    """
)
_OPINION = (
    "i think", "i guess", "i see", "i know", "i agree", "i understand", "i didn't", "i'm bored",
    "i'm tired", "i'm fine", "i'm good", "i'm so", "i mean", "i hope", "i'm glad", "i'm happy",
    "i'm kidding", "i was kidding", "i'll have a look", "i'll take a look", "i'll check it out",
    "i'll try", "i'll think", "i'd love to", "i love it", "i like it", "i love that",
    "i like that", "i can imagine", "no idea", "i wonder", "i wish", "i bet", "i suppose",
    "i can't believe", "i can't wait", "i never knew", "i've never heard", "i had never heard",
    "i couldn't agree", "i could listen", "makes me", "made me",
)  # fmt: skip

_DUTY = re.compile(
    r"\b(?:must|mustn't|ha(?:s|ve) to|needs? to|requires?|is required|are required|only|"
    r"(?:is|are) (?:not|never) (?:allowed|permitted)|may not|at (?:most|least)|no more than)\b"
)
_VAGUE = vocabulary(
    """
    i i'm i've i'd i'll it it's that that's there there's he'd she'd you life love time one
    people everybody everyone somebody something nothing what all
    """
)
"""Of whom a duty is said in passing: "it must be nice", "time only moves forward"."""

_POINTING = vocabulary("this these those")
_FORBIDDING = vocabulary("no only")
_BOUND = vocabulary(
    "after before during between until unless without on in at to from for with above below over"
)
_NOTHING_FORBIDDEN = vocabulary(
    """
    way idea doubt clue wonder chance matter need kidding offense offence pressure rush hurry
    luck one problem worries thanks more bad sure really much too so big fair surprise harm fun
    """
)
"""After "no": an exclamation."""

_YOU = vocabulary("you your you're you've you'll yours yourself")
_MINE = vocabulary("my mine we our we're we've we'll")

_ASKS = vocabulary(
    """
    what who whom whose which when where why how is are was were do does did can could will
    would should has have may any what's who's where's how's
    """
)


def marks_of(clause: Clause) -> Marks:
    """What marks this clause."""
    words = clause.words
    bare = _after_lead(words)
    asks = clause.asks or (bool(bare) and bare[0] in _ASKS)
    content = [word for word in words if word not in _SMALL]
    talk = [word for word in content if word not in _CHAT]
    is_weather = any(word in _WEATHER for word in words)
    dull = [word for word in talk if word not in _WEATHER and word not in _WEATHER_SMALL]
    return Marks(
        requests=_requests(clause.text, bare, asks=asks),
        names_attribute=_names_attribute(clause.text, words),
        tells=_tells(clause.text, words, asks=asks),
        binds=not (asks or is_weather) and _binds(clause.text, bare),
        asks=asks,
        chats=not talk or (is_weather and len(dull) <= 1),
        is_sound=len(clause.content) <= 2 or clause.content in _SOUNDS,
        content=len(content),
    )


def _after_lead(words: list[str]) -> list[str]:
    start = 0
    while start < len(words) and words[start] in _LEAD:
        start += 1
    return words[start:]


def _objects(words: list[str]) -> int:
    return sum(word not in _SMALL and word not in _CHAT for word in words)


def _requests(text: str, words: list[str], *, asks: bool) -> bool:
    """A request or command with an object; "do you speak …" asks about the hub."""
    if not words or any(phrase in text for phrase in _NO_REQUEST):
        return False
    if words[0] in _IMPERATIVES and not asks:
        return _objects(words[1:]) >= 1
    if any(phrase in text for phrase in _ASKING):
        return _objects(words) >= 2 or any(word in _IMPERATIVES for word in words)
    return any(one == "if" for one in words[:1]) and any(word in _IMPERATIVES for word in words)


def _names_attribute(text: str, words: list[str]) -> bool:
    """Somebody's or something's attribute: John's phone number, the client's office is at …"""
    owner = _OWNER.search(text)
    if owner is not None and any(word in _ATTRIBUTES for word in owner[0].split()[1:]):
        return not owner[0].startswith(("what's", "it's", "that's", "let's", "who's", "where's"))
    if not any(word in _ATTRIBUTES for word in words) or "you" in words or "your" in words:
        return False
    stated = _STATES.search(text)
    return stated is not None and words[0] not in _ASKS and len(words) >= 4


def _tells(text: str, words: list[str], *, asks: bool) -> bool:
    """A first-person fact: me or mine, with something that is told of them.

    "I love talking to you" is about the hub, unless something of mine comes into it.
    """
    if asks or any(phrase in text for phrase in _OPINION):
        return False
    if any(word in _YOU for word in words) and not any(word in _MINE for word in words):
        return False
    if not any(word in _ME for word in words):
        return False
    told = [word for word in words if word not in _ME]
    return any(word in _TELLING for word in words) and _objects(told) >= 1


def _binds(text: str, words: list[str]) -> bool:
    """What must or must not be: "receipts must be …", "no calls before nine"."""
    if len(words) < 4 or any(word in _YOU for word in words):
        return False
    if any(phrase in text for phrase in _OPINION):
        return False
    if words[0] in _FORBIDDING and "no more than" not in text:
        is_bound = any(word in _BOUND for word in words[2:])
        return is_bound and words[1] not in _NOTHING_FORBIDDEN and _objects(words[1:]) >= 2
    if words[0] in _VAGUE or (words[0] in _POINTING and _DUTY.match(" ".join(words[1:3]))):
        return False
    return _DUTY.search(text) is not None and _objects(words) >= 3
