"""A bot: legal orders from a simple plan, always the same for the same state, nation and salt.

It builds up the piles that its card pays for, keeps more than ten PFs where others stand beside it,
spoils what others have alone, attacks where the expected gain by the table exceeds the cost, and
acts most of all against the nation that is ahead. Its deals reach it as `Promises`. Demonstrations,
vacant seats, practice games, `simulate` and fuzzers use it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache

from .. import Reading, Resolution, Volumes
from ..deals.promises import NONE, Promises
from ..digits import Drawer
from ..options import stocks_to_name
from ..orders import STOCKS_A_LINE, Order, Pass
from .aims import CHANCES, MOST, Stake
from .alliances import may_form
from .judging import judge
from .outlook import LUCK, Outlook
from .reading import Ally, Attack, Place
from .seeing import view
from .state import OVER, State
from .table import BEST

SILENT = Reading((), (), (), sent=False)
#: The least expected gain for which a bot attacks.
DARING = 0.06
#: PFs beyond ten that a bot wants in its own pile; and the weight of a step toward that, compared
# with attacks.
SPARE, BUILD = 2, 0.55
#: The least share at which a line that pays only one nation alone counts, so that bots fight for
# it even where another nation spoils it.
STUBBORN = 0.6
#: The most PFs above ten that a bot wants in its own pile, however strong its neighbors are.
CAUTION = 8
#: The value of a PF in addition to what its pile pays, for each turn left.
PLAIN = 0.028
#: The value of a pile beside another's treaty rights, as a multiple of the gain from an attack by
# it: there is only one attack a turn.
READY = 1.16
#: The extra value of a promised attack.
STRIKE = 0.5
#: Smaller gains are ignored.
NOTICED = 0.12
#: Orders are immutable values and the same ones recur, so they are cached.
_PASS = Pass(1)
_place = lru_cache(maxsize=4096)(Place)


def orders(
    state: State,
    nation: str,
    salt: str,
    promises: Promises = NONE,
    *,
    name_stocks: bool = True,
) -> str:
    """Return the order text of one phase, from what the nation may see."""
    state = view(state, nation)
    if state.step == OVER or state.mover not in (None, nation):
        return ""
    stocks = stocks_to_name(state.options) if name_stocks else ()
    planned = plan(Outlook(state), nation, salt, stocks, promises)
    return "\n".join(order.words() for order in planned)


def play(
    state: State,
    salt: str,
    volumes: Volumes,
    reserves: Sequence[str],
    promises: Mapping[str, Promises] = {},
    look: Outlook | None = None,
) -> Resolution:
    """Play a phase in which bots send all orders, without texts."""
    return judge(
        state, readings(state, salt, promises, look), Drawer(volumes, reserves, state.options)
    )


def readings(
    state: State,
    salt: str,
    promises: Mapping[str, Promises] = {},
    look: Outlook | None = None,
) -> dict[str, Reading]:
    """Return all nations' orders as if parsed from texts, without remarks and stocks."""
    look = look or Outlook(state)
    by_nation = dict.fromkeys(state.card.order, SILENT)
    for nation in state.movers:
        planned = plan(look, nation, salt, promises=promises.get(nation, NONE))
        by_nation[nation] = Reading(planned, (), (), sent=True)
    return by_nation


def plan(
    look: Outlook,
    nation: str,
    salt: str,
    stocks: tuple[str, ...] = (),
    promises: Promises = NONE,
) -> tuple[Order, ...]:
    """Return the orders of one phase as values, numbered as the lines of a text would be."""
    state = look.state
    luck = look.luck(nation, salt)
    weights = look.weights(nation)
    planned: list[Order] = []
    if promises.allies and state.ally_of(nation) is None and may_form(state):
        planned += [Ally(line, partner) for line, partner in enumerate(promises.allies, 1)]
    mine = {area: here[nation] for area, here in look.there.items() if nation in here}
    if state.is_placing:
        for area, pf in _choose_placements(look, nation, weights, mine, luck, promises):
            planned.append(_place(len(planned) + 1, pf, area))
            mine[area] = mine.get(area, 0) + pf
    if state.is_attacking and (best := _best_attack(look, nation, weights, mine, luck, promises)):
        planned.append(_line(look, nation, salt, len(planned) + 1, best, stocks))
    return tuple(planned) or (_PASS,)


def _line(
    look: Outlook,
    nation: str,
    salt: str,
    line: int,
    best: tuple[str, str, int],
    stocks: tuple[str, ...],
) -> Attack:
    """Return the attack line. It names three stocks, because 4 of 10 digits are not a die."""
    area, target, column = best
    chosen: tuple[str, ...] = ()
    if stocks:
        shuffled = sorted(
            stocks,
            key=lambda stock: hashlib.sha256(
                f"{salt}/{look.state.turn}/{nation}/{stock}".encode("utf-8", "replace")
            ).digest(),
        )
        chosen = tuple(shuffled[:STOCKS_A_LINE])
    # Others may place PFs before the attack and change the odds: an attack worth making at 3-1 may
    # not be worth it at less.
    minimum = column - 1 if look.state.is_choosing and column > 1 else None
    return Attack(line, target, area, chosen, minimum, look.state.is_choosing)


# --- placements ---


def _choose_placements(
    look: Outlook,
    nation: str,
    weights: Mapping[str, float],
    mine: Mapping[str, int],
    luck: bytes,
    promises: Promises,
) -> list[tuple[str, int]]:
    """Return areas and numbers of PFs, the most promising first, each up to the cap."""
    card = look.card
    left, cap = card.allocation[nation][look.state.turn - 1], card.area_cap
    wishes: list[tuple[float, str, int]] = []
    for number, stake in enumerate(look.aims.stakes[nation]):
        wishes.append(
            (
                _growth(look, nation, stake, mine.get(stake.area, 0), cap)
                * (1.0 + luck[number % LUCK] / 2048),
                stake.area,
                cap,
            )
        )
    for number, stake in enumerate(look.aims.alone[nation]):
        if stake.area not in mine and look.left < 3:
            continue  # too late to bring ten PFs there
        worth = _spoiling_value(look, stake, weights, mine.get(stake.area, 0), cap)
        if worth > 0:
            wishes.append((worth * (1.0 + luck[(number + 6) % LUCK] / 2048), stake.area, cap))
    wishes += _blocking_attacks(look, nation, weights, mine, cap, left)
    if promises.away and promises.price:
        wishes = [wish for wish in wishes if wish[1] not in promises.away]
    wishes.sort(reverse=True)
    placed: dict[str, int] = {}
    for worth, area, most in wishes:
        pf = min(most - placed.get(area, 0), left)
        if pf > 0 and worth > 0:
            placed[area] = placed.get(area, 0) + pf
            left -= pf
            if not left:
                break
    home = card.home.get(nation)
    if left and home is not None:
        placed[home] = placed.get(home, 0) + left
    return list(placed.items())


def _growth(look: Outlook, nation: str, stake: Stake, pf: int, more: int) -> float:
    """Return the value of adding these PFs to the nation's own pile. Next to a strong rival it
    needs more than ten."""
    danger = look.strongest(stake.area, nation)
    # An exchange costs what the attacker has; a smaller attack is likelier to fail.
    threat = danger * 2 // 3 if danger < pf else danger // 2
    if threat > CAUTION:
        threat = CAUTION
    hope, stands = look.hope, pf - threat
    now = hope[0 if stands < 0 else stands if stands < MOST else MOST]
    worth = float(stake.treaty)
    if stake.alone:
        worth += stake.alone * max(look.free[stake.area, nation], STUBBORN if look.left else 0.0)
    short = look.card.treaty_at + SPARE - stands
    if short <= 0:  # there already, and safe for now
        stands += more
        return worth * (hope[stands if stands < MOST else MOST] - now)
    turns = (short + more - 1) // more
    if turns > look.left + 1:
        return 0.0
    # A pile that is still too small pays nothing, so each step counts as its share of the whole.
    return BUILD * worth * (1.0 - now) / turns


def _spoiling_value(
    look: Outlook, stake: Stake, weights: Mapping[str, float], pf: int, more: int
) -> float:
    """Return the value of coming closer to treaty rights where another nation is paid only if it
    has them alone."""
    owner = look.aims.owners[stake.area]
    weight = weights[owner]
    if weight <= 0:
        return 0.0
    held = look.promise.get(stake.area, {}).get(owner, look.hope[0])
    hope = look.hope
    return 0.8 * weight * stake.alone * held * (hope[min(pf + more, MOST)] - hope[min(pf, MOST)])


def _blocking_attacks(
    look: Outlook,
    nation: str,
    weights: Mapping[str, float],
    mine: Mapping[str, int],
    cap: int,
    left: int,
) -> list[tuple[float, str, int]]:
    """Return piles from which the nation could break others' treaty rights, or clear an area to
    have it alone."""
    gains: dict[tuple[str, str], float] = {}
    for area, other, value, owner, hoped in look.prey:
        if other != nation:
            gain = weights[other] * value
            if owner == nation:
                gain += hoped
            if gain > NOTICED:
                gains[area, other] = gain
    home, enough = look.card.home.get(nation), look.card.treaty_at
    wishes = []
    for (area, victim), gain in gains.items():
        # An exchange must leave the victim fewer than ten.
        need = look.there[area][victim] - enough + 1 - mine.get(area, 0) + (2 if look.left else 0)
        if need > 0:
            most = min(need, left) if area == home else cap
            turns = 1 if area == home else (need + cap - 1) // cap
            if turns <= look.left + 1:
                wishes.append((READY * gain / (turns + 0.3 * look.left), area, most))
    return wishes


# --- attacks ---


def _best_attack(
    look: Outlook,
    nation: str,
    weights: Mapping[str, float],
    mine: Mapping[str, int],
    luck: bytes,
    promises: Promises,
) -> tuple[str, str, int] | None:
    """Return the best attack as area, target and column; None where none is worth making."""
    best: tuple[str, str, int] | None = None
    most = DARING - luck[11] / 4096
    plain = PLAIN * look.left
    after = look.after
    keeps = 0.0
    forbidden = look.state.ally_of(nation) if look.state.alliances else None
    promised_something = promises is not NONE
    for area, own in mine.items():
        stands = -1.0
        for other, theirs, value, owner, spoils, hoped in look.marks.get(area, ()):
            if other in (nation, forbidden):
                continue
            gain = weights[other] * value
            if owner:
                gain += hoped if owner == nation else -weights[owner] * spoils
            if gain < NOTICED:
                continue
            if stands < 0:
                stands = after[own if own < MOST else MOST]
                keeps = _rights_value(look, nation, area, weights)
            column = own // theirs
            if column > BEST:
                column = BEST
            removed, exchanged, lost = CHANCES[column]
            both = own if own < theirs else theirs
            left = theirs - both
            worth = (
                gain
                * (
                    (removed + exchanged) * after[theirs if theirs < MOST else MOST]
                    - removed * after[0]
                    - exchanged * after[left if left < MOST else MOST]
                )
                - keeps
                * (
                    lost * (stands - after[0])
                    + exchanged * (stands - after[own - both if own - both < MOST else MOST])
                )
                + plain
                * (
                    weights[other] * (removed * theirs + exchanged * both)
                    - lost * own
                    - exchanged * both
                )
            )
            if promised_something:
                worth = _adjust_for_deals(promises, area, other, worth)
            if worth > most:
                most, best = worth, (area, other, column)
    return best


def _adjust_for_deals(promises: Promises, area: str, other: str, worth: float) -> float:
    """Return the value of an attack adjusted for deals: more against a nation the bot promised to
    attack, less, by the price of a broken promise, against one it promised peace."""
    if (other, area) in promises.strikes:
        worth += STRIKE
    if promises.keeps_peace(other, area) or area in promises.away:
        worth -= promises.price
    return worth


def _rights_value(look: Outlook, nation: str, area: str, weights: Mapping[str, float]) -> float:
    """Return the value of the nation's own treaty rights there: its points, and what they spoil for
    others."""
    stakes, worth = look.aims.at[area], 0.0
    if (stake := stakes.get(nation)) is not None:
        worth = stake.treaty + (stake.alone * look.free[area, nation] if stake.alone else 0.0)
    owner = look.aims.owners.get(area)
    if owner is not None and owner != nation and weights[owner] > 0:
        worth += (
            0.8 * weights[owner] * stakes[owner].alone * look.promise.get(area, {}).get(owner, 0.0)
        )
    return worth
