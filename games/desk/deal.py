"""Nations by lot, and two nations in one hand: what is settled before the first letter goes out
(rules A.5, `wwi.seating`, `wwi.pairing`).

Until then a nation that nobody holds by itself is a seat `by_table`. When the game begins it goes
to whoever holds its partner, agreed or drawn, and the pairs are written into the game's options,
from which the rules know of the alliances. What a lot decides is an act.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from games.models import Game, Person, Seat, Sitting
from games.rules import RulesError, pairs
from games.rules.contract import Ruleset
from games.rules.names import all_of
from games.seats import pairs as hands

from . import acts
from .words import DeskError, refusing

TABLE = "table"  # as games.desk.opening has it
Pair = tuple[str, str]


def pairs_of_game(
    rules: Ruleset,
    options: Mapping[str, Any],
    nations: Sequence[str],
    seats: Mapping[str, str],
    chosen: Sequence[Pair],
) -> list[Pair]:
    """Return the pairs of a new game, in card order; `seats` as of `open_game`, or `DeskError`."""
    if not pairs.has_pairs(rules):
        if chosen:
            raise DeskError(
                "In this game nobody holds two nations from the beginning; leave the pairs out."
            )
        return []
    with refusing(RulesError):
        found = list(pairs.check(chosen, nations))
    alone = [nation for nation in nations if seats.get(nation, "").strip() == TABLE]
    if len(alone) > pairs.MOST:
        raise DeskError(
            f"Nobody holds {all_of(alone)}: three people are the fewest who can play, each of two"
            " of them with two nations."
        )
    if options.get(hands.PAIRING) == hands.RANDOM:
        if found:
            raise DeskError(
                "It is to be drawn who holds two nations, and pairs are named besides; leave one of"
                " the two out."
            )
        if not alone:
            raise DeskError(
                "It is to be drawn who holds two nations, but each has a player; leave that out, or"
                " let one be held by nobody."
            )
        return []
    for nation in alone:
        if pairs.partner(found, nation) is None:
            raise DeskError(
                f"Nobody holds {nation}: name the nation that one person holds it with, or let that"
                " be drawn."
            )
    return found


def second(pair: Pair, seats: Mapping[str, str]) -> str:
    """Return which of two nations in one hand follows the other's seat. Raises `DeskError`."""
    a, b = (seats.get(nation, "").strip() for nation in pair)
    if a and b and TABLE not in (a, b) and a != b:
        raise DeskError(
            f"One person holds {all_of(pair)}: say who in one of the two lines, and leave the other"
            " empty."
        )
    if a == b == TABLE:
        raise DeskError(
            f"One person holds {all_of(pair)}: say in one of the two lines who, or leave it for"
            " later."
        )
    return pair[0] if a == TABLE or (b and not a) else pair[1]


def settle(game: Game, now: datetime) -> None:
    """Deal nations, draw pairs, and seat whoever holds two. The caller holds the game's row."""
    if not pairs.has_pairs(game.rules):
        return
    found = list(pairs.read(game.options[pairs.PREMADE]))
    if hands.deals_seats(game):
        _deal(game, found, now)
    alone = [seat.nation for seat in game.seats.filter(by_table=True).order_by("ordinal")]
    undecided = [nation for nation in alone if pairs.partner(found, nation) is None]
    if undecided:
        found += _draw_partners(game, undecided, found, now)
    if not found:
        return
    found = list(pairs.check(found, [seat.nation for seat in game.seats.order_by("ordinal")]))
    for pair in found:
        _join(game, pair, now)
    game.options = {**game.options, pairs.PREMADE: pairs.to_text(found)}
    game.save(update_fields=["options"])


def _deal(game: Game, found: Sequence[Pair], now: datetime) -> None:
    """Give the seats nations by lot. Two nations agreed to be in one hand stay so."""
    seats = list(game.seats.order_by("ordinal"))
    places = {seat.nation: seat.ordinal for seat in seats}
    # Who gets the one of two agreed nations gets the other with it.
    dealt = [seat for seat in seats if not (found and seat.by_table)]
    given = {seat.pk: seat.nation for seat in seats}
    drawn = _shuffle([seat.nation for seat in dealt])
    given |= {seat.pk: nation for seat, nation in zip(dealt, drawn, strict=True)}
    for seat in seats:  # no two seats of a game have one nation, not even between two statements
        Seat.objects.filter(pk=seat.pk).update(nation=f"\N{EM DASH} {seat.pk}")
    for seat in seats:
        Seat.objects.filter(pk=seat.pk).update(
            nation=given[seat.pk], ordinal=places[given[seat.pk]]
        )
    acts.write(game, hands.DEALT, "The nations were dealt by lot.", now, by=None)


def _draw_partners(
    game: Game, undecided: Sequence[str], found: Sequence[Pair], now: datetime
) -> list[Pair]:
    """For each nation that nobody holds by itself one of those who hold a single one, by lot."""
    single = [
        seat.nation
        for seat in game.seats.filter(by_table=False).order_by("ordinal")
        if pairs.partner(found, seat.nation) is None
    ]
    drawn = list(zip(undecided, _shuffle(single), strict=False))
    for pair in drawn:
        held = all_of(_in_order(game, pair))
        words = f"It was drawn by lot that one person holds {held}."
        acts.write(game, hands.DEALT, words, now, by=None)
    return drawn


def _in_order(game: Game, pair: Pair) -> list[str]:
    return [seat.nation for seat in game.seats.order_by("ordinal") if seat.nation in pair]


def _join(game: Game, pair: Pair, now: datetime) -> None:
    """Whoever, or whatever, holds one of the two nations holds the other too."""
    seats = {seat.nation: seat for seat in game.seats.filter(nation__in=pair)}
    follows = next((seat for seat in seats.values() if seat.by_table), None)
    if follows is None:
        return
    (first,) = (seat for seat in seats.values() if seat.pk != follows.pk)
    Seat.objects.filter(pk=follows.pk).update(by_table=False, bot=first.bot, team=first.team)
    for sitting in Sitting.objects.current().filter(seat=first).order_by("pk"):
        Sitting.objects.create(
            seat=follows, person=sitting.person, since=now, spokesman=sitting.spokesman
        )


def _shuffle(names: Sequence[str]) -> list[str]:
    dealt = list(names)
    secrets.SystemRandom().shuffle(dealt)
    return dealt


def sits_too(seat: Seat, person: Person, now: datetime) -> None:
    """Seats whoever has sat down in one of two seats in the other as well, where that is empty."""
    other = hands.other_seat(seat)
    if other is None or other.bot or (not other.team and other.sittings.current().exists()):
        return
    if not other.sittings.current().filter(person=person).exists():
        Sitting.objects.create(seat=other, person=person, since=now)
