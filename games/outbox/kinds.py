"""What a kind of letter is: declared once, in the module of `games.outbox.messages` that writes its
rows. Its text is in `games.letters` and in `templates/mail/<id>.*`."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Literal

#: Every kind by its id. `games.outbox.messages` declares them all: import it from there.
KINDS: dict[str, Kind] = {}


def personal_kinds() -> list[str]:
    """Return the kinds that only answer what their reader has sent, such as receipts."""
    return [kind.id for kind in KINDS.values() if kind.to_muted and not kind.secret]


@dataclass(frozen=True)
class Kind:
    """A kind of letter. `id` is stored in `Letter.kind` and begins the names of its templates; by
    `name` other letters and pages mention it."""

    id: str
    name: str
    _: KW_ONLY
    #: Its text contains a token and is never stored.
    secret: bool = False
    #: It goes even to people who have muted the game.
    to_muted: bool = False
    #: It replies to a person's message (RFC 3834, 5); all others are sent unasked.
    answers: bool = False
    #: The reader waits for it: how long it takes is measured.
    awaited: bool = False
    #: It asks for a word: replying with it is the same as using its link. The value is the first
    #: character of its token.
    asks: str = ""
    #: What a reply to it may contain: orders, words without orders, or nothing.
    replies: Literal["orders", "words", ""] = "orders"
    #: Nations, or a nation and the gamesmaster, write to each other. Such letters have a thread for
    #: each circle, apart from the game's, and are private.
    between_people: bool = False
    #: Orders in reply to it are for its phase, and not for a later one.
    of_phase: bool = False
    #: `about` has the deadline of its phase, which goes into the reader's calendar.
    announces: bool = False
    #: It cancels a deadline announced for later.
    closes: bool = False

    def __post_init__(self) -> None:
        if self.id in KINDS:
            raise ValueError(f"the kind of letter “{self.id}” is declared twice")
        KINDS[self.id] = self
