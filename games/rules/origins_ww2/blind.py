"""The blind game (Rules C.2, F3-F7): every nation draws its charts, one openly and one in secret.

The allocation charts are drawn with public digits from the reserve list. The charts of objectives
are computed from those digits and from a secret that was drawn earlier, and whose SHA-256 was
published earlier. So nobody can choose them: the operator knew the secret but not the digits, and
anybody who knew the digits did not know the secret. The last report publishes the secret, and
anybody can compute the draw again.

Nations draw slips (`ow2.blind_charts`). As printed, each slip names a scenario, and a nation uses
its own row of it. Otherwise each slip names a nation of the one scenario, and stands for that
nation's row. A card with `scenarios` is of the first kind: it contains all scenarios that the game
draws from, so its record needs no other card.

The rest of the rules need not know how a nation got its chart: `State.card` is the printed card
with its rows dealt as they were drawn. In a view it lacks the rows that the viewer may not know.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .. import Json, Reading, Remark, RulesError, event
from ..digits import DieThrow, Drawer, is_seed, seed_hash
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
    """Return the card with allocation and objectives dealt as drawn.

    A nation without a chart of objectives here gets no objectives at all.
    """
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
    """Return the slips: names of scenarios, or of the nations whose rows are dealt."""
    return tuple(printed.scenarios) or printed.order


def _source(printed: Card, slip: str) -> Card:
    """Return the card that a slip refers to."""
    return printed.scenarios.get(slip, printed)


def _row(printed: Card, nation: str, slip: str) -> str:
    """Return the nation whose row of that card is used: in a scenario, the nation's own."""
    return nation if printed.scenarios else slip


def _slip_in_words(printed: Card, slip: str) -> str:
    """Return a slip in words: “the chart of France”, “the scenario Historical game”."""
    if printed.scenarios:
        return f"the scenario {printed.scenarios[slip].title}"
    return f"the chart of {slip}"


def begin(state: State, secret: str) -> State:
    """Return the state as the start of a blind game, with nothing drawn yet.

    Raise `RulesError` where the card does not fit the kind of slips.
    """
    scenarios = state.options["ow2.blind_charts"] == "scenarios"
    if scenarios and not state.card.scenarios:
        raise RulesError("the card has no scenarios to draw from")
    if state.card.scenarios and not scenarios:
        raise RulesError("the card has scenarios, but this game draws rows of one scenario")
    return replace(state, printed=state.card, card=deal(state.card, Charts()), secret=secret)


def printed_state(state: State) -> State:
    """Return a situation of a blind game, where every nation has its own chart of this card and
    there is no secret."""
    printed = replace(state.card, scenarios={})
    own = {nation: nation for nation in printed.order}
    charts = Charts(own, own)
    return replace(state, printed=printed, card=deal(printed, charts), charts=charts)


def restore(state: State, position: Json) -> State:
    """Return a loaded state with the charts that its position contains.

    Raise `RulesError` where they name a nation or slip that the card does not have.
    """
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
            raise RulesError(f"charts.{name}: not a nation of this card")
    for slip in (*charts.allocation.values(), *charts.objectives.values()):
        if slip not in slips(state.card):
            raise RulesError(f"charts.{slip}: not a slip of this card")
    return replace(
        state,
        printed=state.card,
        card=deal(state.card, charts),
        charts=charts,
        secret=str(position.get("secret", "")),
    )


def as_json(state: State) -> Json:
    """Return what the position of a blind game contains in addition: the secret until it is
    published, and the charts drawn so far."""
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
    fields = {"charts": tree, "secret": state.secret}
    return {key: value for key, value in fields.items() if value}


def view_for(state: State, nation: str | None) -> State:
    """Return the state as a nation may see it.

    It shows the nation's own objectives, and the counters that nations under its control this turn
    may place (F7). An unheld nation sees what its controller may know of it.
    """
    if state.printed is None or state.step == OVER:
        return state
    own = {
        owner: chart
        for owner, chart in state.charts.objectives.items()
        if owner == nation and owner in state.seats
    }
    mine = [ally for ally, controller in state.controllers.items() if nation in (ally, controller)]
    allowed = {ally: counters(state.card, ally) for ally in mine if ally in state.charts.objectives}
    charts = Charts(state.charts.allocation, own, allowed)
    return replace(state, card=deal(state.printed, charts), charts=charts, secret="")


def counters(card: Card, nation: str) -> dict[str, tuple[str, ...]]:
    """Return the counters that a nation's chart allows, by area."""
    listed = {
        area: tuple(kind for kind in COUNTERS if card.allows(nation, area, kind))
        for area in card.areas
    }
    return {area: kinds for area, kinds in listed.items() if kinds}


# --- the two draws ---


def draw(state: State, drawer: Drawer) -> tuple[State, list[Json]]:
    """Make both draws (F3, F4). Return the new state and the events.

    Where no stock is left to draw with, an event says so and no nation gets a chart of objectives.
    """
    if state.printed is None or not is_seed(state.secret):
        raise RulesError("the secret for the draw of objectives is missing")
    printed = state.printed
    pool = list(slips(printed))  # all slips, even where a nation is left out (N6)
    replaced = _has_replacement(state)
    allocation: dict[str, str] = {}
    events: list[Json] = []
    read = ""
    for nation in state.in_play:
        thrown = drawer.lot(len(pool))
        read += "".join(str(digit.digit) for digit in thrown.digits)
        if thrown.value is None:
            sentence = f"No chart could be drawn for {nation}'s PFs: no stock gave a digit."
            facts = {"nation": nation, "reason": "no_digit", "rejected": thrown.rejected}
            events.append(event("chart_not_drawn", "C F3", sentence, **facts))
            return state, events
        chart = pool[thrown.value]
        events.append(_chart_event(printed, nation, chart, pool, thrown))
        allocation[nation] = chart
        if not replaced:
            pool.remove(chart)
    sentence = (
        "The objectives were drawn from these digits and the secret whose SHA-256 was published"
        " before. Each nation learns only its own."
    )
    events.append(event("objectives_drawn", "C F4", sentence, digits=read))
    own = objectives(slips(printed), state.in_play, state.secret, read, replaced)
    charts = Charts(allocation, own)
    return replace(state, card=deal(printed, charts), charts=charts), events


def _chart_event(
    printed: Card, nation: str, chart: str, pool: Sequence[str], thrown: DieThrow
) -> Json:
    sentence = f"{nation} gets its PFs from {_slip_in_words(printed, chart)}"
    facts: Json = {"nation": nation, "chart": chart}
    if not thrown.digits:
        return event("chart_drawn", "C F3", f"{sentence}, the only one left.", **facts, rejected=[])
    facts |= {**deciding_digit(thrown), "of": list(pool), "rejected": thrown.rejected}
    drawn = ". ".join(
        _digit(digit.stock, digit.volume, digit.digit, digit.rolled) for digit in thrown.digits
    )
    titles = [_source(printed, slip).title if printed.scenarios else slip for slip in pool]
    kind = "scenarios" if printed.scenarios else "charts"
    which = f"Number {pool.index(chart) + 1} of {len(pool)} {kind}: {all_of(titles)}"
    sentence = f"{sentence}. {drawn}. {which}."
    return event("chart_drawn", "C F3", sentence, **facts)


def _digit(stock: str, volume: int, digit: int, rolled: bool) -> str:
    if rolled:
        return f"Digit {digit}"
    return f"{stock} sold {volume:,} shares: digit {digit}"


def objectives(
    order: Sequence[str], nations: Sequence[str], secret: str, digits: str, replaced: bool
) -> dict[str, str]:
    """Return the slip that decides each nation's objectives, drawn from `order` (all slips).

    The random bytes are HMAC-SHA256 of "objectives/" and the digits, keyed by the secret. For each
    nation in turn, the next byte that the number of slips left divides evenly picks one of them,
    counted in their order. With 5 slips left a byte of 255 is skipped, because it would make the
    first slip likelier than the others.
    """
    stream = _bytes(bytes.fromhex(secret), f"objectives/{digits}")
    pool, drawn = list(order), {}
    for nation in nations:
        size = len(pool)
        number = next(byte for byte in stream if byte < 256 - 256 % size) % size
        drawn[nation] = pool[number] if replaced else pool.pop(number)
    return drawn


def _bytes(key: bytes, about: str) -> Iterator[int]:
    mac = hmac.digest(key, about.encode(), "sha256")
    while True:
        yield from mac
        mac = hmac.digest(key, mac, "sha256")


# --- what a report leaves out ---


def conceal_wishes(
    state: State, events: Sequence[Json], readings: Mapping[str, Reading]
) -> tuple[list[Json], dict[str, tuple[Remark, ...]]]:
    """Return the events of counters as everybody may read them, and each nation's private remarks
    (F5).

    Nobody else learns of a wish that failed: a refusal, and also the lack of one, would reveal the
    chart. A failed share involves two nations, so the public event says that it was not placed,
    without a reason. A nation learns the reason only where its own chart forbids the counter.
    """
    public: list[Json] = []
    private: dict[str, tuple[Remark, ...]] = {}
    for happened in events:
        if happened["kind"] != "not_placed":
            public.append(happened)
            continue
        nation, area, counter, reason = (
            str(happened[key]) for key in ("nation", "area", "counter", "reason")
        )
        if counter == "shared_control":
            own = not state.card.allows(nation, area, CONTROL)
            reason = "not_on_card" if own else "not_told"
            sentence = telling.failed_wish(nation, area, counter, "not_told")
            rule = telling.NOT_PLACED["not_told"][0]
            public.append({**happened, "reason": "not_told", "rule": rule, "message": sentence})
        if reason != "not_told":
            sentence = telling.failed_wish(nation, area, counter, reason)
            line = _line(readings[nation], area, counter)
            remark = Remark(line, "warning", "not_placed", sentence)
            private[nation] = (*private.get(nation, ()), remark)
    return public, private


def _line(reading: Reading, area: str, counter: str) -> int:
    """Return the line number of the wish in the nation's orders."""
    kinds: dict[str, type[Understanding | Control | Share]] = {
        "understanding": Understanding, "control": Control, "shared_control": Share,
    }  # fmt: skip
    wishes = (order for order in reading.orders if isinstance(order, kinds[counter]))
    return next((line_of(order.line) for order in wishes if order.area == area), 0)


# --- the end ---


def charts_to_reveal(state: State) -> list[Json]:
    """Return the additional events of the last report (F5): each nation's chart, and the secret
    that they were drawn with."""
    events: list[Json] = []
    # Use card order: PostgreSQL reorders stored keys, so the order of the draw may be lost.
    for nation in state.card.order:
        if chart := state.charts.objectives.get(nation):
            printed = state.printed or state.card
            whose = "its own chart" if chart == nation else _slip_in_words(printed, chart)
            sentence = f"{nation} played for the objectives of {whose}."
            events.append(event("chart_revealed", "C F5", sentence, nation=nation, chart=chart))
    if secret := state.secret:
        digest = seed_hash(secret)
        sentence = f"The secret behind the draw of objectives is {secret}."
        sentence = f"{sentence} Its SHA-256, published before the draw, is {digest}."
        events.append(event("secret_opened", "C F5", sentence, secret=secret, hash=digest))
    return events


# --- in words ---


def chart_lines(state: State, nation: str, lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a nation's chart (`choices.charts`) as far as this state knows them:
    allocation, home, then one line per area."""
    if state.printed is None:
        return tuple(lines)
    charts = state.charts
    first, home = "Its PFs are not drawn yet.", lines[1]
    if received := charts.allocation.get(nation):
        first = f"{lines[0].rstrip('.')}, from {_slip_in_words(state.printed, received)}."
    if chart := charts.objectives.get(nation):
        return (first, home, f"Objectives of {_slip_in_words(state.printed, chart)}:", *lines[2:])
    if nation in charts.allowed:
        counter_lines = [
            f"{area}: {' and '.join(telling.COUNTERS[kind] for kind in kinds)} may be placed."
            for area, kinds in charts.allowed[nation].items()
        ]
        if not counter_lines:
            return (first, home, "You do not see its objectives; its chart allows no counters.")
        which = "You do not see its objectives, only the counters that its chart allows."
        return (first, home, which, *counter_lines)
    if state.step == CHARTS:
        return (first, home, "Its objectives are not drawn yet.")
    return (first, home, "Its objectives stay secret until the last report.")


def draws(state: State) -> tuple[str, ...]:
    """Return one short sentence about the two draws."""
    if state.printed is None:
        return ()
    kind = "scenario" if state.printed.scenarios else "chart"
    return (
        f"In this blind game every nation draws two {kind}s before turn 1: one openly for its PFs,"
        " and one in secret for its objectives. Scores stay secret until the last report, which"
        " reveals everything.",
    )


def lots(state: State) -> tuple[str, ...]:
    """Return full sentences about the two draws."""
    if state.printed is None:
        return ()
    titles = [scenario.title for scenario in state.printed.scenarios.values()]
    kind = "scenario" if titles else "chart"
    way = (
        f"a {kind} that is drawn goes back and may be drawn again"
        if _has_replacement(state)
        else f"each {kind} is drawn only once"
    )
    slips_sentence = (
        f"The scenarios {all_of(titles)} are drawn twice before turn 1; {way}. A nation uses its"
        " own row of the scenario that it draws."
        if titles
        else f"The printed charts are drawn twice before turn 1; {way}."
    )
    return (
        slips_sentence,
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
            " secret. Only the nation itself learns that its wish was refused."
        ),
    )


def _has_replacement(state: State) -> bool:
    return bool(state.options["ow2.blind_draw"] == "with_replacement")
