"""What happened on the map, as the gamesmaster tells it: each event from a list, and whatever
follows from it by the rules (Rules B.8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .. import Json, event
from . import dice, entitlements, hostility, mediterranean, transport
from .calendar import label
from .control import control, proposed
from .judging import Judging, Refused, ask, owe
from .naming import counted
from .operators import attacked, operator
from .players import groups, has_entered, movers
from .sheet import Entry
from .state import COUNT, NOBODY, REFEREE, Entitlement, Force, Hostility, Request, State


def _invasion(judging: Judging, entry: Entry) -> None:
    state, power, country = judging.state, entry.power, entry.country
    if power == country:
        raise Refused(f"{power} does not invade itself.")
    own = state.card.prewar.get(country) == power and not state.country(country).invasions
    if own and not state.printed:  # as printed anybody may invade any minor country (12.0, 16.14)
        raise Refused(f"{country} already belongs to {power}.")
    if invaded_now(state, power, country):
        raise Refused(f"You have already reported that {power} invades {country} this turn.")
    invade(judging, power, country, entry.line)


def invaded_now(state: State, power: str, country: str) -> bool:
    return any(
        (one.power, one.turn) == (power, state.turn) for one in state.country(country).invasions
    )


def invade(judging: Judging, power: str, country: str, line: int) -> None:
    """An invasion and whatever follows from it."""
    state, was = judging.state, operator(judging.state, country)
    if power == state.card.us_power and not has_entered(state):
        judging.warn(line, "not_at_war", "The USA has not entered the war yet (18.0).")
    _undeclared(judging, power, country, line)
    judging.state, raised = hostility.invaded(state, power, country)
    judging.state = attacked(judging.state, power, country, crossed=True)
    judging.event("invasion", "19.12", f"{power} invades {country}.", nation=power, country=country)
    _at_war(judging, power)
    _hostilities(judging, raised)
    now = operator(judging.state, country)
    if was and now and was.power != now.power:
        by = now.power or "The gamesmaster"
        said = f"{by} now operates the army of {country}: {now.why}."
        judging.event("operator", now.case, said, country=country, nation=now.power)
    sweden = state.card.minors.halves
    if (
        country == sweden
        and entitlements.halves(judging.state)[0]
        and not entitlements.halves(state)[0]
    ):
        said = f"Germany's replacement and reinforcement rate is halved: it has invaded {sweden}."
        judging.event("rate", "12.1", said, nation="Germany")


def _combat(judging: Judging, entry: Entry) -> None:
    a, b = entry.power, entry.country
    if a == b:
        raise Refused(f"{a} does not fight itself.")
    if a in judging.state.card.order:
        _undeclared(judging, a, b, entry.line)
    before = judging.state
    judging.state, raised = hostility.fought(judging.state, a, b)
    # 16.31 and 16.42 ask who attacked, so as printed a combat names the attacker first.
    judging.state = attacked(judging.state, a, b, crossed=False)
    said = f"Units of {a} and {b} have fought."
    if before.printed:
        said = f"Units of {a} have attacked units of {b}."
    judging.event("combat", "19.12", said, nation=a, against=b)
    for one in (a, b):
        _at_war(judging, one)
    _hostilities(judging, raised)


def _at_war(judging: Judging, power: str) -> None:
    """Note that Italy, having invaded or fought, is an active belligerent (6.53)."""
    if power == mediterranean.ITALY and not judging.state.flags.italy:
        judging.state = replace(judging.state, flags=replace(judging.state.flags, italy=True))
        if judging.state.version != 6:
            judging.event("italy_enters", "6.53", "Italy is an active belligerent.", nation=power)


def _undeclared(judging: Judging, power: str, country: str, line: int) -> None:
    state = judging.state
    needed = state.options["spi.declaration"] == "required_before_attack"
    if (
        needed
        and (power, country) not in state.declared
        and not hostility.hostile(state, power, country)
    ):
        said = f"{power} has not declared war on {country}, as this game requires."
        judging.warn(line, "undeclared", said)


def _hostilities(judging: Judging, raised: tuple[Hostility, ...]) -> None:
    for one in raised:
        said = f"{one.power} is hostile to {one.country}: it {one.cause}."
        judging.event("hostile", "19.12", said, nation=one.power, country=one.country)


def _peace(judging: Judging, entry: Entry) -> None:
    judging.state, gone = hostility.made_peace(judging.state, entry.power, entry.country)
    if not gone:
        raise Refused(f"{entry.power} and {entry.country} are not hostile to each other.")
    said = f"{entry.power} and {entry.country} make peace."
    judging.event("peace", "19.12", said, nations=[entry.power, entry.country])


def _destroyed(judging: Judging, entry: Entry) -> None:
    state = judging.state.put(entry.country, destroyed_by=entry.power)
    said = f"{entry.power} has destroyed the army of {entry.country}."
    told = {"country": entry.country, "nation": entry.power}
    judging.event("army_destroyed", "12.1", said, **told)
    if (
        entry.country == state.card.minors.halves
        and not entitlements.is_german(state, entry.power)
        and not state.flags.halved
    ):
        state = replace(state, flags=replace(state.flags, halved=True))
        said = "Germany's replacement and reinforcement rate is halved for good: the army of"
        judging.event("rate", "12.1", f"{said} {entry.country} is destroyed.", nation="Germany")
    judging.state = state


def _cleared(judging: Judging, entry: Entry) -> None:
    told = judging.state.country(entry.country)
    cleared = {**told.cleared, entry.power: len(told.invasions)}
    judging.state = judging.state.put(entry.country, cleared=cleared)
    said = f"{entry.power} has destroyed or driven out all hostile forces in {entry.country}."
    judging.event("cleared", "19.11", said, nation=entry.power, country=entry.country)


def _swept(judging: Judging, entry: Entry) -> None:
    told = judging.state.country(entry.country)
    swept = tuple(dict.fromkeys((*told.swept, entry.power)))
    judging.state = judging.state.put(entry.country, swept=swept)
    said = f"{entry.power} has passed through or held every hex of {entry.country}."
    judging.event("swept", "19.11", said, nation=entry.power, country=entry.country)


def _forces(judging: Judging, entry: Entry) -> None:
    before, power, country, sp = judging.state, entry.power, entry.country, entry.number
    forces = {one: force for one, force in before.country(country).forces.items() if one != power}
    if sp:
        forces[power] = Force(sp, entry.second)
    judging.state = judging.state.put(country, forces=forces)
    supply = "" if entry.second == sp else f", {entry.second} of them in supply"
    said = f"{power} has {sp} SP in {country}{supply}."
    told = {"nation": power, "country": country, "sp": sp, "supplied": entry.second}
    judging.event("forces", "19.11", said, **told)
    if power == mediterranean.ITALY and country in mediterranean.AFRICA:
        _italians_in_africa(judging, entry, before)


def _italians_in_africa(judging: Judging, entry: Entry, before: State) -> None:
    """What is told of Italian forces says whether one is in supply in Africa (6.53), and whether
    there are too many (5.77)."""
    now, known = mediterranean.told_in_africa(judging.state), judging.state.flags.africa
    if now.supplied and not known:
        _in_africa(judging, True)
    elif not now.supplied and mediterranean.told_in_africa(before).supplied and known:
        _in_africa(judging, False)
    limit = transport.italian_limit(judging.state)
    if limit is not None and now.sp > limit:
        most = f"with {judging.state.version} players it may have {limit} at most"
        said = f"Italy has {now.sp} SP in North Africa; {most} (5.77)."
        judging.warn(entry.line, "too_many", said)


def _africa(judging: Judging, entry: Entry) -> None:
    _in_africa(judging, entry.on)


def _in_africa(judging: Judging, supplied: bool) -> None:
    judging.state = replace(judging.state, flags=replace(judging.state.flags, africa=supplied))
    said = f"{'An' if supplied else 'No'} Italian Strength Point is in supply in Africa."
    judging.event("supply_in_africa", "6.53", said, nation="Italy", on=supplied)


def _italy(judging: Judging, entry: Entry) -> None:
    if judging.state.version == 6:
        raise Refused("With 6 players Italy may act freely, so its entry changes nothing (16.61).")
    if judging.state.flags.italy:
        raise Refused("Italy is already an active belligerent.")
    _at_war(judging, mediterranean.ITALY)


def _war(judging: Judging, entry: Entry) -> None:
    judging.state = replace(judging.state, flags=replace(judging.state.flags, war_level=True))
    most = entitlements.largest_russian(judging.state)
    war = "a Limited War" if entry.kind == "limited" else "Full War"
    said = f"The USSR is in {war}: from now on its units may have up to {most} Strength Points."
    judging.event("russia_war_level", "10.73", said, nation="USSR")


def _garrison(judging: Judging, entry: Entry) -> None:
    others = tuple(one for one in judging.state.flags.garrison_failed if one != entry.power)
    failed = (*others, entry.power) if entry.on else others
    flags = replace(judging.state.flags, garrison_failed=failed)
    judging.state = replace(judging.state, flags=flags)
    said = f"{entry.power} {'fails' if entry.on else 'meets'} the garrison rule."
    judging.event("garrison", "14.4", said, nation=entry.power)


def _centres(judging: Judging, entry: Entry) -> None:
    told = judging.state.country(entry.country)
    held = {power: count for power, count in told.held.items() if power != entry.power}
    every = entry.second if entry.on else told.centres
    if every is None:
        example = f"{entry.text} OF 12, if there are 12"
        raise Refused(f"Say once how many resource centers {entry.country} has in all: {example}.")
    if entry.number > every:
        raise Refused(f"{entry.country} has only {every} resource centers.")
    others = sum(held.values())
    if others + entry.number > every:
        raise Refused(f"Others hold {others} of the {every} resource centers of {entry.country}.")
    held[entry.power] = entry.number
    judging.state = judging.state.put(entry.country, centres=every, held=held)
    said = f"{entry.power} holds {entry.number} of {every} resource centers of {entry.country}."
    judging.event("centres", "19.11", said, nation=entry.power, country=entry.country)


def _hexes(judging: Judging, entry: Entry) -> None:
    every = entry.number if entry.on else judging.state.country(entry.country).hexes
    if every is None:
        example = f"HEXES {entry.country} 40 HOSTILE {entry.second}, if there are 40"
        raise Refused(f"Say once how many hexes {entry.country} has in all: {example}.")
    if entry.second > every:
        raise Refused(f"{entry.country} has only {every} hexes.")
    judging.state = judging.state.put(entry.country, hexes=every, hexes_hostile=entry.second)
    said = f"{entry.second} of {every} hexes of {entry.country} are under hostile control."
    judging.event("hexes", "19.13", said, country=entry.country)


def _because(entry: Entry) -> str:
    """The gamesmaster's reason as a sentence behind another; nothing where he gives none."""
    stop = "" if entry.reason.endswith((".", "?", "!")) else "."
    return f" The reason: {entry.reason}{stop}" if entry.reason else ""


def _controller(judging: Judging, entry: Entry) -> None:
    judging.state = judging.state.put(entry.country, controller=entry.power if entry.on else None)
    found = control(judging.state, entry.country)
    agrees = proposed(judging.state, entry.country).controller == found.controller
    because = _because(entry) if not (agrees and entry.reason == "as proposed") else ""
    told = {"country": entry.country, "nation": found.controller}
    judging.event("controller", found.case, f"{found.why}{because}", **told)


def _operator(judging: Judging, entry: Entry) -> None:
    if operator(judging.state, entry.country) is None:
        raise Refused(f"{entry.country} has no army that a power or the gamesmaster operates.")
    judging.state = judging.state.put(entry.country, operator=entry.power if entry.on else None)
    now = operator(judging.state, entry.country)
    by = (now.power if now else NOBODY) or "The gamesmaster"
    said = f"{by} operates the army of {entry.country}.{_because(entry)}"
    judging.event("operator", "20.0", said, country=entry.country)


# --- tracks, points, dice ---


def _resources(judging: Judging, entry: Entry) -> None:
    """Tell what the Russian Resources Computation gives: at the end of the Game-Turn, not of the
    Russian Player-Turn (4.2)."""
    state = judging.state
    if not last_mover(state):
        raise Refused(
            "Report Russian resources in the last Player-Turn: they are computed at the end of the"
            " Game-Turn (4.2)."
        )
    if state.flags.resources == state.turn:
        raise Refused("You have already reported the Russian resources of this Game-Turn.")
    judging.state = replace(state, flags=replace(state.flags, resources=state.turn))
    said = f"The Russian Resources Computation gives {counted(entry.number, 'point')}."
    judging.event("resources", "4.2", said, nation="USSR", points=entry.number)
    if entry.number:
        what = ("USSR", entitlements.REPLACEMENT, entry.number, "at controlled resource centers")
        judging.state, made = entitlements.added(judging.state, *what, lapses=False, case="10.73")
        judging.events.append(due_event(made))


def last_mover(state: State) -> bool:
    """Whether this is the last Player-Turn of the Game-Turn."""
    return state.step == REFEREE and state.mover == len(groups(state)) - 1


def _track(judging: Judging, entry: Entry) -> None:
    turn = judging.state.turn if entry.sp is None else entry.sp
    if not 1 <= turn <= judging.state.card.turns:
        raise Refused(f"There is no turn {turn}: the last is {judging.state.card.turns}.")
    naval, amphibious = entry.number, entry.second
    tracks = {**judging.state.tracks, turn: (naval, amphibious)}
    judging.state = replace(judging.state, tracks=tracks)
    when = label(judging.state.card, turn)
    said = f"Allied sea transport on {when}: {naval} naval, {amphibious} amphibious."
    judging.event("track", "5.7", said, turn=turn, naval=naval, amphibious=amphibious)


def _due(judging: Judging, entry: Entry) -> None:
    american = entry.power == "USA" and entry.kind == entitlements.REPLACEMENT
    case = "10.84" if american else "10.0"
    place = entry.reason
    if judging.state.printed and entry.power == "USSR":
        case, place = "10.73", place or "at controlled resource centers"
    judging.state, made = entitlements.added(
        judging.state,
        entry.power,
        entry.kind,
        entry.number,
        place,
        lapses=entry.on or case == "10.84",
        case=case,
    )
    judging.events.append(due_event(made))


def due_event(made: Entitlement) -> Json:
    point = counted(made.points, f"{made.kind} point")
    where = f": {made.place}" if made.place else ""
    lapse = "; points not taken this turn are lost" if made.expires is not None else ""
    said = f"{made.power} has {point} due{where}{lapse}."
    told = {"nation": made.power, "points": made.points, "what": made.kind}
    return event("due", made.case, said, **told)


def _used(judging: Judging, entry: Entry) -> None:
    if (there := entitlements.left(judging.state, entry.power, entry.kind)) < entry.number:
        raise Refused(f"{entry.power} has {there} {entry.kind} points left.")
    judging.state, _ = entitlements.used(judging.state, entry.power, entry.kind, entry.number)
    said = f"{entry.power} takes {counted(entry.number, f'{entry.kind} point')}."
    judging.event("taken", "10.0", said, nation=entry.power, points=entry.number, what=entry.kind)


def _rate(judging: Judging, entry: Entry) -> None:
    rate = entitlements.german_rate(judging.state, entry.number)
    said = f"Germany's rate of replacements and reinforcements is {rate} of {entry.number} this"
    said += f" turn. {entitlements.halves(judging.state)[1]}"
    judging.event("rate", "12.1", said, nation="Germany", rate=rate)


def _usa(judging: Judging, entry: Entry) -> None:
    state = judging.state
    if state.options["spi.us_entry"] != "base_schedule":
        raise Refused("In this game dice decide when the USA enters (18.0).")
    if has_entered(state):
        raise Refused("The USA has already entered.")
    judging.state = replace(state, us=replace(state.us, entry=state.turn))
    judging.event("us_enters", "18.0", "The USA enters the war.", nation=state.card.us_power)


def _dice(judging: Judging, entry: Entry) -> None:
    _while_played(judging)
    owner = entry.power or next(
        power for power in movers(judging.state) if power in judging.state.seats
    )
    ask(judging, Request(dice.DIE, owner, entry.number, {"purpose": entry.reason}), "rng.d6")


def _contest(judging: Judging, entry: Entry) -> None:
    _while_played(judging)
    request, event = dice.contest(
        judging.state, entry.power, entry.other, (entry.number, entry.second), entry.reason
    )
    judging.events.append(event)
    if request is not None:
        owe(judging, request)


def _while_played(judging: Judging) -> None:
    if judging.state.step == COUNT:
        raise Refused("The last turn has been played: no more dice are thrown.")


def _note(judging: Judging, entry: Entry) -> None:
    stop = "" if entry.reason.endswith((".", "?")) else "."
    judging.event("note", "B.8", f"The gamesmaster: {entry.reason}{stop}")


#: How each kind of line of a sheet is taken that tells of something.
HAPPENED: dict[str, Callable[[Judging, Entry], None]] = {
    "INVASION": _invasion,
    "COMBAT": _combat,
    "PEACE": _peace,
    "DESTROYED": _destroyed,
    "CLEARED": _cleared,
    "SWEPT": _swept,
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
    "USED": _used,
    "RATE": _rate,
    "USA": _usa,
    "DICE": _dice,
    "CONTEST": _contest,
    "NOTE": _note,
}
