"""A program that plays a nation: legal orders with a plain plan behind them, the same for the same
state, nation and salt.

It plays its card, keeps whoever is ahead from what he needs, and takes chances that are worth more
than they cost. What its deals ask of it is in its `Promises`. It is given what its nation may see
(`view`), and reads a position as `outlook` has it. Demonstrations, empty seats, practice games,
`simulate` and fuzzers use it.
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
from .card import CONTROL
from .outlook import NOBODY, Eyes, Outlook
from .reading import Attack, Control, Place, Share, Understanding
from .state import COUNTER_PF, OVER, State

SILENT = Reading((), (), (), sent=False)
#: Options under which nations see different boards, with the value under which they do not.
SEEN_ALIKE = (("ow2.hidden", "off"), ("ow2.blind", "no"))
#: Orders are values, and the same ones come again and again.
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
    """The order text of one phase. No stock is named twice; when they run out the reserve list
    decides."""
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
    """The same as values, numbered as the lines of a text would be. An ally that somebody has drawn
    is played for him."""
    state = look.state
    if look.placing:
        eyes = Eyes(look, nation, state.controllers.get(nation, ""), promises)
        where = investing.choose_placements(eyes, _luck(state, nation, salt))
        return tuple([_place(line, *going) for line, going in enumerate(where, 1)]) or _PASSED
    found: list[Order] = []
    if state.attacking and nation in look.rivals:
        eyes = Eyes(look, nation, state.controllers.get(nation, ""), promises)
        if chosen := assaults.choose_attacks(eyes, _luck(state, nation, salt)):
            found += _attack_lines(eyes, chosen, salt, stocks)
    if state.wishing:
        _wishes(look, nation, found, promises)
    return tuple(found) or _PASSED


def readings(
    state: State,
    salt: str,
    promises: Mapping[str, Promises] = {},
    look: Outlook | None = None,
) -> dict[str, Reading] | None:
    """The orders of all nations as they would be read from their texts, remarks left out. None
    where not everybody sees alike.

    tests/rules/test_bots.py holds it to the way by texts.
    """
    if not seen_alike(state):
        return None
    look, movers = look or Outlook(state), state.movers
    found = dict.fromkeys(state.card.order, SILENT)
    for nation in movers:
        if nation not in state.seats and nation not in state.controllers:
            return None  # of a nation whose orders nobody sends the options have something to say
        orders_of = plan(look, nation, salt, promises=promises.get(nation, NONE))
        found[nation] = _PASSES if orders_of is _PASSED else Reading(orders_of, (), (), sent=True)
    return found


def seen_alike(state: State) -> bool:
    """Return whether all nations see the same board."""
    return all(state.options[option] == plain for option, plain in SEEN_ALIKE)


def _luck(state: State, nation: str, salt: str) -> bytes:
    """A number from 0 to 255 for each area, and some to spare: no two games with the same moves
    need be the same."""
    said = f"{salt}\x1f{state.turn}\x1f{state.step}\x1f{nation}".encode("utf-8", "surrogatepass")
    luck, areas = hashlib.sha256(said).digest(), len(state.card.areas)
    return luck if areas < len(luck) else luck * (areas // len(luck) + 1)


def _attack_lines(
    eyes: Eyes, chosen: list[Assault], salt: str, stocks: tuple[str, ...]
) -> Iterator[Attack]:
    state, nation = eyes.look.state, eyes.nation
    conditional = state.options["ow2.conditionals"] == "else_and_min"
    named: Iterator[str] = iter(())
    if stocks:
        named = iter(
            sorted(
                stocks,
                key=lambda stock: hashlib.sha256(
                    f"{salt}/{state.turn}/{nation}/{stock}".encode()
                ).digest(),
            )
        )
    for line, assault in enumerate(chosen, 1):
        stock = next(named, "")
        # An earlier nation may have turned the odds: what was worth it at 3-1 may not be at less.
        minimum = min(assault.column - 1, 3) if conditional and assault.column > 2 else None
        yield Attack(line, assault.area, assault.targets, (stock,) if stock else (), (), minimum)


def _wishes(look: Outlook, nation: str, found: list[Order], promises: Promises) -> None:
    """Every counter that the card allows where the nation stands and would rather have it:
    elsewhere none can come about. CONTROL that it promised to share is named first."""
    for other, area in sorted(promises.shares):
        if nation in look.there.get(area, NOBODY) and area not in look.closed:
            found.append(Share(len(found) + 1, area, other))
    named = {area for _, area in promises.shares}
    for stake in look.aims.wants[nation]:
        here = look.there.get(stake.area, NOBODY)
        if nation not in here or stake.area in look.closed or stake.area in promises.away:
            continue
        if stake.control >= stake.understanding and stake.control > stake.no_control:
            partner = _partner(look, nation, here)
            if (
                partner
                and stake.area not in named
                and look.card.allows(partner, stake.area, CONTROL)
            ):
                found.append(Share(len(found) + 1, stake.area, partner))
            found.append(_control(len(found) + 1, stake.area))
        if stake.understanding:
            cell = look.cells[stake.area, nation]
            if cell.pf and not cell.understanding:
                found.append(_understanding(len(found) + 1, stake.area))


def _partner(look: Outlook, nation: str, here: dict[str, int]) -> str:
    """The one other nation there, if it has enough for CONTROL as well: rather half of a thing than
    a fight at even odds."""
    if len(here) != 2 or here[nation] < COUNTER_PF:
        return ""
    return next(other for other in here if other != nation)
