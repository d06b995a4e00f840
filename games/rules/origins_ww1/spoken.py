"""Orders and events as sentences that a gamesmaster reads aloud on the telephone."""

from __future__ import annotations

from collections.abc import Mapping

from .. import Json
from ..aloud import capitalize, every, losses, number, say, stock, the
from ..digits import STOCKS
from ..orders import Order, line_of
from . import alliances, checking, telling
from .reading import VERBS, Attack
from .state import State
from .table import COLUMNS, LESS, OUTCOMES, column


def orders(
    state: State, nation: str, text: str, companies: Mapping[str, str]
) -> tuple[tuple[int, str], ...]:
    """Return each understood line as a sentence, with its number.

    `companies` maps stocks to company names: GE is General Electric.
    """
    state = alliances.view_for(state, nation)
    accepted: tuple[Order, ...] = checking.read(text, nation, state).orders
    seen = checking.state_after_placing(state, nation, accepted)
    return tuple(
        (line_of(order.line), capitalize(_order_sentence(seen, nation, order, companies)))
        for order in accepted
    )


def event(happened: Json, companies: Mapping[str, str]) -> str:
    """Return an event of a judged phase as a sentence or two to read aloud.

    Kinds without figures and signs keep their own message.
    """
    kind = happened["kind"]
    if kind == "attack":
        return _attack_result(happened, companies)
    if kind == "void":
        why = telling.VOID[happened["reason"]][1]
        who, whom, where = (
            the(happened["nation"]),
            every(happened["targets"]),
            the(happened["area"]),
        )
        return capitalize(f"the attack of {who} on {whom} in {where} is void: {why}.")
    if kind == "placed":
        return capitalize(
            f"{the(happened['nation'])} places {number(happened['pf'])} in {the(happened['area'])}."
        )
    if kind == "kept_home":
        return capitalize(
            f"{number(happened['pf'])} of {the(happened['nation'])}"
            f" {'goes' if happened['pf'] == 1 else 'go'} home."
        )
    if kind == "forfeited":
        return capitalize(
            f"{the(happened['nation'])} loses {number(happened['pf'])} that it has not placed."
        )
    return str(happened.get("message", ""))


def _order_sentence(state: State, nation: str, order: Order, companies: Mapping[str, str]) -> str:
    if isinstance(order, Attack):
        return _attack(state, nation, order, companies)
    planned = order.planned()
    return say(VERBS[planned.verb], planned, nation, order.words())


def _attack(state: State, nation: str, order: Attack, companies: Mapping[str, str]) -> str:
    """Return an attack as a sentence, with its condition at the end.

    Example: “Germany attacks France in Italy, two to one, General Electric, G E.”
    """
    parts = [
        f"{the(nation)} attacks {the(order.target)} in {the(order.area)}",
        _chances(state, nation, order),
    ]
    if order.stocks:
        parts.append("; or then ".join(stock(symbol, companies) for symbol in order.stocks))
    elif state.options["rng.source"] == STOCKS:
        parts.append("no stock named")
    text = ", ".join(parts)
    return (
        f"{text}; only at {number(order.minimum)} to one or better."
        if order.minimum
        else f"{text}."
    )


def _chances(state: State, nation: str, order: Attack) -> str:
    """Return the odds on the known board in words, or why there are none."""
    mine, theirs = (
        state.piles.pf_at(order.area, nation),
        state.piles.pf_at(order.area, order.target),
    )
    if not mine:
        return "with nothing there at present"
    return _odds(COLUMNS[column(mine, theirs)]) if theirs else "nobody there to attack at present"


def _odds(odds: str) -> str:
    return "below one to one" if odds == LESS else f"{number(int(odds.partition('-')[0]))} to one"


def _attack_result(happened: Json, companies: Mapping[str, str]) -> str:
    first = (
        f"{the(happened['nation'])} attacks {every(happened['targets'])} in"
        f" {the(happened['area'])}, {number(happened['attacker'])} against"
        f" {number(happened['defender'])}, {_odds(happened['odds'])}."
    )
    if happened.get("ruled"):  # the die does not matter, and there may be none
        drawn = "by a ruling of the gamesmaster"
    elif happened.get("rolled"):
        drawn = f"rolled {number(happened['die'])}"
    else:
        sold = stock(happened["stock"], companies)
        drawn = f"{sold}{',' if ',' in sold else ''} gives a die of {number(happened['die'])}"
    return (
        f"{capitalize(first)} {capitalize(drawn)}:"
        f" {OUTCOMES[happened['result']]}.{losses(happened['losses'])}"
    )
