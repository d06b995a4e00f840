"""Show a position to its readers: views, boards, choices, briefs, charts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from games.rules import REFEREE_SEAT, Board, Cell, Choice
from games.rules.lands import SP, Land
from games.rules.names import all_of
from games.rules.orders import PASS

from . import entitlements, hostility, intervention
from .calendar import label
from .card import CONTROL, KINDS, NORMALISED
from .columns import column, column_power, has_two
from .control import control, normal_status
from .diplomacy import offers_to
from .judging import waiting
from .naming import count_words
from .operators import operates, operator
from .orders import VERBS
from .permissions import why_idle
from .players import controllers, has_entered, movers, player_of, powers_of, same_hand
from .scoring import half_home_lost
from .state import COUNT, DIPLOMACY, ORDERS, OVER, REFEREE, Force, State
from .told import describe_grants

BATCHED = "batched"
_NONE = Force(0, 0)
_KINDS = {CONTROL: "Control", NORMALISED: "Normalized"}


def acting_nations(state: State) -> tuple[str, ...]:
    """Return who may send something: powers in card order, or only the gamesmaster."""
    if state.step in (REFEREE, COUNT):
        return (REFEREE_SEAT,)
    if state.step not in (DIPLOMACY, ORDERS):
        return ()
    able = {*state.seats, *controllers(state)}
    if state.step == ORDERS and state.options["spi.flow"] != BATCHED:
        able &= {*movers(state)}
    return tuple(power for power in state.card.order if power in able)


def view(state: State, nation: str | None) -> State:
    """Return the position as a reader may see it.

    `nation` is a power, None (the public), or REFEREE_SEAT (the gamesmaster, who sees every order
    but no sealed column). Others' orders, offers to others, Italy's standing instruction and sealed
    columns are left out, and so is transport of others, which private rulings use.
    """
    over, judge = state.step == OVER, nation == REFEREE_SEAT
    own_powers: tuple[str, ...] = ()
    if nation is not None and nation in state.card.order:
        own_powers = powers_of(state, player_of(state, nation))
    for_it = offers_to(state, own_powers[0]) if own_powers else ()
    by_its_minors = own_powers and {
        offer.by
        for offer in state.offers
        if offer.by not in state.card.order and operates(state, own_powers[0], offer.by)
    }
    return replace(
        state,
        orders={
            power: text for power, text in state.orders.items() if judge or power in own_powers
        },
        ruled=tuple(line for line in state.ruled if judge or line.power in own_powers),
        offers=tuple(
            offer
            for offer in state.offers
            if offer.by in own_powers or offer in for_it or offer.by in by_its_minors
        ),
        uses=tuple(
            use for use in state.uses if judge or use.owner in own_powers or use.by in own_powers
        ),
        med=state.med if judge or "Italy" in own_powers else None,
        columns={seat: of for seat, of in state.columns.items() if over or seat in own_powers},
        sealed=not over,
        scores_hidden=state.options["spi.standings"] == "gm_only" and not over and not judge,
    )


def board(state: State) -> Board:
    """Return the countries with the powers' Strength Points, control and state."""
    cells: dict[str, dict[str, Cell]] = {}
    lands: dict[str, Land] = {}
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
        lands[country] = land(state, country, ruler)
    pairs = [
        (a, b) for place, a in enumerate(state.card.order) for b in state.card.order[place + 1 :]
    ]
    return Board(
        state.card.areas,
        state.card.order,
        cells,
        tuple((alliance.a, alliance.b) for alliance in state.alliances),
        unit=SP,
        lands=lands,
        at_odds=tuple(pair for pair in pairs if hostility.are_hostile(state, *pair)),
        hands=tuple(pair for pair in pairs if same_hand(state, *pair)),
    )


def _cell(force: Force, ruler: bool) -> Cell:
    return Cell(pf=force.sp, control=ruler, cut_off=force.sp - force.supplied)


def land(state: State, country: str, ruler: str) -> Land:
    """Return the state of a country, given who controls it."""
    army = operator(state, country)
    return Land(
        controller=ruler,
        home=country if country in state.card.order else "",
        hostile=normal_status(state, country).hostile,
        foes=tuple(power for power in state.card.order if hostility.hostile(state, power, country)),
        operator=None if army is None else army.power,
        destroyed=state.country(country).destroyed_by is not None,
        lost=country in state.card.order and half_home_lost(state, country),
    )


def choices(state: State, power: str) -> tuple[Choice, ...]:
    """Return what a power may choose from lists. Lines for the map have to be written."""
    if power not in acting_nations(state) or power == REFEREE_SEAT:
        return ()
    return (*_binding(state, power), *_announcement_choices(state), VERBS.choice(PASS))


def _binding(state: State, power: str) -> Iterator[Choice]:
    own_seat = player_of(state, power)
    others = tuple(seat for seat in state.seats if seat != own_seat)
    if free := tuple(
        seat for seat in others if not hostility.is_alliance_registered(state, own_seat, seat)
    ):
        yield VERBS.choice("ALLY", nations=free)
    for seat in others:
        if hostility.is_alliance_registered(state, own_seat, seat):
            yield VERBS.choice("UNALLY", seat)
    for country in peace_with(state, power):
        yield VERBS.choice("PEACE", country)
    for seat in others:
        yield VERBS.choice("DECLARE WAR ON", seat)
    for grant in state.grants:
        if grant.by == power:
            where = f" IN {grant.place}" if grant.place else ""
            kind = grant.kind.replace("_", "-")
            yield VERBS.choice(
                f"REVOKE {kind.upper()} FROM {grant.to}{where}",
                label=f"Take back {kind.lower()} from {grant.to}{where.replace(' IN ', ' in ')}",
            )
    for kind in ("SUPPLY", "TRANSIT", "BASE", "LEND-LEASE", "TRANSPORT"):
        for seat in others:
            if not why_idle(state, power, seat, kind.lower().replace("-", "_")):
                yield VERBS.choice(f"GRANT {kind} TO {seat}")
    if power == "Italy" and state.players_count == 6:
        rule = "Apply the Mediterranean rule to"
        yield VERBS.choice("MED ON", label=f"{rule} all hostile powers")
        yield VERBS.choice("MED OFF", label=f"{rule} nobody")
    if (
        state.step == DIPLOMACY
        and state.turn == 1
        and power == own_seat
        and has_two(state, own_seat)
    ):
        yield VERBS.choice("COLUMN PRINTED")
        for country in state.card.areas:
            for own_power in powers_of(state, own_seat):
                if state.card.aim(own_power, country):
                    yield VERBS.choice("BLEND", f"{country} {own_power}")


def _announcement_choices(state: State) -> Iterator[Choice]:
    if state.step == ORDERS:
        for country in state.card.areas:
            yield VERBS.choice("INVADE", country)


def peace_with(state: State, power: str) -> tuple[str, ...]:
    """Return countries with which a power may make peace.

    They are the signers for those with which it is at odds.
    """
    opponents = [flag.country for flag in state.hostile if flag.power == power] + [
        flag.power for flag in state.hostile if flag.country == power
    ]
    signers = {hostility.belongs_to(state, country) or country for country in opponents}
    own_powers = powers_of(state, player_of(state, power))
    return tuple(
        country for country in state.card.areas if country in signers and country not in own_powers
    )


def brief(state: State, power: str) -> tuple[str, ...]:
    """Return a power's situation in sentences: offers, alliances, enemies, points due."""
    if power == REFEREE_SEAT:
        return _gamesmaster_sentences(state)
    if power not in state.card.order:
        return ()
    visible = view(state, power)
    sentences: list[str] = []
    for offer in visible.offers:
        subject, verb = ("an alliance", "ALLY") if offer.kind == "alliance" else ("peace", "PEACE")
        if offer.by in powers_of(visible, player_of(visible, power)) or (
            offer.by not in visible.card.order and operates(visible, power, offer.by)
        ):
            until = "the offer stands until this Game-Turn ends"
            sentences.append(f"{offer.by} has offered {offer.to} {subject}; {until}.")
        else:
            sentences.append(f"{offer.by} offers you {subject}. To accept, send {verb} {offer.by}.")
    if friends := _allied_seats(visible, power):
        sentences.append(f"You are allied with {all_of(friends)}.")
    if foes := peace_with(visible, power):
        sentences.append(f"You are hostile to {all_of(foes)}.")
    sentences += describe_grants(visible, power)
    minors = [country for country in visible.card.areas if operates(visible, power, country)]
    destroyed = [country for country in minors if visible.country(country).destroyed_by]
    if alive := [country for country in minors if country not in destroyed]:
        armies, them = ("armies", "them") if len(alive) > 1 else ("army", "it")
        sentences.append(f"You move the {armies} of {all_of(alive)} and speak for {them}.")
    if destroyed:
        armies = "armies are" if len(destroyed) > 1 else "army is"
        sentences.append(f"You speak for {all_of(destroyed)}, whose {armies} destroyed.")
    for entitlement in visible.entitlements:
        if entitlement.power == power and entitlement.left:
            lapse = ", lost if you do not take them now" if entitlement.expires is not None else ""
            points = count_words(entitlement.left, f"{entitlement.kind} point")
            where = f": {entitlement.place}" if entitlement.place else " as in the base game"
            sentences.append(f"{points} due{where}{lapse}.")
    if power == visible.card.us_power and not has_entered(visible):
        when = f"You enter the war in {label(visible.card, visible.us.entry or 0)}."
        sentences.append(when if visible.us.entry else "You have not entered the war yet.")
    if power == "USSR":
        most = entitlements.largest_russian(visible)
        sentences.append(f"Your new units may have at most {most} Strength Points (10.73).")
    if power == "Germany" and (halving := entitlements.halves(visible))[0]:
        sentences.append(f"Your replacement and reinforcement rate is halved. {halving[1]}")
    return tuple(sentences)


def _gamesmaster_sentences(state: State) -> tuple[str, ...]:
    if state.step == COUNT:
        how = "Enter forces, hexes and controllers, then END."
        return (f"The last turn is played. {how}",)
    if state.step != REFEREE:
        return ()
    left = waiting(state)
    if not left:
        return ("Every line of this Player-Turn has a ruling. Write END to close it.",)
    powers = all_of(tuple(dict.fromkeys(power for power, _ in left)))
    return (f"Rule on {count_words(len(left), 'line')} of {powers}.",)


def _allied_seats(state: State, power: str) -> tuple[str, ...]:
    return tuple(
        seat for seat in state.seats if hostility.is_alliance_registered(state, seat, power)
    )


def charts(state: State) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the columns of the players, with one line each for control and normalized.

    A sealed column of another player is described by the printed one.
    """
    rows = []
    for seat in state.seats:
        paid: dict[str, list[str]] = {}
        for entry in column(state, seat):
            paid.setdefault(entry.aim.kind, []).append(f"{entry.country} {entry.aim.points}")
        lines = [f"{_KINDS[kind]}: {', '.join(paid[kind])}." for kind in KINDS if kind in paid]
        if has_two(state, seat):
            whose = f"the printed column of {column_power(state, seat)}"
            if seat in state.columns:
                whose = "a column combined from both"
            elif state.sealed:
                whose = f"{whose}, unless the player chose another one in secret before turn 1"
            lines.append(f"{all_of(powers_of(state, seat))} have one player and score by {whose}.")
        rows.append((seat, tuple(lines)))
    return tuple(rows)


def draws(state: State) -> tuple[str, ...]:
    """Return what is drawn besides attacks."""
    return lots(state)


def lots(state: State) -> tuple[str, ...]:
    """Return what is drawn besides attacks, and how."""
    sentences = [
        "Dice are read from the published list, from its top, in the order in which the report"
        " before them asks for them."
    ]
    if number := state.options["spi.dice_ahead"]:
        sentences.append(
            f"When orders are closed, {number} dice are drawn ahead. Reports use them in this"
            " order, each once."
        )
    if state.options["spi.us_entry"] == intervention.VARIABLE:
        sentences.append(
            "At the end of each Game-Turn dice are thrown for American intervention, until the"
            " USA's entry is known (18.1)."
        )
    return tuple(sentences)
