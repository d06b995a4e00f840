"""One game as people play it, for benchmarks: letters between nations, deals, a ruling, an absence,
orders by mail, and a seat on offer, up to its sixth turn."""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from email.utils import format_datetime
from typing import Any
from unittest import mock

from . import bare, copies

#: The phases that begin before the last of the historical card ends its sixth and last turn.
PHASES, TURNS = 11, 6
#: Letters between nations in a game, and in one with many.
LETTERS, MANY = 8, 100
#: How rows of tables about it begin.
TALK = "played game: "
GAME = "game page of a player"
#: Who writes to whom, in turn: two to two others, one to another, one to all.
CIRCLES: tuple[tuple[str, list[str]], ...] = (
    ("France", ["Britain", "Russia"]),
    ("Britain", ["France", "Germany"]),
    ("Germany", ["Russia"]),
    ("Russia", []),
)
LETTER_TO_ALL = 3
_numbers = itertools.count(1)


def message(sender: str, to: str, orders: str, now: datetime) -> bytes:
    """Return a message with orders in plain text, as a mail program sends it now."""
    return (
        f"From: Gustav <{sender}>\r\nTo: {to}\r\nSubject: Re: [Game] Turn 1\r\n"
        f"Message-ID: <bench-{next(_numbers)}@example.org>\r\n"
        f"Date: {format_datetime(now)}\r\nMIME-Version: 1.0\r\n"
        f"Content-Type: text/plain; charset=utf-8\r\n\r\n{orders}"
    ).encode()


def write(campaign: Any, number: int) -> None:
    """Write a letter from nation to nation at the campaign's instant."""
    from games.press import conversations

    nation, to = CIRCLES[number % len(CIRCLES)]
    text = f"If we stand together in Poland, nobody else will.\n\nThis is letter {number}. And you?"
    conversations.send(
        campaign.game,
        campaign.seat(nation),
        campaign.players[nation],
        to,
        text,
        channel="web",
        to_all=not to,
        now=campaign.now,
    )


def talk(campaign: Any, letters: range) -> None:
    """Let the nations write, and agree on a deal; one more is declined and one stays open."""
    from games.models import ProposalAnswer
    from games.press import deals

    for number in letters:
        write(campaign, number)
    given: dict[str, Any] = {"channel": "web", "now": campaign.now}
    last = min(campaign.phase.turn + 1, TURNS)
    for by, to, text, answered in (
        ("Germany", "Russia", f"PEACE Poland UNTIL TURN {last}", ProposalAnswer.Kind.ACCEPTED),
        ("France", "Germany", "LEAVE Austria", ProposalAnswer.Kind.DECLINED),
        ("Britain", "Germany", f"PEACE Italy UNTIL TURN {campaign.phase.turn}", None),
    ):
        seat, other = campaign.seat(by), campaign.seat(to)
        made = deals.propose(campaign.game, seat, campaign.players[by], other, text, **given)
        if answered is not None:
            deals.answer(made, other, answered, campaign.players[to], **given)


def rule(campaign: Any) -> None:
    """Make a ruling about the first attacks."""
    from games.turns import rulings

    attacks, what = campaign.game.phases.get(number=2), {"nation": "Russia", "points": 2}
    by = campaign.game.gamesmasters.get()
    rulings.rule(attacks, "points", what, "Agreed at the table.", by, campaign.now)


def leave(campaign: Any, deadline: datetime) -> None:
    """Announce that Britain's player is away a week after the deadline."""
    from games import desk

    bea, first = campaign.players["Britain"], deadline.date() + timedelta(days=8)
    desk.announce(campaign.game, bea, first, first + timedelta(days=4), bea, campaign.now)


def put_away(now: datetime) -> None:
    """Mark all letters as sent, so that the next one that is written goes first."""
    from games.models import Letter

    Letter.objects.filter(due_at__isnull=False).update(
        status=Letter.Status.SENT, due_at=None, sent_at=now
    )


@contextmanager
def letters_unsent() -> Iterator[None]:
    """Write letters and send none within the context: most of the time to play a game is theirs."""
    from games import tasks

    with mock.patch.object(tasks, "LETTERS_IN_FLIGHT", 0):
        yield


@contextmanager
def same_figures() -> Iterator[None]:
    """Let figures depend on the stock alone within the context. A session is named by its minute,
    so that else each run would play another game, with another report."""
    from games.market import demo

    def volume(key: str, exchange: str, label: str, symbol: str) -> int:
        return made_up(key, exchange, "", symbol)

    made_up = demo.made_up_volume
    with mock.patch.object(demo, "made_up_volume", volume):
        yield


def order(campaign: Any, nations: tuple[str, ...]) -> None:
    """Send orders for these nations: Britain's come by mail."""
    from games import positions
    from games.accounts import tokens
    from orders.inbound import handle

    rules, state = campaign.game.rules, positions.state_of(campaign.phase)
    for nation in nations:
        text = rules.bot.orders(state, nation, "talkative")
        if nation != "Britain":
            campaign.order(nation, text)
            continue
        player = campaign.players[nation]
        to = tokens.reply_address(player, campaign.game, campaign.now)
        handle.take_in(
            message(player.email, to, text.replace("\n", "\r\n"), campaign.now),
            way="lmtp",
            envelope_from=player.email,
            envelope_to=[to],
            now=campaign.now,
        )


def play(deadline: datetime, phases: int = PHASES, letters: int = LETTERS) -> Any:
    """Play a game until that many phases have begun, and the last is due at `deadline`; return its
    campaign.

    The first nation has left: its seat is on offer. The letters are written over all turns.
    """
    from games import desk
    from games.models import Person, Phase
    from tests.support.campaign import NATIONS, PLAYERS, Campaign

    began, turns = deadline - timedelta(hours=20), (phases + 1) // 2
    # Nobody of them plays in a league, whose people are numbered (`many`).
    people = {nation: f"{name}-of-{phases}@example.org" for nation, name in PLAYERS.items()}
    campaign = Campaign.begin(began, title=f"Phase {phases}", seats=people)
    # Else they would be new, and might write only a few letters a day.
    long_ago = began - timedelta(days=300)
    Person.objects.filter(email__in=people.values()).update(joined_at=long_ago)
    for number in range(1, phases):
        if campaign.phase.kind == "placement":
            talk(campaign, _letters(number, turns, letters))
        order(campaign, NATIONS)
        with letters_unsent(), same_figures():
            campaign.pass_deadline()
        if number == 2:
            rule(campaign)
    if campaign.phase.kind == "placement":
        talk(campaign, _letters(phases, turns, letters))
    order(campaign, NATIONS[:3])
    last = campaign.phase
    assert last.number == phases
    Phase.objects.filter(pk=last.pk).update(deadline=deadline, due_at=deadline, remind_at=None)
    leave(campaign, deadline)
    usa = campaign.seat("USA")
    desk.vacate(usa, campaign.players["USA"], "She has exams.", campaign.ada, campaign.now)
    desk.offer_open(usa, campaign.ada, campaign.now)
    put_away(campaign.now)
    campaign.game.refresh_from_db()
    return campaign


def _letters(number: int, turns: int, letters: int) -> range:
    """Return the numbers of the letters that are written in the placement of that phase."""
    turn = (number + 1) // 2
    return range((turn - 1) * letters // turns, turn * letters // turns)


def with_many(since: Any, campaign: Any, number: int) -> Any:
    """Return the campaign of a copy of the game, which was made after `since`, with so many letters
    between nations."""
    from games.models import Game
    from tests.support.campaign import Campaign

    copies.Copies(since, without=("Letter", "Notice", "Mail", "Handling")).grow(2)
    game = Game.objects.filter(title=campaign.game.title).latest("pk")
    seats = {seat.nation: seat.sittings.current().first() for seat in game.seats.all()}
    players = {nation: sitting.person for nation, sitting in seats.items() if sitting}
    copy = Campaign(game, campaign.now, campaign.ada, players)
    for letter in range(game.press_written.count(), number):
        write(copy, letter)
    put_away(copy.now)
    return copy


def news(client: Any, campaign: Any, now: datetime) -> Callable[[], None]:
    """Return a function that asks for the news of a game as an open page does, after a letter."""
    address = f"/games/{campaign.game.pk}/state.json"
    before = client.get(address)
    seen, tag = json.loads(before.content)["seen"], before["ETag"]
    campaign.now = now
    # The same letter of a page within a minute would be one.
    write(campaign, LETTER_TO_ALL + len(CIRCLES) * campaign.game.press_written.count())
    put_away(now)

    def asked() -> None:
        answer = client.get(f"{address}?seen={seen}", headers={"If-None-Match": tag})
        assert answer.status_code == 200, answer.status_code
        assert "wrote to you" in answer.content.decode(), answer.content

    return asked


class Told:
    """The game in its last placement, a copy with many letters, and the game after one phase."""

    def __init__(self, deadline: datetime, wanted: argparse.Namespace) -> None:
        since = copies.newest()
        self.usual = play(deadline, wanted.phases)
        self.many = with_many(since, self.usual, wanted.letters)
        self.early = play(deadline, 2)
        self.game = self.usual.game

    def acts(self, now: datetime) -> dict[str, Callable[[], Any]]:
        """Return functions by their names that open the pages of a player."""
        campaigns = (self.usual, self.many, self.early)
        usual, many, early = (bare.browser(game.players["Germany"]) for game in campaigns)
        past, here = self.usual.phase.number - 1, self.game.get_absolute_url()
        opened = {
            GAME: bare.page(usual, here, self.game.title),
            f"{GAME} of 1 past phase": bare.page(early, self.early.game.get_absolute_url()),
            "report": bare.page(usual, f"{here}phases/{past}/"),
            "proof": bare.page(usual, f"{here}phases/{past}/proof/"),
            "deals": bare.page(usual, f"{here}deals/", "PEACE"),
            "first page": bare.page(usual, "/"),
            "news after a letter": news(usual, self.usual, now),
            "news after a letter, of many letters": news(many, self.many, now),
        }
        return {f"{TALK}{name}": act for name, act in opened.items()}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--phases", type=int, default=PHASES, help="of the played game, an odd number"
    )
    parser.add_argument("--letters", type=int, default=MANY, help="of its copy with many letters")
