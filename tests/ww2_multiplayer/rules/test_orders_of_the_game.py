"""The order language (Rules B.8): forms, free text, conditions and remarks."""

from __future__ import annotations

import pytest

from games.rules.orders import lines
from games.ww2_multiplayer.rules.charts import card_of
from games.ww2_multiplayer.rules.orders import FORMS, FREE, UnclearOrder, read_line
from games.ww2_multiplayer.rules.spoken import sentence

from .campaign import CARD, RULES, Campaign, new_state

pytestmark = pytest.mark.guest

CHARTS = card_of(CARD)


def read(text: str) -> tuple[str, str]:
    order = read_line(lines(text)[0], CHARTS)
    return order.verb, order.text


@pytest.mark.parametrize("example", FORMS.values())
def test_shown_order_forms_read_back_as_themselves(example: str) -> None:
    """Rules B.8: canonical words read back as themselves, and have a sentence."""
    verb, text = read(example)
    assert verb != FREE
    assert text == example
    order = read_line(lines(text.lower())[0], CHARTS)
    assert order.verb == verb, "capitals do not matter"
    assert sentence(order).endswith(".")


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("peace with russia", "PEACE USSR"),
        ("ALLY with the US.", "ALLY USA"),
        ("declare holland", "DECLARE WAR ON Netherlands"),
        (
            "sea 2 sp London to Suez via mediterranean using UK",
            "SEA 2 SP London TO Suez VIA MED USING Britain",
        ),
        ("BUILD 3 in Moscow", "BUILD 3 SP Moscow"),
        ("replace 1 sp at London", "REPLACE 1 SP London"),
        ("grant lend lease to Russia", "GRANT LEND-LEASE TO USSR"),
        ("INVADE Fr. Morocco", "INVADE French Morocco"),
        (
            "minor Romania: if Germany has invaded USSR then attack Odessa",
            "MINOR Rumania: IF Germany INVADES USSR THEN ATTACK Odessa",
        ),
        (
            "If the snow melts then rail 2 sp Kiev to Lvov",
            "IF the snow melts THEN RAIL 2 SP Kiev TO Lvov",
        ),
        ("pass", "PASS"),
        ("BLEND Egypt from Italy", "BLEND Egypt Italy"),
    ],
)
def test_other_spellings_of_orders_are_read(written: str, canonical: str) -> None:
    assert read(written)[1] == canonical


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("ALLY Spain", "no power “Spain”; Spain is a country"),
        ("ALLY Narnia", "no power “Narnia”"),
        ("PEACE Atlantis", "no country “Atlantis”"),
        ("MED MAYBE", "ON or OFF"),
        ("GRANT GOLD TO USA", "SUPPLY, TRANSIT"),
        ("COLUMN MINE", "PRINTED"),
        ("ALLY", "a power is missing"),
        ("PEACE P", "ambiguous"),
    ],
)
def test_unreadable_binding_line_is_refused(text: str, why: str) -> None:
    """Contract 3: nothing that binds is guessed."""
    with pytest.raises(UnclearOrder, match=why):
        read(text)
    reading = RULES.read(text, "France", new_state())
    assert [remark.code for remark in reading.remarks] == ["unreadable"]
    assert reading.remarks[0].message.startswith(f"“{text}”: ")
    assert reading.understood == ()


@pytest.mark.parametrize(
    "text",
    [
        "MOVE Paris",
        "SEA Suez TO London",
        "SEA 0 SP London TO Suez",
        "INVADE Atlantis",
        "MINOR Poland go",
        "IF rain",
        "IF Germany INVADES Poland THEN ALLY USSR",
        "MINOR Spain: ALLY USSR",
        "AIRDROP Berlin TO Oslo",
    ],
)
def test_malformed_map_line_is_free_text(text: str) -> None:
    """Rules B.8: free text is always accepted, with a warning that the ledger cannot follow it."""
    reading = RULES.read(text, "France", Campaign().on_to("orders").state)
    assert reading.understood == ((1, text),)
    assert reading.orders[0].verb == FREE
    assert [(remark.severity, remark.code) for remark in reading.remarks] == [
        ("warning", "free_text")
    ]
    assert "Example: " in reading.remarks[0].message


def test_overlong_line_is_free_text() -> None:
    """Reading such a line must not take long."""
    reading = RULES.read(
        "SEA 1 SP x" + " TO y VIA z USING q" * 900, "France", Campaign().on_to("orders").state
    )
    assert reading.orders[0].verb == FREE
    assert "longer than 300 characters" in reading.remarks[0].message
    long_name = RULES.read("INVADE " + "Atlantis " * 20, "France", Campaign().on_to("orders").state)
    assert "there is no country “Atlantis Atlantis" in long_name.remarks[0].message
    assert RULES.read("GRANT SUPPLY" + " TO USA IN x" * 900, "France", new_state()).understood == ()


def test_free_text_is_accepted_unchanged() -> None:
    reading = RULES.read(
        "The Army of the Rhine stands where it is.\n# nothing\nHold Metz at all costs",
        "France",
        Campaign().on_to("orders").state,
    )
    assert [text for _, text in reading.understood] == [
        "The Army of the Rhine stands where it is",
        "Hold Metz at all costs",
    ]
    assert reading.remarks == ()


@pytest.mark.parametrize(
    ("power", "text", "code"),
    [
        ("France", "MOVE 1 SP Paris TO Metz", "wrong_phase"),
        ("France", "ALLY France", "own_nation"),
        ("Germany", "PEACE Italy", "own_nation"),
        ("France", "MED ON", "not_allowed"),
        ("Italy", "MED OFF", "not_allowed"),
        ("France", "COLUMN PRINTED", "not_allowed"),
    ],
)
def test_order_of_another_phase_or_game_is_refused(power: str, text: str, code: str) -> None:
    """With five players, in the first diplomacy."""
    assert [remark.code for remark in RULES.read(text, power, new_state(5)).remarks] == [code]


@pytest.mark.parametrize(
    ("players", "power", "text", "code"),
    [
        (6, "Germany", "ATTACK Warsaw WITH Italy", "no_combination"),
        (5, "Germany", "ATTACK Warsaw WITH Italy", ""),
        (4, "Germany", "ATTACK Warsaw WITH Italy", ""),
        (5, "Britain", "ATTACK Oslo WITH USA", "no_combination"),
        (4, "Britain", "ATTACK Oslo WITH USA", ""),
        (4, "Germany", "ATTACK Oslo WITH Italy, USSR", "no_combination"),
        (6, "Italy", "SEA 1 SP Bari TO Tripoli", ""),
        (6, "France", "SEA 1 SP Oran TO Beirut USING Italy", "no_leave"),
        (6, "France", "SEA 2 SP Oran TO Beirut", "transport"),
        (6, "USA", "MINOR Norway: MOVE 1 SP Oslo TO Bergen", "frozen"),
        (6, "Germany", "MINOR Norway: MOVE 1 SP Oslo TO Bergen", "not_operated"),
        (6, "France", "MINOR Poland: ATTACK Danzig", ""),
        (6, "France", "MINOR Libya: ATTACK Tunis", "not_operated"),
        (6, "USSR", "BUILD 2 SP Moscow", ""),
        (6, "USSR", "IF Germany INVADES USSR THEN BUILD 3 SP Moscow", "too_large"),
    ],
)
def test_doubtful_order_is_accepted_with_a_warning(
    players: int, power: str, text: str, code: str
) -> None:
    """8.15, 5.75, 5.77, 10.73, 16.22, 20.0: an earlier Player-Turn may still change it."""
    reading = RULES.read(text, power, Campaign(players).on_to("orders").state)
    assert [remark.code for remark in reading.remarks] == ([code] if code else [])
    assert len(reading.understood) == 1


def test_merging_keeps_unrepeated_lines() -> None:
    """orders.amend = merge_lines."""
    state = Campaign().on_to("orders").state
    merged = RULES.merge(
        "ALLY Britain\nMOVE 1 SP Paris TO Metz\nPEACE Italy",
        "MOVE 1 SP Paris TO Metz\nPEACE Italy\nHold Lyons",
        "France",
        state,
    )
    assert merged.splitlines() == [
        "ALLY Britain",
        "MOVE 1 SP Paris TO Metz",
        "PEACE Italy",
        "Hold Lyons",
    ]
    assert RULES.merge("ALLY Britain", "PASS", "France", state) == "PASS"
    five = new_state(5)
    anew = RULES.merge(
        "BLEND Poland Germany\nBLEND Egypt Italy\nALLY USSR", "BLEND Greece Italy", "Germany", five
    )
    assert anew.splitlines() == ["ALLY USSR", "BLEND Greece Italy"], "a column is sealed whole"


@pytest.mark.parametrize("players", [6, 5, 4])
@pytest.mark.parametrize("kind", ["diplomacy", "orders"])
def test_every_choice_is_accepted_without_an_error(players: int, kind: str) -> None:
    """The contract of `Choice`."""
    campaign = Campaign(players).on_to("referee-germany")
    campaign.report("INVASION Germany Poland\nINVASION Germany Egypt\nINVASION Germany Sweden\nEND")
    campaign.on_to("diplomacy", 2).send(
        France="ALLY Britain\nGRANT LEND-LEASE TO USSR IN Iran", Britain="ALLY France"
    )
    states = [campaign.on_to("orders", 2).state if kind == "orders" else new_state(players)]
    for state in states:
        for power in RULES.acting_nations(state):
            choices = RULES.planner.choices(state, power)
            assert choices
            for choice in choices:
                for partner in choice.nations or ("",):
                    line = choice.line(nations=(partner,) if partner else ())
                    assert not [
                        remark
                        for remark in RULES.read(line, power, state).remarks
                        if remark.severity == "error"
                    ], line


def test_planner_adds_and_removes_a_line() -> None:
    """`plan` and `revise`."""
    state = new_state()
    text = RULES.planner.revise(
        state, "France", "Hold Metz", RULES.planner.plan(state, "France", "PEACE Italy").ordered[0]
    )
    assert text == "Hold Metz\nPEACE Italy"
    planned = RULES.planner.plan(state, "France", text).ordered
    assert [(order.verb, order.area, order.line) for order in planned] == [
        ("FREE", None, 1),
        ("PEACE", "Italy", 2),
    ]
    assert RULES.planner.revise(state, "France", text, planned[1], drop=True) == "Hold Metz"
