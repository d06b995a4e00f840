"""Apply invasions, entries and combats on the map, with the hostility that follows from them.

Events are judged in the order in which a report has them. The first invasion of a minor country
decides by whom its army stands (12.1, 20.0). What the power that has it sends there afterwards
enters freely: an ENTRY is no INVASION.
"""

from __future__ import annotations

from dataclasses import replace

from . import entitlements, hostility, mediterranean
from .card import GRANT_CASES
from .judging import Judging, RefusedEntry
from .operators import FINLAND, enters_freely, entry_case, operator, state_after_attack
from .permissions import check_permission
from .players import has_entered
from .report import Entry
from .state import Hostility, State


def invasion(judging: Judging, entry: Entry) -> None:
    state, power, country = judging.state, entry.power, entry.country
    if power == country:
        raise RefusedEntry(f"{power} does not invade itself.")
    is_possession = state.card.prewar.get(country) == power and not state.country(country).invasions
    # As printed, any power may invade any minor country (12.0, 16.14).
    if is_possession and not state.printed:
        raise RefusedEntry(f"{country} already belongs to {power}.")
    if has_invaded_this_turn(state, power, country):
        raise RefusedEntry(f"You have already reported that {power} invades {country} this turn.")
    if enters_freely(state, power, country):
        enter_freely(judging, power, country, entry.line)
        return
    invade(judging, power, country, entry.line)


def enter_freely(judging: Judging, power: str, country: str, line: int) -> None:
    """Note an invasion as the free entry that it is, and tell the gamesmaster why."""
    invader = judging.state.country(country).invasions[0].power
    case = entry_case(judging.state, power, country)
    sentence = (
        f"This counts as ENTRY {power} {country}: {invader} invaded {country} first, so its army is"
        f" on {power}'s side and units of {power} enter freely ({case})."
    )
    judging.warn(line, "entry", sentence)
    _enter(judging, power, country, line)


def entry(judging: Judging, entry: Entry) -> None:
    """Note that units have entered a country without invading it: nobody becomes hostile."""
    state, power, country = judging.state, entry.power, entry.country
    if not state.printed:
        raise RefusedEntry("In this game units that enter a country invade it: write INVASION.")
    if power == country:
        raise RefusedEntry(f"{power} is at home in {country}.")
    neutral = country not in state.card.order and country not in state.card.prewar
    if neutral and country not in state.card.minors.ally and not state.country(country).invasions:
        raise RefusedEntry(
            f"Nobody has invaded {country} yet, so units that enter it invade it (12.0). Write"
            f" INVASION {power} {country} instead."
        )
    _enter(judging, power, country, entry.line)


def _enter(judging: Judging, power: str, country: str, line: int) -> None:
    state, case = judging.state, entry_case(judging.state, power, country)
    if power == state.card.us_power and not has_entered(state):
        judging.warn(line, "not_at_war", "The USA has not entered the war yet (18.0).")
    if case in GRANT_CASES:
        permission = check_permission(state, case, power, country)
        if permission.by and not permission.given:
            sentence = f"{power} enters {country}, but {permission.why}."
            judging.warn(line, "not_allowed", sentence)
    if country == FINLAND:  # 16.41 asks who has crossed its border, whether or not to invade it
        judging.state = state_after_attack(state, power, country, crossed=True)
    sentence = f"Units of {power} enter {country}. That is no invasion."
    judging.event("entry", case, sentence, nation=power, country=country)


def has_invaded_this_turn(state: State, power: str, country: str) -> bool:
    return any(
        (invasion.power, invasion.turn) == (power, state.turn)
        for invasion in state.country(country).invasions
    )


def invade(judging: Judging, power: str, country: str, line: int) -> None:
    """Note an invasion and everything that follows from it."""
    state, before = judging.state, operator(judging.state, country)
    if power == state.card.us_power and not has_entered(state):
        judging.warn(line, "not_at_war", "The USA has not entered the war yet (18.0).")
    _warn_undeclared(judging, power, country, line)
    judging.state, raised = hostility.note_invasion(state, power, country)
    judging.state = state_after_attack(judging.state, power, country, crossed=True)
    judging.event("invasion", "19.12", f"{power} invades {country}.", nation=power, country=country)
    activate_italy(judging, power)
    _hostilities(judging, raised)
    after = operator(judging.state, country)
    if before and after and before.power != after.power:
        by = after.power or "The gamesmaster"
        sentence = f"{by} now operates the army of {country}: {after.why}."
        judging.event("operator", after.case, sentence, country=country, nation=after.power)
    sweden = state.card.minors.halves
    if (
        country == sweden
        and entitlements.halves(judging.state)[0]
        and not entitlements.halves(state)[0]
    ):
        sentence = (
            f"Germany's replacement and reinforcement rate is halved: it has invaded {sweden}."
        )
        judging.event("rate", "12.1", sentence, nation="Germany")


def combat(judging: Judging, entry: Entry) -> None:
    a, b = entry.power, entry.country
    if a == b:
        raise RefusedEntry(f"{a} does not fight itself.")
    if a in judging.state.card.order:
        _warn_undeclared(judging, a, b, entry.line)
    before = judging.state
    judging.state, raised = hostility.fought(judging.state, a, b)
    # 16.31 and 16.42 depend on who attacked, so as printed a combat names the attacker first.
    judging.state = state_after_attack(judging.state, a, b, crossed=False)
    sentence = f"Units of {a} and {b} have fought."
    if before.printed:
        sentence = f"Units of {a} have attacked units of {b}."
    judging.event("combat", "19.12", sentence, nation=a, against=b)
    for country in (a, b):
        activate_italy(judging, country)
    _hostilities(judging, raised)


def activate_italy(judging: Judging, power: str) -> None:
    """Make Italy an active belligerent once it has invaded or fought (6.53)."""
    if power == mediterranean.ITALY and not judging.state.flags.italy:
        judging.state = replace(judging.state, flags=replace(judging.state.flags, italy=True))
        if judging.state.players_count != 6:
            judging.event("italy_enters", "6.53", "Italy is an active belligerent.", nation=power)


def _warn_undeclared(judging: Judging, power: str, country: str, line: int) -> None:
    state = judging.state
    needed = state.options["spi.declaration"] == "required_before_attack"
    if (
        needed
        and (power, country) not in state.declared
        and not hostility.hostile(state, power, country)
    ):
        sentence = f"{power} has not declared war on {country}, as this game requires."
        judging.warn(line, "undeclared", sentence)


def _hostilities(judging: Judging, raised: tuple[Hostility, ...]) -> None:
    for flag in raised:
        sentence = f"{flag.power} is hostile to {flag.country}: it {flag.cause}."
        judging.event("hostile", "19.12", sentence, nation=flag.power, country=flag.country)
