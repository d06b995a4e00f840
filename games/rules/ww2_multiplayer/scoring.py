"""Victory points and standings (13.0, 19.0 to 19.2): a worked score sheet that cites the case of
every point.

    control     pays if the controller is one of the player's powers (19.11)
    normalised  pays if no hostile force stands there, and nobody controls it but the player himself
                or an ally of his (19.12)
    half home   an entry of a power pays nothing if more than half the hexes of its home are under
                hostile control (19.13)

An entry of a player's column is its power's: of a blended column those of the power that has lost
its home pay nothing, the others do.
"""

from __future__ import annotations

from dataclasses import dataclass

from .. import Json, Objective, Standing, event
from ..names import all_of
from .card import CONTROL, NORMALISED, Aim
from .columns import Entry, column, has_two, printed_for
from .control import Control, control, normalised
from .hostility import allied
from .naming import counted
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
class Worked:
    """A player's sheet with every entry judged. `whose` says what column it is; `ruled` are points
    by rulings of the gamesmaster."""

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


def worked(state: State) -> tuple[Worked, ...]:
    """Return all players' sheets as of now, in card order; none where scores are hidden."""
    if state.scores_hidden:
        return ()
    rulers = _Rulers(state)
    return tuple(
        Worked(
            seat,
            powers_of(state, seat),
            _whose(state, seat),
            _lines(state, seat, rulers),
            state.points.get(seat, 0),
            tuple(power for power in powers_of(state, seat) if half_home_lost(state, power)),
        )
        for seat in state.seats
    )


def _whose(state: State, seat: str) -> str:
    if not has_two(state, seat):
        return "Its printed column."
    hand = all_of(powers_of(state, seat))
    if seat in state.columns:
        return f"One player has {hand}, with a column of their own, chosen before turn 1 (19.2)."
    unless = "; a column chosen in secret before turn 1 is shown at the end" if state.sealed else ""
    return (
        f"One player has {hand}, with the printed column of"
        f" {printed_for(state, seat)}{unless} (19.2)."
    )


def half_home_lost(state: State, power: str) -> bool:
    """19.13. Without counts from the gamesmaster nothing is lost."""
    told = state.country(power)
    return (
        told.hexes is not None
        and told.hexes_hostile is not None
        and 2 * told.hexes_hostile > told.hexes
    )


class _Rulers:
    """Who controls each country, worked out once for all sheets of a state."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._found: dict[str, Control] = {}

    def of(self, country: str) -> Control:
        if country not in self._found:
            self._found[country] = control(self._state, country)
        return self._found[country]


def lines(state: State, seat: str) -> tuple[Line, ...]:
    """The worked sheet of a player, in the order of the chart."""
    return _lines(state, seat, _Rulers(state))


def _lines(state: State, seat: str, rulers: _Rulers) -> tuple[Line, ...]:
    found = []
    for entry in column(state, seat):
        ruler = rulers.of(entry.country)
        pays, case, why = (
            _control(state, seat, entry, ruler)
            if entry.aim.kind == CONTROL
            else _normalised(state, seat, entry.country, ruler)
        )
        if pays and half_home_lost(state, entry.of):
            told = state.country(entry.of)
            pays, case = False, "19.13"
            why = (
                f"{told.hexes_hostile} of {told.hexes} hexes of {entry.of} are under hostile"
                " control, so it scores nothing."
            )
        found.append(
            Line(
                seat, entry.country, entry.aim, entry.of, entry.aim.points if pays else 0, case, why
            )
        )
    return tuple(found)


def _control(state: State, seat: str, entry: Entry, found: Control) -> tuple[bool, str, str]:
    """What is missing is said of the power whose entry it is, before another in the same hand."""
    if found.controller and player_of(state, found.controller) == seat:
        return True, found.case, found.why
    if found.controller:
        return False, found.case, f"{found.controller} controls {entry.country}."
    powers = sorted(powers_of(state, seat), key=lambda power: power != entry.of)
    lacking = [said for power in powers for said in found.missing.get(power, ())]
    return False, found.case, lacking[0] if lacking and not found.rule else found.why


def _normalised(state: State, seat: str, country: str, ruler: Control) -> tuple[bool, str, str]:
    found, by = normalised(state, country), ruler.controller
    if not found.normal:
        return False, "19.12", f"Hostile forces stand in {country}: {all_of(found.hostile)}."
    none = f"No hostile force stands in {country}"
    if not by:
        return True, "19.12", f"{none}."
    if player_of(state, by) == seat:
        return True, "19.12", f"{none}, which {by} itself controls."
    if allied(state, seat, by):
        return True, "19.12", f"{none}; {by}, an ally, controls it."
    return False, "19.12", f"{by}, not an ally of {seat}, controls {country}."


def scores(state: State) -> dict[str, int]:
    rulers = _Rulers(state)
    return {
        seat: sum(line.points for line in _lines(state, seat, rulers)) + state.points.get(seat, 0)
        for seat in state.seats
    }


def standing(state: State) -> Standing:
    """As if the game ended here; allies' points do not count together.

    Of a view in which columns are sealed, players of two powers stand by the printed one, and it
    says so.
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
    """The highest total (13.0); among equals all, or whoever has the fewest hexes of his homes
    under hostile control (`spi.tie`)."""
    best = [seat for seat in state.seats if final[seat] == max(final.values())]
    if state.options["spi.tie"] == "shared":
        return tuple(best)
    lost = {
        seat: sum(state.country(power).hexes_hostile or 0 for power in powers_of(state, seat))
        for seat in best
    }
    return tuple(seat for seat in best if lost[seat] == min(lost.values()))


#: What an entry asks for, as a page says it after the country.
_WANTED = {CONTROL: "control", NORMALISED: "no hostile forces there"}


def objectives(state: State, seat: str) -> tuple[Objective, ...]:
    """Return a player's column; whether it pays is hidden where standings are."""
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


def opened(state: State) -> list[Json]:
    """What the last report tells: columns that were sealed, every point with the case by which it
    is paid, and who has won."""
    events: list[Json] = []
    for seat in state.seats:
        if seat in state.columns:
            said = ", ".join(
                f"{entry.country} {entry.aim} of {entry.of}" for entry in column(state, seat)
            )
            points = sum(entry.aim.points for entry in column(state, seat))
            said = f"{points} points: {said or 'empty'}"
            said = f"The column that {seat} chose before turn 1, {said}."
            events.append(event("column", "19.2", said, nation=seat, points=points))
    for seat in state.seats:
        events += [
            _told(line) for line in lines(state, seat) if line.points or line.case == "19.13"
        ]
    return events


def _told(line: Line) -> Json:
    point = counted(line.points, "point")
    said = f"{line.seat}, {line.country} ({line.aim}): {point}. {line.why}"
    told = {"nation": line.seat, "country": line.country, "points": line.points}
    return event("score", line.case, said, **told)
