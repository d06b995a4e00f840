"""A program that plays a nation: legal orders with a plain plan behind them, the same for the same state, nation and salt.

It plays its card, keeps whoever is ahead from what he needs, and takes chances that are worth more than they cost. It negotiates nothing
and remembers nothing. It is given what its nation may see (`view`), and reads a position as `outlook` has it. Demonstrations, empty seats,
practice games, `simulate` and fuzzers use it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from .. import Reading
from ..options import LIQUID_STOCKS
from . import assaults, investing
from .card import CONTROL
from .outlook import NOBODY, Eyes, Outlook
from .reading import Attack, Control, Order, Pass, Place, Share, Understanding
from .state import COUNTER_PF, OVER, State

SILENT = Reading((), (), (), sent=False)
#: Options under which nations see different boards, with the value under which they do not.
SEEN_ALIKE = (("ow2.hidden", "off"), ("ow2.blind", "no"))


def orders(state: State, nation: str, salt: str, stocks: tuple[str, ...] = LIQUID_STOCKS) -> str:
    """The order text of one phase. No stock is named twice; when they run out the reserve list decides."""
    if state.step == OVER or state.mover not in (None, nation):
        return ""
    return "\n".join(order.words() for order in plan(Outlook(state), nation, salt, stocks))


def plan(look: Outlook, nation: str, salt: str, stocks: tuple[str, ...] = ()) -> tuple[Order, ...]:
    """The same as values, numbered as the lines of a text would be. An ally that somebody has drawn is played for him."""
    state = look.state
    eyes = Eyes(look, nation, state.controllers.get(nation, ""))
    luck = _luck(state, nation, salt)
    if state.placing:
        found: list[Order] = [
            Place(line, pf, area, from_home) for line, (pf, area, from_home) in enumerate(investing.placed(eyes, luck), 1)
        ]
    else:
        found = list(_attack_lines(eyes, luck, salt, stocks))
        found += _wishes(look, nation, len(found))
    return tuple(found) or (Pass(1),)


def readings(state: State, salt: str) -> dict[str, Reading] | None:
    """The orders of all nations as they would be read from their texts, remarks left out. None where not everybody sees alike.

    tests/rules/test_bots.py holds it to the way by texts.
    """
    if any(state.options[option] != plain for option, plain in SEEN_ALIKE):
        return None
    if any(nation not in state.seats and nation not in state.controllers for nation in state.movers):
        return None  # of a nation whose orders nobody sends the options have something to say
    look = Outlook(state)
    found = dict.fromkeys(state.card.order, SILENT)
    for nation in state.movers:
        found[nation] = Reading(plan(look, nation, salt), (), (), sent=True)
    return found


def _luck(state: State, nation: str, salt: str) -> bytes:
    """A number from 0 to 255 for each area, and some to spare: no two games with the same moves need be the same."""
    said = "\x1f".join((salt, str(state.turn), state.step, nation)).encode("utf-8", "surrogatepass")
    luck = hashlib.sha256(said).digest()
    return luck * (len(state.card.areas) // len(luck) + 1)


def _attack_lines(eyes: Eyes, luck: bytes, salt: str, stocks: tuple[str, ...]) -> Iterator[Attack]:
    state, nation = eyes.look.state, eyes.nation
    conditional = state.options["ow2.conditionals"] == "else_and_min"
    chosen = assaults.chosen(eyes, luck)
    named: Iterator[str] = iter(())
    if stocks and chosen:
        named = iter(sorted(stocks, key=lambda stock: hashlib.sha256(f"{salt}/{state.turn}/{nation}/{stock}".encode()).digest()))
    for line, assault in enumerate(chosen, 1):
        stock = next(named, "")
        # An earlier nation may have turned the odds: what was worth it at 3-1 may not be at less.
        minimum = min(assault.column - 1, 3) if conditional and assault.column > 2 else None
        yield Attack(line, assault.area, assault.targets, (stock,) if stock else (), (), minimum)


def _wishes(look: Outlook, nation: str, lines: int) -> Iterator[Order]:
    """Every counter that the card allows where the nation stands and would rather have it: elsewhere none can come about."""
    line = lines
    for stake in look.aims.matters[nation]:
        if not stake.best or stake.area in look.closed:
            continue
        here = look.there.get(stake.area, NOBODY)
        mine = here.get(nation, 0)
        if not mine:
            continue
        if stake.control >= stake.understanding and stake.control > stake.no_control:
            partner = _partner(look, nation, here)
            if partner and look.card.allows(partner, stake.area, CONTROL):
                line += 1
                yield Share(line, stake.area, partner)
            line += 1
            yield Control(line, stake.area)
        cell = look.at(stake.area, nation)
        if stake.understanding and cell.pf and not cell.understanding:
            line += 1
            yield Understanding(line, stake.area)


def _partner(look: Outlook, nation: str, here: dict[str, int]) -> str:
    """The one other nation there, if it has enough for CONTROL as well: rather half of a thing than a fight at even odds."""
    if len(here) != 2 or here[nation] < COUNTER_PF:
        return ""
    return next(other for other in here if other != nation)
