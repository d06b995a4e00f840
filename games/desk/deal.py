"""Deal nations by lot and pair two nations for one player, before the first letter goes out.

Rules A.5, `wwi.seating`, `wwi.pairing`. Until then a nation without a player of its own is a seat
`by_table`. When the game begins it goes to the person who holds its partner, agreed or drawn, and
the pairs are written into the game's options, from which the rules take the alliances. The result
of a lot is an act.
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

TABLE = "table"
Pair = tuple[str, str]


def pairs_of_game(
    rules: Ruleset,
    options: Mapping[str, Any],
    nations: Sequence[str],
    seats: Mapping[str, str],
    chosen: Sequence[Pair],
) -> list[Pair]:
    """Return the pairs of a new game, in scenario order. `seats` as in `open_game`.

    Raise `DeskError` for pairs that do not fit the game or the seats.
    """
    if not pairs.has_pairs(rules):
        if chosen:
            raise DeskError(
                "In this game nobody plays two nations from the beginning. Leave the pairs out."
            )
        return []
    with refusing(RulesError):
        checked = list(pairs.check(chosen, nations))
    alone = [nation for nation in nations if seats.get(nation, "").strip() == TABLE]
    if len(alone) > pairs.MOST:
        raise DeskError(
            f"{all_of(alone)} have no player. The game needs at least 3 players, two of them with"
            " two nations each."
        )
    if options.get(hands.PAIRING) == hands.RANDOM:
        if checked:
            raise DeskError(
                "You chose to draw who plays two nations, and you also named pairs. Leave out one"
                " of the two."
            )
        if not alone:
            raise DeskError(
                "You chose to draw who plays two nations, but every nation has a player. Leave that"
                " out, or leave a nation without a player."
            )
        return []
    for nation in alone:
        if pairs.partner(checked, nation) is None:
            raise DeskError(
                f"{nation} has no player. Name the nation it is paired with, or let lots decide."
            )
    return checked


def second_nation(pair: Pair, seats: Mapping[str, str]) -> str:
    """Return which nation of a pair follows the other's seat. Raise `DeskError`."""
    first_holder, second_holder = (seats.get(nation, "").strip() for nation in pair)
    if (
        first_holder
        and second_holder
        and TABLE not in (first_holder, second_holder)
        and first_holder != second_holder
    ):
        raise DeskError(
            f"One person plays {all_of(pair)}. Name the player on one of the two lines, and leave"
            " the other empty."
        )
    if first_holder == second_holder == TABLE:
        raise DeskError(
            f"One person plays {all_of(pair)}. Name the player on one of the two lines, or leave"
            " both for later."
        )
    return pair[0] if first_holder == TABLE or (second_holder and not first_holder) else pair[1]


def settle(game: Game, now: datetime) -> None:
    """Deal nations, draw pairs, and seat each person who holds two.

    The caller holds the game's row.
    """
    if not pairs.has_pairs(game.rules):
        return
    agreed = list(pairs.read(game.options[pairs.PREMADE]))
    if hands.deals_seats(game):
        _deal(game, agreed, now)
    alone = [seat.nation for seat in game.seats.filter(by_table=True).order_by("ordinal")]
    undecided = [nation for nation in alone if pairs.partner(agreed, nation) is None]
    if undecided:
        agreed += _draw_partners(game, undecided, agreed, now)
    if not agreed:
        return
    agreed = list(pairs.check(agreed, [seat.nation for seat in game.seats.order_by("ordinal")]))
    for pair in agreed:
        _join(game, pair, now)
    game.options = {**game.options, pairs.PREMADE: pairs.to_text(agreed)}
    game.save(update_fields=["options"])


def _deal(game: Game, pairs: Sequence[Pair], now: datetime) -> None:
    """Deal the nations to the seats by lot. Agreed pairs stay together."""
    seats = list(game.seats.order_by("ordinal"))
    places = {seat.nation: seat.ordinal for seat in seats}
    # The seat that draws one nation of an agreed pair gets the other with it.
    dealt = [seat for seat in seats if not (pairs and seat.by_table)]
    nation_by_seat = {seat.pk: seat.nation for seat in seats}
    drawn = _shuffle([seat.nation for seat in dealt])
    nation_by_seat |= {seat.pk: nation for seat, nation in zip(dealt, drawn, strict=True)}
    for seat in seats:  # nations are unique in a game, even between two statements
        Seat.objects.filter(pk=seat.pk).update(nation=f"\N{EM DASH} {seat.pk}")
    for seat in seats:
        Seat.objects.filter(pk=seat.pk).update(
            nation=nation_by_seat[seat.pk], ordinal=places[nation_by_seat[seat.pk]]
        )
    acts.write(game, hands.DEALT, "The nations were assigned by lot.", now, by=None)


def _draw_partners(
    game: Game, undecided: Sequence[str], agreed: Sequence[Pair], now: datetime
) -> list[Pair]:
    """Draw a partner, among the nations whose player has only one, for each undecided nation."""
    single = [
        seat.nation
        for seat in game.seats.filter(by_table=False).order_by("ordinal")
        if pairs.partner(agreed, seat.nation) is None
    ]
    drawn = list(zip(undecided, _shuffle(single), strict=False))
    for pair in drawn:
        both = [seat.nation for seat in game.seats.order_by("ordinal") if seat.nation in pair]
        words = f"By lot one person plays {all_of(both)}."
        acts.write(game, hands.DEALT, words, now, by=None)
    return drawn


def _join(game: Game, pair: Pair, now: datetime) -> None:
    """Let the holder of one of the two nations hold the other too."""
    seats = {seat.nation: seat for seat in game.seats.filter(nation__in=pair)}
    follower = next((seat for seat in seats.values() if seat.by_table), None)
    if follower is None:
        return
    (first,) = (seat for seat in seats.values() if seat.pk != follower.pk)
    Seat.objects.filter(pk=follower.pk).update(by_table=False, bot=first.bot, team=first.team)
    for sitting in Sitting.objects.current().filter(seat=first).order_by("pk"):
        Sitting.objects.create(
            seat=follower, person=sitting.person, since=now, spokesman=sitting.spokesman
        )


def _shuffle(names: Sequence[str]) -> list[str]:
    shuffled = list(names)
    secrets.SystemRandom().shuffle(shuffled)
    return shuffled


def seat_in_both(seat: Seat, person: Person, now: datetime) -> None:
    """Seat the person of one of two paired seats in the other as well, if that is empty."""
    other = hands.other_seat(seat)
    if other is None or other.bot or (not other.team and other.sittings.current().exists()):
        return
    if not other.sittings.current().filter(person=person).exists():
        Sitting.objects.create(seat=other, person=person, since=now)
