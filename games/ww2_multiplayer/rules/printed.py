"""Describe the charts of a card in words, for a page and a printout (Rules B.1, B.8).

The gamesmaster uses them when playing out the map.
"""

from __future__ import annotations

from collections.abc import Mapping

from games.rules.explaining import Chart
from games.rules.names import all_of

from . import calendar
from .card import ANY, DUE_KINDS, OPERATOR, Card, DueEntitlement

#: Headings for the two readings of the seasons.
_READINGS = {"winter1": "Season", "spring1": "or, with spring first"}
_OUTCOMES = {"landed": "lands", "aborted": "goes back", "eliminated": "is lost"}
_CASES = {6: "six", 5: "five", 4: "four"}


def charts(card: Card) -> tuple[Chart, ...]:
    """Return every chart except the objectives."""
    return (
        _turns(card),
        _order(card),
        _hands(card),
        _entry(card),
        _operators(card),
        _mediterranean(card),
        _transport(card),
        _due(card),
        _leave(card),
        _prewar(card),
        _differing(),
        _unused_cases(card),
    )


def _turns(card: Card) -> Chart:
    rows = tuple(
        (
            str(turn),
            calendar.label(card, turn),
            *(calendar.season(card, turn, reading) for reading in _READINGS),
        )
        for turn in range(1, card.turns + 1)
    )
    return Chart(
        "Game-Turns",
        ("Turn", "Quarter", *_READINGS.values()),
        rows,
        "The rules do not say which quarter is spring; the game’s options do.",
    )


def _order(card: Card) -> Chart:
    rows = tuple(
        (
            f"{_CASES[count]} players",
            ", ".join(" with ".join(group) for group in card.player_turns[count]),
        )
        for count in sorted(card.player_turns, reverse=True)
    )
    return Chart("Player-Turns, in this order", ("", ""), rows)


def _hands(card: Card) -> Chart:
    rows = tuple(
        (
            f"{_CASES[count]} players",
            "; ".join(all_of(pair) for pair in card.hands[count]) or "none",
        )
        for count in sorted(card.hands, reverse=True)
    )
    return Chart(
        "Powers with one player",
        ("", ""),
        rows,
        "With four players, Britain’s player also plays the USA once it has entered.",
    )


def _entry(card: Card) -> Chart:
    us = card.us
    rows = [
        (
            calendar.label(card, row.turn),
            _faces(row.first),
            _faces(row.second),
            calendar.label(card, row.entry),
        )
        for row in us.rows
    ]
    rows += [
        (
            f"Germany invades {special.country}",
            _faces(special.first),
            _faces(special.second),
            f"{special.delay} turns later",
        )
        for special in us.specials
    ]
    note = (
        f"Without a success the USA enters in {calendar.label(card, us.automatic)}. {us.roller}"
        " rolls at the end of the German Player-Turn."
    )
    return Chart(
        "American intervention (18.1)",
        ("Turn", "First die", "Second die", "Entry"),
        tuple(rows),
        note,
    )


def _faces(faces: tuple[int, int]) -> str:
    return str(faces[0]) if faces[0] == faces[1] else f"{faces[0]} to {faces[1]}"


def _operators(card: Card) -> Chart:
    counts = sorted(card.operators, reverse=True)
    alike = [count for count in counts if card.operators[count] == card.operators[counts[0]]]
    shown = [counts[0], *(count for count in counts if count not in alike)]
    rows = tuple(
        (
            country,
            *(", then ".join(card.operators[count].get(country, ("–",))) for count in shown),
        )
        for country in card.areas
        if any(country in card.operators[count] for count in shown)
    )
    heads = (
        f"{' and '.join(_CASES[count] for count in alike)} players",
        *(f"{_CASES[count]} players" for count in shown[1:]),
    )
    return Chart(
        "Who moves a minor country’s army (20)",
        ("Country", *heads),
        rows,
        "The second name, for good, if the first invaded the country before anyone else did.",
    )


def _mediterranean(card: Card) -> Chart:
    rows = tuple(
        (str(face), _OUTCOMES[outcome]) for face, outcome in sorted(card.mediterranean.items())
    )
    return Chart("The Mediterranean, for each Strength Point (6.53)", ("Die", "It"), rows)


def _transport(card: Card) -> Chart:
    rows = [
        ("Britain, USA", "the base game’s track", _allied(card.transport["Allied"])),
    ]
    for power in ("France", "Germany", "Italy"):
        capacity = card.transport[power]
        amount = (
            f"{capacity['naval']} naval point"
            if "naval" in capacity
            else f"{capacity['strength']} Strength Point"
        )
        where = (
            f"between {all_of(capacity['ports'])}"
            if "ports" in capacity
            else all_of(capacity["seas"])
        )
        rows.append((power, amount, f"{where}; carries {_carries(capacity['carries'])}"))
    return Chart(
        "Sea transport in a turn (5.7)", ("Owner", "Amount", "Where and for whom"), tuple(rows)
    )


def _allied(tree: Mapping[str, object]) -> str:
    return (
        f"all {tree['odd_point']}’s to turn {tree['british_until_turn']}, halved from turn"
        f" {tree['halved_from_turn']} on, the odd point {tree['odd_point']}’s"
    )


def _carries(given: object) -> str:
    if not isinstance(given, Mapping):
        return str(given)
    by_sender: dict[str, list[int]] = {}
    for count, who in sorted(given.items(), key=lambda entry: -int(entry[0])):
        by_sender.setdefault(str(who), []).append(int(count))
    return "; ".join(
        f"{who} with {' or '.join(_CASES[count] for count in counts)} players"
        for who, counts in by_sender.items()
    )


def _due(card: Card) -> Chart:
    rows = tuple(
        (due.case, due.power, _due_words(due), due.place or "–", "yes" if due.lapses else "no")
        for due in card.entitlements
    )
    return Chart("Points due", ("Case", "Power", "What", "Where", "Lapses"), rows)


def _due_words(due: DueEntitlement) -> str:
    if due.kind not in DUE_KINDS[:2]:
        return f"{due.kind}: {', '.join(map(str, due.steps))} Strength Points"
    when = f" each {due.every}" if due.every else ""
    if not due.points:
        return f"{due.kind}s, by the track"
    return (
        f"{due.points}"
        f" {due.kind}{'s' if due.points > 1 else ''}{when}"
        f"{f', in {due.season}' if due.season else ''}"
    )


def _leave(card: Card) -> Chart:
    by = {ANY: "any power", OPERATOR: "the power that moves its army"}
    rows = tuple(
        (
            permission.case,
            by.get(permission.by, permission.by),
            permission.what,
            ", ".join(_CASES[count] for count in sorted(permission.players, reverse=True)),
        )
        for permission in card.grants
    )
    return Chart("Permissions", ("Case", "By", "For", "Players"), rows)


def _differing() -> Chart:
    """Return cases that differ from the base game and matter on the map, but not in reports."""
    ports = "zones of two hexes in all directions, against naval and amphibious transport"
    rows = (
        ("4.2", "Russian resources are computed at the end of the Game-Turn (RESOURCES)."),
        ("6.5", f"Only, and all, German, British and American Strength Points have air {ports}."),
        ("6.54", "Ordinary air interdiction applies while no Italian is in supply in Africa."),
        ("9.42", "French units abroad trace to any 3 French resource centers or others’ supply."),
        ("10.73", "Russian points are placed at controlled resource centers."),
        ("16.41", "Finns stay in Finland until a power outside the Axis crosses the border."),
        ("16.42", "Finns do not attack until a Finn is attacked or the border is crossed."),
    )
    return Chart("Cases for the map", ("Case", "Rule"), rows)


def _unused_cases(card: Card) -> Chart:
    cases = tuple(str(case) for case in card.switches.get("not_used", ()))
    return Chart("Cases that are not used", ("Case",), tuple((case,) for case in cases))


def _prewar(card: Card) -> Chart:
    by_holder: dict[str, list[str]] = {}
    for country, holder in card.prewar.items():
        by_holder.setdefault(holder, []).append(country)
    note = (
        "We worked this out; it is not printed. Please correct it from your own copy."
        if "prewar" in card.inferred
        else ""
    )
    return Chart(
        "Held before the war (19.11)",
        ("Power", "Countries"),
        tuple((holder, all_of(countries)) for holder, countries in by_holder.items()),
        note,
    )
