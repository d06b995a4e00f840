"""Check counters that lie face down (Rules F9-F11) against a second judge."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.rules import Cell, PhaseId, RulesError, cards
from games.rules.options import validate
from games.rules.origins_ww2.face_down import (
    VALUES,
    FaceDownCounters,
    describe_counters,
    face_down_of,
    fewest,
    trim,
)
from games.rules.origins_ww2.ruleset import OriginsWW2
from games.rules.origins_ww2.state import State
from games.rules.origins_ww2.table import TABLE

RULES = OriginsWW2()
CARD = cards.load("origins-ww2", "historical")
NATIONS = tuple(CARD["order"])
AREAS = ("Poland", "Germany", "Rumania", "Austria")
HIDDEN = {"ow2.hidden": "face_down"}
searching = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
counters = st.sampled_from((0, *VALUES))
heaps = st.dictionaries(
    st.tuples(st.sampled_from(AREAS), st.sampled_from(NATIONS)),
    st.lists(counters, min_size=1, max_size=4),
    max_size=10,
)
boards = st.dictionaries(
    st.sampled_from(AREAS),
    st.dictionaries(
        st.sampled_from(NATIONS), st.fixed_dictionaries({"pf": st.integers(1, 9)}), max_size=4
    ),
)
targets = st.lists(st.sampled_from(NATIONS), min_size=1, max_size=3, unique=True)
endings = st.sampled_from(("", " ELSE France", " MIN 2-1", " ELSE Russia MIN 3-1"))
attacks = st.dictionaries(
    st.sampled_from(NATIONS),
    st.lists(
        st.tuples(st.sampled_from(AREAS), targets, endings).map(
            lambda a: f"ATTACK {a[0]}: {', '.join(a[1])} STOCK GE{a[2]}"
        ),
        max_size=3,
    ),
)


def state_of(
    board: Mapping[str, Any], down: Mapping[tuple[str, str], list[int]], **options: str
) -> State:
    """Return an attack phase with counters face down."""
    tree: dict[str, Any] = {"turn": 2, "phase": "attacks", "board": board, "face_down": {}}
    for (area, nation), heap in down.items():
        tree["face_down"].setdefault(area, {})[nation] = heap
    return RULES.situation(tree, CARD, validate({**HIDDEN, **options}))


def test_fewest_uses_the_minimum_number_of_counters() -> None:
    """F11: change is unlimited. Compare with every way to make the sum."""
    counters_needed = [0] + [10**6] * 120
    for pf in range(1, 121):
        counters_needed[pf] = 1 + min(
            counters_needed[pf - value] for value in VALUES if value <= pf
        )
        assert sum(fewest(pf)) == pf
        assert len(fewest(pf)) == counters_needed[pf]


@searching
@given(st.lists(st.sampled_from(VALUES), max_size=8), st.integers(0, 30))
def test_trimmed_counters_add_up_to_the_pfs_left(asked: list[int], pf: int) -> None:
    """P6: no PF is lost or made, and a request that fits is unchanged."""
    trimmed = trim(asked, pf)
    assert sum(trimmed) == pf
    if sum(asked) == pf:
        assert sorted(trimmed) == sorted(asked)


@pytest.mark.parametrize(
    ("lying", "message"),
    [
        ((5,), "5"),
        ((3, 1), "3 and 1"),
        ((3, 1, 0), "3, 1 and a blank"),
        ((0, 0), "2 blanks"),
        ((0,) * 6, "6 blanks"),
    ],
)
def test_counters_are_described_in_words(lying: tuple[int, ...], message: str) -> None:
    assert describe_counters(lying) == message


# --- what nobody else may find out ---


@st.composite
def placed_twice(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Draw two placements of the same counters on the same places with their values exchanged.

    Number and sum stay the same. Five of Germany's PFs leave home, and as many of its new PFs are
    placed either way. Blanks change places with the rest.
    """
    areas_used = draw(st.lists(st.sampled_from(AREAS), min_size=4, max_size=9))
    new = draw(st.permutations([5, 3, 1, 1]))[: draw(st.integers(1, 4))]
    values = (
        [*new, *[0] * min(4, len(areas_used) - len(new))]
        if len(areas_used) > len(new)
        else list(new[: len(areas_used)])
    )
    values += [0] * (len(areas_used) - len(values))
    values = values[: len(new) + 4]
    areas_used = areas_used[: len(values)]
    other = draw(st.permutations(values))
    return _lines(areas_used, values), _lines(areas_used, other)


def _lines(where: list[str], values: list[int]) -> list[str]:
    lines = ["FROM HOME 5 Austria AS 5"]
    for area, value in zip(where, values, strict=True):
        lines.append(f"PLACE {value} {area} AS {value}" if value else f"BLANKS 1 {area}")
    return lines


@searching
@given(placed_twice())
def test_face_down_values_change_nothing_that_others_see(
    ways: tuple[list[str], list[str]],
) -> None:
    """F9: view, events and all that another nation is told are identical."""
    before = RULES.situation(
        {"turn": 1, "phase": "placement", "board": {"Germany": {"Germany": {"pf": 5}}}},
        CARD,
        validate(HIDDEN),
    )
    outputs = []
    for way in ways:
        result = RULES.resolve(before, {"Germany": "\n".join(way)}, {}, [])
        state = result.state
        assert (
            sum(sum(state.face_down.counters(area, "Germany") or ()) for area in CARD["areas"])
            == 15
        )
        russian = RULES.view(state, "Russia")
        order = (
            "ATTACK Poland: Germany STOCK GE\nATTACK Austria: Germany, Britain MIN 2-1\nATTACK"
            " Germany: Germany"
        )
        outputs.append(
            json.dumps(
                [
                    result.events,
                    [
                        remark.as_json()
                        for nation in NATIONS
                        if nation != "Germany"
                        for remark in result.remarks.get(nation, ())
                    ],
                    RULES.dump(RULES.view(state, None)),
                    RULES.dump(russian),
                    [
                        str(cell)
                        for row in RULES.board(state).cells.values()
                        for cell in row.values()
                    ],
                    [str(choice) for choice in RULES.planner.choices(state, "Russia")],
                    RULES.planner.brief(state, "Russia"),
                    [remark.as_json() for remark in RULES.read(order, "Russia", state).remarks],
                    RULES.speech.orders(state, "Russia", order, {}),
                    RULES.bot.orders(russian, "Russia", "salt"),
                    [RULES.speech.event(event, {}) for event in result.events],
                ]
            )
        )
    assert outputs[0] == outputs[1]


@searching
@given(boards, heaps)
def test_view_shows_values_of_own_counters_and_number_of_others(
    board: dict[str, Any], down: dict[tuple[str, str], list[int]]
) -> None:
    """F9: also, every view survives being saved and loaded."""
    state = state_of(board, down)
    assert RULES.load(CARD, state.options, json.loads(json.dumps(RULES.dump(state)))) == replace(
        state, seats=tuple(NATIONS)
    )
    for viewer in (*NATIONS, None):
        view = RULES.view(state, viewer)
        assert RULES.dump(RULES.load(CARD, state.options, RULES.dump(view))) == RULES.dump(view)
        for (area, nation), heap in down.items():
            assert view.face_down.number(area, nation) == len(heap)
            assert view.face_down.counters(area, nation) == (
                tuple(sorted(heap, reverse=True)) if nation == viewer else None
            )
            assert RULES.board(view).cells[area][nation].face_down == len(heap)


def test_face_down_placement_orders_are_secret_until_the_attacks() -> None:
    """F9: a gamesmaster who plays reads them only with the attacks."""
    assert RULES.facts(PhaseId(3, "placement"), validate(HIDDEN)).kept_until == PhaseId(
        3, "attacks"
    )
    assert RULES.facts(PhaseId(3, "placement-usa"), validate(HIDDEN)).kept_until == PhaseId(
        3, "attacks"
    )
    assert RULES.facts(PhaseId(3, "attacks"), validate(HIDDEN)).kept_until is None
    assert RULES.facts(PhaseId(3, "placement"), validate({})).kept_until is None


# --- what they do ---


@searching
@given(
    boards,
    heaps,
    attacks,
    st.integers(0, 9),
    st.sampled_from(("ordered", "frozen_odds")),
    st.sampled_from(("drop", "void")),
)
def test_attacks_turn_up_every_heap_and_remove_only_stated_losses(
    board: dict[str, Any],
    down: dict[tuple[str, str], list[int]],
    sent: dict[str, list[str]],
    digit: int,
    how: str,
    absent: str,
) -> None:
    """F9, K10-K12: each heap is turned up once, and only the stated losses are removed."""
    state = state_of(board, down, **{"ow2.resolution": how, "ow2.absent_target": absent})
    result = RULES.resolve(
        state,
        {nation: "\n".join(lines) for nation, lines in sent.items()},
        {"GE": 100 * digit + 5000},
        [],
    )
    turned = {
        (event["area"], event["nation"]): event["counters"]
        for event in result.events
        if event["kind"] == "turned_up"
    }
    assert turned == {place: sorted(heap, reverse=True) for place, heap in down.items()}
    assert sum(event["kind"] == "turned_up" for event in result.events) == len(down)
    assert not result.state.face_down
    for area in AREAS:
        for nation in NATIONS:
            had = state.pieces.strength(area, nation) + sum(down.get((area, nation), ()))
            lost = sum(
                event.get("losses", {}).get(nation, 0)
                for event in result.events
                if event.get("area") == area
            )
            assert result.state.pieces.cell_at(area, nation) == Cell(had - lost)
    for event in result.events:
        if event.get("reason") == "below_1_1":
            assert set(event.get("losses", {})) <= {event["nation"]}


@searching
@given(boards, heaps, st.sampled_from(NATIONS), st.sampled_from(AREAS), targets, st.integers(0, 9))
def test_attack_on_face_down_counters_matches_a_second_judge(
    board: dict[str, Any],
    down: dict[tuple[str, str], list[int]],
    nation: str,
    area: str,
    listed: list[str],
    digit: int,
) -> None:
    """F9, F10 written out again: who is turned up, who is attacked and the result."""
    listed = [name for name in listed if name != nation] or [
        next(name for name in NATIONS if name != nation)
    ]
    state = state_of(board, down)
    result = RULES.resolve(
        state,
        {nation: f"ATTACK {area}: {', '.join(listed)} STOCK GE"},
        {"GE": 5000 + 100 * digit},
        [],
    )
    at = next(
        place for place, event in enumerate(result.events) if event["kind"] in ("attack", "void")
    )
    event, turned = result.events[at], {earlier["nation"] for earlier in result.events[:at]}
    strength = {
        name: board.get(area, {}).get(name, {}).get("pf", 0) + sum(down.get((area, name), ()))
        for name in NATIONS
    }
    lying = {name for name in NATIONS if (area, name) in down}
    touched = {name for name in listed if strength[name] or name in lying}
    if not strength[nation]:
        assert (event.get("reason"), turned) == ("attacker_absent", {nation} & lying)
        return
    if not touched:
        assert (event.get("reason"), turned) == ("no_target", set())
        return
    assert turned == ({nation} | touched) & lying
    total = sum(strength[name] for name in touched)
    if not total:
        assert event.get("reason") == "no_target"
    elif strength[nation] < total:
        assert (event["reason"], event["losses"]) == ("below_1_1", {nation: strength[nation]})
    else:
        column = min(5, strength[nation] // total)
        assert (event["attacker"], event["defender"], event["odds"]) == (
            strength[nation],
            total,
            f"{column}-1",
        )
        assert event["result"] == TABLE[digit][column - 1]


@searching
@given(boards, heaps)
def test_every_offered_line_is_accepted_with_counters_face_down(
    board: dict[str, Any], down: dict[tuple[str, str], list[int]]
) -> None:
    """Forms, bots and fuzzers use these choices; counters and blanks are included."""
    placing = RULES.situation(
        {"turn": 2, "phase": "placement", "board": board}, CARD, validate(HIDDEN)
    )
    for state in (placing, state_of(board, down)):
        for nation in NATIONS:
            for choice in RULES.planner.choices(RULES.view(state, nation), nation):
                most = choice.most or 1
                lines = [
                    choice.line(most),
                    choice.line(most, counters=fewest(most) if choice.counters else ()),
                ]
                for line in lines:
                    reading = RULES.read(line, nation, state)
                    assert reading.understood == ((1, line),), (line, reading.remarks)


@pytest.mark.parametrize("salt", ["a", "b", "c", "d", "e", "f"])
def test_bots_play_a_whole_game_face_down(salt: str) -> None:
    """Every text of a bot is accepted without a refusal to the last turn."""
    state = RULES.setup(CARD, validate({**HIDDEN, "rng.no_stock": "attack_void"}), NATIONS)
    volumes = {
        symbol: 4_000_000 + 100 * place
        for place, symbol in enumerate(validate({})["rng.reserve_list"] or ("GE", "F", "T"))
    }
    blanks = asked = 0
    while (phase := RULES.phase(state)) is not None:
        sent = {
            nation: RULES.bot.orders(RULES.view(state, nation), nation, salt) for nation in NATIONS
        }
        for nation, text in sent.items():
            refused = [
                remark
                for remark in RULES.read(text, nation, state).remarks
                if remark.severity == "error"
            ]
            assert not refused, (text, refused)
            blanks, asked = blanks + text.count("BLANKS"), asked + text.count(" AS ")
        state = RULES.resolve(state, sent, volumes, ()).state
        if not RULES.facts(phase, {}).draws:
            assert state.face_down
            assert state.view_for(None).face_up_pieces == state.pieces
        else:
            assert not state.face_down
    assert blanks > 5
    assert asked > 5


# --- rulings, and what is no counter ---


def test_position_ruling_keeps_counters_face_down() -> None:
    """CONTROL is not given over another's counters; the owner's leave the game (T2)."""
    state = state_of(
        {"Poland": {"Germany": {"pf": 6}}}, {("Poland", "Germany"): [3], ("Austria", "Russia"): [0]}
    )
    edited = RULES.editor.edit(state, {"Poland": {"Germany": Cell(2)}})
    assert edited.face_down == state.face_down
    assert edited.pieces.cell_at("Poland", "Germany") == Cell(2)
    given_control = RULES.editor.counter(state, "Germany", "Poland", "control", True)
    assert not given_control.face_down.number("Poland", "Germany")
    assert given_control.face_down.number("Austria", "Russia") == 1
    with pytest.raises(RulesError, match="1 counter of Russia face down"):
        RULES.editor.edit(state, {"Austria": {"Germany": Cell(control=True)}})
    assert RULES.editor.adjust(state, "Germany", 3).face_down == state.face_down


NO_COUNTERS: tuple[Any, ...] = (
    [],
    {"Atlantis": {}},
    {"Poland": []},
    {"Poland": {"Spain": [1]}},
    {"Poland": {"Germany": [2]}},
    {"Poland": {"Germany": True}},
    {"Poland": {"Germany": -1}},
    {"Poland": {"Germany": [True]}},
)


@pytest.mark.parametrize("given_tree", NO_COUNTERS)
def test_invalid_face_down_tree_is_refused_with_its_key(given_tree: Any) -> None:
    with pytest.raises(RulesError, match=r"^face_down"):
        face_down_of(given_tree, RULES.setup(CARD, validate({}), NATIONS).card)


def test_empty_heap_equals_no_heap() -> None:
    assert FaceDownCounters({("Poland", "Germany"): ()}) == FaceDownCounters()
