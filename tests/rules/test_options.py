"""Check options (Rules O): one typed table, validated as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from games.rules import RulesError
from games.rules.options import LIQUID_STOCKS, OPTIONS, check_offered, group_options, validate
from games.rules.orders import is_stock


def test_defaults_of_all_options() -> None:
    """Rules O: the first value is the default."""
    options = validate({})
    assert list(options) == list(OPTIONS)
    assert options["ow2.sub_1_1"] == "void"
    assert options["orders.grace_hours"] == 0
    assert options["rng.reserve_list"] == []
    assert all(
        options[id] == option.values[0] for id, option in OPTIONS.items() if option.kind == "choice"
    )


def test_validated_options_validate_unchanged() -> None:
    """A record holds complete options, which are validated again on load."""
    validated = validate(
        {"ow2.share_max": 3, "orders.grace_hours": 5, "rng.reserve_list": list(LIQUID_STOCKS)}
    )
    assert validated["ow2.share_max"] == "3"
    assert validate(validated, partial=False) == validated


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("ow2.nosuch", "yes"),
        ("ow2.sub_1_1", "maybe"),
        ("ow2.sub_1_1", None),
        ("ow2.sub_1_1", True),
        ("ow2.share_max", 4),
        ("orders.grace_hours", -1),
        ("orders.grace_hours", 1.0),
        ("orders.grace_hours", True),
        ("orders.grace_hours", "1"),
        ("rng.reserve_list", ["GE"]),
        ("rng.reserve_list", "GE"),
        ("rng.reserve_list", [7] * 20),
        ("rng.reserve_list", ["GE"] * 20),
    ],
)
def test_invalid_key_or_value_is_refused_by_name(key: str, value: Any) -> None:
    """Contract 4: the message names the key."""
    with pytest.raises(RulesError) as raised:
        validate({key: value})
    assert str(raised.value).startswith(key)


def test_complete_options_may_be_required() -> None:
    """A record must not depend on defaults that a later version may change."""
    with pytest.raises(RulesError, match=r"^rng\.source is missing$"):
        validate({}, partial=False)


def test_unfinished_options_cannot_be_chosen_for_a_new_game() -> None:
    """Design 3: options are fixed at opening, so none without an effect may be set."""
    check_offered(validate({"ow2.sub_1_1": "attacker_removed"}))
    check_offered(validate({"wwi.seating": "random"}))
    for option in OPTIONS.values():
        if not option.ready:
            with pytest.raises(RulesError, match=option.id):
                check_offered(validate({option.id: option.values[-1] if option.values else 9}))


@pytest.mark.parametrize(
    ("given", "kept"), [("", ""), ("Russia+Germany", "Russia+Germany"), (" A +B ,C+ D", "A+B, C+D")]
)
def test_pairs_of_nations_are_normalized(given: str, kept: str) -> None:
    """Rules A.5, wwi.premade."""
    assert validate({"wwi.premade": given})["wwi.premade"] == kept


@pytest.mark.parametrize("given", ["Russia", "A+B+C", "A+", 7, None, "A+B,,C+D"])
def test_invalid_pairs_of_nations_are_refused(given: object) -> None:
    with pytest.raises(RulesError, match=r"^wwi\.premade"):
        validate({"wwi.premade": given})


def test_every_option_has_an_explanation() -> None:
    """Design 3: options are shown in the first report of a game."""
    assert all(option.text.endswith(".") and "!" not in option.text for option in OPTIONS.values())
    assert {option.id.partition(".")[0] for option in group_options(("rng", "ow2"))} == {
        "rng",
        "ow2",
    }


def test_shipped_reserve_list_is_long_enough() -> None:
    """rng.reserve_list: at least 20 symbols, each once."""
    assert len(set(LIQUID_STOCKS)) == len(LIQUID_STOCKS) >= 20
    assert all(is_stock(stock) for stock in LIQUID_STOCKS)
