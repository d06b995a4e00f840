"""Two seats that one person holds for the whole game (rules A.5), and drawing lots for them.

Until the game begins, a nation without a player of its own is a seat `by_table`; then the player of
its partner gets it with a second sitting.
"""

from __future__ import annotations

from games.models import Act, Game, Seat
from games.rules import pairs
from games.rules.names import all_of

SEATING, PAIRING, RANDOM = "wwi.seating", "wwi.pairing", "random"
#: The kind of act that announces the lots drawn at the beginning of a game.
DEALT = "dealt"


def pairs_of(game: Game) -> pairs.Pairs:
    return pairs.read(game.options.get(pairs.PREMADE) or "")


def offered_nations(seat: Seat) -> list[str]:
    """Return the nations that a seat's player gets, without those that lots decide later."""
    other = pairs.partner(pairs_of(seat.game), seat.nation)
    return [seat.nation, *([other] if other else [])]


def other_seat(seat: Seat) -> Seat | None:
    """Return the other seat of a pair; None without a pair, or before the game begins."""
    name = pairs.partner(pairs_of(seat.game), seat.nation)
    if name is None or seat.game.status == Game.Status.FORMING:
        return None
    row = Seat.objects.filter(game=seat.game_id, nation=name).first()
    if row is not None:
        row.game = seat.game
    return row


def seats_of_pair(seat: Seat) -> list[Seat]:
    """Return a seat and the other one of its pair, in card order."""
    other = other_seat(seat)
    return sorted((row for row in (seat, other) if row is not None), key=lambda row: row.ordinal)


def describe_lots(game: Game) -> list[str]:
    """Return sentences about the lots at the beginning, and about pairs."""
    sentences: list[str] = []
    if game.status == Game.Status.FORMING:
        sentences = pending_lots(game)
    elif pairs.has_pairs(game.rules):
        sentences = list(
            Act.objects.filter(game=game, kind=DEALT).order_by("pk").values_list("words", flat=True)
        )
    return [
        *sentences,
        *(
            f"{all_of(pair)} have the same player: allies from start to end."
            for pair in pairs_of(game)
        ),
    ]


def pending_lots(game: Game) -> list[str]:
    """Return what lots will decide when the game begins, for invitations and its page."""
    if not pairs.has_pairs(game.rules):
        return []
    sentences = (
        [
            "The nations are dealt by lot when the game begins: until then the seats only say who"
            " plays."
        ]
        if deals_seats(game)
        else []
    )
    if game.options.get(PAIRING) == RANDOM:
        sentences.append(
            "When the game begins, lots decide which player also gets a nation without a player."
        )
    return sentences


def deals_seats(game: Game) -> bool:
    return bool(game.options.get(SEATING) == RANDOM)
