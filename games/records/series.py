"""Games of the same people, one after the other, in which the nations move on: everybody plays each
nation once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from games import permissions, positions
from games.models import Game, Person, Sitting


@dataclass(frozen=True)
class Played:
    """What one person did in one game of the series."""

    nation: str
    score: int | None
    won: bool


@dataclass(frozen=True)
class Row:
    """A person with their games, in the order of the series; None where they did not play."""

    person: Person
    games: Sequence[Played | None]
    points: int
    wins: int


def games_of(game: Game) -> list[Game]:
    """Return the games of the series that a game belongs to, the first of them first."""
    first = game
    while first.follows is not None:
        first = first.follows
    found = [first]
    while (following := next_of(found[-1])) is not None:
        found.append(following)
    return found


def next_of(game: Game) -> Game | None:
    """Return the game that follows in the series, as soon as it is open."""
    return Game.objects.filter(follows=game).first()


def next_nations(nations: Sequence[str]) -> dict[str, str]:
    """Return the nation that the player of each nation has in the next game."""
    return dict(zip(nations, [*nations[1:], *nations[:1]], strict=True))


def table(games: Iterable[Game], reader: permissions.Someone) -> list[Row]:
    """Return what everybody has won in those games that the reader may see: most wins, then most
    points, first. Who plays in an anonymous game is left out until it is over."""
    seen = [game for game in games if permissions.sees_game(reader, game)]
    found: dict[int, list[Played | None]] = {}
    people: dict[int, Person] = {}
    for place, game in enumerate(seen):
        over = game.status == Game.Status.FINISHED
        scores = positions.standing(game).scores if over else {}
        last = positions.last_resolution(game) if over else None
        winners = (last.winners or []) if last is not None else []
        if not permissions.sees_names(reader, game):
            continue
        sitting = Sitting.objects.current().filter(seat__game=game)
        for one in sitting.select_related("person", "seat").order_by("seat__ordinal", "pk"):
            nation = one.seat.nation
            people[one.person_id] = one.person
            row = found.setdefault(one.person_id, [None] * len(seen))
            row[place] = Played(nation, scores.get(nation), nation in winners)
    rows = [
        Row(
            people[pk],
            row,
            sum(one.score or 0 for one in row if one is not None),
            sum(one.won for one in row if one is not None),
        )
        for pk, row in found.items()
    ]
    return sorted(rows, key=lambda row: (-row.wins, -row.points, str(row.person.name)))
