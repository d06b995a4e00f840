"""Apply what happened on the map, as the gamesmaster reports it (Rules B.8).

Each function takes one kind of line and does everything that the rules derive from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from games.rules import Json, event

from . import dice, entitlements, hostility, mediterranean, transport
from .calendar import label
from .control import control, propose
from .fighting import activate_italy, combat, entry, invasion
from .judging import Judging, RefusedEntry, ask, owe
from .naming import count_words
from .operators import operator
from .players import groups, has_entered, movers
from .report import Entry
from .state import COUNT, NOBODY, REFEREE, Entitlement, Force, Request, State


def _peace(judging: Judging, entry: Entry) -> None:
    judging.state, ended = hostility.make_peace(judging.state, entry.power, entry.country)
    if not ended:
        raise RefusedEntry(f"{entry.power} and {entry.country} are not hostile to each other.")
    sentence = f"{entry.power} and {entry.country} make peace."
    judging.event("peace", "19.12", sentence, nations=[entry.power, entry.country])


def _record_destroyed_army(judging: Judging, entry: Entry) -> None:
    before = judging.state.country(entry.country).destroyed_by
    if judging.state.printed and before is not None:
        raise RefusedEntry(
            f"You have already reported that {before} has destroyed the army of {entry.country}."
        )
    state = judging.state.change_country(entry.country, destroyed_by=entry.power)
    sentence = f"{entry.power} has destroyed the army of {entry.country}."
    facts = {"country": entry.country, "nation": entry.power}
    judging.event("army_destroyed", "12.1", sentence, **facts)
    if (
        entry.country == state.card.minors.halves
        and not entitlements.is_german(state, entry.power)
        and not state.flags.halved
    ):
        state = replace(state, flags=replace(state.flags, halved=True))
        sentence = "Germany's replacement and reinforcement rate is halved for good: the army of"
        judging.event("rate", "12.1", f"{sentence} {entry.country} is destroyed.", nation="Germany")
    judging.state = state


def _record_cleared(judging: Judging, entry: Entry) -> None:
    row = judging.state.country(entry.country)
    cleared = {**row.cleared, entry.power: len(row.invasions)}
    judging.state = judging.state.change_country(entry.country, cleared=cleared)
    sentence = f"{entry.power} has destroyed or driven out all hostile forces in {entry.country}."
    judging.event("cleared", "19.11", sentence, nation=entry.power, country=entry.country)


def _record_swept(judging: Judging, entry: Entry) -> None:
    row = judging.state.country(entry.country)
    swept = tuple(dict.fromkeys((*row.swept, entry.power)))
    judging.state = judging.state.change_country(entry.country, swept=swept)
    sentence = f"{entry.power} has passed through or held every hex of {entry.country}."
    judging.event("swept", "19.11", sentence, nation=entry.power, country=entry.country)


def _forces(judging: Judging, entry: Entry) -> None:
    before, power, country, sp = judging.state, entry.power, entry.country, entry.number
    forces = {
        other: force for other, force in before.country(country).forces.items() if other != power
    }
    if sp:
        forces[power] = Force(sp, entry.second)
    judging.state = judging.state.change_country(country, forces=forces)
    supply = "" if entry.second == sp else f", {entry.second} of them in supply"
    sentence = f"{power} has {sp} SP in {country}{supply}."
    facts = {"nation": power, "country": country, "sp": sp, "supplied": entry.second}
    judging.event("forces", "19.11", sentence, **facts)
    if power == mediterranean.ITALY and country in mediterranean.AFRICA:
        _italians_in_africa(judging, entry, before)


def _italians_in_africa(judging: Judging, entry: Entry, before: State) -> None:
    """Note whether Italians are in supply in Africa (6.53). Warn if there are too many (5.77)."""
    now, was_supplied = mediterranean.force_in_africa(judging.state), judging.state.flags.africa
    if now.supplied and not was_supplied:
        _record_african_supply(judging, True)
    elif not now.supplied and mediterranean.force_in_africa(before).supplied and was_supplied:
        _record_african_supply(judging, False)
    limit = transport.italian_limit(judging.state)
    if limit is not None and now.sp > limit:
        most = f"with {judging.state.players_count} players it may have {limit} at most"
        sentence = f"Italy has {now.sp} SP in North Africa; {most} (5.77)."
        judging.warn(entry.line, "too_many", sentence)


def _africa(judging: Judging, entry: Entry) -> None:
    _record_african_supply(judging, entry.on)


def _record_african_supply(judging: Judging, supplied: bool) -> None:
    judging.state = replace(judging.state, flags=replace(judging.state.flags, africa=supplied))
    sentence = f"{'An' if supplied else 'No'} Italian Strength Point is in supply in Africa."
    judging.event("supply_in_africa", "6.53", sentence, nation="Italy", on=supplied)


def _italy(judging: Judging, entry: Entry) -> None:
    if judging.state.players_count == 6:
        raise RefusedEntry(
            "With 6 players Italy may act freely, so its entry changes nothing (16.61)."
        )
    if judging.state.flags.italy:
        raise RefusedEntry("Italy is already an active belligerent.")
    activate_italy(judging, mediterranean.ITALY)


def _war(judging: Judging, entry: Entry) -> None:
    judging.state = replace(judging.state, flags=replace(judging.state.flags, war_level=True))
    most = entitlements.largest_russian(judging.state)
    war = "a Limited War" if entry.kind == "limited" else "Full War"
    sentence = f"The USSR is in {war}: from now on its units may have up to {most} Strength Points."
    judging.event("russia_war_level", "10.73", sentence, nation="USSR")


def _garrison(judging: Judging, entry: Entry) -> None:
    others = tuple(other for other in judging.state.flags.garrison_failed if other != entry.power)
    failed = (*others, entry.power) if entry.on else others
    flags = replace(judging.state.flags, garrison_failed=failed)
    judging.state = replace(judging.state, flags=flags)
    sentence = f"{entry.power} {'fails' if entry.on else 'meets'} the garrison rule."
    judging.event("garrison", "14.4", sentence, nation=entry.power)


def _centres(judging: Judging, entry: Entry) -> None:
    row = judging.state.country(entry.country)
    counts = {power: count for power, count in row.held.items() if power != entry.power}
    every = entry.second if entry.on else row.centres
    if every is None:
        example = f"{entry.text} OF 12, if there are 12"
        raise RefusedEntry(
            f"Say once how many resource centers {entry.country} has in all: {example}."
        )
    if entry.number > every:
        raise RefusedEntry(f"{entry.country} has only {every} resource centers.")
    others = sum(counts.values())
    if others + entry.number > every:
        raise RefusedEntry(
            f"Others hold {others} of the {every} resource centers of {entry.country}."
        )
    counts[entry.power] = entry.number
    judging.state = judging.state.change_country(entry.country, centres=every, held=counts)
    sentence = f"{entry.power} holds {entry.number} of {every} resource centers of {entry.country}."
    judging.event("centres", "19.11", sentence, nation=entry.power, country=entry.country)


def _hexes(judging: Judging, entry: Entry) -> None:
    every = entry.number if entry.on else judging.state.country(entry.country).hexes
    if every is None:
        example = f"HEXES {entry.country} 40 HOSTILE {entry.second}, if there are 40"
        raise RefusedEntry(f"Say once how many hexes {entry.country} has in all: {example}.")
    if entry.second > every:
        raise RefusedEntry(f"{entry.country} has only {every} hexes.")
    judging.state = judging.state.change_country(
        entry.country, hexes=every, hexes_hostile=entry.second
    )
    sentence = f"{entry.second} of {every} hexes of {entry.country} are under hostile control."
    judging.event("hexes", "19.13", sentence, country=entry.country)


def _reason_suffix(entry: Entry) -> str:
    """Return the gamesmaster's reason as a sentence to append; "" without a reason."""
    stop = "" if entry.reason.endswith((".", "?", "!")) else "."
    return f" The reason: {entry.reason}{stop}" if entry.reason else ""


def _controller(judging: Judging, entry: Entry) -> None:
    judging.state = judging.state.change_country(
        entry.country, controller=entry.power if entry.on else None
    )
    result = control(judging.state, entry.country)
    agrees = propose(judging.state, entry.country).controller == result.controller
    because = _reason_suffix(entry) if not (agrees and entry.reason == "as proposed") else ""
    facts = {"country": entry.country, "nation": result.controller}
    judging.event("controller", result.case, f"{result.why}{because}", **facts)


def _operator(judging: Judging, entry: Entry) -> None:
    if operator(judging.state, entry.country) is None:
        raise RefusedEntry(f"{entry.country} has no army that a power or the gamesmaster operates.")
    judging.state = judging.state.change_country(
        entry.country, operator=entry.power if entry.on else None
    )
    current = operator(judging.state, entry.country)
    by = (current.power if current else NOBODY) or "The gamesmaster"
    sentence = f"{by} operates the army of {entry.country}.{_reason_suffix(entry)}"
    judging.event("operator", "20.0", sentence, country=entry.country)


# --- tracks, points, dice ---


def _resources(judging: Judging, entry: Entry) -> None:
    """Report the Russian Resources Computation.

    It belongs to the end of the Game-Turn, not of the Russian Player-Turn (4.2).
    """
    state = judging.state
    if not last_mover(state):
        raise RefusedEntry(
            "Report Russian resources in the last Player-Turn: they are computed at the end of the"
            " Game-Turn (4.2)."
        )
    if state.flags.resources == state.turn:
        raise RefusedEntry("You have already reported the Russian resources of this Game-Turn.")
    judging.state = replace(state, flags=replace(state.flags, resources=state.turn))
    sentence = f"The Russian Resources Computation gives {count_words(entry.number, 'point')}."
    judging.event("resources", "4.2", sentence, nation="USSR", points=entry.number)
    if entry.number:
        points_due = (
            "USSR",
            entitlements.REPLACEMENT,
            entry.number,
            "at controlled resource centers",
        )
        judging.state, entitlement = entitlements.add_entitlement(
            judging.state, *points_due, lapses=False, case="10.73"
        )
        judging.events.append(due_event(entitlement))


def last_mover(state: State) -> bool:
    """Return whether this is the last Player-Turn of the Game-Turn."""
    return state.step == REFEREE and state.mover == len(groups(state)) - 1


def _track(judging: Judging, entry: Entry) -> None:
    turn = judging.state.turn if entry.sp is None else entry.sp
    if not 1 <= turn <= judging.state.card.turns:
        raise RefusedEntry(f"There is no turn {turn}: the last is {judging.state.card.turns}.")
    naval, amphibious = entry.number, entry.second
    tracks = {**judging.state.tracks, turn: (naval, amphibious)}
    judging.state = replace(judging.state, tracks=tracks)
    when = label(judging.state.card, turn)
    sentence = f"Allied sea transport in {when}: {naval} naval, {amphibious} amphibious."
    judging.event("track", "5.7", sentence, turn=turn, naval=naval, amphibious=amphibious)


def _due(judging: Judging, entry: Entry) -> None:
    american = entry.power == "USA" and entry.kind == entitlements.REPLACEMENT
    case = "10.84" if american else "10.0"
    place = entry.reason
    if judging.state.printed and entry.power == "USSR":
        case, place = "10.73", place or "at controlled resource centers"
    judging.state, entitlement = entitlements.add_entitlement(
        judging.state,
        entry.power,
        entry.kind,
        entry.number,
        place,
        lapses=entry.on or case == "10.84",
        case=case,
    )
    judging.events.append(due_event(entitlement))


def due_event(made: Entitlement) -> Json:
    point = count_words(made.points, f"{made.kind} point")
    where = f": {made.place}" if made.place else ""
    lapse = "; points not taken this turn are lost" if made.expires is not None else ""
    sentence = f"{made.power} has {point} due{where}{lapse}."
    facts = {"nation": made.power, "points": made.points, "what": made.kind}
    return event("due", made.case, sentence, **facts)


def _take_used_points(judging: Judging, entry: Entry) -> None:
    if (
        available := entitlements.points_left(judging.state, entry.power, entry.kind)
    ) < entry.number:
        raise RefusedEntry(f"{entry.power} has {available} {entry.kind} points left.")
    judging.state, _ = entitlements.take_points(
        judging.state, entry.power, entry.kind, entry.number
    )
    sentence = f"{entry.power} takes {count_words(entry.number, f'{entry.kind} point')}."
    judging.event(
        "taken", "10.0", sentence, nation=entry.power, points=entry.number, what=entry.kind
    )


def _rate(judging: Judging, entry: Entry) -> None:
    rate = entitlements.german_rate(judging.state, entry.number)
    sentence = f"Germany's rate of replacements and reinforcements is {rate} of {entry.number} this"
    sentence += f" turn. {entitlements.halves(judging.state)[1]}"
    judging.event("rate", "12.1", sentence, nation="Germany", rate=rate)


def _usa(judging: Judging, entry: Entry) -> None:
    state = judging.state
    if state.options["spi.us_entry"] != "base_schedule":
        raise RefusedEntry("In this game dice decide when the USA enters (18.0).")
    if has_entered(state):
        raise RefusedEntry("The USA has already entered.")
    judging.state = replace(state, us=replace(state.us, entry=state.turn))
    judging.event("us_enters", "18.0", "The USA enters the war.", nation=state.card.us_power)


def _dice(judging: Judging, entry: Entry) -> None:
    _require_play(judging)
    owner = entry.power or next(
        power for power in movers(judging.state) if power in judging.state.seats
    )
    ask(judging, Request(dice.DIE, owner, entry.number, {"purpose": entry.reason}), "rng.d6")


def _contest(judging: Judging, entry: Entry) -> None:
    _require_play(judging)
    request, event = dice.contest(
        judging.state, entry.power, entry.other, (entry.number, entry.second), entry.reason
    )
    judging.events.append(event)
    if request is not None:
        owe(judging, request)


def _require_play(judging: Judging) -> None:
    if judging.state.step == COUNT:
        raise RefusedEntry("The last turn has been played: no more dice are thrown.")


def _note(judging: Judging, entry: Entry) -> None:
    stop = "" if entry.reason.endswith((".", "?")) else "."
    judging.event("note", "B.8", f"The gamesmaster: {entry.reason}{stop}")


#: The function for each kind of line that reports something.
HAPPENED: dict[str, Callable[[Judging, Entry], None]] = {
    "INVASION": invasion,
    "ENTRY": entry,
    "COMBAT": combat,
    "PEACE": _peace,
    "DESTROYED": _record_destroyed_army,
    "CLEARED": _record_cleared,
    "SWEPT": _record_swept,
    "FORCES": _forces,
    "AFRICA": _africa,
    "ITALY": _italy,
    "WAR": _war,
    "GARRISON": _garrison,
    "CENTRES": _centres,
    "HEXES": _hexes,
    "CONTROLLER": _controller,
    "OPERATOR": _operator,
    "RESOURCES": _resources,
    "TRACK": _track,
    "DUE": _due,
    "USED": _take_used_points,
    "RATE": _rate,
    "USA": _usa,
    "DICE": _dice,
    "CONTEST": _contest,
    "NOTE": _note,
}
