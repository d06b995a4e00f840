"""Compute victory points and standings (13.0, 19.0 to 19.2), with the case of every point.

    control     pays if the controller is one of the player's powers (19.11)
    normalized  pays if no hostile force stands there, and only the player or an ally
                controls it (19.12)
    half home   an entry of a power pays nothing if more than half the hexes of its home are under
                hostile control (19.13)

An entry of a blended column belongs to the power whose printed entry it is: if one power has lost
its home, its entries pay nothing, but the other's still do.
"""

from __future__ import annotations

from dataclasses import dataclass

from games.rules import Json, Objective, Standing, event
from games.rules.names import all_of

from .card import CONTROL, NORMALISED, Aim
from .columns import Entry, column, column_power, has_two
from .control import Control, control, normal_status
from .hostility import are_allied, is_alliance_registered
from .naming import count_words
from .players import player_of, powers_of
from .state import OVER, State


@dataclass(frozen=True)
class Line:
    """An entry of a player's column: what it pays now, by which case, and why, in a sentence."""

    seat: str
    country: str
    aim: Aim
    of: str
    points: int
    case: str
    why: str


@dataclass(frozen=True)
class ScoreSheet:
    """A player's column with every entry judged.

    `whose` says which column it is; `ruled` are points by rulings of the gamesmaster.
    """

    seat: str
    powers: tuple[str, ...]
    whose: str
    lines: tuple[Line, ...]
    ruled: int
    lost_home: tuple[str, ...]  # powers with more than half of it under hostile control (19.13)

    @property
    def total(self) -> int:
        return sum(line.points for line in self.lines) + self.ruled

    @property
    def most(self) -> int:
        return sum(line.aim.points for line in self.lines)


def score_sheets(state: State) -> tuple[ScoreSheet, ...]:
    """Return all players' worked columns as of now, in card order; none if scores are hidden."""
    if state.scores_hidden:
        return ()
    rulers = _Rulers(state)
    return tuple(
        ScoreSheet(
            seat,
            powers_of(state, seat),
            _column_sentence(state, seat),
            _lines(state, seat, rulers),
            state.points.get(seat, 0),
            tuple(power for power in powers_of(state, seat) if half_home_lost(state, power)),
        )
        for seat in state.seats
    )


def _column_sentence(state: State, seat: str) -> str:
    if not has_two(state, seat):
        return "Its printed column."
    hand = all_of(powers_of(state, seat))
    if seat in state.columns:
        return f"One player has {hand}, with a column of their own, chosen before turn 1 (19.2)."
    unless = "; a column chosen in secret before turn 1 is shown at the end" if state.sealed else ""
    return (
        f"One player has {hand}, with the printed column of"
        f" {column_power(state, seat)}{unless} (19.2)."
    )


def half_home_lost(state: State, power: str) -> bool:
    """Return whether more than half the hexes of a home are under hostile control (19.13).

    Without the gamesmaster's counts nothing is lost.
    """
    row = state.country(power)
    return (
        row.hexes is not None
        and row.hexes_hostile is not None
        and 2 * row.hexes_hostile > row.hexes
    )


class _Rulers:
    """Who controls each country, computed once for all columns of a state."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._found: dict[str, Control] = {}

    def control_of(self, country: str) -> Control:
        if country not in self._found:
            self._found[country] = control(self._state, country)
        return self._found[country]


def lines(state: State, seat: str) -> tuple[Line, ...]:
    """Return the worked column of a player, in the order of the chart."""
    return _lines(state, seat, _Rulers(state))


def _lines(state: State, seat: str, rulers: _Rulers) -> tuple[Line, ...]:
    rows = []
    for entry in column(state, seat):
        ruler = rulers.control_of(entry.country)
        pays, case, why = (
            _control(state, seat, entry, ruler)
            if entry.aim.kind == CONTROL
            else _normality(state, seat, entry.country, ruler)
        )
        if pays and half_home_lost(state, entry.of):
            home = state.country(entry.of)
            pays, case = False, "19.13"
            why = (
                f"{home.hexes_hostile} of {home.hexes} hexes of {entry.of} are under hostile"
                " control, so it scores nothing."
            )
        rows.append(
            Line(
                seat, entry.country, entry.aim, entry.of, entry.aim.points if pays else 0, case, why
            )
        )
    return tuple(rows)


def _control(state: State, seat: str, entry: Entry, control: Control) -> tuple[bool, str, str]:
    """Return whether an entry pays for control, by which case, and why.

    If nobody controls the country, the reason is about the entry's own power first, then about
    others of the same player.
    """
    if control.controller and player_of(state, control.controller) == seat:
        return True, control.case, control.why
    if control.controller:
        return False, control.case, f"{control.controller} controls {entry.country}."
    powers = sorted(powers_of(state, seat), key=lambda power: power != entry.of)
    lacking = [reason for power in powers for reason in control.missing.get(power, ())]
    return False, control.case, lacking[0] if lacking and not control.rule else control.why


def _normality(state: State, seat: str, country: str, ruler: Control) -> tuple[bool, str, str]:
    result, by = normal_status(state, country), ruler.controller
    if not result.normal:
        return False, "19.12", f"Hostile forces stand in {country}: {all_of(result.hostile)}."
    none = f"No hostile force stands in {country}"
    if not by:
        return True, "19.12", f"{none}."
    if player_of(state, by) == seat:
        return True, "19.12", f"{none}, which {by} itself controls."
    if are_allied(state, seat, by):
        bond = "an ally" if is_alliance_registered(state, seat, by) else f"not hostile to {seat}"
        return True, "19.12", f"{none}; {by}, {bond}, controls it."
    registered = state.options["spi.allied"] == "registered"
    bond = f"not an ally of {seat}" if registered else f"hostile to {seat}"
    return False, "19.12", f"{by}, {bond}, controls {country}."


def scores(state: State) -> dict[str, int]:
    rulers = _Rulers(state)
    return {
        seat: sum(line.points for line in _lines(state, seat, rulers)) + state.points.get(seat, 0)
        for seat in state.seats
    }


def standing(state: State) -> Standing:
    """Return the standing as if the game ended here. Allies' points are not added together.

    In a view with sealed columns, players of two powers score by the printed one, and a remark says
    so.
    """
    if state.step == OVER:
        final = scores(state)
        return Standing(final, _winners(state, final))
    if state.scores_hidden:
        return Standing({})
    double = [seat for seat in state.seats if has_two(state, seat) and seat not in state.columns]
    remark = ""
    if state.sealed and double:
        remark = (
            f"{all_of(double)} {'scores' if len(double) == 1 else 'score'} here by the printed"
            " column. A secret column counts at the end (19.2)."
        )
    return Standing(scores(state), remark=remark)


def _winners(state: State, final: dict[str, int]) -> tuple[str, ...]:
    """Return the seats with the highest total (13.0).

    Of several, all win, or the one whose homes have the fewest hexes under hostile control
    (`spi.tie`).
    """
    best = [seat for seat in state.seats if final[seat] == max(final.values())]
    if state.options["spi.tie"] == "shared":
        return tuple(best)
    lost = {
        seat: sum(state.country(power).hexes_hostile or 0 for power in powers_of(state, seat))
        for seat in best
    }
    return tuple(seat for seat in best if lost[seat] == min(lost.values()))


#: What an entry requires, as a page says it below the country or before “in Poland”.
_WANTED = {CONTROL: "control", NORMALISED: "no hostile forces"}


def objectives(state: State, seat: str) -> tuple[Objective, ...]:
    """Return a player's column; whether it pays is hidden if standings are."""
    return tuple(
        Objective(
            line.country,
            line.aim.kind,
            line.aim.points,
            None if state.scores_hidden else line.points > 0,
            _WANTED[line.aim.kind],
        )
        for line in lines(state, seat)
    )


def final_report(state: State) -> list[Json]:
    """Return the events of the last report: sealed columns, and every point with its case."""
    events: list[Json] = []
    for seat in state.seats:
        if seat in state.columns:
            sentence = ", ".join(
                f"{entry.country} {entry.aim} of {entry.of}" for entry in column(state, seat)
            )
            points = sum(entry.aim.points for entry in column(state, seat))
            sentence = f"{points} points: {sentence or 'empty'}"
            sentence = f"The column that {seat} chose before turn 1, {sentence}."
            events.append(event("column", "19.2", sentence, nation=seat, points=points))
    for seat in state.seats:
        events += [
            _score_event(line) for line in lines(state, seat) if line.points or line.case == "19.13"
        ]
    return events


def _score_event(line: Line) -> Json:
    point = count_words(line.points, "point")
    sentence = f"{line.seat}, {line.country} ({line.aim}): {point}. {line.why}"
    facts = {"nation": line.seat, "country": line.country, "points": line.points}
    return event("score", line.case, sentence, **facts)
