"""Who controls a country, and whether it is normalised (19.11, 19.12; Rules B.3): the rule by
which, and what is missing.

1. It was P's satellite or pre-war possession, and no hostile force ever invaded it; or
2. it was invaded, and P has since destroyed or driven out all hostile forces; or
3. it was neutral or another's: P has driven out all forces hostile to it there, has swept every
   hex, and keeps a garrison; unless
4. an ally of P whose column pays for controlling it has more than half of P's own force there: then
   nobody controls it.

The USSR goes by its resource centers and the garrison rule (14.4). A power's own home in its own
hands is nobody's: the chart has no entry for it. Forces out of supply are off the map before
anything is judged. Two players who both qualify share nothing: nobody controls it. What only the
map can tell (swept, driven out) the gamesmaster has told; he confirms or overrules what is proposed
here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..names import all_of
from .columns import could_score_control
from .hostility import allied, at_odds, hostile
from .players import player_of, powers_of, same_hand
from .state import NOBODY, State

USSR = "USSR"


@dataclass(frozen=True)
class Control:
    """`controller` is a power, or NOBODY. `rule` is "1", "2", "3", "USSR", "ruled", "" (nobody
    qualifies), "4" (undone by an ally), or "shared" (several qualify). `missing` says of every
    power that might have it what it lacks, in sentences."""

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
    """Whether no hostile force stands in a country, and which powers' forces do."""

    country: str
    normal: bool
    hostile: tuple[str, ...]


def supplied(state: State, country: str, power: str) -> int:
    """Strength Points that count at the end."""
    force = state.country(country).forces.get(power)
    return force.supplied if force else 0


def _standing_in(state: State, country: str) -> tuple[str, ...]:
    """The powers with Strength Points in supply in a country, in card order."""
    forces = state.country(country).forces
    return tuple(power for power in state.card.order if power in forces and forces[power].supplied)


def normalised(state: State, country: str) -> Normal:
    found = tuple(power for power in _standing_in(state, country) if hostile(state, power, country))
    return Normal(country, not found, found)


def control(state: State, country: str) -> Control:
    """What stands: the gamesmaster's word where he has given it, else what is proposed."""
    found = proposed(state, country)
    ruled = state.country(country).controller
    if ruled is None:
        return found
    said = f"The gamesmaster has ruled that {ruled or 'nobody'} controls {country}."
    return Control(country, ruled, "ruled", said, found.missing)


def proposed(state: State, country: str) -> Control:
    """By what has been told so far."""
    qualified: list[tuple[str, str, str]] = []
    missing = {}
    for power in state.card.order:
        if power == country:
            continue
        rule, lacking, why = _judged(state, country, power)
        if lacking:
            missing[power] = lacking
        else:
            qualified.append((power, rule, why))
    if not qualified:
        return Control(country, NOBODY, "", f"Nobody controls {country}.", missing)
    if len({player_of(state, power) for power, _, _ in qualified}) > 1:
        names = all_of([power for power, _, _ in qualified])
        said = f"{names} would both control {country}, and control is not shared (19.11)."
        return Control(country, NOBODY, "shared", said, missing)
    power, rule, why = qualified[0]
    if veto := _vetoed(state, country, power):
        return Control(country, NOBODY, "4", veto, missing)
    return Control(country, power, rule, why, missing)


def _judged(state: State, country: str, power: str) -> tuple[str, tuple[str, ...], str]:
    """The rule by which a power might control a country, what it lacks by it, and what to say where
    it lacks nothing."""
    if country == USSR:
        why = f"{power} holds all resource centers and meets the garrison rule (14.4)."
        return "USSR", _ussr(state, power), why
    if state.card.prewar.get(country) != power:
        why = (
            f"{power} has driven out all hostile forces, swept every hex and has a garrison there."
        )
        return "3", _conquered(state, country, power), why
    invasions = state.country(country).invasions
    if all(same_hand(state, one.power, power) for one in invasions):
        why = f"{country} was {power}'s before the war and has never been invaded."
        return "1", _still_there(state, country, power), why
    why = f"{power} held {country} before the war and has driven out the invaders."
    return "2", _driven_out(state, country, power), why


def _still_there(state: State, country: str, power: str) -> tuple[str, ...]:
    """Rule 1 asks for no garrison; hostile forces that came without an invasion being told are
    named all the same."""
    there = _hostile_to_both(state, country, power)
    return tuple(f"Forces of {one} stand in {country} and are hostile." for one in there)


def _driven_out(state: State, country: str, power: str) -> tuple[str, ...]:
    lacking = _still_there(state, country, power)
    if _cleared(state, country, power):
        return lacking
    cleared = f"{power} has destroyed or driven out all hostile forces"
    return *lacking, f"No report says that {cleared} since {country} was invaded."


def _conquered(state: State, country: str, power: str) -> tuple[str, ...]:
    lacking = []
    if state.printed and not _conqueror(state, country, power):
        freed = f"{power} has not invaded {country}"
        lacking.append(f"{freed}: freeing a country does not give control of it (19.11, 19.12).")
    for other in _standing_in(state, country):
        if other != power and at_odds(state, other, power) and not same_hand(state, other, power):
            lacking.append(f"Forces of {other} stand in {country} and are hostile to {power}.")
    if not _cleared(state, country, power):
        lacking.append(
            f"No report says that {power} has destroyed or driven out all hostile forces."
        )
    if power not in state.country(country).swept:
        lacking.append(f"No report says that {power} has passed through or held every hex.")
    garrison = int(state.card.victory["garrison"])
    if supplied(state, country, power) < garrison:
        lacking.append(f"{power} has no Strength Point in supply there as a garrison.")
    return tuple(lacking)


def _conqueror(state: State, country: str, power: str) -> bool:
    """Whether a power can gain a country at all: a neutral that it has invaded, or an enemy's
    satellite or possession (19.11). What an ally of its holder frees, its holder regains."""
    if any(same_hand(state, one.power, power) for one in state.country(country).invasions):
        return True
    holder = state.card.prewar.get(country, country if country in state.card.order else "")
    return bool(holder) and at_odds(state, power, holder)


def _ussr(state: State, power: str) -> tuple[str, ...]:
    told = state.country(USSR)
    held = told.held.get(power, 0)
    if told.centres is None:
        return ("No report says how many Soviet resource centers there are.",)
    lacking = []
    if held < told.centres or not told.centres:
        lacking.append(f"{power} holds {held} of {told.centres} Soviet resource centers.")
    if power in state.flags.garrison_failed:
        lacking.append(f"{power} fails the garrison rule (14.4).")
    return tuple(lacking)


def _cleared(state: State, country: str, power: str) -> bool:
    """Whether a power, or another in its hand, has driven out all hostile forces, and nobody else
    has invaded since."""
    told = state.country(country)
    # As printed the holder regains what an ally frees.
    with_allies = state.printed and state.card.prewar.get(country) == power

    def ours(one: str) -> bool:
        return same_hand(state, one, power) or (with_allies and allied(state, one, power))

    found = (
        all(ours(later.power) for later in told.invasions[told.cleared[one] :])
        for one in told.cleared
        if ours(one)
    )
    return any(found) if with_allies else next(found, False)


def _hostile_to_both(state: State, country: str, power: str) -> list[str]:
    """Powers with forces in a country of P's that are hostile to it, or at odds with P."""
    return [
        other
        for other in _standing_in(state, country)
        if not same_hand(state, other, power)
        and (hostile(state, other, country) or at_odds(state, other, power))
    ]


def _vetoed(state: State, country: str, power: str) -> str:
    """Rule 4, as a sentence; "" where no ally undoes the control. Forces count by player."""
    mine = player_of(state, power)
    own = _force(state, country, mine)
    for seat in state.seats:
        theirs = _force(state, country, seat)
        if (
            seat != mine
            and 2 * theirs > own
            and allied(state, seat, power)
            and could_score_control(state, seat, country)
        ):
            return (
                f"{seat}, an ally who could score for {country}, has {theirs} Strength Points there"
                f" against {own} of {power} (19.11)."
            )
    return ""


def _force(state: State, country: str, seat: str) -> int:
    return sum(supplied(state, country, power) for power in powers_of(state, seat))
