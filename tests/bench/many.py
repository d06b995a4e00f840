"""Thousands of games for a benchmark: some are played, and their rows written again and again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import models, transaction

#: Games that are really played: no two of them have the same board, and together their attacks name
#: almost all of the stocks.
PLAYED = 12
AT_ONCE = 500
#: Fifty stocks, so that a deadline needs fifty readings however many games there are.
STOCKS = tuple(f"S{letter}{other}" for letter in "ABCDE" for other in "ABCDEFGHIJ")
NAMES = ("Una", "Felix", "Bea", "Rosa", "Gustav")


#: The phases of a turn in which games can be made, and attacks of which some games are unusual.
PLACEMENT, ATTACKS, MIXED = "placement", "attacks", "mixed"
#: What is unusual in the games that are played for a mixed league, one after the other: nothing in
#: five of twelve.
RULING, ABSENCE, TEAM, WEBHOOK = "pending ruling", "absence", "team", "webhook"
MISSING, APPROVAL, BLIND = "missing orders", "approval", "blind play"
UNUSUAL = ("", RULING, "", ABSENCE, WEBHOOK, TEAM, "", MISSING, "", APPROVAL, "", BLIND)

#: Who sends nothing where orders are missing.
SILENT = ("Russia", "Germany")


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

    unusual = UNUSUAL[place % len(UNUSUAL)] if kind == MIXED else ""
    options = {TEAM: {"ow2.team": "majority"}, BLIND: {"ow2.blind": "yes"}}
    campaign = Campaign.begin(
        deadline - timedelta(hours=20),
        title=f"Storm {place}",
        seats=dict.fromkeys(NATIONS, "bot"),
        options=options.get(unusual),
    )
    wanted = PLACEMENT if kind == PLACEMENT else ATTACKS
    while campaign.phase.turn < 2 or campaign.phase.kind != wanted:
        bots.play(campaign.now)
        if unusual == BLIND and campaign.phase.kind == PLACEMENT:  # which no program plays
            for nation in NATIONS:
                campaign.order(nation, "PLACE 4 Poland\nPLACE 3 Austria")
        if unusual == MISSING and campaign.phase.turn == 2:
            campaign.game.seats.filter(nation__in=SILENT).update(bot=False)
        campaign.pass_deadline()
    if wanted == ATTACKS:
        _attack(campaign, place, SILENT if unusual == MISSING else ())
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
    if unusual:
        _make_unusual(campaign, unusual, deadline)
    phase = campaign.game.phases.current()
    assert phase is not None
    Phase.objects.filter(pk=phase.pk).update(deadline=deadline, due_at=deadline, remind_at=None)
    if kind == MIXED:  # so that no next phase is due while some results still wait
        campaign.game.schedule = {"every": "minutes", "minutes": 1000}
        campaign.game.save(update_fields=["schedule"])
    return campaign.game


def _make_unusual(campaign: Any, unusual: str, deadline: datetime) -> None:
    """Give a game whose orders are sent what makes it unusual."""
    from games.models import Absence, Channel, Game, Person, Ruling
    from orders import in_force, ledger

    game, seat = campaign.game, campaign.game.seats.order_by("ordinal").first()
    who = seat.sittings.current().first()
    if unusual == RULING:
        # As it is made once the phase has locked: no later row of these games rests on it.
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
    elif unusual == TEAM:
        text = in_force.texts_in_force(campaign.phase)[seat.nation]
        seat.team = True
        seat.save(update_fields=["team"])
        for name in ("ulla", "ugo"):
            address = who.person.email.replace("una", name)
            one = Person.objects.at(address, name=name.title(), zone="Europe/London")
            seat.sittings.create(person=one, since=campaign.now)
        for one in seat.sittings.current():
            ledger.receive(seat, text, channel="web", person=one.person, now=campaign.now)
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
    """Every nation that is not silent attacks in up to three areas whomever it is strong enough
    for, naming stocks of its own."""
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


def _again(played: list[Any], places: Iterable[int]) -> None:
    """Rows of the games played, written again for each place, with people of their own."""
    from games.models import (
        Absence,
        Channel,
        Game,
        Person,
        Phase,
        RecordEntry,
        Resolution,
        Ruling,
        Seat,
        Sitting,
    )
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
        numbered = [
            (place, one) for place, game in of.items() for one in game.phases.filter(number=number)
        ]
        phases |= _copies(Phase, numbered, of_phase)
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
    away = [(place, one) for place, game in of.items() for one in Absence.objects.filter(game=game)]
    _copies(
        Absence,
        away,
        lambda place, row: {
            "game": games[place, row.game_id],
            "person": people[place, row.person_id],
        },
    )
    hear = [(place, one) for place, game in of.items() for one in Channel.objects.filter(game=game)]
    _copies(Channel, hear, lambda place, row: {"game": games[place, row.game_id]})
    ruled = [(place, one) for place, game in of.items() for one in Ruling.objects.filter(game=game)]
    _copies(
        Ruling,
        ruled,
        lambda place, row: {
            "game": games[place, row.game_id],
            "phase": phases[place, row.phase_id],
        },
    )
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
