"""Series: games of the same people in which the nations move on.

Everybody plays each nation once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from games import permissions, positions
from games.models import Game, Person, Sitting


@dataclass(frozen=True)
class SeriesResult:
    """One person's result in one game of the series."""

    nation: str
    score: int | None
    won: bool


@dataclass(frozen=True)
class Row:
    """A person with their games, in the order of the series; None for games without them."""

    person: Person
    games: Sequence[SeriesResult | None]
    points: int
    wins: int


def games_of(game: Game) -> list[Game]:
    """Return the games of the series that a game belongs to, in order."""
    first = game
    while first.follows is not None:
        first = first.follows
    games = [first]
    while (following := Game.objects.filter(follows=games[-1]).first()) is not None:
        games.append(following)
    return games


def next_nations(nations: Sequence[str]) -> dict[str, str]:
    """Return the nation that the player of each nation has in the next game."""
    return dict(zip(nations, [*nations[1:], *nations[:1]], strict=True))


def table(games: Iterable[Game], reader: permissions.Someone) -> list[Row]:
    """Return the results of all people in those games that the reader may see.

    Most wins come first, then most points. Players of an anonymous game are left out until it is
    over.
    """
    visible = [game for game in games if permissions.sees_game(reader, game)]
    by_person: dict[int, list[SeriesResult | None]] = {}
    people: dict[int, Person] = {}
    for place, game in enumerate(visible):
        over = game.status == Game.Status.FINISHED
        scores = positions.standing(game).scores if over else {}
        last = positions.last_resolution(game) if over else None
        winners = (last.winners or []) if last is not None else []
        if not permissions.sees_names(reader, game):
            continue
        sittings = Sitting.objects.current().filter(seat__game=game)
        for sitting in sittings.select_related("person", "seat").order_by("seat__ordinal", "pk"):
            nation = sitting.seat.nation
            people[sitting.person_id] = sitting.person
            row = by_person.setdefault(sitting.person_id, [None] * len(visible))
            row[place] = SeriesResult(nation, scores.get(nation), nation in winners)
    rows = [
        Row(
            people[pk],
            row,
            sum(result.score or 0 for result in row if result is not None),
            sum(result.won for result in row if result is not None),
        )
        for pk, row in by_person.items()
    ]
    return sorted(rows, key=lambda row: (-row.wins, -row.points, str(row.person.name)))
