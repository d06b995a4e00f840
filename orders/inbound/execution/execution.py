"""The state of one message being executed: its sender, game and seats, and the results so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from games import permissions
from games.base.text import shorten
from games.models import Game, Letter, Person, Phase, Seat
from games.outbox.messages import KINDS, reply_letters
from games.rules.names import NameFault, all_of, vocabulary
from orders.intake import chain
from orders.models import Submission

from .. import reports
from ..parsing import commands, patterns
from ..parsing.message import Message
from ..parsing.written import written_at
from ..replies.outcome import Outcome, Section

QUOTED_AT_MOST = 80
NO_SEAT = "you run this game and play no nation. Enter a player's orders at the desk."
#: Letters that carry another player's words.
FROM_PLAYERS = tuple(kind.id for kind in KINDS.values() if kind.between_people)


class ItemError(Exception):
    """A part of a message cannot be done. `str()` is one sentence for its sender."""


@dataclass
class Sender:
    """Who wrote a message, and to which game.

    Their identity has been proven before (orders.inbound.decide), so they are obeyed.
    """

    person: Person
    game: Game
    seats: list[Seat] | None = None  # the seats they hold now; None: not read yet
    answered: list[Letter] | None = None  # the letters that the message answers; None: as above


@dataclass
class Execution:
    """One message being executed."""

    sender: Sender
    message: Message
    now: datetime
    received: datetime
    seats: list[Seat]
    held: chain.LockedGame
    phase: Phase | None
    meant_for: Phase | None
    outcome: Outcome
    #: The seats they hold. `seats` are these, followed by the allies they order for.
    own: list[Seat] = field(default_factory=list)
    not_done: list[str] = field(default_factory=list)
    #: Seats whose orders the message was about, by id, with the phase meant.
    touched: dict[int, Phase] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    #: FINAL or NOT FINAL, by nation.
    final: dict[str, commands.Final] = field(default_factory=dict)
    #: Orders that this message has put in force, by the seat's id.
    newest: dict[int, Submission] = field(default_factory=dict)
    #: The state in which each phase is played, by the phase's id; executing a message never changes
    #: it.
    states: dict[int, Any] = field(default_factory=dict)
    sent: list[Submission] = field(default_factory=list)
    #: The seat that lines without a heading are for.
    unheaded: Seat | None = None
    #: Names of files that were not read.
    unread: list[str] = field(default_factory=list)

    @property
    def written(self) -> datetime:
        """Return when the message was written, as far as that can be known."""
        return written_at(self.message, self.received)

    def add(self, *sections: Section) -> None:
        self.outcome.sections += sections


def _own_and_allied_seats(game: Game, own: list[Seat], phase: Phase | None) -> list[Seat]:
    """Return the own seats, then the allies they order for (`permissions.orderable_seats`)."""
    allies = permissions.controlled_nations((seat.nation for seat in own), phase)
    if not allies:
        return own
    others = game.seats.filter(nation__in=allies).order_by("ordinal")
    return own + [seat for seat in others if seat not in own]


def seats_to_order_for(sender: Sender, own: list[Seat], phase: Phase | None) -> list[Seat]:
    """Return the own seats and allies, or else the report seat.

    The report seat belongs to the gamesmaster of a refereed game.
    """
    seats = _own_and_allied_seats(sender.game, own, phase)
    return seats or reports.seats(sender.person, sender.game)


def present_seats(run: Execution) -> list[Seat]:
    """Return the seats to order for in the current phase.

    `run.seats` are those of the phase meant.
    """
    return seats_to_order_for(run.sender, run.own, run.phase)


def find_nation(game: Game, typed: str) -> str:
    """Return the nation that a heading means. Raise `NameFault`."""
    names = tuple(game.seats.order_by("ordinal").values_list("nation", flat=True))
    return vocabulary(names, "nation").find(typed)


def answered_letters(message: Message, sender: Sender) -> list[Letter]:
    """Return the service's letters that a message replies to, the most direct one first.

    The question what another answer is stands for the letter that was answered, too. If a mail
    program has named no letter of ours, the subject of its answer names the newest of a player.
    """
    if sender.answered is None:
        sender.answered = _read_answered(message, sender)
    return sender.answered


def _read_answered(message: Message, sender: Sender) -> list[Letter]:
    letters = Letter.objects.filter(game=sender.game, person=sender.person)
    names = (message.in_reply_to, *reversed(message.references))
    codes = [code for code in dict.fromkeys(map(Letter.code_in, names)) if code]
    by_code = {letter.code: letter for letter in letters.filter(code__in=codes)} if codes else {}
    named: list[Letter] = []
    for code in codes:
        if (letter := by_code.get(code)) is not None:
            named.append(letter)
            if letter.kind == reply_letters.CHOICE.id:
                named += letters.filter(pk=letter.about.get("letter"))
    if not named and (prefix := patterns.ANSWER_SUBJECT.match(message.subject)):
        subject = message.subject[prefix.end() :].strip()
        named += letters.filter(kind__in=FROM_PLAYERS, subject=subject).order_by("-pk")[:1]
    return named


def nation_of(run: Execution, typed: str) -> str:
    """Return the nation that an item is for; the typed text if it is none of the sender's."""
    try:
        return find_seat(run, typed, "").nation
    except ItemError:
        return typed


def find_seat(run: Execution, typed: str, what: str, among: list[Seat] | None = None) -> Seat:
    """Return the seat named, or the only one held. Raise `ItemError`.

    `what` is quoted in the error. `among`: the seats to choose from, by default those to order for.
    """
    seats = run.seats if among is None else among
    if not seats:
        raise ItemError(f"“{quotation(what)}” changed nothing: {NO_SEAT}")
    roles = _roles_sentence(run, seats)
    if not typed:
        if run.unheaded is None:
            example = run.own[0].nation
            raise ItemError(
                f"“{quotation(what)}” changed nothing: {roles}. Write the nation above it, such as"
                f" FOR {example}, and send it again."
            )
        return run.unheaded
    try:
        nation = find_nation(run.sender.game, typed)
    except NameFault as fault:
        raise ItemError(
            f"{fault}; the lines below it changed nothing. {sentence(roles)}."
        ) from None
    for seat in seats:
        if seat.nation == nation:
            return seat
    raise ItemError(
        f"You cannot order for “{quotation(typed)}”: {roles}. The lines below it changed nothing."
    )


def _roles_sentence(run: Execution, seats: list[Seat]) -> str:
    """Return the sender's seats in words: “you play France and order for the USA this turn”."""
    if not run.own:
        return (
            "you run this game and send its reports, which need no heading; enter a player's"
            " orders at the desk"
        )
    own_nations = all_of([seat.nation for seat in seats if seat in run.own])
    allies = all_of([seat.nation for seat in seats if seat not in run.own])
    return f"you play {own_nations}" + (f" and order for {allies} this turn" if allies else "")


def sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def quotation(text: str) -> str:
    return shorten(" ".join(text.split()), QUOTED_AT_MOST)
