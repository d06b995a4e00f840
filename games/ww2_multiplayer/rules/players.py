"""Say who plays what (2.0, 4.4): four, five or six players, their powers, and the Player-Turns.

The number of players follows from the seats. In the four-player game the British player gets the
USA once it has entered; until then nobody orders for it, but its score is theirs from the start.
"""

from __future__ import annotations

from games.rules import RulesError

from .card import Card
from .state import State


def seats_of(card: Card, seats: tuple[str, ...]) -> tuple[str, ...]:
    """Return seats in card order. Raise `RulesError` unless they are those of 4, 5 or 6 players."""
    for seat in seats:
        if seat not in card.order:
            raise RulesError(f"There is no power “{seat}”")
    played = tuple(power for power in card.order if power in seats)
    for count in sorted(card.hands):
        if played == tuple(power for power in card.order if power not in _seconds(card, count)):
            return played
    text = "; ".join(
        f"{count}: {', '.join(power for power in card.order if power not in _seconds(card, count))}"
        for count in sorted(card.hands)
    )
    raise RulesError(
        f"Choose the powers for 4, 5 or 6 players ({text}), not {', '.join(played) or 'none'}."
    )


def _seconds(card: Card, count: int) -> set[str]:
    return {second for _, second in card.hands[count]}


def player_of(state: State, power: str) -> str:
    """Return the seat that plays this power. A seat has the name of its player's first power."""
    return next(
        (head for head, second in state.card.hands[state.players_count] if second == power), power
    )


def powers_of(state: State, seat: str) -> tuple[str, ...]:
    """Return the powers of one player, in card order."""
    return tuple(power for power in state.card.order if player_of(state, power) == seat)


def same_hand(state: State, a: str, b: str) -> bool:
    return player_of(state, a) == player_of(state, b)


def has_entered(state: State) -> bool:
    """Return whether the USA is at war (18.0)."""
    return state.us.entry is not None and state.turn >= state.us.entry


def is_active(state: State, power: str) -> bool:
    """Return whether a power moves.

    The USA of the British player does so only after entry (2.0).
    """
    return power in state.seats or power != state.card.us_power or has_entered(state)


def controllers(state: State) -> dict[str, str]:
    """Return powers without a seat, each with the seat that sends its orders now."""
    return {
        power: player_of(state, power)
        for power in state.card.order
        if power not in state.seats and is_active(state, power)
    }


def groups(state: State) -> tuple[tuple[str, ...], ...]:
    """Return the Player-Turns in printed order: the powers and minor allies of each (4.4)."""
    return state.card.player_turns[state.players_count]


def movers(state: State) -> tuple[str, ...]:
    """Return the powers whose Player-Turn it is, in card order."""
    group = groups(state)[state.mover]
    return tuple(power for power in state.card.order if power in group)


def slug(state: State, place: int) -> str:
    """Return the name of a Player-Turn for the kinds of its phases: its seat in lower case."""
    powers = [power for power in groups(state)[place] if power in state.card.order]
    return next(power for power in powers if power in state.seats).lower()
