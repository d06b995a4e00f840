"""Whole campaigns: texts, reports and digits alone decide every phase."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.rules import REFEREE_SEAT, registry, rulings
from games.rules.contract import Ruleset
from games.rules.options import LIQUID_STOCKS
from games.rules.situation import adjudicate
from games.ww2_multiplayer.rules import editing, scoring
from games.ww2_multiplayer.rules.hostility import are_allied, note_invasion
from games.ww2_multiplayer.rules.orders import FORMS as ORDER_FORMS
from games.ww2_multiplayer.rules.players import player_of
from games.ww2_multiplayer.rules.report import FORMS as REPORT_FORMS
from games.ww2_multiplayer.rules.state import Force, State

from .campaign import CARD, RULES, SEATS, Campaign, at, new_state

pytestmark = pytest.mark.guest

COUNTRIES, POWERS = tuple(CARD["areas"]), tuple(CARD["order"])
searching = settings(
    deadline=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def sales(seed: str) -> dict[str, int]:
    return {
        stock: 100 * int(sha256(f"{seed} {stock}".encode()).hexdigest()[:6], 16) + 100
        for stock in LIQUID_STOCKS
    }


def test_rules_implement_the_ruleset_contract() -> None:
    """The additions for refereed games leave the contract of a ruleset unchanged."""
    rules: Ruleset = RULES
    assert rules.id == "ww2-multiplayer"
    assert RULES.referee


# A scripted gamesmaster: events on the map on some turns, by the kind of report.
SCRIPT = {
    (
        1,
        "referee-germany",
    ): (
        "INVASION Germany Poland\nDESTROYED Poland BY Germany\nFORCES Poland Germany 6 SUPPLIED"
        " 5\nCLEARED Poland Germany\nSWEPT Poland Germany\nREST DONE\nEND"
    ),
    (
        2,
        "referee-britain",
    ): (
        "TRACK 2 NAVAL 6 AMPHIBIOUS 1\nCOMBAT Germany Britain\nDICE 2 FOR an airdrop\nREST"
        " DONE\nEND"
    ),
    (
        3,
        "referee-germany",
    ): "INVASION Germany France\nINVASION Germany Belgium\nITALY ENTERS\nREST DONE\nEND",
    (4, "referee-france"): "CONTEST France 2 Britain 2 IN Lyons\nREST DONE\nEND",
    (4, "referee-germany"): "AFRICA ON\nINVASION Italy Egypt\nREST DONE\nEND",
}
ORDERS = {
    1: {
        "Germany": "INVADE Poland\nHold the West",
        "France": "ALLY Britain\nMINOR Poland: MOVE 1 SP Lodz TO Warsaw",
        "Britain": "ALLY France",
    },
    2: {"Britain": "SEA 2 SP London TO Brest USING Britain\nGRANT BASE TO USSR"},
    5: {"Britain": "SEA 2 SP London TO Suez VIA MED\nPEACE Italy", "Italy": "PEACE Britain"},
}


@pytest.mark.parametrize("flow", ["batched", "sequential"])
@pytest.mark.parametrize("players", [4, 5, 6])
def test_campaign_is_judged_again_from_its_submissions(players: int, flow: str) -> None:
    """Issue 9, "refereed": orders, reports and digits are enough, in JSON."""
    campaign = Campaign(players, last_turn=6, flow=flow)
    while campaign.kind != "over":
        turn, kind = campaign.state.turn, campaign.kind
        if kind.startswith("dice"):
            campaign.judge({}, sales(f"{turn} {kind}"))
        elif kind.startswith("referee") or kind.startswith("count"):
            script = SCRIPT.get((turn, kind), "REST DONE\nEND")
            campaign.report(script.replace("ITALY ENTERS\n", "") if players == 6 else script)
        else:
            acting = RULES.acting_nations(campaign.state)
            campaign.judge(
                {power: text for power, text in ORDERS.get(turn, {}).items() if power in acting}
            )
        assert not [
            remark
            for remark in campaign.remarks.get(REFEREE_SEAT, ())
            if remark.severity == "error"
        ], campaign.said()
    final = RULES.standing(campaign.state)
    assert final.winners
    assert final.scores["Germany"] >= 3
    for before, texts, figures, after, events in campaign.played:
        position = json.loads(json.dumps(before))
        judged = rulings.judge(
            RULES, CARD, {**campaign.options}, position, texts, figures, LIQUID_STOCKS
        )
        assert RULES.dump(judged.resolution.state) == after
        assert list(judged.resolution.events) == events
        assert all(event["rule"] and event["message"] for event in events)
    kinds = [event["kind"] for *_, events in campaign.played for event in events]
    for kind in (
        "alliance",
        "invasion",
        "hostile",
        "line",
        "die",
        "thrown",
        "contest",
        "us_entry",
        "due",
        "lapsed",
        "grant",
        "score",
    ):
        assert kind in kinds, kind


def test_bots_play_a_whole_campaign() -> None:
    """`bot` and `played`: 23 turns, and the game ends."""
    for players, seats in SEATS.items():
        state, phases = RULES.setup(CARD, {}, seats), 0
        while RULES.phase(state) is not None:
            state, phases = (
                RULES.bot.play(state, "", sales(str(phases)), LIQUID_STOCKS).state,
                phases + 1,
            )
        assert state.turn == 23
        assert phases > 23 * (players + 2)


def test_adjudicate_judges_a_diplomacy_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    """Contract 4: the board is a whole position."""
    monkeypatch.setitem(registry.RULESETS, "ww2-multiplayer", RULES)
    answer = adjudicate(
        {
            "id": 7,
            "game": "ww2-multiplayer",
            "card": "standard",
            "turn": 1,
            "phase": "diplomacy",
            "board": RULES.dump(new_state()),
            "orders": {"France": "ALLY Britain", "Britain": "ALLY France"},
        }
    )
    assert answer["alliances"] == [["France", "Britain"]]
    assert answer["next"] == {"turn": 1, "phase": "orders"}
    assert answer["winners"] is None


def test_rulings_change_alliances_and_points() -> None:
    """Forces, alliances and points may be ruled; this game has no counters."""
    state = new_state(5)
    ruling = rulings.Ruling(
        1, 1, "alliance", {"nations": ["USSR", "Italy"], "allied": True}, "As agreed at the table."
    )
    judged = rulings.judge(RULES, CARD, {}, RULES.dump(state), {}, {}, LIQUID_STOCKS, [ruling])
    assert are_allied(judged.resolution.state, "USSR", "Germany")
    points = editing.adjust(state, "Italy", 3)
    assert RULES.standing(points).scores["Germany"] == 4 + 3


# --- random texts ---

names = st.sampled_from(POWERS)
places = st.sampled_from(COUNTRIES)
numbers = st.integers(0, 30)
texts = st.text("AEIOUMDLNRST aeimnorst0123456789:,.#\n", max_size=40)
order_lines = st.one_of(
    st.sampled_from(tuple(ORDER_FORMS.values())),
    st.builds(
        "{} {}".format, st.sampled_from(("ALLY", "UNALLY", "PEACE", "DECLARE", "INVADE")), names
    ),
    st.builds("BLEND {} {}".format, places, names),
    st.builds("MED ON AGAINST {}".format, names),
    st.builds("MINOR {}: PEACE {}".format, places, names),
    st.builds("SEA {} SP A TO B VIA MED USING {}".format, numbers, names),
    texts,
)
report_lines = st.one_of(
    st.sampled_from(tuple(REPORT_FORMS.values())),
    st.builds("INVASION {} {}".format, names, places),
    st.builds("COMBAT {} {}".format, places, places),
    st.builds("PEACE {} {}".format, places, places),
    st.builds("FORCES {} {} {}".format, places, names, numbers),
    st.builds("CLEARED {} {}".format, places, names),
    st.builds("SWEPT {} {}".format, places, names),
    st.builds("HEXES {} 30 HOSTILE {}".format, names, numbers),
    st.builds("LINE {} {} DONE".format, names, st.integers(1, 4)),
    st.builds("DICE {} FOR luck".format, numbers),
    st.sampled_from(("AFRICA ON", "END", "REST DONE")),
    texts,
)
written = st.lists(order_lines, max_size=5).map("\n".join)
reports = st.lists(report_lines, max_size=10).map("\n".join)


@searching
@given(
    st.sampled_from((4, 5, 6)),
    st.lists(st.dictionaries(names, written, max_size=4), min_size=1, max_size=4),
    st.lists(reports, max_size=6),
    st.sampled_from(("batched", "sequential")),
)
def test_random_texts_are_judged_and_states_round_trip(
    players: int, sent: list[dict[str, str]], told: list[str], flow: str
) -> None:
    """Nothing stops a campaign; views leak no sealed column and no order."""
    campaign = Campaign(players, flow=flow, last_turn=2)
    orders, papers = list(sent), list(told)
    for number in range(9):
        if campaign.kind == "over":
            break
        if campaign.kind.startswith("dice"):
            campaign.judge({}, sales(str(number)))
        elif campaign.kind.partition("-")[0] in ("referee", "count"):
            campaign.report(papers.pop() if papers else "REST DONE\nEND")
        else:
            acting = RULES.acting_nations(campaign.state)
            campaign.judge(
                {
                    power: text
                    for power, text in (orders.pop() if orders else {}).items()
                    if power in acting
                }
            )
        dumped = RULES.dump(campaign.state)
        assert (
            RULES.dump(RULES.load(CARD, campaign.options, json.loads(json.dumps(dumped)))) == dumped
        )
        _leaks_nothing(campaign.state)
        assert max(RULES.standing(campaign.state).scores.values()) <= 25
        for event in campaign.events:
            assert event["kind"]
            assert event["rule"]
            assert event["message"]


def _leaks_nothing(state: State) -> None:
    """Assert that columns, orders and Italy's instruction change no other reader's view."""
    if state.step == "over":
        return
    other = at(state, columns={}, orders={}, med=(), ruled=())
    public_view = RULES.view(state, None)
    assert RULES.standing(public_view) == RULES.standing(RULES.view(other, None))
    assert RULES.guide.charts(public_view) == RULES.guide.charts(RULES.view(other, None))
    for reader in (*SEATS[state.players_count], None):
        if reader == "Italy" or (
            reader is not None
            and (player_of(state, reader) in state.columns or reader in state.orders)
        ):
            continue
        if reader is not None and any(
            player_of(state, power) == player_of(state, reader)
            for power in ("Italy", *state.orders)
        ):
            continue
        assert RULES.dump(RULES.view(state, reader)) == RULES.dump(RULES.view(other, reader))
    assert RULES.view(state, REFEREE_SEAT).columns == {}


@st.composite
def positions(draw: st.DrawFn) -> State:
    """Draw a state as a gamesmaster's reports might leave it."""
    state = new_state(
        draw(st.sampled_from((4, 5, 6))), allied=draw(st.sampled_from(("registered", "nonhostile")))
    )
    for country in draw(st.lists(places, max_size=8, unique=True)):
        forces = {
            power: Force(sp, min(sp, fed))
            for power, sp, fed in draw(st.lists(st.tuples(names, numbers, numbers), max_size=3))
        }
        chosen = draw(st.lists(names, max_size=3))
        state = state.change_country(
            country,
            forces=forces,
            swept=tuple(dict.fromkeys(chosen)),
            cleared=dict.fromkeys(chosen, 0),
        )
    for power, country in draw(st.lists(st.tuples(names, places), max_size=6)):
        if power != country:
            state = note_invasion(state, power, country)[0]
    for a, b in draw(st.lists(st.tuples(names, names), max_size=3)):
        if player_of(state, a) != player_of(state, b):
            state = editing.ally(state, a, b, True)
    return state


@searching
@given(positions())
def test_points_never_exceed_the_chart_and_only_allies_share_a_country(
    state: State,
) -> None:
    """19.12, 19.2: normalized for one and controlled by another only among allies."""
    lines_by_seat = {seat: scoring.lines(state, seat) for seat in state.seats}
    for lines in lines_by_seat.values():
        assert 0 <= sum(line.points for line in lines) <= 25
        assert all(line.points in (0, line.aim.points) for line in lines)
        assert all(line.case and line.why for line in lines)
    for country in COUNTRIES:
        paid = {
            seat: line.aim.kind
            for seat, lines in lines_by_seat.items()
            for line in lines
            if line.country == country and line.points
        }
        ruler = [seat for seat, kind in paid.items() if kind == "control"]
        assert len(ruler) <= 1, "control is not shared"
        for seat, kind in paid.items():
            if kind == "normalised" and ruler:
                assert are_allied(state, seat, ruler[0])
