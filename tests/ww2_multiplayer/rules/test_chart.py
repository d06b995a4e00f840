"""The printed charts (19.1, 20.0; Rules B.2): columns add up to 25; faults name their key."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from games.rules.cards import CardError
from games.ww2_multiplayer.rules.charts import card_of

from .campaign import CARD

pytestmark = pytest.mark.guest

COLUMNS = ("France", "Britain", "Germany", "USSR", "USA", "Italy")


@pytest.mark.parametrize("power", COLUMNS)
def test_every_printed_column_adds_up_to_25(power: str) -> None:
    """19.2: the cap for combined columns is the sum of a printed one."""
    assert sum(aim.points for aim in card_of(CARD).objectives[power].values()) == 25


def test_chart_matches_the_printed_rules() -> None:
    """19.1: entries of every kind, and countries for which nobody scores."""
    card = card_of(CARD)
    aims = {
        (power, country): str(aim)
        for power in COLUMNS
        for country, aim in card.objectives[power].items()
    }
    assert aims["USSR", "Poland"] == "C5"
    assert aims["Britain", "Egypt"] == "C3", (
        "the example of 19.12 says 1: the chart counts (Rules B.5)"
    )
    assert aims["USA", "Egypt"] == "N1"
    assert aims["Germany", "USSR"] == "C4"
    assert not [pair for pair in aims if pair[1] in ("Denmark", "USA")]
    assert {aim.kind for aim in card.objectives["USA"].values()} == {"normalised"}
    for power in ("Germany", "USSR", "Italy"):
        assert {aim.kind for aim in card.objectives[power].values()} == {"control"}
    assert len(card.areas) == 31
    assert card.victory["spain_includes"] == ["Spanish Morocco"]


def put(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(tree: dict[str, Any]) -> None:
        *way, last, value = path
        for step in way:
            tree = tree[step]
        tree[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (put("objectives", "France", "Poland", {"control": 3}), "objectives.France"),
        (put("objectives", "France", "Atlantis", {"control": 3}), "objectives.France.Atlantis"),
        (put("objectives", "France", "Poland", {"treaty": 2}), "objectives.France.Poland"),
        (put("objectives", "Spain", {}), "objectives"),
        (put("player_turns", "6", [["Italy"]]), "player_turns.6"),
        (put("seats", "5", []), "seats.5"),
        (put("calendar", "seasons", "winter1", ["winter"]), "calendar.seasons.winter1"),
        (put("us_entry", "row", 2, "turn", 9), "us_entry.row[2].turn"),
        (put("us_entry", "row", 2, "first", [3, 1]), "us_entry.row[2].first"),
        (
            put("us_entry", "special", 0, "event", "Germany invades Atlantis"),
            "us_entry.special[0].event",
        ),
        (put("operators", "4", "Sweden", ["Norway"]), "operators.4.Sweden"),
        (put("minors", "pro_axis", ["Atlantis"]), "minors.pro_axis"),
        (put("mediterranean", "4", "sunk"), "mediterranean.4"),
        (put("entitlements", 0, "power", "Spain"), "entitlements[0].power"),
        (put("entitlements", 0, "season", "monsoon"), "entitlements[0].season"),
        (put("entitlements", 4, "steps", [2]), "entitlements"),
        (put("transport", "Italy", "carries", "6", "Spain"), "transport.Italy.carries"),
        (put("transport", "Allied", {}), "transport.Allied.halved_from_turn"),
        (put("grants", 0, "case", "9.99"), "grants[0].case"),
        (put("grants", 0, "by", "Spain"), "grants[0].by"),
        (
            put("switches", "combine_attack", "5", [["Germany", "Spain"]]),
            "switches.combine_attack.5",
        ),
        (put("prewar", "France", ["Britain"]), "prewar.France"),
        (put("order", 0, "Referee"), "order"),
        (put("turns", 0), "turns"),
        (put("areas", ["France"]), "areas"),
        (put("game", "chess"), "game"),
        (put("surprise", 1), "surprise"),
    ],
)
def test_scenario_fault_names_its_key(change: Callable[[dict[str, Any]], None], key: str) -> None:
    """Contract 2."""
    tree = copy.deepcopy(CARD)
    change(tree)
    with pytest.raises(CardError) as raised:
        card_of(tree)
    assert raised.value.key == key
