"""Check that example lines are possible, draw no warning and commit nobody (issue 23)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.rules import Choice, Reading, Remark, cards, sampling
from games.rules.options import OPTIONS, validate
from games.rules.origins_ww1.ruleset import OriginsWW1
from games.rules.origins_ww2.ruleset import OriginsWW2
from tests.support.examples import examples

RULES: dict[str, Any] = {"origins-ww2": OriginsWW2(), "origins-ww1": OriginsWW1()}
SCENARIOS = {"origins-ww2": "historical", "origins-ww1": "standard"}
GROUPS = {"origins-ww2": ("ow2.", "orders.", "rng."), "origins-ww1": ("wwi.", "orders.", "rng.")}
STOCKS = ("GE", "IBM", "F")
#: Irrevocable, or nothing to be sent by way of trying.
NEVER = ("LEAVE", "ALLY", "PASS", "STANDING", "LOSE", "UNALLY", "DECLARE", "COLUMN")

searching = settings(
    max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def boards(game: str) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for boards of this game."""
    card = cards.load(game, SCENARIOS[game])
    counters = {"understanding": st.booleans()} if game == "origins-ww2" else {}
    piles = st.fixed_dictionaries({"pf": st.integers(0, 12), **counters})
    here = st.dictionaries(st.sampled_from(card["order"]), piles, max_size=4)
    if game == "origins-ww2":
        closed = st.sampled_from(card["order"]).map(lambda nation: {nation: {"control": True}})
        here = st.one_of(here, here, here, closed)
    return st.fixed_dictionaries(dict.fromkeys(card["areas"], here))


def option_sets(game: str) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for options of this game."""
    return st.fixed_dictionaries(
        {},
        optional={
            id: st.sampled_from(option.choosable)
            for id, option in OPTIONS.items()
            if id.startswith(GROUPS[game])
            and option.kind == "choice"
            # These open with other phases than a situation has.
            and id not in ("ow2.attacks", "ow2.blind", "ow2.hidden", "ow2.placement", "wwi.phasing")
        },
    )


@pytest.mark.parametrize("game", list(RULES))
@searching
@given(st.data())
def test_samples_are_accepted_on_every_board(game: str, data: Any) -> None:
    rules, card = RULES[game], cards.load(game, SCENARIOS[game])
    phase, turn = data.draw(st.sampled_from(["placement", "attacks"])), data.draw(st.integers(1, 4))
    options = validate(data.draw(option_sets(game)))
    board = data.draw(boards(game))
    tree = {"turn": turn, "phase": phase, "board": board}
    state = rules.situation(tree, card, options)
    for nation in rules.acting_nations(state):
        lines = rules.planner.samples(rules.view(state, nation), nation, STOCKS)
        assert len(lines) <= sampling.MOST
        assert not any(line.startswith(NEVER) for line in lines)
        for text in (*lines, "\n".join(lines)):
            reading = rules.read(text, nation, state)
            assert len(reading.understood) == len(text.splitlines())
            warnings = [remark for remark in reading.remarks if remark.severity != "note"]
            assert not warnings, text
        closed = [any("control" in cell for cell in here.values()) for here in board.values()]
        has_pfs = phase == "placement" and rules.planner.plan(state, nation, "").totals[0].of
        if has_pfs and not all(closed):
            assert lines


@pytest.mark.parametrize(("others", "attacked"), [(("France",), {"France"}), ((), set())])
def test_no_sample_attacks_an_ally(others: tuple[str, ...], attacked: set[str]) -> None:
    """The rules allow it (A.4), but a newcomer copies examples: Germany's letter had ATTACK
    Austria-Hungary IN Austria-Hungary, and they were allied."""
    rules, ally = RULES["origins-ww1"], "Austria-Hungary"
    board = {"Serbia": {"Germany": {"pf": 5}, ally: {"pf": 5}, **{n: {"pf": 5} for n in others}}}
    situation = {
        "turn": 3,
        "phase": "attacks",
        "board": {**board, ally: {ally: {"pf": 10}, "Germany": {"pf": 9}}},
        "alliances": [["Germany", ally]],
    }
    state = rules.situation(situation, cards.load(rules.id, "standard"), validate({}))
    lines = rules.planner.samples(rules.view(state, "Germany"), "Germany", STOCKS)
    assert {line.split()[1] for line in lines} == attacked


def test_samples_name_no_stock_if_none_decides() -> None:
    """mail.md B1."""
    rules, card = RULES["origins-ww2"], cards.load("origins-ww2", "historical")
    board = {"Poland": {"Germany": {"pf": 8}, "France": {"pf": 2}}}
    for source, ending in (("stocks", " STOCK GE"), ("gm_dice", "")):
        options = validate({"rng.source": source})
        state = rules.situation({"turn": 2, "phase": "attacks", "board": board}, card, options)
        attack = rules.planner.samples(state, "Germany", STOCKS)[0]
        assert attack == f"ATTACK Poland: France{ending}"


def test_barred_choice_is_not_a_sample() -> None:
    """Even if little else is left."""

    def read(text: str) -> Reading:
        return Reading((), (), (), True)

    verbs, nations = RULES["origins-ww2"].verbs, ("Russia", "France")
    barred = verbs.choice("CONTROL", "Poland", barred={"": "5 PFs are needed"})
    share = verbs.choice("SHARE", "Poland", nations=nations, barred={"Russia": "has none"})
    assert sampling.samples(verbs, [barred, share], read, ()) == ("SHARE Poland WITH France",)


def test_choice_is_hopeless_if_every_nation_is_barred() -> None:
    """Lists to choose from leave such a choice out."""
    assert Choice("CONTROL", "Poland", barred={"": "5 PFs are needed"}).hopeless
    assert not Choice("CONTROL", "Poland").hopeless
    nations, too_few = ("Russia", "France"), {"Russia": "has none", "France": "has none"}
    assert Choice("SHARE", "Poland", nations=nations, barred=too_few).hopeless
    assert not Choice("SHARE", "Poland", nations=nations, barred={"Russia": "has none"}).hopeless


def test_samples_are_read_together_and_bad_ones_replaced() -> None:
    """Issue 21: each reading costs time when many letters arrive."""
    texts: list[str] = []

    def read(text: str) -> Reading:
        texts.append(text)
        barred = [number for number, line in enumerate(text.split("\n"), 1) if "Poland" in line]
        remarks = tuple(Remark(number, "warning", "closed", "") for number in barred)
        return Reading((), (), remarks, True)

    verbs = RULES["origins-ww2"].verbs
    offered = [
        verbs.choice("PLACE", area, most=6) for area in ("Poland", "Austria", "Rumania", "Ukraine")
    ]
    lines = sampling.samples(verbs, offered, read, STOCKS)
    assert lines == ("PLACE 2 Rumania", "PLACE 2 Ukraine", "PLACE 2 Austria")
    assert len(texts) == 2
