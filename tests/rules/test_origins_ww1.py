"""Check vectors and properties of Origins of World War I (Rules A, V; contract 4.2)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.rules import Cell, PhaseId, RulesError, cards
from games.rules.options import LIQUID_STOCKS, OPTIONS, validate
from games.rules.origins_ww1 import scoring, table
from games.rules.origins_ww1.card import card_of
from games.rules.origins_ww1.ruleset import THE_END, OriginsWW1
from games.rules.origins_ww1.state import OVER, State, to_text
from games.rules.plan import PlannedOrder
from games.rules.registry import ruleset
from games.rules.situation import adjudicate
from games.simulation import simulate
from tests.support.board_text import piles_from_text
from tests.support.examples import examples

RULES = OriginsWW1()
CARD = cards.load("origins-ww1", "standard")
NATIONS = tuple(CARD["order"])
# Few areas, homes among them, so that nations meet.
AREAS = ("Serbia", "Germany", "Austria-Hungary", "Far East", "Turkey", "Africa")
STEPS = ("placement", "attacks", "orders", "turn-germany")
PHASINGS = {"orders": "one_deadline", "turn-germany": "sequential"}

# A busy machine is no fault of the rules: no example is failed for its time.
searching = settings(
    deadline=None, max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow]
)


# --- the vectors of Rules V ---

ODDS = [
    (16, 8, "2"),
    (23, 8, "2"),
    (8, 16, "lt1"),
    (12, 8, "1"),
    (10, 4, "2"),
    (40, 10, "4+"),
    (99, 1, "4+"),
    (5, 5, "1"),
]
FIGHTS = [
    (12, 8, 4, "EX", 4, 0),
    (10, 4, 1, "AE", 0, 4),
    (10, 4, 2, "EX", 6, 0),
    (10, 4, 5, "EX", 6, 0),
    (10, 4, 6, "DE", 10, 0),
    (3, 12, 4, "EX", 0, 9),
    (3, 12, 3, "AE", 0, 12),
    (8, 8, 3, "EX", 0, 0),
    (8, 8, 6, "DE", 8, 0),
]
WINS: list[tuple[dict[str, int], list[list[str]], str, list[str]]] = [
    (
        {"Britain": 10, "France": 11, "Germany": 8, "Austria-Hungary": 16, "Russia": 5},
        [["Britain", "France"], ["Germany", "Austria-Hungary"]],
        "ge",
        ["Russia"],
    ),
    (
        {"Britain": 10, "France": 10, "Germany": 9, "Austria-Hungary": 6, "Russia": 5},
        [["Britain", "France"]],
        "ge",
        ["Britain", "France"],
    ),
    (
        {"Britain": 10, "France": 10, "Germany": 9, "Austria-Hungary": 6, "Russia": 5},
        [["Britain", "France"]],
        "gt",
        ["Germany"],
    ),
    (
        {"Britain": 12, "France": 3, "Germany": 8, "Austria-Hungary": 7, "Russia": 0},
        [["Britain", "France"], ["Germany", "Austria-Hungary"]],
        "ge",
        ["Austria-Hungary", "Britain", "France", "Germany"],
    ),
    (
        {"Britain": 12, "France": 3, "Germany": 8, "Austria-Hungary": 7, "Russia": 0},
        [["Britain", "France"], ["Germany", "Austria-Hungary"]],
        "gt",
        ["Russia"],
    ),
    (
        {"Britain": 9, "France": 9, "Germany": 4, "Austria-Hungary": 2, "Russia": 1},
        [],
        "ge",
        ["Britain", "France"],
    ),
]
SCORES: list[tuple[dict[str, dict[str, int]], dict[str, int]]] = [
    ({}, {"Britain": 10, "France": 10, "Germany": 5, "Russia": 0, "Austria-Hungary": 0}),
    (
        {"Germany": {"Austria-Hungary": 10}, "Serbia": {"Austria-Hungary": 12}},
        {"Britain": 0, "France": 0, "Germany": 5, "Russia": 0, "Austria-Hungary": 14},
    ),
    (
        {"Serbia": {"Austria-Hungary": 12, "Russia": 10}, "Germany": {"Germany": 40}},
        {"Britain": 10, "France": 10, "Germany": 5, "Russia": 5, "Austria-Hungary": 0},
    ),
    (
        {
            "Africa": {"France": 11, "Germany": 9},
            "Far East": {"Britain": 10},
            "Britain": {"France": 10},
        },
        {"Britain": 4, "France": 17, "Germany": 0, "Russia": 0, "Austria-Hungary": 0},
    ),
    (
        {"Far East": {"Britain": 10, "Russia": 10}, "Africa": {"Germany": 10}},
        {"Britain": 10, "France": 0, "Germany": 3, "Russia": 3, "Austria-Hungary": 0},
    ),
]


def state_of(
    board: dict[str, Any],
    phase: str = "attacks",
    options: dict[str, Any] | None = None,
    **more: Any,
) -> State:
    """Return a situation of turn 2."""
    chosen = validate({**(options or {}), "wwi.phasing": PHASINGS.get(phase, "two_phase")})
    return RULES.situation({"turn": 2, "phase": phase, "board": board, **more}, CARD, chosen)


def piled(pf: dict[str, dict[str, int]]) -> dict[str, Any]:
    """Return a board tree from the PFs of each area."""
    return {
        area: {nation: {"pf": number} for nation, number in here.items()}
        for area, here in pf.items()
    }


@pytest.mark.parametrize(("attacker", "defender", "column"), ODDS)
def test_odds_vectors(attacker: int, defender: int, column: str) -> None:
    """V wwi_odds."""
    label = table.COLUMNS[table.column(attacker, defender)]
    assert label == (column if column == "lt1" else f"{column.rstrip('+')}-1")


@pytest.mark.parametrize(("attacker", "defender", "die", "result", "mine", "theirs"), FIGHTS)
def test_fight_vectors(
    attacker: int, defender: int, die: int, result: str, mine: int, theirs: int
) -> None:
    """V wwi_fight: judged as a complete situation, with the die taken from sales."""
    got = adjudicate(
        {
            "game": "origins-ww1",
            "card": "standard",
            "turn": 1,
            "phase": "attacks",
            "board": piled({"Italy": {"France": attacker, "Russia": defender}}),
            "orders": {"France": "ATTACK Russia IN Italy STOCK GE"},
            "volumes": {"GE": 100 * die + 12_345_000},
        }
    )
    assert [event["result"] for event in got["events"]] == [result]
    left = {nation: pf for nation, pf in (("France", mine), ("Russia", theirs)) if pf}
    assert got["board"] == (piled({"Italy": left}) if left else {})


# The Diplomatic Attack Table as it is printed (Rules A.1).
PRINTED = """\
1 AE AE AE EX EX
2 AE AE EX EX EX
3 AE EX EX EX EX
4 EX EX EX EX DE
5 EX EX EX DE DE
6 EX DE DE DE DE"""


def test_table_matches_the_printed_one() -> None:
    """A.1, every cell; `Ruleset.table` shows the same."""
    rows = [tuple(row.split()) for row in PRINTED.split("\n")]
    assert tuple((int(die), tuple(results)) for die, *results in rows) == RULES.guide.table().rows
    assert RULES.guide.table().columns == ("lt1", "1-1", "2-1", "3-1", "4-1")


@pytest.mark.parametrize(("scores", "alliances", "test", "winners"), WINS)
def test_winner_vectors(
    scores: dict[str, int], alliances: list[list[str]], test: str, winners: list[str]
) -> None:
    """V wwi_win."""
    state = state_of({}, options={"wwi.alliance_test": test}, alliances=alliances)
    assert set(scoring.winners_of(state, scores)[0]) == set(winners)


@pytest.mark.parametrize(("pf", "scores"), SCORES)
def test_score_vectors(pf: dict[str, dict[str, int]], scores: dict[str, int]) -> None:
    """V wwi_score; also, the points of all objectives add up to the score."""
    state = state_of(piled(pf))
    assert scoring.scores(state) == scores
    for nation in NATIONS:
        assert (
            sum(
                objective.points
                for objective in RULES.guide.nation_facts(state, nation).objectives
                if objective.reached
            )
            == scores[nation]
        )


# --- what holds for every board and all orders ---

texts = st.text("PLACEATKSIN MLYVplaconrdsfi0123456789:,/#.-\n\r\t\u00a0\u2028–“ſßİ٣", max_size=40)
piles = st.integers(0, 24)
boards = st.dictionaries(
    st.sampled_from(AREAS),
    st.dictionaries(st.sampled_from(NATIONS), st.builds(lambda pf: {"pf": pf}, piles), max_size=4),
)
areas, nations, numbers = st.sampled_from(AREAS), st.sampled_from(NATIONS), st.integers(1, 12)
stocks = st.lists(st.sampled_from(LIQUID_STOCKS[:6]), max_size=3).map(
    lambda named: f" STOCK {'/'.join(named)}" if named else ""
)
lines = st.one_of(
    st.builds("PLACE {} {}".format, numbers, areas),
    st.builds("ATTACK {} IN {}{}".format, nations, areas, stocks),
    st.builds("ATTACK {} IN {} MIN {}-1".format, nations, areas, st.integers(1, 5)),
    st.builds("ALLY {}".format, nations),
    st.sampled_from(["LEAVE ALLIANCE", "PASS"]),
    texts,
)
sent = st.dictionaries(nations, st.lists(lines, max_size=6).map("\n".join))
volumes = st.dictionaries(st.sampled_from(LIQUID_STOCKS[:8]), st.integers(-100, 10**7))
option_sets = st.fixed_dictionaries(
    {},
    optional={
        id: st.sampled_from(o.choosable)
        for id, o in OPTIONS.items()
        if id.startswith(("wwi.", "rng."))
        and o.kind == "choice"
        and id not in ("wwi.phasing", "rng.source")
    },
)
steps = st.sampled_from(STEPS)
pairs = st.sampled_from(
    [[], [["Britain", "France"]], [["Germany", "Russia"], ["Britain", "Austria-Hungary"]]]
)


def held(state: State, nation: str) -> int:
    """Return the number of PFs that a nation has on the board."""
    return sum(pf for (_, own), pf in state.piles.pf.items() if own == nation)


@searching
@given(boards, sent, volumes, option_sets, steps, pairs)
def test_pfs_change_only_by_placement_and_losses(
    board: dict[str, Any],
    orders: dict[str, str],
    sold: dict[str, int],
    options: dict[str, str],
    step: str,
    allied: list[list[str]],
) -> None:
    """A.2: an exchange removes equal amounts; A1: unplaced PFs go home or are lost."""
    before = state_of(board, step, options, alliances=allied)
    resolution = RULES.resolve(before, orders, sold, LIQUID_STOCKS[:8])
    after = resolution.state
    assert all(pf > 0 for pf in after.piles.pf.values())
    for event in resolution.events:
        if event["kind"] == "attack":
            mine, theirs = (
                event["losses"].get(event["nation"], 0),
                event["losses"].get(event["targets"][0], 0),
            )
            assert event["attacker"] > 0 < event["defender"]
            if event["result"] == "EX":
                assert mine == theirs == min(event["attacker"], event["defender"])
            else:
                assert (mine, theirs) == (
                    (event["attacker"], 0) if event["result"] == "AE" else (0, event["defender"])
                )
    for nation in NATIONS:
        of_nation = [event for event in resolution.events if event.get("nation") == nation]
        came = sum(event["pf"] for event in of_nation if event["kind"] in ("placed", "kept_home"))
        gone = sum(
            event["losses"].get(nation, 0)
            for event in resolution.events
            if event["kind"] == "attack"
        )
        assert held(after, nation) == held(before, nation) + came - gone
        if before.is_placing and nation in before.movers:
            lost = sum(event["pf"] for event in of_nation if event["kind"] == "forfeited")
            assert came + lost == before.allocation(nation)
        abroad = [e for e in of_nation if e["kind"] == "placed" and e["area"] != nation]
        for area in {event["area"] for event in abroad}:
            assert sum(event["pf"] for event in abroad if event["area"] == area) <= CARD["area_cap"]
        attacks = [event for event in of_nation if event["kind"] == "attack"]
        assert len(attacks) <= 1


@searching
@given(boards, sent, volumes, option_sets, steps)
def test_event_sentences_match_the_result(
    board: dict[str, Any],
    orders: dict[str, str],
    sold: dict[str, int],
    options: dict[str, str],
    step: str,
) -> None:
    """`Guide.replay`: events alone give the board; each has a sentence and a rule."""
    before = state_of(board, step, options)
    resolution = RULES.resolve(before, orders, sold, LIQUID_STOCKS[:8])
    states = RULES.guide.replay(before, resolution.events)
    assert (states[-1] if states else before).piles == resolution.state.piles
    for event in resolution.events:
        assert event["rule"]
        assert event["message"].endswith(".")
        assert RULES.speech.event(event, {}).endswith(".")
    assert len(RULES.guide.risks(before, resolution.events)) == len(resolution.events)


@searching
@given(boards, option_sets, pairs)
def test_treaties_need_ten_pfs_and_britains_bonus_is_scored_last(
    board: dict[str, Any], options: dict[str, str], allied: list[list[str]]
) -> None:
    """A.2, A.3: no treaty at home; Britain's ten points depend on the others' totals."""
    state = state_of(board, "attacks", options, alliances=allied)
    cells = RULES.board(state).cells
    for area, here in cells.items():
        for nation, cell in here.items():
            assert cell.treaty == (cell.pf >= 10 and CARD["home"][nation] != area)
    scores = scoring.scores(state)
    british = sum(
        objective.points
        for objective in RULES.guide.nation_facts(state, "Britain").objectives
        if objective.reached and objective.kind in ("treaty", "exclusive_treaty")
    )
    if options.get("wwi.britain_test", "final") == "final":
        above = max(points for nation, points in scores.items() if nation != "Britain")
        assert scores["Britain"] - british == (10 if above <= 12 else 0)
    for nation in NATIONS:
        assert (
            sum(
                objective.points
                for objective in RULES.guide.nation_facts(state, nation).objectives
                if objective.reached
            )
            == scores[nation]
        )
    order = list(reversed(NATIONS))
    reordered = RULES.situation(
        {"turn": 2, "phase": "attacks", "board": board}, {**CARD, "order": order}, state.options
    )
    assert scoring.scores(reordered) == scores, "no score depends on the order of the nations"


@searching
@given(boards, steps, option_sets, pairs, st.data())
def test_every_offered_line_is_accepted(
    board: dict[str, Any],
    step: str,
    options: dict[str, str],
    allied: list[list[str]],
    data: st.DataObject,
) -> None:
    """Design 3, `choices`: no offered line is refused, and pointing writes the same line."""
    state = state_of(board, step, options, alliances=allied)
    for nation in NATIONS:
        for choice in RULES.planner.choices(state, nation):
            number = data.draw(st.integers(1, choice.most)) if choice.most else 1
            named = [data.draw(st.sampled_from(choice.nations))] if choice.nations else []
            line = choice.line(number, named, ["GE", "F"] if choice.stock else [])
            reading = RULES.read(line, nation, state)
            assert len(reading.orders) == 1, (line, reading.remarks)
            stocks_named = ("GE", "F") if choice.stock else ()
            ordered = PlannedOrder(
                choice.verb, choice.area, number if choice.most else 0, tuple(named), stocks_named
            )
            written = RULES.planner.revise(state, nation, "", ordered)
            assert written == reading.understood[0][1] + "\n"
            again = RULES.planner.plan(state, nation, written).ordered[0]
            assert (again.verb, again.area, again.nations, again.stocks) == (
                ordered.verb,
                ordered.area,
                ordered.nations,
                ordered.stocks,
            )
            assert not RULES.planner.revise(state, nation, written, ordered, drop=True).strip()


@searching
@given(boards, steps, option_sets, texts)
def test_bot_orders_are_never_refused(
    board: dict[str, Any], step: str, options: dict[str, str], salt: str
) -> None:
    """The orders depend only on the salt and the view of the nation."""
    state = state_of(board, step, options)
    for nation in NATIONS:
        text = RULES.bot.orders(state, nation, salt)
        assert text == RULES.bot.orders(RULES.view(state, nation), nation, salt)
        reading = RULES.read(text, nation, state)
        assert not [
            remark
            for remark in reading.remarks
            if remark.severity == "error" or remark.code in ("second_attack", "more_than_left")
        ]


@searching
@given(boards, sent, steps, option_sets, pairs)
def test_position_round_trips_through_json(
    board: dict[str, Any],
    orders: dict[str, str],
    step: str,
    options: dict[str, str],
    allied: list[list[str]],
) -> None:
    """Card, options and position restore the state before and after a phase."""
    before = state_of(board, step, options, alliances=allied)
    for state in (before, RULES.resolve(before, RULES.in_force(before, orders), {}, []).state):
        stored = json.loads(json.dumps([CARD, state.options, RULES.dump(state)]))
        assert RULES.load(*stored) == state
        for text in (to_text(state.piles), repr(state.piles)):
            assert piles_from_text(text) == state.piles


def test_nation_is_told_to_make_no_offer_where_all_others_are_allied() -> None:
    """A.5: with three players two alliances stand from the start, and never end."""
    pairs = {"wwi.premade": "Britain+France, Germany+Austria-Hungary"}
    state = RULES.setup(CARD, pairs, NATIONS)
    told = RULES.planner.brief(state, "Russia")
    assert told[-1] == "Russia is in no alliance, and all other nations are in one."
    warned = RULES.read("ALLY Britain", "Russia", state).remarks[-1]
    assert warned.message == "“ALLY Britain” has no effect: Britain is allied with France for good."


@pytest.mark.parametrize("secrecy", ["public", "until_end"])
def test_report_repeats_an_offer_only_to_a_nation_that_has_no_ally(secrecy: str) -> None:
    """A9: “only if France names Britain too” is answered where France did."""
    chosen = validate({"wwi.alliance_secrecy": secrecy})
    state = RULES.situation({"turn": 2, "phase": "attacks", "board": {}}, CARD, chosen)
    orders = {"Britain": "ALLY France", "France": "ALLY Britain", "Russia": "ALLY Germany"}
    told = RULES.resolve(state, orders, {}, ()).remarks
    codes = {nation: [remark.code for remark in told.get(nation, ())] for nation in NATIONS}
    assert "offer" not in codes["Britain"] + codes["France"]
    assert codes["Russia"] == ["offer"]


@searching
@given(boards, sent, sent, steps, option_sets)
def test_view_hides_offers_earlier_orders_and_secret_alliances(
    board: dict[str, Any],
    first: dict[str, str],
    second: dict[str, str],
    step: str,
    options: dict[str, str],
) -> None:
    """A8, design 8: secret dealings of two nations change no other view."""
    chosen = {**options, "wwi.alliance_secrecy": "until_end", "wwi.nmr": "repeat_last"}
    outputs = []
    for secret in (first, second):
        state = state_of(board, step, chosen)
        secret_orders = {
            nation: _private(secret.get(nation, "")) for nation in ("Britain", "France")
        }
        resolution = RULES.resolve(state, secret_orders, {}, [])
        after = resolution.state
        shown: list[Any] = [
            RULES.dump(RULES.view(after, None)),
            RULES.dump(RULES.view(after, "Russia")),
            list(resolution.events),
        ]
        shown += [
            RULES.planner.brief(after, "Russia"),
            RULES.planner.choices(after, "Russia"),
            RULES.read("ALLY France\nALLY Britain", "Russia", after),
        ]
        outputs.append(shown)
    assert outputs[0] == outputs[1]


def _private(text: str) -> str:
    """Return only the alliance lines after a PASS; placements and attacks are public."""
    return "\n".join(
        ["PASS", *(line for line in text.splitlines() if line.startswith(("ALLY", "LEAVE")))]
    )


@searching
@given(texts, nations, steps)
def test_any_text_is_read_or_refused(text: str, nation: str, step: str) -> None:
    """Contract 3: any text is read or refused without a crash."""
    state = state_of({}, step)
    reading = RULES.read(text, nation, state)
    assert all(remark.message.endswith((".", "”", "?")) for remark in reading.remarks)
    assert len(RULES.speech.orders(state, nation, text, {})) == len(reading.orders)
    RULES.planner.plan(state, nation, text)
    RULES.merge(text, text, nation, state)


# --- whole games, and what the contract of a ruleset asks beside ---


@pytest.mark.parametrize(
    ("phasing", "phases"), [("two_phase", 20), ("one_deadline", 10), ("sequential", 50)]
)
def test_game_of_bots_ends_with_winners(phasing: str, phases: int) -> None:
    """A.8: 20, 10 or 50 deadlines; play by text and by value ends the same."""
    options = {"wwi.phasing": phasing}
    state = other = RULES.setup(CARD, options, NATIONS)
    sold = {stock: 100 * place for place, stock in enumerate(LIQUID_STOCKS, start=1)}
    played = 0
    while (phase := RULES.phase(state)) is not None:
        played += 1
        assert RULES.facts(phase, options).title.startswith(f"Turn {phase.turn}, ")
        assert not RULES.facts(phase, {}).idle
        orders = {
            nation: "\n".join(_stockless(RULES.bot.orders(state, nation, "salt")))
            for nation in RULES.acting_nations(state)
        }
        by_text, by_value = (
            RULES.resolve(state, RULES.in_force(state, orders), sold, LIQUID_STOCKS),
            RULES.bot.play(other, "salt", sold, LIQUID_STOCKS),
        )
        assert by_text.events == by_value.events
        state, other = by_text.state, by_value.state
        assert other == state
    assert played == phases
    assert RULES.standing(state).winners


def _stockless(text: str) -> list[str]:
    """Return the lines of these orders without their stocks."""
    return [
        line.split(" STOCK")[0] + (" MIN" + line.split(" MIN")[1] if " MIN" in line else "")
        for line in text.split("\n")
    ]


def test_phase_facts_name_dice_and_acting_nations() -> None:
    """A.8, and what pages and letters ask of a ruleset."""
    placement, attacks = state_of({}, "placement"), state_of({}, "attacks")
    assert [RULES.facts(PhaseId(2, kind), {}).draws for kind in STEPS] == [False, True, True, True]
    assert RULES.acting_nations(placement) == RULES.acting_nations(attacks) == NATIONS
    assert RULES.acting_nations(state_of({}, "turn-germany")) == ("Germany",)
    titles = [RULES.facts(PhaseId(2, kind), {}).title for kind in (*STEPS, "turn-austria-hungary")]
    assert titles == [
        "Turn 2, placement",
        "Turn 2, attacks",
        "Turn 2, placement and attacks",
        "Turn 2, Germany",
        "Turn 2, Austria-Hungary",
    ]


def test_brief_tells_a_nation_its_situation() -> None:
    """Also, each nation is shown how to name another one."""
    for nation in NATIONS:
        sentences = " ".join(RULES.planner.brief(state_of({}, "placement"), nation))
        assert f"{nation} has {CARD['allocation'][nation][0]} PFs to place" in sentences
        named = "Britain" if nation != "Britain" else "France"
        assert (
            f"“ALLY {named}” offers one to {named}; it is made if {named} names {nation} too"
            in sentences
        )
    board = piled({"Italy": {"France": 12, "Russia": 3}, "Africa": {"France": 3}})
    sentences = " ".join(
        RULES.planner.brief(state_of(board, alliances=[["France", "Russia"]]), "France")
    )
    assert "It shares Italy with others." in sentences
    assert "treaty rights in Italy." in sentences
    assert "France is allied with Russia." in sentences
    assert RULES.planner.brief(state_of({}, "turn-germany"), "France") == ("It is Germany's turn.",)


def test_orders_and_results_are_spoken_in_words() -> None:
    """Issue 5, the telephone: full words, stocks by name and letters."""
    state = state_of(piled({"Far East": {"France": 12, "Russia": 5}}), "orders")
    text = "PLACE 3 Far East\nATTACK Russia IN Far East STOCK GE/F MIN 3-1\nALLY Britain\nPASS"
    assert [
        sentence
        for _, sentence in RULES.speech.orders(state, "France", text, {"GE": "General Electric"})
    ] == [
        "Three to the Far East.",
        (
            "France attacks Russia in the Far East, three to one, General Electric, G E; or then F;"
            " only at three to one or better."
        ),
        "France would be allied with Britain.",
        "No orders, on purpose.",
    ]
    told = RULES.resolve(state, {"France": text}, {"GE": 700, "F": 500}, []).events
    assert [
        RULES.speech.event(event, {"GE": "General Electric"})
        for event in told
        if event.get("nation") == "France"
    ] == [
        "France places three in the Far East.",
        "Nine of France go home.",
        (
            "France attacks Russia in the Far East, fifteen against five, three to one. F gives a"
            " die of five: defender eliminated. Russia loses five."
        ),
    ]


def test_orders_with_secrets_are_kept_until_revealed() -> None:
    """A8: secret alliances stay until the end; an offer until the nation's next turn."""
    phase = PhaseId(3, "turn-france")
    assert RULES.facts(PhaseId(3, "attacks"), validate({})).kept_until is None
    assert (
        RULES.facts(
            PhaseId(3, "attacks"), validate({"wwi.alliance_secrecy": "until_end"})
        ).kept_until
        == THE_END
    )
    assert RULES.facts(phase, validate({"wwi.phasing": "sequential"})).kept_until == PhaseId(
        4, "turn-france"
    )


def test_silent_nation_repeats_its_last_placement_if_chosen() -> None:
    """A13, wwi.nmr = repeat_last: never an attack; a pass is repeated."""
    options = {"wwi.nmr": "repeat_last", "wwi.phasing": "one_deadline"}
    state = RULES.setup(CARD, options, NATIONS)
    assert RULES.in_force(state, {}) == {}
    orders = {
        "Germany": (
            "place 4 ser\nPLACE 5 Italy # hold\nATTACK Russia IN Serbia STOCK GE\nALLY Russia"
        ),
        "Russia": "PASS",
    }
    state = RULES.resolve(state, orders, {}, []).state
    assert RULES.in_force(state, {}) == {
        "Germany": "PLACE 4 Serbia\nPLACE 5 Italy",
        "Russia": "PASS",
    }
    assert RULES.in_force(state, {"Germany": "PASS"})["Germany"] == "PASS"
    again = RULES.resolve(state, RULES.in_force(state, {}), {}, []).state
    assert again.piles.pf_at("Serbia", "Germany") == 8


def test_merged_orders_replace_lines_on_the_same_subject() -> None:
    """orders.amend = merge_lines: one attack, or alternatives in parallel (A.8)."""
    state = state_of({}, "attacks")
    earlier = "ATTACK Russia IN Serbia STOCK GE\nALLY France # soon"
    assert (
        RULES.merge(earlier, "ATTACK France IN Italy", "Germany", state)
        == "ALLY France # soon\nATTACK France IN Italy"
    )
    blind = state_of({}, "orders")
    assert RULES.merge(earlier, "ATTACK France IN Italy", "Germany", blind).count("ATTACK") == 2
    assert RULES.merge(earlier, "PASS", "Germany", state) == "PASS"


def test_every_nation_needs_a_player_who_may_have_two() -> None:
    """A.5: all five nations are seats; two nations of one player start as allies."""
    with pytest.raises(RulesError, match="Russia has none"):
        RULES.setup(CARD, {}, [nation for nation in NATIONS if nation != "Russia"])
    state = RULES.setup(CARD, {"wwi.premade": "Russia+Germany,Britain + France"}, NATIONS)
    assert (
        state.alliances
        == (("Britain", "France"), ("Germany", "Russia"))
        == RULES.board(state).alliances
    )
    with pytest.raises(RulesError, match=r"wwi\.premade"):
        RULES.setup(CARD, {"wwi.premade": "Russia+Germany, Russia+France"}, NATIONS)


def test_impossible_position_rulings_are_refused() -> None:
    """Rulings change piles, points and alliances; this game has no counters."""
    state = state_of(piled({"Italy": {"France": 12}}))
    edited = RULES.editor.edit(state, {"Italy": {"France": Cell(9), "Russia": Cell(3)}})
    assert to_text(edited.piles) == "Italy: France 9, Russia 3"
    assert scoring.scores(RULES.editor.adjust(edited, "Russia", 2))["Russia"] == 2
    allied = RULES.editor.ally(state, "Russia", "France", True)
    assert allied.alliances == (("France", "Russia"),)
    assert RULES.editor.ally(allied, "France", "Russia", False).alliances == ()
    premade = RULES.setup(CARD, {"wwi.premade": "Britain+France"}, NATIONS)
    refused: list[tuple[str, Callable[[], object]]] = [
        ("no counters", lambda: RULES.editor.edit(state, {"Italy": {"France": Cell(9, True)}})),
        ("no area", lambda: RULES.editor.edit(state, {"Poland": {"France": Cell(9)}})),
        ("no nation", lambda: RULES.editor.edit(state, {"Italy": {"USA": Cell(9)}})),
        ("number from 0", lambda: RULES.editor.edit(state, {"Italy": {"France": Cell(1000)}})),
        ("no nation", lambda: RULES.editor.adjust(state, "USA", 1)),
        (
            "already allied with France",
            lambda: RULES.editor.ally(allied, "Germany", "Russia", True),
        ),
        ("not allied", lambda: RULES.editor.ally(state, "Germany", "Russia", False)),
        ("with itself", lambda: RULES.editor.ally(state, "Germany", "Germany", True)),
        ("cannot end", lambda: RULES.editor.ally(premade, "Britain", "France", False)),
    ]
    for fault, doing in refused:
        with pytest.raises(RulesError, match=fault):
            doing()


def test_ruled_result_uses_no_die_and_may_be_void() -> None:
    """`results` is keyed by nation and line; other attacks keep their dice."""
    state = state_of(
        piled({"Italy": {"Britain": 8, "France": 4}, "Africa": {"France": 9, "Germany": 3}})
    )
    orders = {"Britain": "ATTACK France IN Italy", "France": "ATTACK Germany IN Africa"}
    ruled = RULES.resolve(
        state, orders, {"AA": 100, "BA": 600}, ["AA", "BA"], {("Britain", 1): "DE"}
    )
    assert [(e["kind"], e["result"], e.get("ruled"), e["stock"]) for e in ruled.events] == [
        ("attack", "DE", True, "AA"), ("attack", "DE", None, "BA"),
    ]  # fmt: skip
    void = RULES.resolve(
        state, orders, {"AA": 100, "BA": 600}, ["AA", "BA"], {("Britain", 1): "void"}
    )
    assert [(e["kind"], e.get("reason", e.get("stock"))) for e in void.events] == [
        ("void", "ruled"),
        ("attack", "BA"),
    ]
    assert "By a ruling" in RULES.speech.event(ruled.events[0], {})


def test_every_option_has_a_case() -> None:
    """Issue 8: each option at each value stands in at least one case or test."""
    from tests.rules.test_cases import HERE

    text = (
        "\n".join(path.read_text() for path in HERE.glob("origins_ww1*.txt"))
        + (HERE.parent / "test_origins_ww1.py").read_text()
    )
    for option in OPTIONS.values():
        if (
            option.id.startswith("wwi.")
            and option.values
            and option.id not in ("wwi.seating", "wwi.pairing")
        ):  # those are the desk's
            for value in option.values[1:]:
                assert (
                    f"{option.id}={value}" in text
                    or f'"{option.id}": "{value}"' in text
                    or f"{option.id} = {value}" in text
                ), (
                    option.id,
                    value,
                )


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"area_cap": None}, "area_cap: is missing"),
        ({"area_cap": 0}, "area_cap: must be a whole number of 1 or more"),
        ({"treaty_at": None}, "treaty_at: is missing"),
        (
            {"no_understanding_broken_by": "understanding"},
            "no_understanding_broken_by: unknown key",
        ),
        (
            {"order": ["War in Exile", "France"]},
            "order[0]: “War in Exile” must not contain the word IN",
        ),
        (
            {"objectives": {"Britain": {"Italy": {"control": 3}}}},
            "objectives.Britain.Italy.control: unknown kind",
        ),
        (
            {"objectives": {"Britain": {"Britain": {"treaty": 3}}}},
            "objectives.Britain.Britain: Britain can have no treaty rights",
        ),
        (
            {"bonus": {"Britain": {"points": 3}}},
            "bonus.Britain: must have either no_other_above (a number) or no_treaties (a nation)",
        ),
        ({"bonus": {"Britain": {"no_treaties": "France"}}}, "bonus.Britain.points: is missing"),
        (
            {"bonus": {"Britain": {"points": 3, "no_treaties": "Italy"}}},
            "bonus.Britain.no_treaties: there is no nation “Italy”",
        ),
        ({"bonus": {"Britain": {"points": 3, "most": 3}}}, "bonus.Britain.most: unknown key"),
        (
            {
                "bonus": {
                    nation: {"points": 3, "no_other_above": 9} for nation in ("Britain", "France")
                }
            },
            "bonus: only one nation may have",
        ),
        (
            {"bonus": {"Italy": {"points": 3, "no_other_above": 9}}},
            "bonus.Italy: there is no nation “Italy”",
        ),
        ({"game": "origins-ww2"}, "game: "),
    ],
)
def test_card_fault_names_its_key(change: dict[str, Any], fault: str) -> None:
    """Contract 2: `checkcard` names file, key and fault."""
    tree = {key: value for key, value in {**CARD, **change}.items() if value is not None}
    with pytest.raises(cards.CardError) as raised:
        RULES.check_card(tree)
    assert str(raised.value).startswith(fault)


def test_bots_play_for_their_objectives() -> None:
    """In `simulate` every nation scores, in every phasing and with two nations a player."""
    for options in (
        {},
        {"wwi.phasing": "one_deadline", "wwi.premade": "Russia+France"},
        {"wwi.phasing": "sequential"},
    ):
        report = simulate(CARD, 12, "a few", options)
        assert [line.nation for line in report.lines] == list(NATIONS)
        assert all(2 <= line.mean <= 16 for line in report.lines), report
        assert sum(line.wins for line in report.lines) == pytest.approx(1)
    allied = RULES.setup(CARD, {"wwi.premade": "Germany+Russia"}, NATIONS)
    state = RULES.situation(
        {
            "turn": 5,
            "phase": "attacks",
            "board": piled({"Russia": {"Germany": 12, "Russia": 30}}),
            "alliances": [["Germany", "Russia"]],
        },
        CARD,
        allied.options,
    )
    assert RULES.bot.orders(state, "Russia", "salt") == "PASS", "no program attacks its ally"


def test_card_matches_the_printed_scenario() -> None:
    """A.1: ceilings of the objectives, and 62 PFs a turn."""
    card = card_of(CARD)
    assert sum(card.allocation[nation][0] for nation in NATIONS) == 62
    best = {nation: sum(line.points for line in card.lines[nation]) for nation in NATIONS}
    assert best == {"Britain": 10, "France": 11, "Germany": 11, "Russia": 18, "Austria-Hungary": 18}
    assert ruleset("origins-ww1").title == card.title
    assert [nation for nation, lines in RULES.guide.charts(state_of({})) if lines] == list(NATIONS)
    assert OVER not in STEPS
