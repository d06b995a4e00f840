"""The examples of the rules' page work on any card: few turns, few areas, other names."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules import cards
from games.rules.example import Example
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
    """A sound sheet unlike the printed one."""
    order = draw(st.lists(st.sampled_from(NATIONS), min_size=1, max_size=6, unique=True))
    areas = draw(st.lists(st.sampled_from(AREAS), min_size=1, max_size=6, unique=True))
    turns = draw(st.integers(1, 4))
    row = st.lists(st.integers(0, 12), min_size=turns, max_size=turns)
    objective = st.dictionaries(st.sampled_from(KINDS), st.integers(1, 30), min_size=1)
    return {
        "game": GAME,
        "name": "odd",
        "title": "An odd sheet",
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
    """Every example has been judged as it says, and is of this card alone."""
    sheet = card_of(tree)
    found = {example.name: example for example in examples.examples(tree)}
    assert set(found) <= ALL
    for example in found.values():
        assert example.area in sheet.areas
        assert example.told
        assert all(nation in sheet.order and lines for nation, lines in example.orders)
    told = {name: " ".join(example.told) for name, example in found.items()}
    if "control" in found:
        assert "takes CONTROL" in told["control"]
    if "share" in found:
        assert "share CONTROL" in told["share"]
    if "understanding" in found:
        assert "Understanding" in told["understanding"]
        assert "no Understanding" not in told["understanding"]
    if "immunity" in found:
        assert "immune" in told["immunity"]
    if len(sheet.order) > 1:
        assert {"odds", "exchange"} <= set(found)
        assert "8 to 3" in told["odds"], told["odds"]
    return found


@settings(max_examples=drawn(60), deadline=None)
@given(odd_cards())
def test_the_examples_work_on_any_card(tree: dict[str, Any]) -> None:
    """Issue 6: found by a card cut down to one turn, on which the page failed."""
    check(tree)


@pytest.mark.parametrize("name", cards.names(GAME))
@pytest.mark.parametrize("turns", [1, 2, None])
def test_a_shipped_card_has_all_of_them_however_few_turns_it_has(
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


def test_the_examples_of_the_book_are_where_the_page_has_them() -> None:
    found = {example.name: example for example in ruleset(GAME).guide.examples()}
    assert {name: example.area for name, example in found.items()} == {
        "placement": "Poland",
        "odds": "Poland",
        "exchange": "Rumania",
        "understanding": "Czechoslovakia",
        "control": "Austria",
        "share": "Rumania",
        "immunity": "Germany",
    }
    assert [nation for nation, _ in found["understanding"].orders] == ["France", "Britain"]


def test_a_card_of_one_nation_in_one_area_has_what_it_can_show() -> None:
    """Nobody to attack, nobody to share with."""
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
