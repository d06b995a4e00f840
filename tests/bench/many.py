"""Thousands of games for a benchmark: some are played, and their rows written again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import models, transaction

#: Games that are really played: no two of them have the same board.
PLAYED = 4
AT_ONCE = 500
#: Fifty stocks, so that a deadline needs fifty readings however many games there are.
STOCKS = tuple(f"S{letter}{other}" for letter in "ABCDE" for other in "ABCDEFGHIJ")
NAMES = ("Una", "Felix", "Bea", "Rosa", "Gustav")


#: The phases of a turn in which games can be made.
PLACEMENT, ATTACKS = "placement", "attacks"


def make(number: int, people: int, deadline: datetime, kind: str = PLACEMENT) -> list[int]:
    """So many games in the placement, or the attacks, of their second turn, due at an instant, all
    orders sent. Gives their ids.

    Of five nations so many are held by people, each in one game only; the others have been left.
    Whoever sits in the first seat of a game runs it, so that every deadline writes to so many
    people as play.
    """
    league = League(people, deadline, kind)
    league.grow(number)
    return league.ids()


class League:
    """Games in a phase of their second turn, all orders sent; more as asked for."""

    def __init__(self, people: int, deadline: datetime, kind: str = PLACEMENT) -> None:
        self.kind, self.people, self.deadline = kind, people, deadline
        self.played: list[Any] = []
        self.number = 0

    def grow(self, number: int) -> None:
        """Makes games until there are so many."""
        from games.models import Letter

        while len(self.played) < min(PLAYED, number):
            place = len(self.played)
            self.played.append(_played(place, self.people, self.deadline, self.kind))
            self.played[-1].refresh_from_db()  # its copies go on counting where it stands
        for place in range(max(self.number, len(self.played)), number, AT_ONCE):
            with transaction.atomic():
                _again(self.played, range(place, min(place + AT_ONCE, number)))
        self.number = max(self.number, number)
        Letter.objects.filter(due_at__isnull=False).update(
            status=Letter.Status.SENT, due_at=None, sent_at=self.deadline
        )

    def ids(self) -> list[int]:
        from games.models import Game

        return list(
            Game.objects.filter(title__startswith="Storm ")
            .order_by("pk")
            .values_list("pk", flat=True)
        )

    def game(self, about: int) -> Any:
        """A copy of the first game near that place: alike at every size, and never copied."""
        from games.models import Game

        place = max(about - about % PLAYED, PLAYED)
        return Game.objects.get(pk=self.ids()[place])


def _played(place: int, people: int, deadline: datetime, kind: str) -> Any:
    """One game, played by the service to that phase of its second turn; then people sit down."""
    from games.models import Person, Phase
    from orders import bots
    from tests.support.campaign import NATIONS, Campaign

    held = NATIONS[:people]
    seats = {
        nation: f"{NAMES[NATIONS.index(nation)].lower()}-{place}@example.org"
        if nation in held
        else "bot"
        for nation in NATIONS
    }
    from games.models import Game

    campaign = Campaign.begin(
        deadline - timedelta(hours=20), title=f"Storm {place}", seats=dict.fromkeys(NATIONS, "bot")
    )
    while campaign.phase.turn < 2 or campaign.phase.kind != kind:
        bots.play(campaign.now)
        campaign.pass_deadline()
    if kind == ATTACKS:
        _attack(campaign, place)
        # From here on Yahoo's sales decide; before it the demonstration's, which need no session.
        Game.objects.filter(pk=campaign.game.pk).update(market=Game.Market.YAHOO)
    else:
        bots.play(campaign.now)
    campaign.game.seats.update(
        bot=False
        # who is not held now is vacant, its orders sent: nobody plays it on while others are
        # measured
    )
    for seat in campaign.game.seats.filter(nation__in=held):
        who = Person.objects.at(
            seats[seat.nation], name=NAMES[NATIONS.index(seat.nation)], zone="Europe/London"
        )
        seat.sittings.create(person=who, since=campaign.now)
        if seat.nation == held[0]:
            campaign.game.gamesmasters.set([who])
    phase = campaign.game.phases.current()
    assert phase is not None
    Phase.objects.filter(pk=phase.pk).update(deadline=deadline, due_at=deadline, remind_at=None)
    return campaign.game


def _attack(campaign: Any, place: int) -> None:
    """Every nation attacks in up to three areas whomever it is strong enough for, naming stocks of
    its own."""
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
        campaign.order(seat.nation, "\n".join(lines) or "PASS")


def _again(played: list[Any], places: Iterable[int]) -> None:
    """Rows of the games played, written again for each place, with people of their own."""
    from games.models import Game, Person, Phase, RecordEntry, Resolution, Seat, Sitting
    from orders.models import Submission

    of = {place: played[place % len(played)] for place in places}
    games = _copies(Game, list(of.items()), lambda place, _: {"title": f"Storm {place}"})
    nations = [(place, seat) for place, game in of.items() for seat in game.seats.all()]
    seats = _copies(Seat, nations, lambda place, row: {"game": games[place, row.game_id]})
    sat = [
        (place, one)
        for place, game in of.items()
        for one in Sitting.objects.filter(seat__game=game).select_related("person")
    ]
    people = _copies(
        Person, [(place, one.person) for place, one in sat],
        lambda place, row: {"email": f"{row.email.partition('-')[0]}-{place}@example.org"},
    )  # fmt: skip
    _copies(
        Sitting,
        sat,
        lambda place, row: {
            "seat": seats[place, row.seat_id],
            "person": people[place, row.person_id],
        },
    )
    runs = Game.gamesmasters.through
    running = [
        (games[place, game.pk].pk, people[place, one.pk].pk)
        for place, game in of.items()
        for one in game.gamesmasters.all()
    ]
    runs.objects.bulk_create(runs(game_id=game, person_id=person) for game, person in running)
    phases: dict[tuple[int, int | None], Any] = {(place, None): None for place in of}

    def of_phase(place: int, row: Any) -> dict[str, Any]:
        return {"game": games[place, row.game_id], "previous": phases[place, row.previous_id]}

    numbers = range(1, max(phase.number for game in of.values() for phase in game.phases.all()) + 1)
    for number in numbers:  # each names the one before
        phases |= _copies(
            Phase, [(place, game.phases.get(number=number)) for place, game in of.items()], of_phase
        )
    # Without them the first step of each would write the whole record anew.
    entries = [
        (place, one) for place, game in of.items() for one in RecordEntry.objects.filter(game=game)
    ]
    _copies(RecordEntry, entries, lambda place, row: {"game": games[place, row.game_id]})
    results = [
        (place, one)
        for place, game in of.items()
        for one in Resolution.objects.filter(phase__game=game)
    ]
    _copies(Resolution, results, lambda place, row: {"phase": phases[place, row.phase_id]})
    sent = [
        (place, row) for place, game in of.items() for row in Submission.objects.filter(game=game)
    ]
    _copies(
        Submission,
        sent,
        lambda place, row: {
            "game": games[place, row.game_id],
            "seat": seats[place, row.seat_id],
            "phase": phases[place, row.phase_id],
        },
    )


def _copies(
    model: type[models.Model],
    rows: list[tuple[int, Any]],
    changed: Callable[[int, Any], dict[str, Any]],
) -> dict[tuple[int, int | None], Any]:
    """Copies of rows, each with what differs, by place and number of the row copied."""
    made: dict[tuple[int, int | None], Any] = {}
    for place, row in rows:
        values = {
            field.attname: getattr(row, field.attname)
            for field in model._meta.concrete_fields
            if not field.primary_key
        }
        copy = model(**values)
        for name, value in changed(place, row).items():
            setattr(copy, name, value)
        made[place, row.pk] = copy
    model._default_manager.bulk_create(made.values(), batch_size=2000)
    return made
