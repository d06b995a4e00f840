"""Who plays what (2.0, 4.4): four, five or six players, the powers in one hand, and the printed
order of Player-Turns.

How many play follows from the seats that are held. The USA of the four-player game is in the
British player's hand once it has entered; until then nobody orders for it, but what is scored for
it is his all along.
"""

from __future__ import annotations

from .. import RulesError
from .card import Card
from .state import State


def seats_of(card: Card, seats: tuple[str, ...]) -> tuple[str, ...]:
    """Return seats in card order. Raises `RulesError` unless four, five or six players'."""
    for seat in seats:
        if seat not in card.order:
            raise RulesError(f"There is no power “{seat}”")
    played = tuple(power for power in card.order if power in seats)
    for version in sorted(card.hands):
        if played == tuple(power for power in card.order if power not in _seconds(card, version)):
            return played
    said = "; ".join(
        f"{version}:"
        f" {', '.join(power for power in card.order if power not in _seconds(card, version))}"
        for version in sorted(card.hands)
    )
    raise RulesError(
        f"Choose the powers for 4, 5 or 6 players ({said}), not {', '.join(played) or 'none'}."
    )


def _seconds(card: Card, version: int) -> set[str]:
    return {second for _, second in card.hands[version]}


def player_of(state: State, power: str) -> str:
    """The seat of whoever has this power, which is named by the power that he holds first."""
    return next(
        (head for head, second in state.card.hands[state.version] if second == power), power
    )


def powers_of(state: State, seat: str) -> tuple[str, ...]:
    """The powers in one hand, in card order."""
    return tuple(power for power in state.card.order if player_of(state, power) == seat)


def same_hand(state: State, a: str, b: str) -> bool:
    return player_of(state, a) == player_of(state, b)


def has_entered(state: State) -> bool:
    """Whether the USA is at war (18.0)."""
    return state.us.entry is not None and state.turn >= state.us.entry


def is_active(state: State, power: str) -> bool:
    """Whether a power moves: the USA in the British hand does not before its entry (2.0)."""
    return power in state.seats or power != state.card.us_power or has_entered(state)


def controllers(state: State) -> dict[str, str]:
    """Powers that nobody has a seat of, each with the seat that sends its orders now."""
    return {
        power: player_of(state, power)
        for power in state.card.order
        if power not in state.seats and is_active(state, power)
    }


def groups(state: State) -> tuple[tuple[str, ...], ...]:
    """Return the Player-Turns in printed order: what moves together, minor allies too (4.4)."""
    return state.card.player_turns[state.version]


def movers(state: State) -> tuple[str, ...]:
    """The powers whose Player-Turn it is, in card order."""
    group = groups(state)[state.mover]
    return tuple(power for power in state.card.order if power in group)


def slug(state: State, place: int) -> str:
    """The name of a Player-Turn in the kinds of its phases: that of the seat that plays it."""
    powers = [power for power in groups(state)[place] if power in state.card.order]
    return next(power for power in powers if power in state.seats).lower()
