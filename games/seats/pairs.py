"""Two seats that one person holds for the whole game (rules A.5), and lots."""

from __future__ import annotations

from games.models import Act, Game, Seat
from games.rules import pairs
from games.rules.names import all_of

SEATING, PAIRING, RANDOM = "wwi.seating", "wwi.pairing", "random"
#: The kind of act that announces what lots decided when the game began.
DEALT = "dealt"


def pairs_of(game: Game) -> pairs.Pairs:
    return pairs.read(game.options.get(pairs.PREMADE) or "")


def nations_offered(seat: Seat) -> list[str]:
    """Return the nations that a seat's player gets, as far as no lot decides it later."""
    other = pairs.partner(pairs_of(seat.game), seat.nation)
    return [seat.nation, *([other] if other else [])]


def other_seat(seat: Seat) -> Seat | None:
    """Return the seat held together with a seat; None without a pair, or before the game."""
    name = pairs.partner(pairs_of(seat.game), seat.nation)
    if name is None or seat.game.status == Game.Status.FORMING:
        return None
    found = Seat.objects.filter(game=seat.game_id, nation=name).first()
    if found is not None:
        found.game = seat.game
    return found


def both(seat: Seat) -> list[Seat]:
    """Return a seat and the one held together with it, in card order."""
    other = other_seat(seat)
    return sorted((one for one in (seat, other) if one is not None), key=lambda one: one.ordinal)


def in_words(game: Game) -> list[str]:
    """Return sentences: what the first lots decided, and which nations are pairs."""
    told: list[str] = []
    if game.status == Game.Status.FORMING:
        told = pending_lots(game)
    elif pairs.has_pairs(game.rules):
        told = list(
            Act.objects.filter(game=game, kind=DEALT).order_by("pk").values_list("words", flat=True)
        )
    return [
        *told,
        *(
            f"{all_of(pair)} have the same player: allies from start to end."
            for pair in pairs_of(game)
        ),
    ]


def pending_lots(game: Game) -> list[str]:
    """Return what lots will decide when the game begins: for invitations and its page."""
    if not pairs.has_pairs(game.rules):
        return []
    told = (
        [
            "The nations are dealt by lot when the game begins: until then the seats only say who"
            " plays."
        ]
        if deals_seats(game)
        else []
    )
    if game.options.get(PAIRING) == RANDOM:
        told.append(
            "When the game begins, lots decide which player also gets a nation without a player."
        )
    return told


def deals_seats(game: Game) -> bool:
    return bool(game.options.get(SEATING) == RANDOM)
