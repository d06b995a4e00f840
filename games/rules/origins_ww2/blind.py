"""The blind game (Rules C.2, F3-F7): every nation plays with charts that are drawn, the one openly,
the other in secret.

The allocation charts are drawn by public digits of the published list. The charts of objectives are
computed from those digits and a secret that was drawn, and whose SHA-256 was published, before: so
nobody could choose them, neither who keeps the service, who knew the secret and not the digits, nor
whoever knew the digits and not the secret. With the last report the secret is opened, and anybody
can compute the draw anew.

What is drawn are slips (`ow2.blind_charts`): as printed each names a scenario, of which a nation
uses its own row; or each names a nation, whose row of the one scenario it stands for. A card that
has `scenarios` is of the first kind: a game that draws from them has all of them on its card, so
its record needs no other.

Nothing else in the rules asks how a chart came to a nation: `State.card` is the printed sheet with
its rows dealt out as they were drawn, in a view without the rows that the viewer may not know.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .. import Json, Reading, Remark, RulesError, event
from ..digits import Drawer, Thrown, beacon_number, is_seed, seed_hash
from ..names import all_of
from ..orders import line_of
from . import telling
from .allies import deciding_digit
from .card import CONTROL, UNDERSTANDING, Card
from .reading import Control, Share, Understanding
from .state import CHARTS, OVER, Charts, State

COUNTERS = (UNDERSTANDING, CONTROL)


def is_blind(options: Mapping[str, Any]) -> bool:
    return bool(options["ow2.blind"] == "yes")


# --- the card as it was drawn ---


def deal(printed: Card, charts: Charts) -> Card:
    """The sheet with allocation and objectives dealt out as drawn. Who has no chart of objectives
    here has none of any kind."""
    allocation = dict(printed.allocation)
    for nation, slip in charts.allocation.items():
        allocation[nation] = _source(printed, slip).allocation[_row(printed, nation, slip)]
    allowed = {
        nation: {area: dict.fromkeys(kinds, 1) for area, kinds in areas.items()}
        for nation, areas in charts.allowed.items()
    }
    own = {
        nation: _source(printed, slip).objectives.get(_row(printed, nation, slip), {})
        for nation, slip in charts.objectives.items()
    }
    broken_by = {
        nation: _source(printed, slip).no_understanding_broken_by
        for nation, slip in charts.objectives.items()
    }
    return replace(
        printed,
        allocation=allocation,
        objectives={**allowed, **own},
        broken_by_nation=broken_by,
    )


def slips(printed: Card) -> tuple[str, ...]:
    """Return what is written on the slips: names of scenarios, or of nations whose rows are
    dealt."""
    return tuple(printed.scenarios) or printed.order


def _source(printed: Card, slip: str) -> Card:
    """Return the card that a slip is about."""
    return printed.scenarios.get(slip, printed)


def _row(printed: Card, nation: str, slip: str) -> str:
    """Return whose row of that card a nation uses: of a scenario its own."""
    return nation if printed.scenarios else slip


def _slip_in_words(printed: Card, slip: str) -> str:
    """Return a slip in words: “the chart of France”, “the scenario Historical game”."""
    if printed.scenarios:
        return f"the scenario {printed.scenarios[slip].title}"
    return f"the chart of {slip}"


def begin(state: State, secret: str) -> State:
    """Return a new game as a blind one: nothing is drawn yet. Raises `RulesError` where the card
    does not have what is to be drawn from."""
    scenarios = state.options["ow2.blind_charts"] == "scenarios"
    if scenarios and not state.card.scenarios:
        raise RulesError("the card has no scenarios to draw from")
    if state.card.scenarios and not scenarios:
        raise RulesError("the card has scenarios, but rows of one scenario are to be dealt")
    return replace(state, printed=state.card, card=deal(state.card, Charts()), secret=secret)


def as_printed(state: State) -> State:
    """A situation of a blind game: every nation has its own chart of this card, and no secret is to
    be opened."""
    printed = replace(state.card, scenarios={})
    own = {nation: nation for nation in printed.order}
    charts = Charts(own, own)
    return replace(state, printed=printed, card=deal(printed, charts), charts=charts)


def restore(state: State, position: Json) -> State:
    """A state that has been loaded, with what its position tells of the charts. Raises `RulesError`
    for what is no draw."""
    tree = position.get("charts", {})
    charts = Charts(
        dict(tree.get("allocation", {})),
        dict(tree.get("objectives", {})),
        {
            nation: {area: tuple(kinds) for area, kinds in areas.items()}
            for nation, areas in tree.get("allowed", {}).items()
        },
    )
    for name in (*charts.allocation, *charts.objectives, *charts.allowed):
        if name not in state.card.order:
            raise RulesError(f"charts.{name}: no nation of this card")
    for slip in (*charts.allocation.values(), *charts.objectives.values()):
        if slip not in slips(state.card):
            raise RulesError(f"charts.{slip}: no slip of this card")
    return replace(
        state,
        printed=state.card,
        card=deal(state.card, charts),
        charts=charts,
        secret=str(position.get("secret", "")),
    )


def as_json(state: State) -> Json:
    """What a position has besides, of a blind game: the secret until it is opened, and what has
    been drawn."""
    charts = state.charts
    tree: Json = {}
    if charts.allocation:
        tree["allocation"] = dict(charts.allocation)
    if charts.objectives:
        tree["objectives"] = dict(charts.objectives)
    if charts.allowed:
        tree["allowed"] = {
            nation: {area: list(kinds) for area, kinds in areas.items()}
            for nation, areas in charts.allowed.items()
        }
    found = {"charts": tree, "secret": state.secret}
    return {key: value for key, value in found.items() if value}


def view_for(state: State, nation: str | None) -> State:
    """The state as a nation may see it: its own objectives, the counters that the nations which it
    has this turn may place (F7), no more.

    A nation that nobody holds sees what its controller may know of it.
    """
    if state.printed is None or state.step == OVER:
        return state
    own = {
        one: chart
        for one, chart in state.charts.objectives.items()
        if one == nation and one in state.seats
    }
    mine = [ally for ally, controller in state.controllers.items() if nation in (ally, controller)]
    allowed = {ally: counters(state.card, ally) for ally in mine if ally in state.charts.objectives}
    charts = Charts(state.charts.allocation, own, allowed)
    return replace(state, card=deal(state.printed, charts), charts=charts, secret="")


def counters(card: Card, nation: str) -> dict[str, tuple[str, ...]]:
    """The counters that a nation's chart allows, by area."""
    listed = {
        area: tuple(kind for kind in COUNTERS if card.allows(nation, area, kind))
        for area in card.areas
    }
    return {area: kinds for area, kinds in listed.items() if kinds}


# --- the two draws ---


def draw(state: State, drawer: Drawer) -> tuple[State, list[Json]]:
    """Both draws (F3, F4). Where no stock is left to draw by, an event says so, and nobody has a
    chart of objectives."""
    if state.printed is None or not is_seed(state.secret):
        raise RulesError("the secret by which the objectives are drawn is missing")
    printed = state.printed
    pool = list(slips(printed))  # all of them, though one nation may be out (N6)
    replaced = _has_replacement(state)
    allocation: dict[str, str] = {}
    events: list[Json] = []
    read = ""
    for nation in state.in_play:
        thrown = drawer.lot(len(pool))
        read += "".join(str(one.digit) for one in thrown.digits)
        if thrown.value is None:
            said = f"No chart could be drawn for {nation}'s PFs: no stock gave a digit."
            told = {"nation": nation, "reason": "no_digit", "rejected": thrown.rejected}
            events.append(event("chart_not_drawn", "C F3", said, **told))
            return state, events
        chart = pool[thrown.value]
        events.append(_chart_event(printed, nation, chart, pool, thrown))
        allocation[nation] = chart
        if not replaced:
            pool.remove(chart)
    said = (
        "The charts of objectives were drawn from these digits and the secret whose SHA-256 was"
        " published before. Each nation is told only its own."
    )
    events.append(event("objectives_drawn", "C F4", said, digits=read))
    own = objectives(slips(printed), state.in_play, state.secret, read, replaced)
    charts = Charts(allocation, own)
    return replace(state, card=deal(printed, charts), charts=charts), events


def _chart_event(
    printed: Card, nation: str, chart: str, pool: Sequence[str], thrown: Thrown
) -> Json:
    said = f"{nation} receives its PFs by {_slip_in_words(printed, chart)}"
    told: Json = {"nation": nation, "chart": chart}
    if not thrown.digits:
        return event("chart_drawn", "C F3", f"{said}, the only one left.", **told, rejected=[])
    told |= {**deciding_digit(thrown), "of": list(pool), "rejected": thrown.rejected}
    drawn = ". ".join(_digit(one.stock, one.volume, one.digit, one.rolled) for one in thrown.digits)
    titles = [_source(printed, slip).title if printed.scenarios else slip for slip in pool]
    kind = "scenarios" if printed.scenarios else "charts"
    which = f"Number {pool.index(chart) + 1} of {len(pool)} {kind}: {all_of(titles)}"
    said = f"{said}. {drawn}. {which}."
    return event("chart_drawn", "C F3", said, **told)


def _digit(stock: str, volume: int, digit: int, rolled: bool) -> str:
    if rolled:
        return f"Rolled {digit}"
    if beacon_number(stock) is not None:
        return f"Drand's beacon gives {digit}"
    return f"{stock} sold {volume:,} shares: digit {digit}"


def objectives(
    order: Sequence[str], nations: Sequence[str], secret: str, digits: str, replaced: bool
) -> dict[str, str]:
    """Which slip (`order` has all of them) decides of each nation's objectives: lots out of
    HMAC-SHA256 of "objectives/" and the digits, keyed by the secret.

    For each nation in turn the next byte that `pool` divides evenly decides which of the slips
    that are left it has, counted in their order: a byte of 255 is passed over where five are left,
    for 255 is the one that would make the first slip likelier.
    """
    stream = _bytes(bytes.fromhex(secret), f"objectives/{digits}")
    pool, found = list(order), {}
    for nation in nations:
        size = len(pool)
        number = next(byte for byte in stream if byte < 256 - 256 % size) % size
        found[nation] = pool[number] if replaced else pool.pop(number)
    return found


def _bytes(key: bytes, about: str) -> Iterator[int]:
    mac = hmac.digest(key, about.encode(), "sha256")
    while True:
        yield from mac
        mac = hmac.digest(key, mac, "sha256")


# --- what a report does not tell ---


def conceal_wishes(
    state: State, events: Sequence[Json], readings: Mapping[str, Reading]
) -> tuple[list[Json], dict[str, tuple[Remark, ...]]]:
    """What came of the wishes for counters, as everybody may read it, and what each nation is told
    of its own (F5).

    Of a wish that came to nothing nobody else learns: that it was refused would tell of the chart,
    and that it was not refused as much. Of a share, which two have to do with, it is told that it
    was not placed. Why, its nation learns only where its own chart forbids it.
    """
    public: list[Json] = []
    private: dict[str, tuple[Remark, ...]] = {}
    for one in events:
        if one["kind"] != "not_placed":
            public.append(one)
            continue
        nation, area, counter, reason = (
            str(one[key]) for key in ("nation", "area", "counter", "reason")
        )
        if counter == "shared_control":
            own = not state.card.allows(nation, area, CONTROL)
            reason = "not_on_card" if own else "not_told"
            said = telling.failed_wish(nation, area, counter, "not_told")
            rule = telling.NOT_PLACED["not_told"][0]
            public.append({**one, "reason": "not_told", "rule": rule, "message": said})
        if reason != "not_told":
            said = telling.failed_wish(nation, area, counter, reason)
            line = _line(readings[nation], area, counter)
            remark = Remark(line, "warning", "not_placed", said)
            private[nation] = (*private.get(nation, ()), remark)
    return public, private


def _line(reading: Reading, area: str, counter: str) -> int:
    """Where the wish stands in the nation's orders."""
    kinds: dict[str, type[Understanding | Control | Share]] = {
        "understanding": Understanding, "control": Control, "shared_control": Share,
    }  # fmt: skip
    wishes = (order for order in reading.orders if isinstance(order, kinds[counter]))
    return next((line_of(order.line) for order in wishes if order.area == area), 0)


# --- the end ---


def charts_to_reveal(state: State) -> list[Json]:
    """What the last report tells besides (F5): whose chart everybody played, and the secret by
    which they were drawn."""
    told: list[Json] = []
    # Not in the order of the draw as it was loaded: PostgreSQL sorts the keys of what it stores.
    for nation in state.card.order:
        if chart := state.charts.objectives.get(nation):
            printed = state.printed or state.card
            whose = "its own chart" if chart == nation else _slip_in_words(printed, chart)
            said = f"{nation} played for the objectives of {whose}."
            told.append(event("chart_revealed", "C F5", said, nation=nation, chart=chart))
    if secret := state.secret:
        digest = seed_hash(secret)
        said = f"The secret behind the draw of objectives is {secret}."
        said = f"{said} Its SHA-256, published before the draw, is {digest}."
        told.append(event("secret_opened", "C F5", said, secret=secret, hash=digest))
    return told


# --- in words ---


def is_chart_known(state: State, nation: str) -> bool:
    """Return whether this state tells the whole chart of a nation."""
    return state.printed is None or nation in state.charts.objectives


def chart_lines(state: State, nation: str, lines: Sequence[str]) -> tuple[str, ...]:
    """The lines of a nation's chart (`choices.charts`) as far as this state has them: allocation,
    home, then one an area."""
    if state.printed is None:
        return tuple(lines)
    charts = state.charts
    first, home = "Its PFs are not drawn yet.", lines[1]
    if received := charts.allocation.get(nation):
        first = f"{lines[0].rstrip('.')}, by {_slip_in_words(state.printed, received)}."
    if chart := charts.objectives.get(nation):
        return (first, home, f"Objectives of {_slip_in_words(state.printed, chart)}:", *lines[2:])
    if nation in charts.allowed:
        told = [
            f"{area}: {' and '.join(telling.COUNTERS[kind] for kind in kinds)} may be placed."
            for area, kinds in charts.allowed[nation].items()
        ]
        which = "Its objectives are not told; the counters that its chart allows are."
        return (first, home, which, *(told or ["None at all."]))
    if state.step == CHARTS:
        return (first, home, "Its objectives are not drawn yet.")
    return (first, home, "Its objectives are its own secret until the last report.")


def draws(state: State) -> tuple[str, ...]:
    """Say the two draws in short."""
    if state.printed is None:
        return ()
    kind = "scenario" if state.printed.scenarios else "chart"
    return (
        f"In this blind game every nation draws two {kind}s before turn 1: one in the open for its"
        " PFs, and one in secret for its objectives. Scores stay secret until the last report,"
        " which opens everything.",
    )


def lots(state: State) -> tuple[str, ...]:
    """The two draws in sentences."""
    if state.printed is None:
        return ()
    titles = [one.title for one in state.printed.scenarios.values()]
    kind = "scenario" if titles else "chart"
    way = (
        f"a {kind} that is drawn stays in, and may be drawn again"
        if _has_replacement(state)
        else f"no {kind} is drawn twice"
    )
    what = (
        f"The scenarios {all_of(titles)} are drawn twice before turn 1; {way}. A nation uses its"
        " own row of the scenario that it draws."
        if titles
        else f"The charts of the sheet are drawn twice before turn 1; {way}."
    )
    return (
        what,
        (
            "The first draw decides which PFs a nation gets. It is open: digits of the reserve list"
            f" decide, nation by nation in card order, except digits that the number of {kind}s"
            " does not divide evenly."
        ),
        (
            "The second draw decides a nation's objectives, which only its player is told. It is"
            " computed from the digits of the first and from a secret whose SHA-256 is published"
            " before: HMAC-SHA256 of “objectives/” and all digits in the order in which they were"
            " read, keyed by the secret, gives a byte for each nation in turn, except bytes that"
            f" the number of {kind}s left does not divide evenly."
        ),
        (
            "Scores stay secret until the last report, which also shows every chart and the"
            " secret. A refused wish is told to its own nation alone."
        ),
    )


def _has_replacement(state: State) -> bool:
    return bool(state.options["ow2.blind_draw"] == "with_replacement")
