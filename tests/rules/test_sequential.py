"""Check attacks of one nation after the other (source 000, lines 88-96).

They belong to `ow2.attacks` = sequential. Also check PFs that lie face down until all have placed
(lines 282, 286).
"""

from __future__ import annotations

from typing import Any

import pytest

from games.rules import PhaseId, cards
from games.rules.digits import volume_of_roll
from games.rules.options import validate
from games.rules.origins_ww2.ruleset import OriginsWW2
from games.rules.origins_ww2.state import OVER, State, own_step

RULES = OriginsWW2()
CARD = cards.load("origins-ww2", "historical")
NATIONS = tuple(CARD["order"])
TURN = ["placement", *(own_step("attacks", nation) for nation in NATIONS), "counters"]
ROLLS = {f"ROLL-{number}": volume_of_roll(number % 10) for number in range(1, 60)}


def new_state(**chosen: str) -> State:
    """Set up a game with sequential attacks."""
    options = validate({"ow2.attacks": "sequential", "rng.source": "gm_dice", **chosen})
    return RULES.setup(CARD, options, NATIONS)


def play(state: State, **orders: str) -> State:
    """Resolve one phase."""
    after: State = RULES.resolve(state, RULES.in_force(state, orders), ROLLS, ()).state
    return after


def test_turn_has_an_attack_phase_for_each_nation_and_one_for_counters() -> None:
    """Lines 88-96: steps 1 to 3 of the printed routine, six times."""
    state, phases = new_state(), []
    while (phase := RULES.phase(state)) is not None:
        phases.append((phase.turn, phase.kind))
        acting = RULES.acting_nations(state)
        mover = phase.kind.startswith("attacks-")
        assert acting == ((NATIONS[TURN.index(phase.kind) - 1],) if mover else NATIONS)
        sent = {
            nation: RULES.bot.orders(RULES.view(state, nation), nation, "salt") for nation in acting
        }
        for nation, text in sent.items():
            remarks = RULES.read(text, nation, state).remarks
            assert not [remark for remark in remarks if remark.severity == "error"], text
        state = play(state, **sent)
    assert state.step == OVER
    assert phases == [(turn, kind) for turn in range(1, 7) for kind in TURN]


def test_phase_titles_and_draws() -> None:
    options = new_state().options
    titles = {kind: RULES.facts(PhaseId(2, kind), options).title for kind in TURN}
    assert titles["attacks-usa"] == "Turn 2, attacks of USA"
    assert titles["attacks-germany"] == "Turn 2, attacks of Germany"
    assert titles["counters"] == "Turn 2, counters"
    draws = [kind for kind in TURN if RULES.facts(PhaseId(2, kind), options).draws]
    assert draws == TURN[1:-1], "each attack phase has digits of its own"


def test_offered_orders_fit_the_phase() -> None:
    state = play(new_state(), Germany="PLACE 10 Austria", France="PLACE 6 Austria")
    while RULES.phase(state) != PhaseId(1, "attacks-germany"):
        state = play(state)
    verbs = {choice.verb for choice in RULES.planner.choices(state, "Germany")}
    assert verbs == {"ATTACK", "PASS"}
    assert RULES.planner.choices(state, "France") == ()
    verbs = {choice.verb for choice in RULES.planner.choices(play(state), "Germany")}
    assert "ATTACK" not in verbs
    assert "CONTROL" in verbs


def test_standing_wish_applies_once_a_turn_in_the_counters_phase() -> None:
    state = play(new_state(), Germany="PLACE 10 Austria")
    while state.step != "counters":
        state = play(state)
    state = play(state, Germany="STANDING UNDERSTANDING ALL")
    assert state.memory.standing == ("Germany",)
    state = play(state)
    while state.step != "counters":
        assert RULES.in_force(state, {}) == {}
        state = play(state)
    assert RULES.in_force(state, {}) == {"Germany": "STANDING UNDERSTANDING ALL"}


def test_control_beside_others_fails_in_the_counters_phase() -> None:
    state = play(new_state(), Germany="PLACE 10 Austria", France="PLACE 6 Austria")
    while state.step != "counters":
        state = play(state)
    (remark,) = RULES.read("CONTROL Austria", "Germany", state).remarks
    assert remark.code == "others_present"
    assert remark.message == ("“CONTROL Austria” has no effect: France is in Austria.")


@pytest.mark.parametrize("blanks", [False, True])
def test_pfs_lie_face_down_until_the_last_nation_has_placed(blanks: bool) -> None:
    """Line 282: then all are turned up and attacks are open; blanks as in line 288."""
    state = new_state(**{"ow2.placement": "ordered", "ow2.hidden": "until_placed"})
    extra = "\nBLANKS 2 Poland" if blanks else ""
    for nation in NATIONS[:-1]:
        state = play(state, **{nation: f"PLACE 2 Poland{extra}"})
        view = RULES.view(state, "Germany")
        assert view.face_down.number("Poland", nation) == (4 if blanks else 2)
        assert view.face_down.value("Poland", nation) == 0, "nobody else knows what it is worth"
        assert state.pieces.cell_at("Poland", nation).pf == 0
    resolution = RULES.resolve(state, {"Germany": "PLACE 10 Poland"}, ROLLS, ())
    after = resolution.state
    assert not after.face_down
    assert {
        nation: after.pieces.cell_at("Poland", nation).pf for nation in NATIONS[:-1]
    } == dict.fromkeys(NATIONS[:-1], 2)
    turned = [event for event in resolution.events if event["kind"] == "turned_up"]
    assert {event["nation"] for event in turned} == set(NATIONS)
    assert RULES.guide.replay(state, resolution.events)[-1].pieces == after.pieces


def test_attack_below_1_1_is_void_if_counters_are_face_up() -> None:
    """Line 286 concerns counters still face down; here the odds are known."""
    chosen = {"ow2.placement": "ordered", "ow2.hidden": "until_placed", "ow2.attacks": "together"}
    state = new_state(**chosen)
    placed = {"USA": "PLACE 2 Poland", "Germany": "PLACE 10 Poland"}
    while state.is_placing:
        state = play(state, **{n: text for n, text in placed.items() if n in state.movers})
    resolution = RULES.resolve(state, {"USA": "ATTACK Poland: Germany"}, ROLLS, ())
    (void,) = [event for event in resolution.events if event["kind"] == "void"]
    assert (void["reason"], void.get("losses")) == ("below_1_1", None)


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ({"ow2.hidden": "until_placed"}, "let nations place one after the other"),
        ({"ow2.attacks": "sequential", "ow2.resolution": "frozen_odds"}, "losses must count"),
        ({"ow2.attacks": "sequential", "ow2.immunity_ends": "only_by_host"}, "immunity ends"),
        ({"ow2.attacks": "sequential", "ow2.u_loss": "owner_says"}, "the others cannot choose"),
    ],
)
def test_conflicting_options_are_named(chosen: dict[str, Any], why: str) -> None:
    contradictions = list(RULES.guide.contradictions(validate(chosen), NATIONS, ()))
    assert any(why in sentence for sentence in contradictions)


def test_games_attack_together_unless_told_otherwise() -> None:
    assert validate({})["ow2.attacks"] == "together"
    state = play(RULES.setup(CARD, validate({}), NATIONS))
    assert RULES.phase(state) == PhaseId(1, "attacks")
