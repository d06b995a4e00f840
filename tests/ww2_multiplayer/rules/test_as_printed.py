"""Cases as printed (`spi.reading` = printed; source 004, its lines in brackets)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from games.rules import RulesError
from games.rules.options import new_game_options, validate
from games.rules.situation import adjudicate
from games.ww2_multiplayer.rules import hostility, operators, permissions
from games.ww2_multiplayer.rules.card import Aim
from games.ww2_multiplayer.rules.control import control
from games.ww2_multiplayer.rules.entitlements import points_left
from games.ww2_multiplayer.rules.printed import charts
from games.ww2_multiplayer.rules.scoring import lines
from games.ww2_multiplayer.rules.state import State

from .campaign import CARD, RULES, SEATS, Campaign, playing

pytestmark = pytest.mark.guest

PRINTED = {"reading": "printed", "allied": "nonhostile"}


def started(players: int = 6, **options: Any) -> Campaign:
    """Return a campaign as printed, before the first report of a Game-Turn."""
    return playing(players, **{**PRINTED, **options})


def state_after(*entries: str, **options: Any) -> State:
    """Return the state after a report with these entries."""
    campaign = started(**options)
    campaign.report("\n".join(entries))
    errors = [
        remark
        for remarks in campaign.remarks.values()
        for remark in remarks
        if remark.severity == "error"
    ]
    assert errors == []
    return campaign.state


def pays(state: State, seat: str, country: str, aim: str) -> int:
    aim_wanted = Aim("control" if aim[0] == "C" else "normalised", int(aim[1:]))
    return next(
        line.points
        for line in lines(state, seat)
        if (line.country, line.aim) == (country, aim_wanted)
    )


def test_new_campaigns_use_the_printed_reading() -> None:
    new, old = new_game_options({}), validate({})
    assert (new["spi.reading"], new["spi.allied"]) == ("printed", "nonhostile")
    assert (old["spi.reading"], old["spi.allied"]) == ("first", "registered")


# --- 19.11, 19.12 ---


def test_freed_possession_returns_to_its_holder() -> None:
    """19.11 (482): Egypt is Britain’s; Italy invades it, and the USA drives Italy out."""
    entries = (
        "INVASION Italy Egypt", "COMBAT USA Italy", "CLEARED Egypt USA", "SWEPT Egypt USA",
        "FORCES Egypt USA 3",
    )  # fmt: skip
    freed = state_after(*entries)
    ruler = control(freed, "Egypt")
    assert (ruler.controller, ruler.rule) == ("Britain", "2")
    assert "freeing a country does not give control of it" in " ".join(ruler.missing["USA"])
    assert pays(freed, "Britain", "Egypt", "C3") == 3
    assert pays(freed, "USA", "Egypt", "N1") == 1
    earlier = state_after(*entries, reading="first")
    assert control(earlier, "Egypt").controller == "USA"


def test_holder_that_clears_its_possession_regains_it() -> None:
    """19.11 (482)."""
    state = state_after("INVASION Italy Egypt", "CLEARED Egypt Britain")
    assert control(state, "Egypt").controller == "Britain"


def test_later_invasion_undoes_clearing_by_an_ally() -> None:
    """19.11 (482)."""
    state = state_after(
        "INVASION Italy Egypt", "COMBAT USA Italy", "CLEARED Egypt USA", "INVASION Germany Egypt"
    )
    assert control(state, "Egypt").controller == ""


def test_freed_neutral_is_normalized_and_not_controlled() -> None:
    """19.12 (523): Norway, invaded by Germany and freed by Britain, is nobody’s; all N pay."""
    entries = (
        "INVASION Germany Norway", "COMBAT Britain Germany", "CLEARED Norway Britain",
        "SWEPT Norway Britain", "FORCES Norway Britain 2",
    )  # fmt: skip
    state = state_after(*entries)
    assert control(state, "Norway").controller == ""
    assert (pays(state, "Britain", "Norway", "N2"), pays(state, "USA", "Norway", "N1")) == (2, 1)
    assert control(state_after(*entries, reading="first"), "Norway").controller == "Britain"


def test_invader_that_sweeps_a_neutral_controls_it() -> None:
    """19.11 (482): conquest works as before."""
    state = state_after(
        "INVASION Germany Norway", "CLEARED Norway Germany", "SWEPT Norway Germany",
        "FORCES Norway Germany 1",
    )  # fmt: skip
    assert control(state, "Norway").controller == "Germany"


def test_enemy_possession_goes_to_the_power_that_drives_it_out() -> None:
    """19.11 (482): an enemy satellite or possession."""
    state = state_after(
        "COMBAT Britain Italy", "CLEARED Libya Britain", "SWEPT Libya Britain",
        "FORCES Libya Britain 1",
    )  # fmt: skip
    assert control(state, "Libya").controller == "Britain"


def test_normalization_scores_beside_a_controller_that_is_not_hostile() -> None:
    """19.12 (523), its example: Britain controls Egypt, and the USA scores unless at odds."""
    state = state_after("NOTE nothing")
    assert not state.alliances
    assert pays(state, "USA", "Egypt", "N1") == 1
    assert pays(state_after("COMBAT USA Britain"), "USA", "Egypt", "N1") == 0
    assert pays(state_after("NOTE nothing", allied="registered"), "USA", "Egypt", "N1") == 0


# --- 12.0, 12.2, 16.14 ---


@pytest.mark.parametrize("power", ["Germany", "USSR", "Britain"])
@pytest.mark.parametrize("country", ["Finland", "Hungary", "Rumania", "Bulgaria", "Sweden"])
def test_any_power_may_invade_any_minor_country_by_report(power: str, country: str) -> None:
    """12.0 (321), 12.2 (329), 16.14 (377)."""
    campaign = started()
    campaign.report(f"INVASION {power} {country}")
    assert campaign.said() == []
    assert campaign.state.country(country).is_invaded_by(power)


def test_germany_may_invade_finland_by_order() -> None:
    """12.2 (329): by an order line that is done."""
    campaign = started(5, orders={"Germany": "INVADE Finland"})
    while "Germany" not in campaign.kind.title():
        campaign.report("END")
    campaign.report("REST DONE")
    assert campaign.state.country("Finland").is_invaded_by("Germany")
    army = operators.operator(campaign.state, "Finland")
    assert army is not None
    assert army.power == "", "the gamesmaster runs what its only operator has invaded (20.0)"


def test_first_reading_refuses_an_invasion_of_an_own_satellite() -> None:
    campaign = started(reading="first")
    campaign.report("INVASION Germany Finland")
    assert campaign.said() == [
        "“INVASION Germany Finland” is rejected: Finland already belongs to Germany."
    ]


# --- 16.31, 16.41, 16.42 ---


def test_released_army_stays_released_when_alliances_change() -> None:
    """16.31 (395): Italy, Germany’s ally, attacks Greece; then the alliance ends."""
    campaign = started()
    campaign.state = hostility.set_alliance(campaign.state, "Italy", "Germany", True)
    campaign.report("INVASION Italy Greece")
    assert operators.is_released(campaign.state, "Hungary")
    apart = hostility.set_alliance(campaign.state, "Italy", "Germany", False)
    for country in ("Hungary", "Rumania", "Bulgaria"):
        assert operators.is_released(apart, country)
        assert operators.reason_frozen(apart, country) == ""
    assert operators.expedition(apart, "Bulgaria") == {"the Balkans": 1}, "16.33 (399)"
    again = RULES.load(CARD, campaign.options, json.loads(json.dumps(RULES.dump(apart))))
    assert again == apart


@pytest.mark.parametrize(
    ("entry", "free"),
    [
        ("COMBAT Germany USSR", True),
        ("COMBAT USSR Germany", False),
        ("COMBAT Germany Yugoslavia", True),
        ("COMBAT Yugoslavia Germany", False),
        ("COMBAT Britain Greece", False),
        ("INVASION Germany USSR", True),
    ],
)
def test_pro_axis_army_is_released_by_the_attacker(entry: str, free: bool) -> None:
    """16.31 (395): once the German player or their allies attack Russia or the Balkans."""
    state = state_after(entry)
    assert [
        operators.is_released(state, country) for country in ("Hungary", "Rumania", "Bulgaria")
    ] == [free] * 3


def test_combat_entry_names_the_attacker_first() -> None:
    """16.31 (395), 16.42 (405)."""
    campaign = started()
    (event,) = [
        fight for fight in campaign.report("COMBAT USSR Finland") if fight["kind"] == "combat"
    ]
    assert event["message"] == "Units of USSR have attacked units of Finland."
    assert (event["nation"], event["against"]) == ("USSR", "Finland")


@pytest.mark.parametrize(
    ("entry", "leaves", "attacks"),
    [
        ("NOTE nothing", False, False),
        ("COMBAT USSR Finland", False, True),
        ("COMBAT Finland USSR", False, False),
        ("INVASION USSR Finland", True, True),
        ("INVASION Germany Finland", False, False),
        ("INVASION Germany USSR", False, False),
    ],
)
def test_finns_attack_once_attacked_and_leave_once_the_border_is_crossed(
    entry: str, leaves: bool, attacks: bool
) -> None:
    """16.41 (403), 16.42 (405)."""
    state = state_after(entry)
    assert operators.is_released(state, "Finland") == leaves
    assert operators.may_attack(state, "Finland") == attacks
    why = operators.reason_frozen(state, "Finland")
    assert ("may not leave its borders (16.41)" in why) == (attacks and not leaves)
    assert ("may not attack (16.41, 16.42)" in why) == (not attacks)


def test_crossed_border_stays_crossed_after_a_later_alliance() -> None:
    """16.41 (403): the USSR crosses it, then allies with Germany."""
    state = state_after("INVASION USSR Finland")
    allied = hostility.set_alliance(state, "USSR", "Germany", True)
    assert operators.is_released(allied, "Finland")


def test_nonhostile_power_is_not_a_german_ally() -> None:
    """16.41 (403): `spi.allied` = nonhostile is only about points."""
    state = state_after("INVASION Britain Finland")
    assert hostility.are_allied(state, "Britain", "USA")
    assert operators.is_released(state, "Finland")


# --- 4.2, 9.42, 10.73 ---


def on_to_germany(campaign: Campaign) -> Campaign:
    while campaign.kind != "referee-germany":
        campaign.report("END")
    return campaign


def test_russian_resources_are_computed_at_the_end_of_the_game_turn() -> None:
    """4.2 (61): not at the end of the Russian Player-Turn."""
    campaign = started()
    while campaign.kind != "referee-ussr":
        campaign.report("END")
    campaign.report("RESOURCES 8")
    assert "at the end of the Game-Turn" in campaign.said()[0]
    on_to_germany(campaign).report("RESOURCES 8\nEND")
    (event,) = campaign.told("resources")
    assert event["message"] == "The Russian Resources Computation gives 8 points."
    assert points_left(campaign.state, "USSR", "replacement") == 8
    assert campaign.state.turn == 2, "it does not lapse with the Game-Turn"


def test_missing_russian_resources_are_remarked_at_the_end_of_the_game_turn() -> None:
    """4.2 (61)."""
    campaign = on_to_germany(started())
    campaign.report("END")
    assert campaign.said() == [
        "You have not reported the Russian Resources Computation of this Game-Turn (4.2)."
    ]


def test_russian_points_are_placed_at_controlled_resource_centers() -> None:
    """10.73 (291): noted with the points, and warned of if others hold all centers."""
    campaign = started(orders={"USSR": "REPLACE 2 SP Moscow"})
    while campaign.kind != "referee-ussr":
        campaign.report("END")
    campaign.report("DUE USSR REPLACEMENT 3")
    (due,) = campaign.told("due")
    assert (due["rule"], "at controlled resource centers" in due["message"]) == ("10.73", True)
    campaign.report("CENTRES USSR Germany 12 OF 12\nREST DONE")
    assert "the USSR has no resource center" in " ".join(campaign.said())


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ((), "need three resource centers in France"),
        (
            ("COMBAT Germany France", "CENTRES France Germany 2 OF 6"),
            "4 of 6 French resource centers",
        ),
        (
            ("COMBAT Germany France", "CENTRES France Germany 4 OF 6"),
            "only what a friendly country",
        ),
        (("CENTRES France Britain 4 OF 6",), "6 of 6 French resource centers"),
    ],
)
def test_french_units_abroad_trace_to_three_resource_centers(
    entries: tuple[str, ...], message: str
) -> None:
    """9.42 (228-230): outside enemy control; centers that a friend holds count."""
    assert message in permissions.french_abroad(state_after("NOTE nothing", *entries))


# --- charts ---


def test_scenario_page_lists_unused_cases() -> None:
    """7.28 (174), 9.43 (232), 10.31 (258), 14.1 (347), 14.3 (355), 16.13 (375), 16.8 (429)."""
    chart = next(
        page_chart
        for page_chart in charts(started().state.card)
        if page_chart.title == "Cases that are not used"
    )
    assert {row[0].split()[0] for row in chart.rows} >= {
        "7.28",
        "9.43",
        "10.31",
        "14.1",
        "14.3",
        "16.13",
        "16.8",
    }


def test_scenario_page_lists_cases_for_the_map() -> None:
    """4.2, 6.5 (142), 6.54 (150), 9.42, 10.73, 16.41, 16.42."""
    chart = next(
        page_chart
        for page_chart in charts(started().state.card)
        if page_chart.title == "Cases for the map"
    )
    text_by_case = {row[0]: row[1] for row in chart.rows}
    assert set(text_by_case) == {"4.2", "6.5", "6.54", "9.42", "10.73", "16.41", "16.42"}
    assert "Only, and all, German, British and American" in text_by_case["6.5"]


# --- one report for several Player-Turns ---


def test_one_report_covers_a_whole_game_turn_of_six_players() -> None:
    """4.1 (39-61): six Player-Turns in order, each with its lines, in one report."""
    orders = {"France": "MOVE Paris", "USSR": "INVADE Rumania", "Germany": "INVADE Poland"}
    campaign = started(orders=orders)
    report = (
        "NEXT\nREST DONE\nNEXT\nREST DONE\nNEXT\nNEXT\nNOTE Fog\nNEXT\nREST DONE\nRESOURCES 4\nEND"
    )
    campaign.report(report)
    assert campaign.said() == []
    assert [happening["nation"] for happening in campaign.told("line")] == [
        "France",
        "USSR",
        "Germany",
    ]
    assert [happening["nation"] for happening in campaign.told("next")] == list(SEATS[6])[:-1]
    assert campaign.state.country("Poland").is_invaded_by("Germany")
    assert (campaign.kind, campaign.state.turn) == ("diplomacy", 2)


def test_next_is_refused_while_lines_have_no_ruling() -> None:
    campaign = started(orders={"Italy": "MOVE Rome"})
    campaign.report("NEXT\nEND")
    assert "1 line has no ruling yet" in campaign.said()[0]
    assert campaign.kind == "referee-italy-2"


def test_dice_of_a_report_are_thrown_after_it() -> None:
    campaign = started()
    campaign.report("DICE 1 OF Italy FOR the raid\nNEXT\nNEXT\nEND")
    assert campaign.kind == "dice-1"
    campaign.dice(4)
    assert campaign.kind == "referee-usa", "the fourth Player-Turn is next"


@pytest.mark.parametrize(
    ("options", "text", "why"),
    [
        ({"reading": "first"}, "NEXT", "its own report"),
        ({"flow": "sequential"}, "NEXT", "its own report"),
        ({}, "END\nNEXT", "END ends the report"),
        ({}, "NEXT\nNEXT\nNEXT\nNEXT\nNEXT\nNEXT", "This is the last Player-Turn"),
    ],
)
def test_next_is_refused_if_nothing_can_follow(
    options: dict[str, str], text: str, why: str
) -> None:
    campaign = Campaign(6, **{"us_entry": "base_schedule", **PRINTED, **options})
    while not campaign.kind.startswith("referee"):
        campaign.send()
    campaign.report(text)
    assert why in " ".join(campaign.said())


# --- adjudicate ---


def situation(state: State, options: dict[str, Any], report: str) -> dict[str, Any]:
    phase = RULES.phase(state)
    assert phase is not None
    return {
        "game": "ww2-multiplayer", "card": "standard", "options": options,
        "turn": phase.turn, "phase": phase.kind,
        "board": json.loads(json.dumps(RULES.dump(state))), "orders": {"Referee": report},
    }  # fmt: skip


def test_adjudicate_judges_a_referee_report() -> None:
    campaign = started(orders={"Italy": "INVADE Greece"})
    answer = adjudicate(situation(campaign.state, campaign.options, "REST DONE\nEND"))
    assert [happening["kind"] for happening in answer["events"]][:2] == ["line", "invasion"]
    assert answer["next"] == {"turn": 1, "phase": "referee-france"}


def test_adjudicate_judges_the_count() -> None:
    campaign = Campaign(6, us_entry="base_schedule", last_turn=1, **PRINTED).on_to("count")
    report = "FORCES Libya Italy 2\nEND"
    answer = adjudicate(situation(campaign.state, campaign.options, report))
    assert answer["next"] is None
    assert answer["winners"]
    assert any(happening["kind"] == "score" for happening in answer["events"])


def test_adjudicate_refuses_a_referee_report_without_a_referee() -> None:
    tree = {
        "game": "origins-ww2",
        "card": "historical",
        "turn": 1,
        "phase": "placement",
        "board": {},
    }
    with pytest.raises(RulesError, match="not a nation"):
        adjudicate({**tree, "orders": {"Referee": "END"}})
