"""The kinds of votes: what each is called, how it is typed and who must agree.

The page, the reader of mail, answers and letters take everything about a kind from here; what it
does is in `games.desk.votes.EFFECTS`.
"""

from __future__ import annotations

from dataclasses import dataclass

from .names import any_of


@dataclass(frozen=True)
class VoteKind:
    """A kind of vote.

    `{nation}` in a sentence or command is the nation that the vote is about.

    - `key`: as stored, and in the page's form.
    - `title`, `short`: the subject, in full and in a list of kinds.
    - `offer`: the choice on the page.
    - `command`, `pattern`: what follows VOTE in mail, as shown and as read; `to` in the pattern is
      the nation as typed.
    - `by_majority`: more than half of the nations decide, not all.
    - `names_nation`: the vote is about a nation, which has no voice in it and gets the `refusal`.
    - `moves_deadline`: possible only before a deadline, and in effect halfway to it at the latest.
    """

    key: str
    title: str
    short: str
    offer: str
    command: str
    pattern: str
    by_majority: bool = False
    names_nation: bool = False
    refusal: str = ""
    moves_deadline: bool = False


MORE_TIME = VoteKind(
    key="more-time",
    title="more time",
    short="more time",
    offer="More time: a day, or in a game by minutes the length of the phase",
    command="MORE TIME",
    pattern=r"(?:more time|extension)",
    by_majority=True,
    moves_deadline=True,
)
DRAW = VoteKind(
    key="draw",
    title="a draw between all nations",
    short="a draw",
    offer="A draw between all nations",
    command="DRAW",
    pattern="draw",
)
END = VoteKind(
    key="end",
    title="ending the game now, with the scores as they are",
    short="an early end",
    offer="End the game now, with the scores as they are",
    command="END GAME",
    pattern=r"(?:end(?:\s+(?:the\s+)?game)?|early end)",
)
CONCEDE = VoteKind(
    key="concede",
    title="conceding the game to {nation}",
    short="a concession",
    offer="Concede the game to {nation}",
    command="CONCEDE TO {nation}",
    pattern=r"conce(?:de|ssion)\s+to\s+(?P<to>\S.*)",
    names_nation=True,
    refusal="You play {nation}: the others decide whether they concede to you.",
)
#: All kinds by key, in the order in which they are offered.
KINDS = {kind.key: kind for kind in (MORE_TIME, DRAW, END, CONCEDE)}


def commands(nation: str) -> list[str]:
    """Return how each kind is typed in mail. `nation`: the example, or words in its place."""
    return [f"VOTE {kind.command.format(nation=nation)}" for kind in KINDS.values()]


def who_decides() -> str:
    """Return the sentence that says how many nations must agree, for each kind."""
    most = any_of([kind.short for kind in KINDS.values() if kind.by_majority])
    rest = any_of([kind.short for kind in KINDS.values() if not kind.by_majority])
    return f"More than half of the nations decide about {most}; {rest} needs all of them."


def deadline_movers() -> str:
    """Return the kinds that take effect before the deadline: “more time”."""
    return any_of([kind.short for kind in KINDS.values() if kind.moves_deadline])
