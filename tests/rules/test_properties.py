"""Check properties of every board and all orders of Origins of World War II."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.rules import Cell, cards
from games.rules.options import LIQUID_STOCKS, OPTIONS, validate
from games.rules.origins_ww2.attacks import cell_after_loss
from games.rules.origins_ww2.ruleset import OriginsWW2
from games.rules.origins_ww2.state import Pieces, State, own_step, strength, to_text
from tests.support.board_text import pieces_from_text

RULES = OriginsWW2()
CARD = cards.load("origins-ww2", "historical")
# Few areas, homes among them, so that nations meet and Understandings protect.
AREAS = ("Poland", "Germany", "Russia", "Rumania", "Baltic States", "Alsace-Lorraine", "USA")
NATIONS = tuple(CARD["order"])

# A busy machine is no fault of the rules: no example is failed for its time.
searching = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Letters of the order language, its marks, and what mail programs put in their places.
texts = st.text("PLACEATKSHROM plconrdsfi0123456789:,/#.-\n\r\t\u00a0\u2028–“ſßİ٣", max_size=40)

cells = st.builds(
    lambda pf, u: {"pf": pf, "understanding": u, "control": False},
    st.integers(0, 12),
    st.booleans(),
)


@st.composite
def boards(draw: st.DrawFn) -> dict[str, Any]:
    """Draw boards that can occur: CONTROL stands alone in its area."""
    board: dict[str, Any] = {}
    for area in AREAS:
        if draw(st.integers(0, 9)) == 0:
            board[area] = {draw(st.sampled_from(NATIONS)): {"control": True}}
        else:
            board[area] = draw(st.dictionaries(st.sampled_from(NATIONS), cells, max_size=4))
    return board


areas, nations, numbers = st.sampled_from(AREAS), st.sampled_from(NATIONS), st.integers(1, 12)
some_nations = st.lists(nations, min_size=1, max_size=3).map(", ".join)
stocks = st.lists(st.sampled_from(LIQUID_STOCKS[:6]), max_size=3).map(
    lambda named: f" STOCK {'/'.join(named)}" if named else ""
)
endings = st.one_of(
    st.just(""), some_nations.map(" ELSE {}".format), st.integers(1, 5).map(" MIN {}-1".format)
)
placement_lines = st.one_of(
    st.builds("PLACE {} {}".format, numbers, areas),
    st.builds("FROM HOME {} {}".format, numbers, areas),
    st.just("PASS"),
)
attack_lines = st.one_of(
    st.builds("ATTACK {}: {}{}{}".format, areas, some_nations, stocks, endings),
    st.builds("UNDERSTANDING {}".format, areas),
    st.builds("CONTROL {}".format, areas),
    st.builds("SHARE {} WITH {}".format, areas, nations),
    st.just("STANDING UNDERSTANDING ALL"),
    texts,
)
volumes = st.dictionaries(st.sampled_from(LIQUID_STOCKS[:8]), st.integers(-100, 10**7))
option_sets = st.fixed_dictionaries(
    {},
    optional={
        id: st.sampled_from(o.choosable)
        for id, o in OPTIONS.items()
        if id.startswith(("ow2.", "rng.")) and o.kind == "choice"
    },
)


def orders(lines: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, str]]:
    """Return a strategy for orders of some nations made of these lines."""
    return st.dictionaries(nations, st.lists(lines, max_size=6).map("\n".join))


battles = st.sampled_from(["attacks", "counters"])
phases = st.sampled_from(["placement", "attacks", "counters"])


def state_of(
    board: dict[str, Any], phase: str, options: dict[str, str], mover: str = "Germany"
) -> State:
    """Return a situation of turn 2.

    Counters have a phase of their own only where one nation attacks after the other, and the
    phase of attacks is then that of `mover`; else attacks and counters are one phase.
    """
    if phase != "placement":
        sequential = options.get("ow2.attacks") == "sequential"
        step = own_step("attacks", mover) if phase == "attacks" else phase
        phase = step if sequential else "attacks"
    return RULES.situation({"turn": 2, "phase": phase, "board": board}, CARD, validate(options))


def worth(pieces: Pieces, nation: str) -> int:
    """Count the PFs of a nation, with 5 for an Understanding and 0 for CONTROL."""
    return sum(strength(cell) for _, own, cell in pieces if own == nation)


@searching
@given(boards(), orders(placement_lines), option_sets)
def test_placement_loses_only_forfeited_pfs(
    board: dict[str, Any], sent: dict[str, str], options: dict[str, str]
) -> None:
    """P5, P8: an event tells every forfeited PF."""
    # Of PFs that lie face down nothing may be told, not even that they are forfeited:
    # tests/rules/test_face_down.py has those.
    before = state_of(board, "placement", {**options, "ow2.hidden": "off"})
    resolution = RULES.resolve(before, sent, {}, [])
    for nation in NATIONS if before.mover is None else [before.mover]:
        forfeited = sum(
            event["pf"]
            for event in resolution.events
            if event["kind"] == "forfeited" and event["nation"] == nation
        )
        expected = worth(before.pieces, nation) + before.allocation(nation) - forfeited
        assert worth(resolution.state.pieces, nation) == expected
    assert all(cell.pf >= 0 for _, _, cell in resolution.state.pieces)


@searching
@given(boards(), battles, orders(attack_lines), volumes, option_sets)
def test_attack_losses_match_the_events(
    board: dict[str, Any],
    phase: str,
    sent: dict[str, str],
    sold: dict[str, int],
    options: dict[str, str],
) -> None:
    """K10-K12, K17, T1, T2: losses and CONTROL remove PFs; CONTROL stays for good."""
    before = state_of(board, phase, options)
    resolution = RULES.resolve(before, sent, sold, LIQUID_STOCKS[:8])
    pieces = resolution.state.pieces
    assert all(cell.pf >= 0 for _, _, cell in pieces)
    controlled = {(e["nation"], e["area"]) for e in resolution.events if e["kind"] == "control"}
    controlled |= {
        (nation, e["area"])
        for e in resolution.events
        if e["kind"] == "shared_control"
        for nation in e["nations"]
    }
    for area in CARD["areas"]:
        for nation in NATIONS:
            lost = sum(
                event.get("losses", {}).get(nation, 0)
                for event in resolution.events
                if event.get("area") == area
            )
            left = before.pieces.strength(area, nation) - lost
            after = pieces.cell_at(area, nation)
            if (nation, area) in controlled:
                assert after == Cell(control=True)
                assert left >= 5
            else:
                assert strength(after) == left
                assert after.control == before.pieces.cell_at(area, nation).control


@searching
@given(boards(), battles, orders(attack_lines), volumes, option_sets)
def test_void_attack_changes_and_draws_nothing(
    board: dict[str, Any],
    phase: str,
    sent: dict[str, str],
    sold: dict[str, int],
    options: dict[str, str],
) -> None:
    """D2, K4, K5: only attacks that are made use figures."""
    resolution = RULES.resolve(state_of(board, phase, options), sent, sold, LIQUID_STOCKS[:8])
    for event in resolution.events:
        if event["kind"] == "void":
            assert not {"stock", "volume", "digit"} & set(event)
            removed = (
                options.get("ow2.sub_1_1") == "attacker_removed"
                or options.get("ow2.hidden") == "face_down"
            )  # K4, F9
            assert "losses" not in event or (event["reason"] == "below_1_1" and removed)
        if event["kind"] == "attack":
            assert event["volume"] == sold[event["stock"]] > 0
    without_digits = RULES.resolve(state_of(board, "attacks", {}), sent, {}, [])
    assert not [
        event for event in without_digits.events if event["kind"] == "attack" or event.get("losses")
    ]


@searching
@given(boards(), battles, orders(attack_lines), volumes, option_sets)
def test_key_order_does_not_change_the_resolution(
    board: dict[str, Any],
    phase: str,
    sent: dict[str, str],
    sold: dict[str, int],
    options: dict[str, str],
) -> None:
    """The same situation in another key order resolves to the same JSON."""

    def backwards(tree: Any) -> Any:
        return (
            {key: backwards(tree[key]) for key in reversed(tree)}
            if isinstance(tree, dict)
            else tree
        )

    before = state_of(board, phase, options)
    other = state_of(backwards(board), phase, backwards(options))
    answer = RULES.answer(before, RULES.resolve(before, sent, sold, LIQUID_STOCKS[:8]))
    reversed_answer = RULES.answer(
        other, RULES.resolve(other, backwards(sent), backwards(sold), LIQUID_STOCKS[:8])
    )
    assert json.dumps(answer) == json.dumps(reversed_answer)


@searching
@given(boards(), phases, option_sets, st.data())
def test_every_offered_line_is_accepted(
    board: dict[str, Any], phase: str, options: dict[str, str], data: st.DataObject
) -> None:
    """Design 3, `choices`: no line that a form can make of an offer is refused."""
    state = state_of(board, phase, options)
    for nation in NATIONS:
        for choice in RULES.planner.choices(state, nation):
            number = data.draw(st.integers(1, choice.most)) if choice.most else 1
            named = (
                data.draw(st.lists(st.sampled_from(choice.nations), max_size=3))
                if choice.nations
                else []
            )
            line = choice.line(number, named, ["GE", "F"] if choice.stock else [])
            reading = RULES.read(line, nation, state)
            assert len(reading.orders) == 1, (line, reading.remarks)
            assert reading.understood[0][0] == 1


@searching
@given(boards(), phases, option_sets, texts)
def test_bot_orders_are_never_refused(
    board: dict[str, Any], phase: str, options: dict[str, str], salt: str
) -> None:
    """The orders repeat for the same salt and name no stock twice."""
    state = state_of(board, phase, options)
    for nation in NATIONS:
        text = RULES.bot.orders(state, nation, salt)
        assert text == RULES.bot.orders(state, nation, salt)
        reading = RULES.read(text, nation, state)
        assert not [
            remark
            for remark in reading.remarks
            if remark.severity == "error" or remark.code == "same_stock"
        ]


@searching
@given(
    boards(),
    orders(st.one_of(placement_lines, attack_lines)),
    phases,
    option_sets,
)
def test_position_round_trips_through_json(
    board: dict[str, Any], sent: dict[str, str], phase: str, options: dict[str, str]
) -> None:
    """Card, options and position restore the state before and after a phase."""
    before = state_of(board, phase, options)
    for state in (before, RULES.resolve(before, RULES.in_force(before, sent), {}, []).state):
        stored = json.loads(json.dumps([CARD, state.options, RULES.dump(state)]))
        assert RULES.load(*stored) == state


@searching
@given(boards())
def test_board_round_trips_through_text(board: dict[str, Any]) -> None:
    """Style 3: the board's text form round-trips."""
    pieces = state_of(board, "attacks", {}).pieces
    assert pieces_from_text(to_text(pieces)) == pieces == pieces_from_text(repr(pieces))


@searching
@given(texts, nations, st.sampled_from(["placement", "attacks"]))
def test_any_text_is_read_or_refused(text: str, nation: str, phase: str) -> None:
    """Contract 3: any text is read or refused without a crash."""
    reading = RULES.read(text, nation, state_of({}, phase, {}))
    assert all(remark.message.endswith((".", "”", "?")) for remark in reading.remarks)


@searching
@given(st.integers(0, 30), st.booleans(), st.booleans(), st.integers(0, 35))
def test_partial_loss_takes_the_stated_strength(
    pf: int, understanding: bool, u_first: bool, lost: int
) -> None:
    """K17, ow2.u_loss: no counter stays on a pile of less than 5."""
    cell = Cell(pf, understanding)
    lost = min(lost, strength(cell))
    after = cell_after_loss(cell, lost, u_first)
    assert strength(after) == strength(cell) - lost
    assert after.understanding <= understanding
    assert after.understanding == (
        understanding and strength(after) >= 5 and not (u_first and lost > 0)
    )


def test_game_of_bots_ends_with_winners() -> None:
    """C.1: six turns of two phases; a second run ends the same."""

    def play() -> tuple[list[str], Any]:
        state = RULES.setup(CARD, {}, NATIONS)
        titles = []
        while (phase := RULES.phase(state)) is not None:
            titles.append(RULES.facts(phase, state.options).title)
            sent = {
                nation: RULES.bot.orders(state, nation, "salt")
                for nation in RULES.acting_nations(state)
            }
            sold = {stock: 100 * place for place, stock in enumerate(LIQUID_STOCKS, start=1)}
            state = RULES.resolve(state, RULES.in_force(state, sent), sold, LIQUID_STOCKS).state
        return titles, state

    titles, state = play()
    assert titles[0] == "Turn 1, placement"
    assert titles[-1] == "Turn 6, attacks"
    assert len(titles) == 12
    assert RULES.standing(state).winners
    assert play()[1] == state


@pytest.mark.parametrize(
    ("options", "memory", "sent", "text"),
    [
        ({}, ("Russia",), {}, "STANDING UNDERSTANDING ALL"),
        ({}, ("Russia",), {"Russia": "# later"}, "STANDING UNDERSTANDING ALL"),
        (
            {},
            ("Russia",),
            {"Russia": "CONTROL Poland\n"},
            "CONTROL Poland\nSTANDING UNDERSTANDING ALL",
        ),
        ({}, ("Russia",), {"Russia": "standing understanding all"}, "standing understanding all"),
        ({"orders.standing": "no"}, ("Russia",), {}, None),
        (
            {"ow2.auto_counters": "understanding_when_possible"},
            (),
            {},
            "STANDING UNDERSTANDING ALL # ow2.auto_counters",
        ),
        ({"ow2.auto_counters": "understanding_when_possible"}, (), {"Russia": "PASS"}, "PASS"),
        ({}, (), {}, None),
    ],
)
def test_standing_wishes_join_the_orders_in_force(
    options: dict[str, str], memory: tuple[str, ...], sent: dict[str, str], text: str | None
) -> None:
    """K19, T13, orders.standing."""
    position = {**RULES.dump(state_of({}, "attacks", options)), "standing": list(memory)}
    state = RULES.load(CARD, options, position)
    assert RULES.in_force(state, sent).get("Russia") == text
    kept = RULES.resolve(state, RULES.in_force(state, sent), {}, []).state.memory.standing
    assert kept == (memory if options.get("orders.standing") != "no" else ())


def test_silent_nation_repeats_its_last_placement_if_chosen() -> None:
    """P9, ow2.nmr_placement = repeat_last: home first, then the last orders sent."""
    options = {"ow2.nmr_placement": "repeat_last"}
    state = RULES.setup(CARD, options, NATIONS)
    assert RULES.in_force(state, {}) == {}
    state = RULES.resolve(state, {"Germany": "place 4 pol\nPLACE 6 Austria # hold"}, {}, []).state
    state = RULES.resolve(state, {}, {}, []).state
    assert RULES.in_force(state, {}) == {"Germany": "PLACE 4 Poland\nPLACE 6 Austria"}


def test_merged_orders_replace_lines_on_the_same_subject() -> None:
    """orders.amend = merge_lines."""
    state = state_of({}, "attacks", {})
    earlier = "ATTACK Poland: Russia STOCK GE\nCONTROL Poland # mine\nPASS"
    assert (
        RULES.merge(earlier, "ATTACK pol: France", "Germany", state)
        == "CONTROL Poland # mine\nATTACK pol: France"
    )
    assert RULES.merge(earlier, "PASS", "Germany", state) == "PASS"
    assert RULES.merge(earlier, "# nothing", "Germany", state) == earlier


def test_ordered_placement_asks_one_nation_at_a_time() -> None:
    """P1, ow2.placement = ordered: five deadlines, each judged separately."""
    state = RULES.setup(CARD, {"ow2.placement": "ordered"}, NATIONS)
    phases_seen = []
    while (phase := RULES.phase(state)) is not None and phase.turn == 1:
        phases_seen.append(
            (
                phase.kind,
                RULES.acting_nations(state),
                RULES.facts(phase, {"ow2.show_year": "yes"}).title,
            )
        )
        state = RULES.resolve(state, {}, {}, []).state
    assert phases_seen[0] == ("placement-usa", ("USA",), "Turn 1 (1933), placement of USA")
    assert [kind for kind, _, _ in phases_seen] == [
        f"placement-{nation.lower()}" for nation in NATIONS
    ] + ["attacks"]
    assert worth(state.pieces, "Germany") == 10


def test_view_hides_other_nations_memory_and_hidden_scores() -> None:
    """Design 8: memory is the nation's own; running scores may be hidden by option."""
    position = {
        **RULES.dump(state_of({}, "attacks", {})),
        "standing": ["Russia"],
        "placed": {"Russia": "PASS", "USA": "PASS"},
    }
    state = RULES.load(CARD, {"ow2.running_score": "hidden"}, position)
    assert RULES.dump(RULES.view(state, None))["placed"] == {}
    assert RULES.view(state, "Russia").memory.placed == {"Russia": "PASS"}
    assert RULES.view(state, "USA").memory.standing == ()
    assert RULES.standing(RULES.view(state, "USA")).scores == {}
    assert RULES.standing(state).scores["USA"] > 0
