"""Create thousands of games for a benchmark: play some, and copy their rows many times."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from . import copies, talkative

#: Number of games that are really played: no two of them have the same board, and together their
#: attacks name almost all stocks.
PLAYED = 12
#: Models of which copies need no rows: what the market and the mail have done is over, a letter is
#: long, and a reply address holds a signature, so that the first letter to each reader makes one.
PAST = ("Letter", "Notice", "Mail", "Handling", "Signature", "Reading", "ReplyAddress")
#: 50 stocks, so that a deadline needs 50 readings however many games there are.
STOCKS = tuple(f"S{letter}{other}" for letter in "ABCDE" for other in "ABCDEFGHIJ")
NAMES = ("Una", "Felix", "Bea", "Rosa", "Gustav")


#: Kinds of leagues: games in a placement, in attacks, and in attacks with some unusual games.
PLACEMENT, ATTACKS, MIXED = "placement", "attacks", "mixed"
#: What is unusual in each game that is played for a mixed league, in their order: nothing in 4 of
#: 12. In the other leagues the second of 12 is talkative: it has deals, letters between nations, a
#: ruling and an absence.
RULING, ABSENCE, TEAM, WEBHOOK = "pending ruling", "absence", "team", "webhook"
MISSING, APPROVAL, BLIND, TALK = "missing orders", "approval", "blind play", "talkative"
UNUSUAL = ("", RULING, "", ABSENCE, WEBHOOK, TEAM, TALK, MISSING, "", APPROVAL, "", BLIND)
OTHERS = ("", TALK, *[""] * 10)

#: A phase that no game has: until then a bot considers no deals.
NEVER = 1000
#: The nations that send nothing in a game with missing orders.
SILENT = ("Russia", "Germany")
#: The nations that meet in one area before the attacks, so that two of them can attack those that
#: are silent: what bots place depends on the numbers of rows.
MEETING = ("Germany", "Russia", "France", "Britain")


def make(
    number: int, people: int, deadline: datetime, kind: str = PLACEMENT, played: int = PLAYED
) -> None:
    """Create games in a phase of their second turn, with all orders sent.

    `number` games are due at `deadline`, in the placement or the attacks. `people` of the five
    nations have a player, each in one game only; the other seats are vacant and on offer. The
    person in the first seat also runs the game, so that a deadline writes to exactly `people`
    people.
    """
    League(people, deadline, kind, played).grow(number)


def add_played(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--played", type=int, default=PLAYED, help="games that are played; the others are copies"
    )


class League:
    """Games in a phase of their second turn, with all orders sent; `grow` adds more.

    The service plays the last seat if `bot`; it has considered all deals.
    """

    def __init__(
        self,
        people: int,
        deadline: datetime,
        kind: str = PLACEMENT,
        played: int = PLAYED,
        *,
        bot: bool = False,
    ) -> None:
        self.kind, self.people, self.deadline, self.most = kind, people, deadline, played
        self.bot = bot
        #: The games that are really played, each with its copies.
        self.played: list[copies.Copies] = []

    def grow(self, number: int) -> None:
        """Create games until there are `number`."""
        from django.db import connection

        from tests.support.campaign import person

        person("ada")  # who opens all games, and of whom there are no copies
        with copies.hurried(), talkative.letters_unsent():
            while len(self.played) < min(self.most, number):
                place, since = len(self.played), copies.newest()
                _play(place, self.people, self.deadline, self.kind, self.bot)
                values = {
                    "games_game.title": f"'Storm ' || ({place} + {self.most} * k)",
                    # No two games are opened at the same instant, and lists begin with new ones.
                    "games_game.opened_at": copies.earlier(
                        't."opened_at"', timedelta(seconds=1), connection.vendor
                    ),
                }
                self.played.append(copies.Copies(since, without=PAST, values=values))
            for place, game in enumerate(self.played):
                game.grow(-(-(number - place) // self.most))
        talkative.put_away(self.deadline)

    def ids(self) -> list[int]:
        """Return the ids of the games: those that were played, then copies of each in turn."""
        from games.models import Game

        games = Game.objects.filter(title__startswith="Storm ").values_list("title", "pk")
        return [pk for title, pk in sorted(games, key=lambda game: int(game[0].split()[1]))]

    def game(self, about: int) -> Any:
        """Return a copy of the first game near that place.

        It is alike at every size, and not one of the games that are copied.
        """
        from games.models import Game

        place = max(about - about % self.most, self.most)
        return Game.objects.get(pk=self.ids()[place])


def _play(place: int, people: int, deadline: datetime, kind: str, bot: bool) -> None:
    """Play one game with bots to that phase of its second turn, then give people their seats."""
    from games import desk
    from games.models import Game, Person, Phase
    from orders.intake import bots
    from tests.support.campaign import NATIONS, Campaign

    held = NATIONS[:people]
    seats = {
        nation: f"{NAMES[NATIONS.index(nation)].lower()}-{place}@example.org"
        if nation in held
        else "bot"
        for nation in NATIONS
    }
    unusual = (UNUSUAL if kind == MIXED else OTHERS)[place % len(UNUSUAL)]
    options = {TEAM: {"ow2.team": "majority"}, BLIND: {"ow2.blind": "yes"}}
    campaign = Campaign.begin(
        deadline - timedelta(hours=20),
        title=f"Storm {place}",
        seats=dict.fromkeys(NATIONS, "bot"),
        options=options.get(unusual),
    )
    last_kind = PLACEMENT if kind == PLACEMENT else ATTACKS
    while campaign.phase.turn < 2 or campaign.phase.kind != last_kind:
        bots.play(campaign.now)
        if unusual == BLIND and campaign.phase.kind == PLACEMENT:  # bots do not play it
            for nation in NATIONS:
                campaign.order(nation, "PLACE 4 Poland\nPLACE 3 Austria")
        elif last_kind == ATTACKS and (campaign.phase.turn, campaign.phase.kind) == (2, PLACEMENT):
            for nation in MEETING:
                campaign.order(nation, "PLACE 2 Poland")
        if unusual == MISSING and campaign.phase.turn == 2:
            campaign.game.seats.filter(nation__in=SILENT).update(bot=False)
        if campaign.phase.kind == ATTACKS:  # bots do not attack in turn 1
            _attack(campaign, place, SILENT if unusual == MISSING else ())
        campaign.pass_deadline()
    if last_kind == ATTACKS:
        _attack(campaign, place, SILENT if unusual == MISSING else ())
        # From now on Yahoo's sales decide; before, those of the demonstration, which need no
        # session.
        Game.objects.filter(pk=campaign.game.pk).update(market=Game.Market.YAHOO)
    else:
        bots.play(campaign.now)
    # The other seats are vacant, with their orders sent: no bot plays them during the measurement.
    campaign.game.seats.update(bot=False, bargained=NEVER)
    for seat in campaign.game.seats.exclude(nation__in=held).order_by("ordinal"):
        if bot and seat.nation == NATIONS[-1]:
            campaign.game.seats.filter(pk=seat.pk).update(bot=True)
        else:
            desk.offer_open(seat, campaign.ada, campaign.now)
    for seat in campaign.game.seats.filter(nation__in=held):
        who = Person.objects.at(
            seats[seat.nation], name=NAMES[NATIONS.index(seat.nation)], zone="Europe/London"
        )
        seat.sittings.create(person=who, since=campaign.now)
        campaign.players[seat.nation] = who
        if seat.nation == held[0]:
            campaign.game.gamesmasters.set([who])
    if unusual:
        _make_unusual(campaign, unusual, deadline)
    phase = campaign.game.phases.current()
    assert phase is not None
    Phase.objects.filter(pk=phase.pk).update(deadline=deadline, due_at=deadline, remind_at=None)
    if kind == MIXED:  # so that no next phase is due while results still wait
        campaign.game.schedule = {"every": "minutes", "minutes": 1000}
        campaign.game.save(update_fields=["schedule"])


def _make_unusual(campaign: Any, unusual: str, deadline: datetime) -> None:
    """Add what makes a game unusual, after its orders have been sent."""
    from games.models import Absence, Channel, Game, Person, Ruling
    from games.positions import in_force
    from orders.intake import ledger

    game, seat = campaign.game, campaign.game.seats.order_by("ordinal").first()
    who = seat.sittings.current().first()
    if unusual == RULING:
        # As made after the lock of the phase: no later row of these games depends on it.
        Ruling.objects.create(
            game=game,
            number=1,
            phase=campaign.phase,
            kind="points",
            what={"nation": seat.nation, "points": 1},
            words=f"{seat.nation} gets 1 point.",
            reason="For a rehearsal.",
            made_by=campaign.ada,
            made_at=campaign.now,
        )
        Game.objects.filter(pk=game.pk).update(last_ruling=1)
    elif unusual == ABSENCE:
        Game.objects.filter(pk=game.pk).update(absence_days=10)
        first = deadline.date() + timedelta(days=2)
        Absence.objects.create(
            game=game,
            person=who.person,
            first=first,
            last=first + timedelta(days=3),
            entered_by=who.person,
            entered_at=campaign.now,
        )
    elif unusual == TALK and len(campaign.players) == len(NAMES):
        talkative.talk(campaign, range(talkative.LETTERS))
        talkative.rule(campaign)
        talkative.leave(campaign, deadline)
    elif unusual == TEAM:
        text = in_force.texts_in_force(campaign.phase)[seat.nation]
        seat.team = True
        seat.save(update_fields=["team"])
        for name in ("ulla", "ugo"):
            address = who.person.email.replace("una", name)
            person = Person.objects.at(address, name=name.title(), zone="Europe/London")
            seat.sittings.create(person=person, since=campaign.now)
        for sitting in seat.sittings.current():
            ledger.receive(seat, text, ledger.Arrival("web", sitting.person, campaign.now))
    elif unusual == WEBHOOK:
        Channel.objects.create(
            game=game,
            kind=Channel.Kind.JSON,
            url="https://hooks.example.org/storm",
            added_by=campaign.ada,
            added_at=campaign.now,
        )
    elif unusual == APPROVAL:
        Game.objects.filter(pk=game.pk).update(approval_hours=2)


def _attack(campaign: Any, place: int, silent: Collection[str]) -> None:
    """Let every nation that is not silent attack one that is no stronger, in up to 3 areas."""
    from games import positions

    position = positions.state_of(campaign.phase)
    board = campaign.game.rules.dump(position)["board"]
    for ordinal, seat in enumerate(campaign.game.seats.order_by("ordinal")):
        lines: list[str] = []
        for area, there in sorted(board.items()):
            strength = there.get(seat.nation, {}).get("pf", 0)
            weak = [
                nation
                for nation, cell in sorted(there.items())
                if nation != seat.nation and 0 < cell.get("pf", 0) <= strength
            ]
            if weak and len(lines) < 3:
                stock = STOCKS[(place * 15 + ordinal * 3 + len(lines)) % len(STOCKS)]
                lines.append(f"ATTACK {area}: {weak[0]} STOCK {stock}")
        if seat.nation not in silent:
            campaign.order(seat.nation, "\n".join(lines) or "PASS")
