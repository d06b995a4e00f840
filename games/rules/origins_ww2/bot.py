"""A bot: legal orders from a simple plan, always the same for the same state, nation and salt.

It plays for its card's objectives, hinders the nation that is ahead, and takes risks whose expected
gain exceeds their cost. Its deals reach it as `Promises`. It gets the nation's own `view`, and
reads the position through `outlook`. Demonstrations, vacant seats, practice games, `simulate` and
fuzzers use it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import lru_cache

from .. import Reading
from ..deals.promises import NONE, Promises
from ..options import stocks_to_name
from ..orders import Order, Pass
from . import assaults, investing
from .assaults import Assault
from .bargaining import seen_alike
from .card import CONTROL
from .outlook import NOBODY, NationOutlook, Outlook
from .reading import Attack, Control, Place, Share, Understanding
from .state import COUNTER_PF, OVER, State

SILENT = Reading((), (), (), sent=False)
#: Orders are immutable values and the same ones recur, so they are cached.
_PASSED: tuple[Order, ...] = (Pass(1),)
_PASSES = Reading(_PASSED, (), (), sent=True)
_place, _control, _understanding = (
    lru_cache(maxsize=4096)(kind) for kind in (Place, Control, Understanding)
)


def orders(
    state: State,
    nation: str,
    salt: str,
    promises: Promises = NONE,
    *,
    name_stocks: bool = True,
) -> str:
    """Return the order text of one phase.

    No stock is named twice; when none is left, the reserve list decides.
    """
    if state.step == OVER or state.mover not in (None, nation):
        return ""
    stocks = stocks_to_name(state.options) if name_stocks else ()
    return "\n".join(
        order.words() for order in plan(Outlook(state), nation, salt, stocks, promises)
    )


def plan(
    look: Outlook,
    nation: str,
    salt: str,
    stocks: tuple[str, ...] = (),
    promises: Promises = NONE,
) -> tuple[Order, ...]:
    """Return the orders of one phase as values, numbered as the lines of a text would be.

    An ally that a nation has drawn is played in that nation's interest.
    """
    state = look.state
    if look.is_placing:
        eyes = NationOutlook(look, nation, state.controllers.get(nation, ""), promises)
        where = investing.choose_placements(eyes, _luck(state, nation, salt))
        return tuple([_place(line, *going) for line, going in enumerate(where, 1)]) or _PASSED
    planned: list[Order] = []
    if state.is_attacking and nation in look.rivals:
        eyes = NationOutlook(look, nation, state.controllers.get(nation, ""), promises)
        if chosen := assaults.choose_attacks(eyes, _luck(state, nation, salt)):
            planned += _attack_lines(eyes, chosen, salt, stocks)
    if state.is_wishing:
        _wishes(look, nation, planned, promises)
    return tuple(planned) or _PASSED


def readings(
    state: State,
    salt: str,
    promises: Mapping[str, Promises] = {},
    look: Outlook | None = None,
) -> dict[str, Reading] | None:
    """Return the orders of all nations as if parsed from their texts, without remarks.

    Return None where nations see different boards. tests/rules/test_bots.py checks that texts give
    the same result.
    """
    if not seen_alike(state):
        return None
    look, movers = look or Outlook(state), state.movers
    parsed = dict.fromkeys(state.card.order, SILENT)
    for nation in movers:
        if nation not in state.seats and nation not in state.controllers:
            return None  # nobody sends this nation's orders, so the options decide
        orders_of = plan(look, nation, salt, promises=promises.get(nation, NONE))
        parsed[nation] = _PASSES if orders_of is _PASSED else Reading(orders_of, (), (), sent=True)
    return parsed


def _luck(state: State, nation: str, salt: str) -> bytes:
    """Return one pseudo-random byte per area, and a few more, so that two games with the same moves
    can differ."""
    seed = f"{salt}\x1f{state.turn}\x1f{state.step}\x1f{nation}".encode("utf-8", "surrogatepass")
    luck, areas = hashlib.sha256(seed).digest(), len(state.card.areas)
    return luck if areas < len(luck) else luck * (areas // len(luck) + 1)


def _attack_lines(
    eyes: NationOutlook, chosen: list[Assault], salt: str, stocks: tuple[str, ...]
) -> Iterator[Attack]:
    state, nation = eyes.look.state, eyes.nation
    conditional = state.options["ow2.conditionals"] == "else_and_min"
    stocks_left: Iterator[str] = iter(())
    if stocks:
        stocks_left = iter(
            sorted(
                stocks,
                key=lambda stock: hashlib.sha256(
                    f"{salt}/{state.turn}/{nation}/{stock}".encode()
                ).digest(),
            )
        )
    for line, assault in enumerate(chosen, 1):
        stock = next(stocks_left, "")
        # An earlier nation may change the odds, and an attack worth making at 3-1 may not be
        # worth it at less.
        minimum = min(assault.column - 1, 3) if conditional and assault.column > 2 else None
        yield Attack(line, assault.area, assault.targets, (stock,) if stock else (), (), minimum)


def _wishes(look: Outlook, nation: str, orders: list[Order], promises: Promises) -> None:
    """Add an order for every counter that the card allows where the nation stands and wants it.

    Counters cannot be placed elsewhere. Shares of CONTROL that it promised come first.
    """
    for other, area in sorted(promises.shares):
        if nation in look.there.get(area, NOBODY) and area not in look.closed:
            orders.append(Share(len(orders) + 1, area, other))
    shared_areas = {area for _, area in promises.shares}
    for stake in look.aims.wants[nation]:
        here = look.there.get(stake.area, NOBODY)
        if nation not in here or stake.area in look.closed or stake.area in promises.away:
            continue
        if stake.control >= stake.understanding and stake.control > stake.no_control:
            partner = _partner(nation, here)
            if (
                partner
                and stake.area not in shared_areas
                and look.card.allows(partner, stake.area, CONTROL)
            ):
                orders.append(Share(len(orders) + 1, stake.area, partner))
            orders.append(_control(len(orders) + 1, stake.area))
        if stake.understanding:
            cell = look.cells[stake.area, nation]
            if cell.pf and not cell.understanding:
                orders.append(_understanding(len(orders) + 1, stake.area))


def _partner(nation: str, here: dict[str, int]) -> str:
    """Return the only other nation there, if it has enough for CONTROL too: half of the points are
    worth more than a fight at even odds."""
    if len(here) != 2 or here[nation] < COUNTER_PF:
        return ""
    return next(other for other in here if other != nation)
