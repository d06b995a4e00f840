"""Create thousands of games for a benchmark: play some, and copy their rows many times."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import models, transaction

#: Number of games that are really played: no two of them have the same board, and together their
#: attacks name almost all stocks.
PLAYED = 12
AT_ONCE = 500
#: 50 stocks, so that a deadline needs 50 readings however many games there are.
STOCKS = tuple(f"S{letter}{other}" for letter in "ABCDE" for other in "ABCDEFGHIJ")
NAMES = ("Una", "Felix", "Bea", "Rosa", "Gustav")


#: Kinds of leagues: games in a placement, in attacks, and in attacks with some unusual games.
PLACEMENT, ATTACKS, MIXED = "placement", "attacks", "mixed"
#: What is unusual in each game that is played for a mixed league, in their order: nothing in 5 of
#: 12.
RULING, ABSENCE, TEAM, WEBHOOK = "pending ruling", "absence", "team", "webhook"
MISSING, APPROVAL, BLIND = "missing orders", "approval", "blind play"
UNUSUAL = ("", RULING, "", ABSENCE, WEBHOOK, TEAM, "", MISSING, "", APPROVAL, "", BLIND)

#: The nations that send nothing in a game with missing orders.
SILENT = ("Russia", "Germany")


def make(number: int, people: int, deadline: datetime, kind: str = PLACEMENT) -> list[int]:
    """Create games in a phase of their second turn, with all orders sent; return their ids.

    `number` games are due at `deadline`, in the placement or the attacks. `people` of the five
    nations have a player, each in one game only; the other seats are vacant. The person in the
    first seat also runs the game, so that a deadline writes to exactly `people` people.
    """
    league = League(people, deadline, kind)
    league.grow(number)
    return league.ids()


class League:
    """Games in a phase of their second turn, with all orders sent; `grow` adds more."""

    def __init__(self, people: int, deadline: datetime, kind: str = PLACEMENT) -> None:
        self.kind, self.people, self.deadline = kind, people, deadline
        self.played: list[Any] = []
        self.number = 0

    def grow(self, number: int) -> None:
        """Create games until there are `number`."""
        from games.models import Letter

        while len(self.played) < min(PLAYED, number):
            place = len(self.played)
            self.played.append(_played(place, self.people, self.deadline, self.kind))
            self.played[-1].refresh_from_db()  # copies continue its counters
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
        """Return a copy of the first game near that place.

        It is alike at every size, and not one of the games that are copied.
        """
        from games.models import Game

        place = max(about - about % PLAYED, PLAYED)
        return Game.objects.get(pk=self.ids()[place])


def _played(place: int, people: int, deadline: datetime, kind: str) -> Any:
    """Play one game with bots to that phase of its second turn, then give people their seats."""
    from games.models import Person, Phase
    from orders.intake import bots
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
    last_kind = PLACEMENT if kind == PLACEMENT else ATTACKS
    while campaign.phase.turn < 2 or campaign.phase.kind != last_kind:
        bots.play(campaign.now)
        if unusual == BLIND and campaign.phase.kind == PLACEMENT:  # bots do not play it
            for nation in NATIONS:
                campaign.order(nation, "PLACE 4 Poland\nPLACE 3 Austria")
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
    # Seats without a person are vacant, with their orders sent: no bot plays them during the
    # measurement.
    campaign.game.seats.update(bot=False)
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
    if kind == MIXED:  # so that no next phase is due while results still wait
        campaign.game.schedule = {"every": "minutes", "minutes": 1000}
        campaign.game.save(update_fields=["schedule"])
    return campaign.game


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


def _again(played: list[Any], places: Iterable[int]) -> None:
    """Copy the rows of the played games for each place, with their own people."""
    from games.models import (
        Absence,
        Channel,
        Draw,
        Figure,
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

    played_games = {place: played[place % len(played)] for place in places}

    def rows(model: Any, path: str = "game", **more: Any) -> list[tuple[int, Any]]:
        """Return the rows of each place's game; `path` leads from the model to the game."""
        return [
            (place, row)
            for place, game in played_games.items()
            for row in model.objects.filter(**{path: game}, **more)
        ]

    def of_game(place: int, row: Any) -> dict[str, Any]:
        return {"game": games[place, row.game_id]}

    def of_phase(place: int, row: Any) -> dict[str, Any]:
        return {"phase": phases[place, row.phase_id]}

    games = _copies(Game, list(played_games.items()), lambda place, _: {"title": f"Storm {place}"})
    seats = _copies(Seat, rows(Seat), of_game)
    sat = rows(Sitting, "seat__game")
    people = _copies(
        Person, [(place, original.person) for place, original in sat],
        lambda place, row: {"email": f"{row.email.partition('-')[0]}-{place}@example.org"},
    )  # fmt: skip

    def of_person(place: int, row: Any) -> dict[str, Any]:
        return {"person": people[place, row.person_id]}

    _copies(
        Sitting, sat, lambda place, row: {"seat": seats[place, row.seat_id]} | of_person(place, row)
    )
    runs = Game.gamesmasters.through
    _copies(runs, rows(runs), lambda place, row: of_game(place, row) | of_person(place, row))
    phases: dict[tuple[int, int | None], Any] = {(place, None): None for place in played_games}

    def of_previous(place: int, row: Any) -> dict[str, Any]:
        return {"previous": phases[place, row.previous_id]} | of_game(place, row)

    last = max(phase.number for game in played_games.values() for phase in game.phases.all())
    for number in range(1, last + 1):  # in order, because each phase refers to the previous one
        phases |= _copies(Phase, rows(Phase, number=number), of_previous)
    # Without the entries the first step of each game would write its whole record again.
    _copies(RecordEntry, rows(RecordEntry), of_game)
    _copies(Resolution, rows(Resolution, "phase__game"), of_phase)
    # Without the figures of turn 1 PostgreSQL takes their table to be empty, and scans it for each
    # row that refers to it.
    figures = _copies(Figure, rows(Figure, "phase__game"), of_phase)
    decides = Figure.readings.through

    def of_figure(place: int, row: Any) -> dict[str, Any]:
        return {"figure": figures[place, row.figure_id]}

    _copies(decides, rows(decides, "figure__phase__game"), of_figure)
    _copies(
        Draw,
        rows(Draw, "phase__game"),
        lambda place, row: of_phase(place, row) | of_figure(place, row),
    )
    _copies(Absence, rows(Absence), lambda place, row: of_game(place, row) | of_person(place, row))
    _copies(Channel, rows(Channel), of_game)
    _copies(Ruling, rows(Ruling), lambda place, row: of_game(place, row) | of_phase(place, row))
    _copies(
        Submission,
        rows(Submission),
        lambda place, row: (
            of_game(place, row) | of_phase(place, row) | {"seat": seats[place, row.seat_id]}
        ),
    )


def _copies(
    model: type[models.Model],
    rows: list[tuple[int, Any]],
    changed: Callable[[int, Any], dict[str, Any]],
) -> dict[tuple[int, int | None], Any]:
    """Create copies of rows with the `changed` values; return them by place and original key."""
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
