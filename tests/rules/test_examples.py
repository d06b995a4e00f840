"""Check that the examples of the rules page work on any card."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules import cards
from games.rules.explaining import Example
from games.rules.origins_ww2 import examples
from games.rules.origins_ww2.card import GAME, KINDS, card_of
from games.rules.registry import ruleset
from tests.support.examples import examples as drawn

ALL = {"placement", "odds", "exchange", "understanding", "control", "share", "immunity"}
NATIONS = (
    "Germany",
    "Britain",
    "United Provinces",
    "Ruritania",
    "Côte d’Or",
    "Pass",
    "O'Higgins",
    "X",
    "France",
    "North-Sea League",
)
AREAS = (
    "Poland",
    "Germany",
    "The Isles",
    "Control",
    "Place",
    "Upper-Lower Saxony",
    "Ø",
    "Home",
    "Austria",
    "3 Rivers",
    "Attack",
)


@st.composite
def odd_cards(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a valid card unlike the printed one."""
    order = draw(st.lists(st.sampled_from(NATIONS), min_size=1, max_size=6, unique=True))
    areas = draw(st.lists(st.sampled_from(AREAS), min_size=1, max_size=6, unique=True))
    turns = draw(st.integers(1, 4))
    row = st.lists(st.integers(0, 12), min_size=turns, max_size=turns)
    objective = st.dictionaries(st.sampled_from(KINDS), st.integers(1, 30), min_size=1)
    return {
        "game": GAME,
        "name": "odd",
        "title": "An odd scenario",
        "provenance": "house",
        "turns": turns,
        "order": order,
        "areas": areas,
        "home": draw(st.dictionaries(st.sampled_from(order), st.sampled_from(areas))),
        "allocation": {nation: draw(row) for nation in order},
        "objectives": draw(
            st.dictionaries(
                st.sampled_from(order), st.dictionaries(st.sampled_from(areas), objective)
            )
        ),
    }


def check(tree: dict[str, Any]) -> dict[str, Example]:
    """Check that every example is judged as it says and uses only this card."""
    scenario = card_of(tree)
    examples_by_name = {example.name: example for example in examples.examples(tree)}
    assert set(examples_by_name) <= ALL
    for example in examples_by_name.values():
        assert example.area in scenario.areas
        assert example.told
        assert all(nation in scenario.order and lines for nation, lines in example.orders)
    told = {name: " ".join(example.told) for name, example in examples_by_name.items()}
    if "control" in examples_by_name:
        assert "takes CONTROL" in told["control"]
    if "share" in examples_by_name:
        assert "share CONTROL" in told["share"]
    if "understanding" in examples_by_name:
        assert "Understanding" in told["understanding"]
        assert "no Understanding" not in told["understanding"]
    if "immunity" in examples_by_name:
        assert "immune" in told["immunity"]
    if len(scenario.order) > 1:
        assert {"odds", "exchange"} <= set(examples_by_name)
        assert "8 to 3" in told["odds"], told["odds"]
    return examples_by_name


@settings(max_examples=drawn(60), deadline=None)
@given(odd_cards())
def test_examples_work_on_any_card(tree: dict[str, Any]) -> None:
    """Issue 6: the page failed on a card cut down to one turn."""
    check(tree)


@pytest.mark.parametrize("name", cards.names(GAME))
@pytest.mark.parametrize("turns", [1, 2, None])
def test_shipped_card_has_every_example_with_any_number_of_turns(
    name: str, turns: int | None
) -> None:
    tree = cards.load(GAME, name)
    if turns:
        tree = {
            **tree,
            "turns": turns,
            "allocation": {nation: row[:turns] for nation, row in tree["allocation"].items()},
        }
    assert set(check(tree)) == ALL


def test_examples_of_the_historical_card_use_the_documented_areas() -> None:
    examples_by_name = {example.name: example for example in ruleset(GAME).guide.examples()}
    assert {name: example.area for name, example in examples_by_name.items()} == {
        "placement": "Poland",
        "odds": "Poland",
        "exchange": "Rumania",
        "understanding": "Czechoslovakia",
        "control": "Austria",
        "share": "Rumania",
        "immunity": "Germany",
    }
    assert [nation for nation, _ in examples_by_name["understanding"].orders] == [
        "France",
        "Britain",
    ]


def test_card_of_one_nation_in_one_area_has_no_examples() -> None:
    """There is nobody to attack or share with, so the page has none."""
    tree = {
        "game": GAME,
        "name": "one",
        "title": "One",
        "provenance": "house",
        "turns": 1,
        "order": ["X"],
        "areas": ["Y"],
        "allocation": {"X": [0]},
        "objectives": {},
    }
    assert check(tree) == {}
