"""Who plays in games about to begin, who is missing, and how reliable they are: on the list of open
seats, and on the pages where a person takes one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from games import permissions
from games.models import Game, Invitation, Person, Seat, Sitting
from games.pages.headings import Heading, headings
from games.seats import track_record
from games.seats.track_record import TrackRecord


@dataclass(frozen=True)
class Place:
    """A seat as people who may join see it. `record`: of a player who shows theirs."""

    nation: str
    state: str  # "played", "bot", "nobody", "invited" or "free"
    people: tuple[tuple[Person, TrackRecord | None], ...] = ()
    hidden: bool = False  # it has players, and the reader may not learn who


@dataclass(frozen=True)
class Company:
    nations: dict[str, Heading]
    places: tuple[Place, ...]

    def has(self, person: permissions.Someone) -> bool:
        return any(person == other for place in self.places for other, _ in place.people)


def companies(
    games: Iterable[Game], reader: permissions.Someone, now: datetime
) -> dict[int, Company]:
    """Return the company of each game, with five queries for all."""
    by_game = {game.pk: game for game in games}
    seats = Seat.objects.nations().filter(game__in=by_game).order_by("ordinal")
    invited = set(
        Invitation.objects.open().filter(seat__game__in=by_game).values_list("seat", flat=True)
    )
    sittings: dict[int, list[Person]] = {}
    for sitting in (
        Sitting.objects.current().filter(seat__game__in=by_game).select_related("person")
    ):
        sittings.setdefault(sitting.seat_id, []).append(sitting.person)
    shown = {one.pk for people in sittings.values() for one in people if one.record_shown}
    records = track_record.track_records_of(shown, now)
    places: dict[int, list[Place]] = {pk: [] for pk in by_game}
    for seat in seats:
        people = [(one, records.get(one.pk)) for one in sittings.get(seat.pk, ())]
        state = (
            "played"
            if people
            else "bot"
            if seat.bot
            else "nobody"
            if seat.by_table
            else "invited"
            if seat.pk in invited
            else "free"
        )
        own = any(one == reader for one, _ in people)
        hidden = (
            bool(people) and not own and not permissions.sees_names(reader, by_game[seat.game_id])
        )
        places[seat.game_id].append(
            Place(seat.nation, state, () if hidden else tuple(people), hidden)
        )
    return {
        pk: Company(headings(game.card["order"]), tuple(places[pk])) for pk, game in by_game.items()
    }
