"""What a message can ask for: orders, commands, letters."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from . import desk_commands

About = Literal[
    "orders",
    "board",
    "history",
    "status",
    "deadline",
    "help",
    "proof",
    "rules",
    "scenario",
    "settings",
    "deals",
]


@dataclass(frozen=True)
class WrittenLine:
    """A line of the sender's own words.

    Its number from 1 (0: the subject), the text as written, and the text normalized. `apart`: of
    order lines, this one stands right below no other.
    """

    number: int
    written: str
    text: str
    apart: bool = False


@dataclass(frozen=True)
class Item:
    """Something a message asks for.

    `nation` as typed after AS or FOR; "" if none. `line` is where the item begins.
    """

    line: int
    nation: str


@dataclass(frozen=True)
class Orders(Item):
    """All order lines of one nation in the message: one set of orders.

    Lines that are nothing else are included; the order parser quotes them back. `ahead`: the phase
    as typed in TURN 3 ATTACKS above them; "" for the open one.
    """

    lines: tuple[WrittenLine, ...]
    ahead: str = ""

    @property
    def text(self) -> str:
        """Return the order text for the ledger, with a blank line where lines stand apart.

        What is not understood leaves the orders right above it in doubt.
        """
        return "\n".join("\n" * line.apart + line.text for line in self.lines).lstrip("\n")


@dataclass(frozen=True)
class Final(Item):
    """FINAL (`final` true) or NOT FINAL. The last one of a nation counts."""

    final: bool


@dataclass(frozen=True)
class Cancel(Item):
    """CANCEL. `ahead` as for `Orders`."""

    ahead: str = ""


@dataclass(frozen=True)
class Yes(Item):
    """YES: sends the sender's orders in doubt as we read them. `written` is the line."""

    written: WrittenLine


@dataclass(frozen=True)
class Ask(Item):
    """A question to the service. `n` is the turn of HISTORY n; None without a number."""

    about: About
    n: int | None = None


@dataclass(frozen=True)
class ReportBelow(Item):
    """REPORT BELOW: use the report prepared in the quoted letter, as it was edited there.

    See orders.inbound.reports.
    """


@dataclass(frozen=True)
class Desk(Item):
    """A gamesmaster's command (orders.inbound.desk_by_mail)."""

    asked: desk_commands.DeskCommand


@dataclass(frozen=True)
class Adopt(Item):
    """ADOPT n: a team's spokesman makes proposal No. n its orders."""

    n: int


@dataclass(frozen=True)
class Vote(Item):
    """VOTE DRAW (`yes` true) or VOTE NO DRAW.

    `kind` as in games.rules.vote_kinds; `to` is the nation that it names, as typed.
    """

    kind: str
    to: str
    yes: bool


@dataclass(frozen=True)
class Propose(Item):
    """PROPOSE Germany: PEACE Poland, or COUNTER 3: PEACE Poland. `to` as typed, "" with `n`."""

    to: str
    n: int | None
    terms: str


@dataclass(frozen=True)
class AnswerDeal(Item):
    """ACCEPT 3, DECLINE 3 or WITHDRAW 3. Without a number, the deal in the letter replied to."""

    kind: Literal["accepted", "declined", "withdrawn"]
    n: int | None


@dataclass(frozen=True)
class Complain(Item):
    """BLOCK PLAYER, or REPORT LETTER: why. About the letter that the message replies to."""

    block: bool
    reason: str


@dataclass(frozen=True)
class Absent(Item):
    """ABSENT with its first and last day, both included, in a time zone that the caller decides;
    NOT ABSENT without days.
    """

    days: tuple[date, date] | None


@dataclass(frozen=True)
class Mute(Item):
    """MUTE (`mute` true) or UNMUTE."""

    mute: bool


@dataclass(frozen=True)
class Set(Item):
    """SET RECEIPTS OFF: a personal setting, as typed after SET."""

    typed: str


@dataclass(frozen=True)
class PressItem(Item):
    """A letter, from its first line to END.

    `PRESS TO a, b ... END`, `BROADCAST ... END`, `QUESTION ... END`, `TEAM ... END`, `REPLY ...
    END`, `ANSWER n ... END`.

    `kind` is press, reply or answer; BROADCAST is press to all, QUESTION press to the gamesmaster.
    `to` are nations as typed. `signed` is false for `PRESS TO ALL UNSIGNED`, `BROADCAST UNSIGNED`
    and similar. `body` as written.
    """

    kind: Literal["press", "reply", "answer"]
    to: tuple[str, ...]
    to_all: bool
    to_gamesmaster: bool
    signed: bool
    n: int | None
    body: str
    to_team: bool = False


@dataclass(frozen=True)
class RefusedCommand:
    """A line that was meant as a command and cannot be obeyed.

    `sentence` quotes it and says what to do.
    """

    line: int
    written: str
    sentence: str


@dataclass(frozen=True)
class Script:
    """What a message says. `dropped`, `doubtful` and `unsure` as in `quoting.OwnWords`.

    `notes` are sentences about other parts that did not count, and `unused_files` the names of text
    files without a line that was read; "" for one without a name.
    """

    items: tuple[Item, ...] = ()
    refused: tuple[RefusedCommand, ...] = ()
    passed_over: tuple[WrittenLine, ...] = ()
    dropped: int = 0
    doubtful: tuple[str, ...] = ()
    from_subject: bool = False  # the items come from the subject of a message without words
    notes: tuple[str, ...] = ()
    unused_files: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    near: bool = True  # whether any line of the sender's own is like an order or a command

    @property
    def only_asks(self) -> bool:
        """Return whether the message asks about the game, and does nothing else.

        HELP asks what to write in it.
        """
        about = [item.about if isinstance(item, Ask) else "help" for item in self.items]
        return bool(about) and "help" not in about

    @property
    def says_nothing(self) -> bool:
        """Return whether no line could be meant for the service, also none that was left out."""
        return not (
            self.near or self.refused or self.doubtful or self.notes or any(self.unused_files)
        )

    @property
    def lines(self) -> list[WrittenLine]:
        """Return the lines that may be orders, also for another phase."""
        return [line for item in self.items if isinstance(item, Orders) for line in item.lines]

    def orders(self, nation: str = "") -> Orders | None:
        """Return the orders of a nation for the open phase, or None."""
        return next(
            (
                item
                for item in self.items
                if isinstance(item, Orders) and item.nation == nation and not item.ahead
            ),
            None,
        )
