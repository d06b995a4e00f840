"""Orders and events as sentences that a gamesmaster reads aloud on the telephone.

They are in full words, without figures or signs. Only stocks are spelled out, because their letters
decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import Json
from ..aloud import capitalize, every, losses, number, say, stock, the
from ..digits import STOCKS
from ..names import all_of
from ..orders import Order, line_of
from . import checking, telling
from .face_down import BLANK
from .reading import VERBS, Attack, Blanks, Place
from .state import State
from .table import OUTCOMES, odds


def orders(
    state: State, nation: str, text: str, companies: Mapping[str, str]
) -> tuple[tuple[int, str], ...]:
    """Return each understood line as a sentence, with its number.

    `companies` maps stocks to company names: GE is General Electric.
    """
    accepted: Sequence[Order] = checking.read(text, nation, state).orders
    return tuple(
        (line_of(order.line), capitalize(_order_sentence(state, nation, order, companies)))
        for order in accepted
    )


def event(happened: Json, companies: Mapping[str, str]) -> str:
    """Return an event of a judged phase as a sentence or two to read aloud.

    Kinds without figures and signs keep their own message.
    """
    if happened["kind"] == "attack":
        return _attack_result(happened, companies)
    if happened["kind"] == "void":
        why = telling.VOID[happened["reason"]][1]
        who, whom, where = (
            the(happened["nation"]),
            every(happened["targets"]),
            the(happened["area"]),
        )
        return capitalize(f"the attack of {who} on {whom} in {where} is void: {why}.") + losses(
            happened.get("losses", {})
        )
    if happened["kind"] in ("placed", "kept_home", "forfeited"):
        return _placement_result(happened)
    if happened["kind"] in ("placed_face_down", "left_home", "turned_up"):
        return _face_down_result(happened)
    if happened["kind"] in ("ally_drawn", "chart_drawn", "secret_opened"):
        return _draw_result(happened)
    return str(happened.get("message", ""))


def _draw_result(happened: Json) -> str:
    """Return the result of a draw without figures and without the secret; the written report has
    both."""
    if happened["kind"] == "ally_drawn":
        turn, die = number(happened["turn"]), number(happened["die"])
        return capitalize(
            f"{the(happened['controller'])} has {the(happened['nation'])} in turn {turn}, by a die"
            f" of {die}."
        )
    if happened["kind"] == "chart_drawn":
        return capitalize(
            f"{the(happened['nation'])} gets its PFs from the chart of {the(happened['chart'])}."
        )
    return "The secret by which the objectives were drawn is opened in the written report."


def _order_sentence(state: State, nation: str, order: Order, companies: Mapping[str, str]) -> str:
    if isinstance(order, Place):
        laid = f", as {_counters(order.counters)}" if order.counters else ""
        return (
            f"{number(order.pf)} {'from home ' if order.from_home else ''}to"
            f" {the(order.area)}{laid}."
        )
    if isinstance(order, Blanks):
        return (
            f"{number(order.number)} blank{'' if order.number == 1 else 's'} to {the(order.area)}."
        )
    if isinstance(order, Attack):
        return _attack(state, nation, order, companies)
    planned = order.planned()
    return say(VERBS[planned.verb], planned, nation, order.words())


def _attack(state: State, nation: str, order: Attack, companies: Mapping[str, str]) -> str:
    """Return an attack as a sentence, with its conditions at the end.

    Example: “Germany attacks France in the Rhineland, three to one, General Electric, G E.”
    """
    parts = [
        f"{the(nation)} attacks {every(order.targets)} in {the(order.area)}",
        _chances(state, nation, order.area, order.targets),
    ]
    if order.stocks:
        parts.append("; or then ".join(stock(symbol, companies) for symbol in order.stocks))
    elif state.options["rng.source"] == STOCKS:
        parts.append("no stock named")
    text = ", ".join(parts)
    if state.options["ow2.conditionals"] == "none":
        return f"{text}."
    if order.otherwise:
        text += (
            f"; failing that {every(order.otherwise)},"
            f" {_chances(state, nation, order.area, order.otherwise)}"
        )
    if order.minimum:
        text += f"; only at {number(order.minimum)} to one or better"
    return f"{text}."


def _chances(state: State, nation: str, area: str, listed: Sequence[str]) -> str:
    """Return the odds on the current board in words, or why there are none. An earlier attack may
    change them (K3)."""
    seen = state.view_for(nation)
    pieces, down = seen.face_up_pieces, seen.face_down
    if own := down.unknown(area, nation):  # the reader may not know these
        return f"with {number(own)} counter{'' if own == 1 else 's'} face down"
    mine = pieces.strength(area, nation)
    if not mine:
        return "with nothing there at present"
    present = [
        target for target in listed if pieces.strength(area, target) or down.unknown(area, target)
    ]
    there = [
        target
        for target in present
        if area == state.home(nation) or not state.immune(target, nation)
    ]
    if not there:
        return "immune at present" if present else "nobody there to attack at present"
    total, lying = (
        sum(pieces.strength(area, target) for target in there),
        sum(down.unknown(area, target) for target in there),
    )
    if lying:
        open_ones = f"{number(total)} in the open and " if total else ""
        return (
            f"{number(mine)} against {open_ones}{number(lying)} counter{'' if lying == 1 else 's'}"
            " face down"
        )
    column = odds(mine, total)
    chance = "below one to one at present" if column is None else f"{number(column)} to one"
    left_out = [target for target in listed if target not in there]
    return f"{chance} without {every(left_out)}" if left_out else chance


def _attack_result(happened: Json, companies: Mapping[str, str]) -> str:
    column = int(str(happened["odds"]).partition("-")[0])
    first = (
        f"{the(happened['nation'])} attacks {every(happened['targets'])} in"
        f" {the(happened['area'])}, {number(happened['attacker'])} against"
        f" {number(happened['defender'])}, {number(column)} to one."
    )
    if happened.get("ruled"):  # the digit does not matter, and there may be none
        drawn = "by a ruling of the gamesmaster"
    else:
        digit = "nought" if happened["digit"] == 0 else number(happened["digit"])
        drawn = (
            f"rolled {digit}"
            if happened.get("rolled")
            else f"{stock(happened['stock'], companies)}, gives {digit}"
        )
    result = f"{OUTCOMES[happened['result']]}.{losses(happened['losses'])}"
    return f"{capitalize(first)} {capitalize(drawn)}: {result}{_understanding_first(happened)}"


def _placement_result(happened: Json) -> str:
    who, some = the(happened["nation"]), number(happened["pf"])
    if happened["kind"] == "forfeited":
        return capitalize(f"{who} forfeits {some}.")
    if happened["kind"] == "kept_home":
        return capitalize(f"{some} of {who} {'goes' if happened['pf'] == 1 else 'go'} home.")
    whence = "moves" if happened["source"] == "home" else "places"
    return capitalize(
        f"{who} {whence} {some} {'from home to' if happened['source'] == 'home' else 'in'}"
        f" {the(happened['area'])}."
    )


def _face_down_result(happened: Json) -> str:
    who, where = the(happened["nation"]), the(happened["area"])
    if happened["kind"] == "left_home":
        return capitalize(
            f"{number(happened['pf'])} of {who} {'leaves' if happened['pf'] == 1 else 'leave'}"
            " home."
        )
    if happened["kind"] == "placed_face_down":
        some = happened["counters"]
        return capitalize(
            f"{who} lays {number(some)} counter{'' if some == 1 else 's'} face down in {where}."
        )
    return capitalize(f"{who} turns up in {where}: {_counters(happened['counters'])}.")


def _counters(counters: Sequence[int]) -> str:
    """Return each counter by its value: “three, one and two blanks”."""
    blanks = sum(value == BLANK for value in counters)
    parts = [number(value) for value in counters if value != BLANK]
    return all_of(
        [*parts, f"{number(blanks)} blank{'' if blanks == 1 else 's'}"] if blanks else parts
    )


def _understanding_first(happened: Json) -> str:
    owners = happened.get("understanding_first", [])
    return f" As ordered, the Understanding of {every(owners)} goes first." if owners else ""
