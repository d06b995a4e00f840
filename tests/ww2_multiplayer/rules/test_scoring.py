"""Victory points, columns and standings (13.0, 19.0 to 19.2; Rules B.2 to B.5)."""

from __future__ import annotations

import pytest

from games.rules import RulesError
from games.ww2_multiplayer.rules import columns, scoring
from games.ww2_multiplayer.rules.hostility import note_invasion, set_alliance
from games.ww2_multiplayer.rules.state import OVER, State

from .campaign import RULES, Campaign, at, new_state, with_forces
from .test_control import conquered

pytestmark = pytest.mark.guest


def paid(state: State, seat: str) -> dict[str, int]:
    return {line.country: line.points for line in scoring.lines(state, seat) if line.points}


def why(state: State, seat: str, country: str) -> tuple[str, str]:
    line = next(line for line in scoring.lines(state, seat) if line.country == country)
    return line.case, line.why


def test_scores_at_the_start() -> None:
    """19.11, 19.12: the USA scores only by N; Germany, the USSR and Italy only by C."""
    state = new_state()
    assert paid(state, "Germany") == {"Hungary": 1, "Rumania": 1, "Bulgaria": 1, "Finland": 1}
    assert paid(state, "Italy") == {"Libya": 2}
    assert paid(state, "USSR") == {}
    assert paid(state, "Britain")["Egypt"] == 3
    assert "Libya" not in paid(state, "Britain"), "Italy controls it"
    assert sum(paid(state, "USA").values()) == 25 - 5, (
        "Hungary, Rumania, Finland and Egypt are others'"
    )


def test_example_of_19_12_pays_by_the_chart() -> None:
    """Britain controls Egypt, and the USA has its N if allied. Rules B.5: three points."""
    state = new_state()
    assert paid(state, "Britain")["Egypt"] == 3
    assert why(state, "USA", "Egypt") == (
        "19.12",
        "Britain, not an ally of USA, controls Egypt.",
    )
    allies = set_alliance(state, "USA", "Britain", True)
    assert paid(allies, "USA")["Egypt"] == 1
    assert (
        why(allies, "USA", "Egypt")[1]
        == "No hostile force stands in Egypt; Britain, an ally, controls it."
    )
    peaceful = new_state(allied="nonhostile")
    assert paid(peaceful, "USA")["Egypt"] == 1
    controls = "No hostile force stands in Egypt; Britain, not hostile to USA, controls it."
    assert why(peaceful, "USA", "Egypt")[1] == controls


def test_several_powers_score_for_a_normalized_country() -> None:
    """19.12: two or more powers may."""
    state = new_state()
    assert [paid(state, seat)["Belgium"] for seat in ("France", "Britain", "USA")] == [3, 3, 2]


def test_conqueror_scores_and_normalization_ends() -> None:
    """19.11, 19.12: N no longer pays; C pays the conqueror."""
    state = conquered(new_state(), "Belgium", "Germany")
    assert [
        paid(state, seat).get("Belgium", 0) for seat in ("France", "Britain", "USA", "Germany")
    ] == [0, 0, 0, 1]
    assert why(state, "France", "Belgium") == ("19.12", "Hostile forces stand in Belgium: Germany.")
    assert why(state, "Germany", "Belgium") == (
        "19.11",
        "Germany has driven out all hostile forces, swept every hex and has a garrison there.",
    )


def test_no_power_scores_for_a_contested_country() -> None:
    """19.12, second paragraph."""
    state = with_forces(note_invasion(new_state(), "Germany", "Poland")[0], "Poland", Germany=2)
    assert [
        paid(state, seat).get("Poland", 0)
        for seat in ("France", "Britain", "USA", "Germany", "USSR")
    ] == [0, 0, 0, 0, 0]


@pytest.mark.parametrize(("hostile", "lost"), [(20, False), (21, True)])
def test_power_that_lost_more_than_half_its_home_scores_nothing(hostile: int, lost: bool) -> None:
    """19.13: exactly half is not more than half."""
    state = new_state().change_country("France", hexes=40, hexes_hostile=hostile)
    assert (sum(paid(state, "France").values()) == 0) is lost
    if lost:
        sentence = "21 of 40 hexes of France are under hostile control, so it scores nothing."
        assert {line.why for line in scoring.lines(state, "France") if line.case == "19.13"} == {
            sentence
        }


def test_player_of_two_powers_uses_the_german_or_american_column() -> None:
    """19.2."""
    assert columns.column_power(new_state(5), "Germany") == "Germany"
    assert columns.column_power(new_state(4), "Britain") == "USA"
    assert columns.column_power(new_state(5), "Britain") == "Britain"
    greek = conquered(new_state(5), "Greece", "Italy")
    assert paid(greek, "Germany")["Greece"] == 1, (
        "Italy's conquest is its player's, by the German column"
    )


BLEND = [
    ("Poland", "Germany"),
    ("France", "Germany"),
    ("USSR", "Germany"),
    ("Greece", "Italy"),
    ("Yugoslavia", "Italy"),
    ("Egypt", "Italy"),
    ("Algeria", "Italy"),
    ("Tunisia", "Italy"),
    ("Turkey", "Italy"),
]


def test_blend_has_one_printed_entry_per_country_and_at_most_25_points() -> None:
    """19.2, spi.blend = choose_one: each entry stays its power's."""
    state = new_state(5)
    chosen = columns.check_blend(state, "Germany", BLEND)
    assert columns.total(state, chosen) == 3 + 3 + 4 + 3 + 3 + 3 + 3 + 2 + 1
    with pytest.raises(RulesError, match="adds up to 26 points; the limit is 25"):
        columns.check_blend(state, "Germany", [*BLEND, ("Syria", "Italy")])
    with pytest.raises(RulesError, match="Greece is listed twice"):
        columns.check_blend(state, "Germany", [("Greece", "Italy"), ("Greece", "Germany")])
    both = new_state(5, blend="any_mix")
    assert (
        columns.total(
            both, columns.check_blend(both, "Germany", [("Greece", "Italy"), ("Greece", "Germany")])
        )
        == 4
    )
    with pytest.raises(RulesError, match="USSR is not one of this player's powers"):
        columns.check_blend(state, "Germany", [("Poland", "USSR")])
    with pytest.raises(RulesError, match="the printed column of Germany has nothing for Turkey"):
        columns.check_blend(state, "Germany", [("Turkey", "Germany")])
    with pytest.raises(RulesError, match="a single power"):
        columns.check_blend(state, "France", [("Poland", "France")])


def test_blend_entries_of_a_lost_home_pay_nothing() -> None:
    """19.13 with 19.2, as decided: an entry belongs to its power."""
    state = conquered(conquered(new_state(5), "Greece", "Italy"), "Poland", "Germany")
    state = at(state, columns={"Germany": columns.check_blend(state, "Germany", BLEND)})
    assert paid(state, "Germany") == {"Greece": 3, "Poland": 3}
    lost = state.change_country("Italy", hexes=20, hexes_hostile=15)
    assert paid(lost, "Germany") == {"Poland": 3}


def blend_lines(pairs: list[tuple[str, str]]) -> str:
    return "\n".join(f"BLEND {country} {power}" for country, power in pairs)


def test_blend_is_secret_until_the_end() -> None:
    """19.2: "secretly recorded"; the last report reveals it."""
    campaign = Campaign(5, last_turn=1, us_entry="base_schedule")
    campaign.send(Germany=blend_lines(BLEND))
    assert campaign.events == []
    assert campaign.said("Germany") == [
        "Your column has 9 countries and 25 points. It stays secret until the end."
    ]
    for reader in ("France", "Britain", None, "Referee"):
        view = RULES.view(campaign.state, reader)
        assert view.columns == {}
        assert RULES.standing(view).scores["Germany"] == 4, "by the printed column"
        assert (
            RULES.standing(view).remark
            == "Germany scores here by the printed column. A secret column counts at the end"
            " (19.2)."
        )
    for own in ("Germany", "Italy"):
        assert RULES.standing(RULES.view(campaign.state, own)).scores["Germany"] == 0
    campaign.on_to("count").report("END")
    assert campaign.told("column")[0]["message"].startswith(
        "The column that Germany chose before turn 1, 25 points: Poland C3 of Germany,"
    )
    assert RULES.standing(RULES.view(campaign.state, None)).scores["Germany"] == 0


@pytest.mark.parametrize(
    ("turn", "who", "lines", "message"),
    [
        (1, "France", "BLEND Poland France", "only a player with two powers"),
        (1, "Italy", "BLEND Poland Germany", "write your column in the orders of Germany"),
        (2, "Germany", "BLEND Poland Germany", "in the diplomacy of turn 1"),
        (1, "Germany", "BLEND Poland Spain", "there is no power “Spain”"),
        (
            1,
            "Germany",
            blend_lines([*BLEND, ("Syria", "Italy")]),
            "this column adds up to 26 points; the limit is 25 (19.2)",
        ),
    ],
)
def test_invalid_blend_is_refused(turn: int, who: str, lines: str, message: str) -> None:
    """19.2: the sender gets the reason."""
    campaign = Campaign(5).on_to("diplomacy", turn)
    campaign.send(**{who: lines})
    assert message in campaign.said(who)[-1]
    assert campaign.state.columns == {}


def test_last_report_cites_the_case_of_every_point() -> None:
    """Rules B.8: a worked score sheet."""
    campaign = Campaign(last_turn=1, us_entry="base_schedule").on_to("count")
    campaign.report("HEXES France 40 HOSTILE 30\nHEXES Atlantis 3 HOSTILE 1\nEND")
    assert "“HEXES Atlantis 3 HOSTILE 1”: there is no power" in campaign.said()[0]
    for seat, total in RULES.standing(campaign.state).scores.items():
        score_events = [event for event in campaign.told("score") if event["nation"] == seat]
        assert sum(event["points"] for event in score_events) == total
        assert {event["rule"] for event in score_events} <= {"19.11", "19.12", "19.13"}
    assert RULES.standing(campaign.state).scores["France"] == 0


def test_ties_are_shared_or_go_to_fewest_home_hexes_lost() -> None:
    """Rules B.3, spi.tie."""
    for rule, winners in (
        ("shared", ("Italy", "Germany")),
        ("fewest_own_hexes_lost", ("Germany",)),
    ):
        state = at(new_state(tie=rule), step=OVER, points={"Italy": 48, "Germany": 46})
        state = state.change_country("Italy", hexes=30, hexes_hostile=2)
        assert RULES.standing(state).winners == winners


def test_standings_may_be_hidden_from_players() -> None:
    """spi.standings."""
    state = new_state(standings="gm_only")
    assert RULES.standing(RULES.view(state, "France")).scores == {}
    view = RULES.view(state, "France")
    assert RULES.guide.nation_facts(view, "France").objectives[0].reached is None
    assert RULES.standing(RULES.view(state, "Referee")).scores["France"] > 0
    assert RULES.standing(RULES.view(at(state, step=OVER), None)).winners == ("Britain",)
