"""Judge who controls a country, and whether it is normalized (19.11, 19.12; Rules B.3).

A power P controls a country if one of 1 to 3 applies:

1. It was P's satellite or pre-war possession, and no hostile force ever invaded it; or
2. it was invaded, and P has since destroyed or driven out all hostile forces; or
3. it was neutral or another's: P has driven out all forces hostile to it there, has swept every
   hex, and keeps a garrison; unless
4. an ally of P whose column pays for controlling it has more than half of P's own force there: then
   nobody controls it.

The USSR depends on its resource centers and the garrison rule (14.4). Nobody controls a power's
home while it holds it: the chart has no entry for that. Forces out of supply are removed before
anything is judged. If two players both qualify, control is not shared: nobody controls the country.
What only the map shows (swept, driven out) the gamesmaster reports; they confirm or overrule what
this module proposes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from games.rules.names import all_of

from .columns import could_score_control
from .hostility import are_allied, are_hostile, hostile
from .players import player_of, powers_of, same_hand
from .state import NOBODY, State

USSR = "USSR"


@dataclass(frozen=True)
class Control:
    """Who controls a country, and why.

    `controller` is a power, or NOBODY. `rule` is "1", "2", "3", "USSR", "ruled", "" (nobody
    qualifies), "4" (an ally prevents it), or "shared" (several qualify). `missing` has for every
    power that might control it what it lacks, in sentences.
    """

    country: str
    controller: str
    rule: str
    why: str
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def case(self) -> str:
        return "19.11" if self.rule != "ruled" else "19.11, ruled"


@dataclass(frozen=True)
class Normal:
    """Whether a country has no hostile force, and which powers' forces are hostile there."""

    country: str
    normal: bool
    hostile: tuple[str, ...]


def supplied_points(state: State, country: str, power: str) -> int:
    """Return Strength Points that count at the end: those in supply."""
    force = state.country(country).forces.get(power)
    return force.supplied if force else 0


def _standing_in(state: State, country: str) -> tuple[str, ...]:
    """Return the powers with Strength Points in supply in a country, in card order."""
    forces = state.country(country).forces
    return tuple(power for power in state.card.order if power in forces and forces[power].supplied)


def normal_status(state: State, country: str) -> Normal:
    foes = tuple(power for power in _standing_in(state, country) if hostile(state, power, country))
    return Normal(country, not foes, foes)


def control(state: State, country: str) -> Control:
    """Return the gamesmaster's ruling on control, or without one what is proposed."""
    proposed = propose(state, country)
    ruled = state.country(country).controller
    if ruled is None:
        return proposed
    sentence = f"The gamesmaster has ruled that {ruled or 'nobody'} controls {country}."
    return Control(country, ruled, "ruled", sentence, proposed.missing)


def propose(state: State, country: str) -> Control:
    """Return control by what has been reported so far, without rulings."""
    qualified: list[tuple[str, str, str]] = []
    missing = {}
    for power in state.card.order:
        if power == country:
            continue
        rule, lacking, why = _control_rule(state, country, power)
        if lacking:
            missing[power] = lacking
        else:
            qualified.append((power, rule, why))
    if not qualified:
        return Control(country, NOBODY, "", f"Nobody controls {country}.", missing)
    if len({player_of(state, power) for power, _, _ in qualified}) > 1:
        names = all_of([power for power, _, _ in qualified])
        sentence = f"{names} would both control {country}, and control is not shared (19.11)."
        return Control(country, NOBODY, "shared", sentence, missing)
    power, rule, why = qualified[0]
    if veto := _veto_reason(state, country, power):
        return Control(country, NOBODY, "4", veto, missing)
    return Control(country, power, rule, why, missing)


def _control_rule(state: State, country: str, power: str) -> tuple[str, tuple[str, ...], str]:
    """Return the rule by which a power might control a country, what it lacks, and the reason.

    The reason is for the case that it lacks nothing.
    """
    if country == USSR:
        why = f"{power} holds all resource centers and meets the garrison rule (14.4)."
        return "USSR", _ussr(state, power), why
    if state.card.prewar.get(country) != power:
        why = (
            f"{power} has driven out all hostile forces, swept every hex and has a garrison there."
        )
        return "3", _conquest_gaps(state, country, power), why
    invasions = state.country(country).invasions
    if all(same_hand(state, invasion.power, power) for invasion in invasions):
        why = f"{country} was {power}'s before the war and has never been invaded."
        return "1", _hostile_force_sentences(state, country, power), why
    why = f"{power} held {country} before the war and has driven out the invaders."
    return "2", _expulsion_gaps(state, country, power), why


def _hostile_force_sentences(state: State, country: str, power: str) -> tuple[str, ...]:
    """Return the hostile forces in a country, in sentences.

    Rule 1 requires no garrison, but hostile forces that came without a reported invasion still
    count.
    """
    foes = _hostile_to_both(state, country, power)
    return tuple(f"Forces of {other} stand in {country} and are hostile." for other in foes)


def _expulsion_gaps(state: State, country: str, power: str) -> tuple[str, ...]:
    lacking = _hostile_force_sentences(state, country, power)
    if _has_cleared(state, country, power):
        return lacking
    cleared = f"{power} has destroyed or driven out all hostile forces"
    return *lacking, f"No report says that {cleared} since {country} was invaded."


def _conquest_gaps(state: State, country: str, power: str) -> tuple[str, ...]:
    lacking = []
    if state.printed and not _conqueror(state, country, power):
        freed = f"{power} has not invaded {country}"
        lacking.append(f"{freed}: freeing a country does not give control of it (19.11, 19.12).")
    for other in _standing_in(state, country):
        if (
            other != power
            and are_hostile(state, other, power)
            and not same_hand(state, other, power)
        ):
            lacking.append(f"Forces of {other} stand in {country} and are hostile to {power}.")
    if not _has_cleared(state, country, power):
        lacking.append(
            f"No report says that {power} has destroyed or driven out all hostile forces."
        )
    if power not in state.country(country).swept:
        lacking.append(f"No report says that {power} has passed through or held every hex.")
    garrison = int(state.card.victory["garrison"])
    if supplied_points(state, country, power) < garrison:
        lacking.append(f"{power} has no Strength Point in supply there as a garrison.")
    return tuple(lacking)


def _conqueror(state: State, country: str, power: str) -> bool:
    """Return whether a power can gain a country at all (19.11).

    It can gain a neutral that it has invaded, or an enemy's satellite or possession. What an ally
    of its holder frees, its holder regains.
    """
    if any(
        same_hand(state, invasion.power, power) for invasion in state.country(country).invasions
    ):
        return True
    holder = state.card.prewar.get(country, country if country in state.card.order else "")
    return bool(holder) and are_hostile(state, power, holder)


def _ussr(state: State, power: str) -> tuple[str, ...]:
    row = state.country(USSR)
    count = row.held.get(power, 0)
    if row.centres is None:
        return ("No report says how many Soviet resource centers there are.",)
    lacking = []
    if count < row.centres or not row.centres:
        lacking.append(f"{power} holds {count} of {row.centres} Soviet resource centers.")
    if power in state.flags.garrison_failed:
        lacking.append(f"{power} fails the garrison rule (14.4).")
    return tuple(lacking)


def _has_cleared(state: State, country: str, power: str) -> bool:
    """Return whether a power has driven out all hostile forces, with no invasion by others since.

    What other powers of the same player did counts too.
    """
    row = state.country(country)
    # As printed the holder regains what an ally frees.
    with_allies = state.printed and state.card.prewar.get(country) == power

    def ours(victor: str) -> bool:
        return same_hand(state, victor, power) or (with_allies and are_allied(state, victor, power))

    undisputed = (
        all(ours(later.power) for later in row.invasions[row.cleared[victor] :])
        for victor in row.cleared
        if ours(victor)
    )
    return any(undisputed) if with_allies else next(undisputed, False)


def _hostile_to_both(state: State, country: str, power: str) -> list[str]:
    """Return powers with forces in a country that are hostile to it, or at odds with `power`."""
    return [
        other
        for other in _standing_in(state, country)
        if not same_hand(state, other, power)
        and (hostile(state, other, country) or are_hostile(state, other, power))
    ]


def _veto_reason(state: State, country: str, power: str) -> str:
    """Return why rule 4 prevents control, as a sentence; "" if it does not.

    Forces count by player.
    """
    own_seat = player_of(state, power)
    own_force = _force(state, country, own_seat)
    for seat in state.seats:
        force = _force(state, country, seat)
        if (
            seat != own_seat
            and 2 * force > own_force
            and are_allied(state, seat, power)
            and could_score_control(state, seat, country)
        ):
            return (
                f"{seat}, an ally who could score for {country}, has {force} Strength Points there"
                f" against {own_force} of {power} (19.11)."
            )
    return ""


def _force(state: State, country: str, seat: str) -> int:
    return sum(supplied_points(state, country, power) for power in powers_of(state, seat))
