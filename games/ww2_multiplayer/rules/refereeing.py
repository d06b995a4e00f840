"""Judge a referee report: rulings on lines, events, forces and supply, dice (Rules B.8).

Entries apply in their order, each to the state that the previous one left. An entry that cannot
apply is rejected with a sentence to the gamesmaster; the others count. END ends a Player-Turn once
each of its lines has a ruling; until then another report is due. NEXT ends it too, and the entries
after it belong to the next Player-Turn, so one report may cover a whole Game-Turn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from games.rules import REFEREE_SEAT
from games.rules.names import all_of
from games.rules.orders import quote_line

from . import dice, entitlements, mediterranean, transport
from .checking import rule_warnings, unsure_lines
from .conditions import condition_of, is_met
from .fighting import enter_freely, has_invaded_this_turn, invade
from .happenings import HAPPENED, last_mover
from .judging import Judging, RefusedEntry, ask, waiting
from .naming import count_words
from .operators import enters_freely
from .orders import Order
from .players import groups, movers
from .report import CHANGED, DONE, VOID, Entry, misread, read
from .state import BATCHED, REFEREE, LineRuling, Request, State, TransportUse


def judge_report(state: State, text: str) -> Judging:
    """Apply a referee report."""
    judging = Judging(state)
    report = read(text, state.card)
    for line, why in report.faults:
        judging.tell(REFEREE_SEAT, line.number, "error", "unreadable", misread(line, why))
    for entry in report.entries:
        try:
            _APPLIED[entry.verb](judging, entry)
        except RefusedEntry as fault:
            sentence = f"“{entry.text}” is rejected: {fault}"
            judging.tell(REFEREE_SEAT, entry.line, "error", "refused", sentence)
    return judging


# --- lines ---


def _line(judging: Judging, entry: Entry) -> None:
    state = judging.state
    if entry.power not in movers(state):
        raise RefusedEntry(f"{entry.power} does not move in this Player-Turn.{_when(state, entry)}")
    if any((line.power, line.line) == (entry.power, entry.number) for line in state.ruled):
        raise RefusedEntry(
            f"Line {entry.number} of {entry.power} already has a ruling. To change what an earlier"
            " report ruled, amend that report by a ruling at the desk."
        )
    order = next(
        (
            line
            for power, line in waiting(state)
            if (power, line.line) == (entry.power, entry.number)
        ),
        None,
    )
    if order is None:
        raise RefusedEntry(f"{entry.power} has no order for the map in line {entry.number}.")
    _rule(judging, order, entry)


def _when(state: State, entry: Entry) -> str:
    """Return when a power moves that does not move now, as a sentence to append."""
    if any(entry.power in group for group in groups(state)[: state.mover]):
        return " Its Player-Turn is over."
    return " It moves later in this Game-Turn, after NEXT." if _may_go_on(state) else ""


def _rest(judging: Judging, entry: Entry) -> None:
    """Mark the remaining lines as done, or void if their condition was not met.

    Lines whose condition only the gamesmaster can judge get no ruling.
    """
    _warn_of_doubt(judging, entry)
    for power, order in waiting(judging.state):
        if (met := _is_met(judging.state, order)) is None:
            continue
        for code, sentence in rule_warnings(order, power, judging.state) if met else ():
            if code != "transport":  # `_follow` warns of that
                judging.warn(entry.line, code, f"Line {order.line} of {power}: {sentence}")
        reason = "" if met else "its condition was not met"
        kind = DONE if met else VOID
        ruling = Entry(entry.line, "LINE", "", power, number=order.line, kind=kind, reason=reason)
        _rule(judging, order, ruling)


def _is_met(state: State, order: Order) -> bool | None:
    """Return whether a line may be done; None if only the gamesmaster can judge its condition."""
    condition = condition_of(order)
    return is_met(state, condition) if condition else True


def _warn_of_doubt(judging: Judging, entry: Entry) -> None:
    """Name the lines that REST DONE is about to rule on, though free text may take them back."""
    state = judging.state
    for power in movers(state):
        open_lines = {order.line for other, order in waiting(state) if other == power}
        beside = unsure_lines(state.orders.get(power, ""), power, state)
        for other in {line.number: line for line in beside.values()}.values():
            lines = [n for n in beside if n in open_lines and beside[n] == other]
            if lines:
                noun = "line" if len(lines) == 1 else "lines"
                sentence = (
                    f"REST DONE also rules {noun} {all_of([str(n) for n in lines])} of {power},"
                    f" which {quote_line(other)} may take back. Rule such lines with LINE."
                )
                judging.warn(entry.line, "unsure", sentence)


def _rule(judging: Judging, order: Order, entry: Entry) -> None:
    """Note a ruling. Only its sender reads the line: others read texts after the count (B.8)."""
    because = f": {entry.reason}" if entry.reason else ""
    word = "to" if entry.kind == CHANGED else "with"
    changed = f" {word} {entry.sp} SP" if entry.sp is not None else ""
    power, line, stop = entry.power, entry.number, "" if because.endswith(".") else "."
    ruled = f"is {entry.kind}{changed}{because}{stop}"
    judging.tell(power, line, "note", "ruled", f"{power}, line {line}, “{order.text}”, {ruled}")
    if entry.private:
        sentence = f"The gamesmaster ruled on a secret line of {power}."
        judging.event("line", "B.8", sentence, nation=power, ruling="")
    else:
        facts = {"line": line, "ruling": entry.kind, "reason": entry.reason}
        judging.event("line", "B.8", f"{power}, line {line}, {ruled}", nation=power, **facts)
    ruling = LineRuling(power, line, entry.kind, entry.sp)
    judging.state = replace(judging.state, ruled=(*judging.state.ruled, ruling))
    if entry.kind != VOID:
        _follow(judging, order.core, entry)
        country = order.invades
        if (
            country
            and country != power
            and not has_invaded_this_turn(judging.state, power, country)
        ):
            follow = enter_freely if enters_freely(judging.state, power, country) else invade
            follow(judging, power, country, entry.line)


def _follow(judging: Judging, order: Order, entry: Entry) -> None:
    """Record the effects of a line that was carried out: transport and its dice, points taken."""
    points = entry.sp if entry.sp is not None else (order.sp or 0)
    if order.verb in ("SEA", "AMPHIB") and points:
        owner = order.using or entry.power
        kind = transport.AMPHIBIOUS if order.verb == "AMPHIB" else transport.NAVAL
        for sentence in transport.faults(
            judging.state, owner, entry.power, kind, points, order.sea
        ):
            judging.warn(entry.line, "transport", f"{_line_of(entry)}: {sentence}")
        use = TransportUse(judging.state.turn, owner, kind, points, entry.power)
        judging.state = replace(judging.state, uses=(*judging.state.uses, use))
        if order.verb == "SEA" and (
            transport.sea_of(owner, order.sea) == transport.MED or entry.on
        ):
            _ask_mediterranean_dice(judging, owner, points, entry)
    if order.verb in ("BUILD", "REPLACE") and points:
        kind = entitlements.REPLACEMENT if order.verb == "REPLACE" else entitlements.REINFORCEMENT
        judging.state, _ = entitlements.take_points(judging.state, entry.power, kind, points)
        if entry.power == "USSR" and entitlements.has_lost_centers(judging.state):
            sentence = "the USSR has no resource center to place them at (10.73)."
            judging.warn(entry.line, "no_centers", f"{_line_of(entry)}: {sentence}")


def _line_of(entry: Entry) -> str:
    return f"Line {entry.number} of {entry.power}"


def _ask_mediterranean_dice(judging: Judging, owner: str, points: int, entry: Entry) -> None:
    if owner == mediterranean.ITALY:
        return  # the Italian fleet does not hinder Italy's own transport
    applied, why = mediterranean.applies(judging.state, owner)
    if not applied:
        sentence = f"{_line_of(entry)}: no dice are thrown. {why}"
        judging.tell(REFEREE_SEAT, entry.line, "note", "mediterranean", sentence)
        return
    about = {"power": entry.power, "line": entry.number}
    ask(judging, Request(dice.MEDITERRANEAN, entry.power, points, about), "6.53")


def _end(judging: Judging, entry: Entry) -> None:
    _check_ruled(judging)
    state = judging.state
    if state.printed and last_mover(state) and state.flags.resources != state.turn:
        sentence = (
            "You have not reported the Russian Resources Computation of this Game-Turn (4.2)."
        )
        judging.warn(entry.line, "resources", sentence)
    judging.ended = True


def _next(judging: Judging, entry: Entry) -> None:
    """End this Player-Turn and go on with the next.

    If it requested dice, they are thrown after the report.
    """
    state = judging.state
    if not _may_go_on(state):
        raise RefusedEntry("In this game each Player-Turn has its own report, which ends with END.")
    if judging.ended:
        raise RefusedEntry("END ends the report; write NEXT before each further Player-Turn.")
    if state.step != REFEREE or last_mover(state):
        raise RefusedEntry(
            "This is the last Player-Turn of this Game-Turn; end the report with END."
        )
    _check_ruled(judging)
    mover = groups(state)[state.mover]
    judging.event("next", "4.1", f"The Player-Turn of {all_of(mover)} is over.", nation=mover[0])
    judging.state = replace(state, mover=state.mover + 1, report_number=1)


def _may_go_on(state: State) -> bool:
    """Return whether a report may go on with the next Player-Turn in this game."""
    return state.printed and state.options["spi.flow"] == BATCHED


def _check_ruled(judging: Judging) -> None:
    if left := waiting(judging.state):
        count, verb = count_words(len(left), "line"), "has" if len(left) == 1 else "have"
        power, order = left[0]
        first = f"{power}, line {order.line}, “{order.text}”"
        to_do = "Write REST DONE to rule all the rest."
        if all(_is_met(judging.state, line) is None for _, line in left):
            to_do = (
                f"Only you can judge such a condition: write LINE {power} {order.line} DONE, or"
                " VOID and the reason after a colon."
            )
        raise RefusedEntry(f"{count} {verb} no ruling yet, first {first}. {to_do}")


_APPLIED: dict[str, Callable[[Judging, Entry], None]] = {
    "LINE": _line,
    "REST": _rest,
    "NEXT": _next,
    "END": _end,
    **HAPPENED,
}
