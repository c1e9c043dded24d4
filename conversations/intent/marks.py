"""What a clause shows, whatever its language. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Marks:
    """`requests`: a request or command with an object. `names_attribute`: an entity plus attribute.
    `tells`: a first-person fact. `binds`: a rule, duty or restriction that holds of something.
    `asks`: a question. `chats`: nothing but greetings, thanks, reactions or weather; `is_sound`:
    hardly a word, 嗯 or ok. `content`: how much is left without particles, in characters or words.
    """

    requests: bool
    names_attribute: bool
    tells: bool
    binds: bool
    asks: bool
    chats: bool
    is_sound: bool
    content: int

    @property
    def matters(self) -> bool:
        """Whether one of the reasons to keep it is there."""
        return self.requests or self.names_attribute or self.tells or self.binds
