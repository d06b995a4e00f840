"""Rules that differ between six, five and four players and need no map.

These are cases 8.15, 8.21, 8.52, 9.1, 9.3, 9.72 and 16.6.
"""

from __future__ import annotations

from collections.abc import Sequence

from .state import State


def may_combine_attack(state: State, powers: Sequence[str]) -> bool:
    """Return whether units of these powers may attack together (8.15).

    With six players no two powers may; with fewer, only pairs of one player that the chart lists.
    """
    if len(set(powers)) < 2:
        return True
    pairs = state.card.switches["combine_attack"].get(str(state.players_count), [])
    return any(set(powers) <= set(pair) for pair in pairs)


def rule_sentences(state: State) -> tuple[str, ...]:
    """Return these rules for the number of players of this game, a sentence each, with its case."""
    four, six = state.players_count == 4, state.players_count == 6
    pairs = [
        " and ".join(pair)
        for pair in state.card.switches["combine_attack"].get(str(state.players_count), [])
    ]
    return (
        (
            f"Units of {'; '.join(pairs)} may attack together, and no others (8.15)."
            if pairs
            else "Different nationalities may not attack together (8.15)."
        ),
        "Different nationalities defend together (8.21).",
        (
            "Losses: the owner chooses where one nationality is attacked; where several are, the"
            " attacker chooses among them (8.52)."
        ),
        (
            "Italy may supply foreign units in North Africa freely (9.12)."
            if six
            else "Supply in North Africa is as in the base game (9.12)."
        ),
        (
            "American units trace supply through Gibraltar and Suez freely (9.32)."
            if four
            else "American supply through Gibraltar and Suez needs Britain's permission (9.32)."
        ),
        (
            "American units in Britain are always in supply (9.33)."
            if four
            else "Foreign units in Britain are supplied if Britain allows it (9.33)."
        ),
        "Case 9.72 holds for Germany only." if six else "Case 9.72 holds as in the base game.",
        (
            "Italy enters, attacks and surrenders freely: 16.61 to 16.64 are not used."
            if six
            else "Italian entry, protection and surrender are as in the base game (16.61 to 16.64)."
        ),
    )
