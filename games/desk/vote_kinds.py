"""The kinds of votes: what each is called, how it is typed, who must agree and what it does.

The page, the reader of mail, answers and letters take everything about a kind from here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from games import positions
from games.models import Motion
from games.rules.names import any_of

from . import times

#: How much later a deadline comes; in a game by minutes the phase lasts once more as long.
LATER = timedelta(days=1)


@dataclass(frozen=True)
class VoteKind:
    """A kind of vote.

    `{nation}` in a sentence or command is the nation that the vote is about.

    - `key`: as stored, and in the page's form.
    - `title`, `short`: the subject, in full and in a list of kinds.
    - `offer`: the choice on the page.
    - `command`, `pattern`: what follows VOTE in mail, as shown and as read; `to` in the pattern is
      the nation as typed.
    - `carry_out`: does what the players voted for, with the reason for the public list.
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
    carry_out: Callable[[Motion, str, datetime], object]
    by_majority: bool = False
    names_nation: bool = False
    refusal: str = ""
    moves_deadline: bool = False


def _give_more_time(motion: Motion, reason: str, now: datetime) -> None:
    phase = motion.phase
    minutes = motion.game.schedule.get("minutes")
    later = timedelta(minutes=minutes) if minutes else LATER
    until = min(phase.deadline + later, now + times.FURTHEST)
    times.extend(phase, until, reason, None, now)


def _end_game(ending: str, motion: Motion, reason: str, now: datetime) -> None:
    """End a game. `ending`: the sentence that says how; `{nation}` as in `VoteKind`."""
    times.abandon(motion.game, reason, None, now, ending=ending.format(nation=motion.nation))


def _end_with_scores(motion: Motion, reason: str, now: datetime) -> None:
    game = motion.game
    state = game.rules.view(game.load(positions.position(game)), None)
    scores = sorted(game.rules.standing(state).scores.items(), key=lambda entry: -entry[1])
    listed = ", ".join(f"{nation} {score}" for nation, score in scores)
    ending = "The players voted to end the game." + (f" Final scores: {listed}." if listed else "")
    times.abandon(game, reason, None, now, ending=ending)


MORE_TIME = VoteKind(
    key="more-time",
    title="more time",
    short="more time",
    offer="More time: a day, or in a game by minutes the length of the phase",
    command="MORE TIME",
    pattern=r"(?:more time|extension)",
    carry_out=_give_more_time,
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
    carry_out=partial(_end_game, "The game ended in a draw, by vote of the players."),
)
END = VoteKind(
    key="end",
    title="ending the game now, with the scores as they are",
    short="an early end",
    offer="End the game now, with the scores as they are",
    command="END GAME",
    pattern=r"(?:end(?:\s+(?:the\s+)?game)?|early end)",
    carry_out=_end_with_scores,
)
CONCEDE = VoteKind(
    key="concede",
    title="conceding the game to {nation}",
    short="a concession",
    offer="Concede the game to {nation}",
    command="CONCEDE TO {nation}",
    pattern=r"conce(?:de|ssion)\s+to\s+(?P<to>\S.*)",
    carry_out=partial(_end_game, "The players conceded the game to {nation}."),
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
