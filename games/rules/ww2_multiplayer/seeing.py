"""What anybody may see of a position, and how it is told to players: views, boards, choices,
briefs, charts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .. import Board, Cell, Choice
from ..lands import SP, Land
from ..names import all_of
from . import entitlements, hostility, intervention
from .calendar import label
from .card import KINDS
from .columns import column, has_two, printed_for
from .control import control, normalised
from .diplomacy import offered_to
from .judging import waiting
from .naming import counted
from .operators import operates, operator
from .players import controllers, has_entered, movers, player_of, powers_of, same_hand
from .scoring import half_home_lost
from .state import COUNT, DIPLOMACY, ORDERS, OVER, REFEREE, SHEET, Force, State
from .told import granted

BATCHED = "batched"
_NONE = Force(0, 0)


def acting(state: State) -> tuple[str, ...]:
    """Return who may send something: powers in card order, or the gamesmaster's sheet alone."""
    if state.step in (REFEREE, COUNT):
        return (SHEET,)
    if state.step not in (DIPLOMACY, ORDERS):
        return ()
    able = {*state.seats, *controllers(state)}
    if state.step == ORDERS and state.options["spi.flow"] != BATCHED:
        able &= {*movers(state)}
    return tuple(power for power in state.card.order if power in able)


def view(state: State, reader: str | None) -> State:
    """The position as a power may see it, the public (None), or the gamesmaster (SHEET), who sees
    every order but no sealed column.

    Others' orders, offers that are not for the reader, Italy's standing instruction and sealed
    columns are left out.
    """
    over, judge = state.step == OVER, reader == SHEET
    own: tuple[str, ...] = ()
    if reader is not None and reader in state.card.order:
        own = powers_of(state, player_of(state, reader))
    for_it = offered_to(state, own[0]) if own else ()
    by_its_minors = own and {
        one.by
        for one in state.offers
        if one.by not in state.card.order and operates(state, own[0], one.by)
    }
    return replace(
        state,
        orders={power: text for power, text in state.orders.items() if judge or power in own},
        ruled=tuple(one for one in state.ruled if judge or one.power in own),
        offers=tuple(
            one for one in state.offers if one.by in own or one in for_it or one.by in by_its_minors
        ),
        med=state.med if judge or "Italy" in own else None,
        columns={seat: of for seat, of in state.columns.items() if over or seat in own},
        sealed=not over,
        scores_hidden=state.options["spi.standings"] == "gm_only" and not over and not judge,
    )


def board(state: State) -> Board:
    """Countries down, powers across: Strength Points, control, and how each country stands."""
    cells: dict[str, dict[str, Cell]] = {}
    found: dict[str, Land] = {}
    for country in state.card.areas:
        ruler = control(state, country).controller
        forces = state.country(country).forces
        here = {
            power: _cell(forces.get(power, _NONE), power == ruler)
            for power in state.card.order
            if power in forces or power == ruler
        }
        if here:
            cells[country] = here
        found[country] = land(state, country, ruler)
    pairs = [
        (a, b) for place, a in enumerate(state.card.order) for b in state.card.order[place + 1 :]
    ]
    return Board(
        state.card.areas,
        state.card.order,
        cells,
        tuple((one.a, one.b) for one in state.alliances),
        unit=SP,
        lands=found,
        at_odds=tuple(pair for pair in pairs if hostility.at_odds(state, *pair)),
        hands=tuple(pair for pair in pairs if same_hand(state, *pair)),
    )


def _cell(force: Force, ruler: bool) -> Cell:
    return Cell(pf=force.sp, control=ruler, cut_off=force.sp - force.supplied)


def land(state: State, country: str, ruler: str) -> Land:
    """How a country stands, given who controls it."""
    moved_by = operator(state, country)
    return Land(
        controller=ruler,
        home=country if country in state.card.order else "",
        hostile=normalised(state, country).hostile,
        foes=tuple(power for power in state.card.order if hostility.hostile(state, power, country)),
        operator=None if moved_by is None else moved_by.power,
        destroyed=state.country(country).destroyed_by is not None,
        lost=country in state.card.order and half_home_lost(state, country),
    )


def choices(state: State, power: str) -> tuple[Choice, ...]:
    """What may be chosen from lists; lines for the map are written."""
    if power not in acting(state) or power == SHEET:
        return ()
    return (*_binding(state, power), *_announced(state), Choice("PASS"))


def _binding(state: State, power: str) -> Iterator[Choice]:
    mine = player_of(state, power)
    others = tuple(seat for seat in state.seats if seat != mine)
    if free := tuple(seat for seat in others if not hostility.registered(state, mine, seat)):
        yield Choice("ALLY", nations=free, label="Alliance with {}")
    for seat in others:
        if hostility.registered(state, mine, seat):
            yield Choice("UNALLY", area=seat, label="End the alliance")
    for country in peace_with(state, power):
        yield Choice("PEACE", area=country, label="Offer peace, or accept it")
    for seat in others:
        yield Choice("DECLARE WAR ON", area=seat, label="Declare war")
    for grant in state.grants:
        if grant.by == power:
            where = f" IN {grant.place}" if grant.place else ""
            kind = grant.kind.replace("_", "-")
            yield Choice(
                f"REVOKE {kind.upper()} FROM {grant.to}{where}",
                label=f"Take back {kind.lower()} from {grant.to}{where.replace(' IN ', ' in ')}",
            )
    for kind in ("SUPPLY", "TRANSIT", "BASE", "LEND-LEASE", "TRANSPORT"):
        for seat in others:
            yield Choice(f"GRANT {kind} TO {seat}")
    if power == "Italy" and state.version == 6:
        rule = "Apply the Mediterranean rule to"
        yield Choice("MED ON", label=f"{rule} all hostile powers")
        yield Choice("MED OFF", label=f"{rule} nobody")
    if state.step == DIPLOMACY and state.turn == 1 and power == mine and has_two(state, mine):
        yield Choice("COLUMN PRINTED", label="Score by the printed column")
        for country in state.card.areas:
            for own in powers_of(state, mine):
                if state.card.aim(own, country):
                    yield Choice("BLEND", area=f"{country} {own}")


def _announced(state: State) -> Iterator[Choice]:
    if state.step == ORDERS:
        for country in state.card.areas:
            yield Choice("INVADE", area=country, label="Announce an invasion")


def peace_with(state: State, power: str) -> tuple[str, ...]:
    """Countries with which a power is at odds, by those who would sign for them."""
    found = [one.country for one in state.hostile if one.power == power] + [
        one.power for one in state.hostile if one.country == power
    ]
    signers = {hostility.belongs_to(state, country) or country for country in found}
    own = powers_of(state, player_of(state, power))
    return tuple(
        country for country in state.card.areas if country in signers and country not in own
    )


def brief(state: State, power: str) -> tuple[str, ...]:
    """Tell a power where it stands: what is offered and due, whom it is at odds with."""
    if power == SHEET:
        return _for_the_gamesmaster(state)
    if power not in state.card.order:
        return ()
    seen = view(state, power)
    said: list[str] = []
    for offer in seen.offers:
        what, verb = ("an alliance", "ALLY") if offer.kind == "alliance" else ("peace", "PEACE")
        if offer.by in powers_of(seen, player_of(seen, power)) or (
            offer.by not in seen.card.order and operates(seen, power, offer.by)
        ):
            until = "the offer stands until this Game-Turn ends"
            said.append(f"{offer.by} has offered {offer.to} {what}; {until}.")
        else:
            said.append(f"{offer.by} offers you {what}. To accept: {verb} {offer.by}")
    if friends := _friends(seen, power):
        said.append(f"You are allied with {all_of(friends)}.")
    if foes := peace_with(seen, power):
        said.append(f"You are hostile to {all_of(foes)}.")
    said += granted(seen, power)
    if minors := tuple(one for one in seen.card.areas if operates(seen, power, one)):
        armies, them = ("armies", "them") if len(minors) > 1 else ("army", "it")
        said.append(f"You move the {armies} of {all_of(minors)} and speak for {them}.")
    for one in seen.entitlements:
        if one.power == power and one.left:
            lapse = ", lost if you do not take them now" if one.expires is not None else ""
            points, place = counted(one.left, f"{one.kind} point"), one.place
            said.append(f"{points} due{lapse}: {place or 'as in the base game'}.")
    if power == seen.card.us_power and not has_entered(seen):
        when = f"You enter the war on {label(seen.card, seen.us.entry or 0)}."
        said.append(when if seen.us.entry else "You have not entered the war yet.")
    if power == "USSR":
        most = entitlements.largest_russian(seen)
        said.append(f"Your new units may have at most {most} Strength Points (10.73).")
    if power == "Germany" and (found := entitlements.halves(seen))[0]:
        said.append(f"Your replacement and reinforcement rate is halved. {found[1]}")
    return tuple(said)


def _for_the_gamesmaster(state: State) -> tuple[str, ...]:
    if state.step == COUNT:
        how = "Enter forces, hexes and controllers, then END."
        return (f"The last turn is played. {how}",)
    if state.step != REFEREE:
        return ()
    left = waiting(state)
    if not left:
        return ("Every line of this Player-Turn has a ruling. Write END to close it.",)
    powers = all_of(tuple(dict.fromkeys(one for one, _ in left)))
    return (f"Rule on {counted(len(left), 'line')} of {powers}.",)


def _friends(state: State, power: str) -> tuple[str, ...]:
    return tuple(seat for seat in state.seats if hostility.registered(state, seat, power))


def charts(state: State) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The columns player by player as one line each of control and normalised; a sealed one that is
    not the reader's as what is printed."""
    found = []
    for seat in state.seats:
        paid: dict[str, list[str]] = {}
        for entry in column(state, seat):
            paid.setdefault(entry.aim.kind, []).append(f"{entry.country} {entry.aim.points}")
        lines = [f"{kind.title()}: {', '.join(paid[kind])}" for kind in KINDS if kind in paid]
        if has_two(state, seat):
            whose = f"the printed column of {printed_for(state, seat)}"
            if seat in state.columns:
                how = "; a column combined from both"
            elif state.sealed:
                how = f"; here {whose}, unless they chose another in secret before turn 1"
            else:
                how = f", with {whose}"
            lines.append(f"Plays {all_of(powers_of(state, seat))}{how}.")
        found.append((seat, tuple(lines)))
    return tuple(found)


def draws(state: State) -> tuple[str, ...]:
    """Say what is drawn besides attacks."""
    return lots(state)


def lots(state: State) -> tuple[str, ...]:
    """What is drawn besides attacks, and how."""
    said = [
        "Dice are read from the published list, from its top, in the order in which the report"
        " before them asks for them."
    ]
    if number := state.options["spi.dice_ahead"]:
        said.append(
            f"When orders are closed, {number} dice are drawn ahead. Reports use them in this"
            " order, each once."
        )
    if state.options["spi.us_entry"] == intervention.VARIABLE:
        said.append(
            "At the end of each Game-Turn dice are thrown for American intervention, until the"
            " USA's entry is known (18.1)."
        )
    return tuple(said)


def operators(state: State) -> tuple[tuple[str, str], ...]:
    """Return each minor country with its operator, in chart order; "the gamesmaster" else."""
    return tuple(
        (name, found.power or "the gamesmaster")
        for name in state.card.areas
        if (found := operator(state, name))
    )
