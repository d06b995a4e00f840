"""Plain orders in World War II Multi-Player: a few forms bind, all else is free text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from games.rules import cards
from games.rules.options import validate
from games.ww2_multiplayer.rules.ruleset import WW2MultiPlayer
from games.ww2_multiplayer.rules.state import DIPLOMACY, ORDERS
from tests.rules.plain.reading import PLAIN, errors, lines, read
from tests.rules.plain.test_properties import (
    DOUBTS,
    Written,
    assert_read_or_refused,
    bullets,
    people,
    pieces,
    searching,
    with_slips,
)

pytestmark = pytest.mark.guest

MULTIPLAYER = WW2MultiPlayer()
BINDING = (
    "ALLY France", "PEACE Italy", "DECLARE WAR ON USSR", "GRANT SUPPLY TO USA IN Britain",
    "REVOKE BASE FROM USA IN Britain", "MED ON AGAINST Britain, France", "UNALLY France",
)  # fmt: skip


def multiplayer(step: str = ORDERS, **options: Any) -> Any:
    card = cards.load("ww2-multiplayer", "standard")
    chosen = validate({**PLAIN, **options})
    seats = ("Britain", "France", "Germany", "Italy", "USSR", "USA")
    return replace(MULTIPLAYER.setup(card, chosen, seats), step=step)


def test_canonical_multiplayer_game_reads_courtesies_as_free_text() -> None:
    text = "Please ally with the Germans"
    canonical = multiplayer(**{"orders.language": "canonical"})
    assert [order.verb for order in read(text, canonical, "Britain", MULTIPLAYER).orders] == [
        "FREE"
    ]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1) ALLY France", "ALLY France"),
        ("Please ally with the Germans", "ALLY Germany"),
        ("I declare war on the Germans.", "DECLARE WAR ON Germany"),
        ("“PEACE Germany”", "PEACE Germany"),
    ],
)
def test_multiplayer_forms_are_read_without_their_courtesies(written: str, meant: str) -> None:
    nation = "Britain" if "German" in written else "Germany"
    assert lines(written, multiplayer(), nation, MULTIPLAYER) == [meant]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Ally: France", "ALLY France"),
        ("Alliance with the French", "ALLY France"),
        ("We want peace with Italy.", ""),
        ("Peace: Italy", "PEACE Italy"),
        ("declare war on the USSR", "DECLARE WAR ON USSR"),
        ("War on the Soviets!", "DECLARE WAR ON USSR"),
        ("We end our alliance with France", "UNALLY France"),
        ("Break the alliance with France", "UNALLY France"),
        ("Germany allies with France", "ALLY France"),
        ("The Germans declare war on France", "DECLARE WAR ON France"),
        ("France allies with Italy", ""),
        ("We offer an alliance to the French", "ALLY France"),
        ("I accept the alliance with France", "ALLY France"),
        ("Accept Italy's offer of peace", "PEACE Italy"),
        ("Offer Italy peace", "PEACE Italy"),
        ("We agree to peace with Italy", "PEACE Italy"),
        ("Alliance to be discussed", ""),
        ("Allow the French supply in Germany", "GRANT SUPPLY TO France IN Germany"),
        ("Grant Italy a base in Germany", "GRANT BASE TO Italy IN Germany"),
        ("Ally with France and Italy", ""),
        ("Break the alliance with France if Italy attacks", ""),
        ("Alliance with France or Italy", ""),
    ],
)
def test_multiplayer_forms_in_other_words(written: str, meant: str) -> None:
    """Other words bind nobody; they go to the gamesmaster or back to the sender."""
    reading = read(written, multiplayer(), "Germany", MULTIPLAYER)
    binding: list[Any] = [order for order in reading.orders if order.binding]
    assert [order.text for order in binding] == ([meant] if meant else [])


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (
            "If Germany invades Belgium, move 3 SP Paris to Brussels",
            "IF Germany INVADES Belgium THEN MOVE 3 SP Paris TO Brussels",
        ),
        ("If the USA enters, hold Suez.", ""),
        (
            "If Germany has invaded Poland, then hold Metz.",
            "IF Germany INVADES Poland THEN hold Metz",
        ),
        ("If Germany, Italy or Spain attack, hold Metz", ""),
        ("If Germany invades Poland, ally with Britain", ""),
    ],
)
def test_comma_parts_a_condition_that_the_service_checks(written: str, meant: str) -> None:
    """REST DONE leaves a line void whose condition is not met. Others stay free text (B.8)."""
    (order,) = read(written, multiplayer(), "France", MULTIPLAYER).orders
    assert (order.text if order.condition else "") == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("SEA 1 SP A TO B\nVIA MED\nHold Metz", ["SEA 1 SP A TO B VIA MED", "Hold Metz"]),
        ("SEA 1 SP A TO B\nVIA MED\nUSING France", ["SEA 1 SP A TO B VIA MED USING France"]),
        ("IF Germany INVADES Poland\nTHEN hold Metz", ["IF Germany INVADES Poland THEN hold Metz"]),
        ("GRANT SUPPLY TO USA\nIN Britain", ["GRANT SUPPLY TO USA IN Britain"]),
        ("MOVE 3 SP Paris TO Metz\nTo Nice, two", ["MOVE 3 SP Paris TO Metz", "To Nice, two"]),
        ("SEA 1 SP A TO B\n\nVIA MED", ["SEA 1 SP A TO B", "VIA MED"]),
        ("MOVE Paris\nHold Metz TO the end", ["MOVE Paris", "Hold Metz TO the end"]),
        ("Hold Metz\nWith all you have", ["Hold Metz", "With all you have"]),
        ("SEA 1 SP A TO B USING France VIA MED", ["SEA 1 SP A TO B VIA MED USING France"]),
        ("SEA 1 SP A TO B via the Mediterranean Sea", ["SEA 1 SP A TO B VIA MED"]),
    ],
)  # fmt: skip
def test_line_that_only_goes_on_is_read_with_the_one_above(written: str, meant: list[str]) -> None:
    """Contract 3a.3. It adds what its order lacks; other lines keep their numbers (B.8)."""
    state = multiplayer()
    reading = read(written, state, "Britain", MULTIPLAYER)
    assert [words for _, words in reading.understood] == meant
    assert reading.understood[0][0] == 1
    kept = MULTIPLAYER.resolve(state, {"Britain": written}, {}, ()).state
    assert read(kept.orders["Britain"], kept, "Britain", MULTIPLAYER).understood == (
        reading.understood
    )


def test_position_keeps_a_text_as_sent_where_reports_read_it_alike() -> None:
    """Positions of 0.1.0 keep texts as sent, and its reports ruled on each line of them."""
    state = multiplayer()
    text = "Please move 3 SP Paris to Metz\nHold Metz"
    after = MULTIPLAYER.resolve(state, {"France": text}, {}, ()).state
    assert after.orders["France"] == text
    old = replace(after, orders={"France": "SEA 1 SP A TO B\nVIA MED"})
    reading = read(old.orders["France"], old, "France", MULTIPLAYER)
    assert [line for line, _ in reading.understood] == [1, 2]


def test_order_is_taken_out_with_the_line_by_which_it_goes_on() -> None:
    """Else “VIA MED” would go on with the order above it."""
    state = multiplayer()
    text = "SEA 1 SP A TO B\nSEA 1 SP A TO C\nVIA MED\nHold Metz"
    second = MULTIPLAYER.planner.plan(state, "France", text).ordered[1]
    assert MULTIPLAYER.planner.revise(state, "France", text, second, drop=True) == (
        "SEA 1 SP A TO B\nHold Metz"
    )


def test_doubt_in_plain_words_is_refused_with_the_example_of_its_form() -> None:
    """The line begins with no form."""
    reading = read("We grant supply to the USA in any port", multiplayer(), "Britain", MULTIPLAYER)
    assert reading.understood == ()
    [error] = errors(reading)
    assert error.endswith("so leave it out. Example: GRANT SUPPLY TO USA IN Britain")


def test_two_orders_in_one_binding_line_are_refused() -> None:
    """Contract 3a.2: the second would be part of the place in which the first holds."""
    text = "GRANT SUPPLY TO USA IN Britain; GRANT TRANSIT TO USA"
    reading = read(text, multiplayer(), "Britain", MULTIPLAYER)
    assert reading.understood == ()
    [error] = errors(reading)
    assert "it has several orders, so write each in a line of its own. Example: GRANT " in error


@pytest.mark.parametrize(
    ("power", "line", "why"),
    [
        ("USA", "GRANT LEND-LEASE TO USSR", ""),
        ("France", "GRANT LEND-LEASE TO USSR", "Lend-Lease is USA's to give (10.35)"),
        ("USA", "GRANT LEND-LEASE TO Italy", "Lend-Lease goes to the USSR alone (10.35)"),
        (
            "Italy",
            "GRANT TRANSIT TO USSR IN Hungary",
            "Germany decides who may pass Hungary (16.31)",
        ),
        ("Germany", "GRANT TRANSIT TO USSR IN Hungary", ""),
        ("Italy", "GRANT TRANSIT TO USSR IN Libya", ""),
    ],
)
def test_permission_that_is_anothers_to_give_is_warned_of(power: str, line: str, why: str) -> None:
    """10.35, 16.31: it would permit nothing, and everybody would read it."""
    state = multiplayer()
    said = [remark.message for remark in read(line, state, power, MULTIPLAYER).remarks]
    assert len(said) == bool(why)
    assert all(f"{why}, so this permits nothing." in message for message in said)
    choices = {choice.verb for choice in MULTIPLAYER.planner.choices(state, power)}
    assert "GRANT LEND-LEASE TO Italy" not in choices
    assert ("GRANT LEND-LEASE TO USSR" in choices) == (power == "USA")


def test_example_is_about_another_power_than_the_writers() -> None:
    state = multiplayer()
    for power, form in (("Germany", "PEACE Italy"), ("Italy", "PEACE Germany")):
        (error,) = errors(read("Peace in our time", state, power, MULTIPLAYER))
        assert error.endswith(f"Example: {form}")


@pytest.mark.parametrize("words", ["Accept Britain's offer", "Hold Metz", "A letter to all"])
def test_own_words_are_accepted_in_diplomacy_with_a_warning_that_nobody_rules_on_them(
    words: str,
) -> None:
    """Contract 3: free text is always accepted. Rules B.8: no report judges texts of diplomacy, and
    nobody may read those before turn 1 (19.2)."""
    state = multiplayer(DIPLOMACY)
    reading = read(f"ALLY Britain\n\n{words}", state, "France", MULTIPLAYER)
    assert [text for _, text in reading.understood] == ["ALLY Britain", words]
    [remark] = reading.remarks
    assert (remark.severity, remark.line) == ("warning", 3)
    assert "free text, on which nobody rules in this phase" in remark.message


@pytest.mark.parametrize("written", ["We do not ally with France", "maybe peace with France"])
def test_multiplayer_free_text_stays_free_text(written: str) -> None:
    reading: Any = read(written, multiplayer(), "Germany", MULTIPLAYER)
    assert all(order.verb == "FREE" for order in reading.orders)


TAKEN_BACK = [
    *("ALLY France\n\nNo wait, forget that.", "ALLY France\n\nNo!", "ALLY France\n\nDon't do it."),
    *("ALLY France\nif Italy does too", "Next turn:\nALLY France", "Draft\n\nPEACE Italy"),
    *(
        "ALLY France\n\nThis is a test.",
        "ALLY France\n\nTo be confirmed",
        "ALLY France\nWrong game",
    ),
    *("ALLY France\n\nIs this binding?", "ALLY France\n\nDon't send this yet."),
    *("ALLY France\n\nOnly if they accept.", "ALLY France\n\nNot France. Italy!"),
    *("ALLY France\nas soon as they leave Egypt", "My orders of last quarter:\n\nALLY France"),
    "You wrote:\n\nALLY France",
]


@pytest.mark.parametrize("text", TAKEN_BACK)
def test_binding_line_beside_one_that_may_take_it_back_is_refused(text: str) -> None:
    """Contract 3a.2. The other line still goes to the gamesmaster."""
    reading: Any = read(text, multiplayer(), "Germany", MULTIPLAYER)
    assert [order.verb for order in reading.orders] == ["FREE"]
    assert any("cannot be taken back once judged" in message for message in errors(reading))


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Draft – don't play this yet\nINVADE Poland", "line 2"),
        ("INVADE Poland\nMOVE 1 SP A TO B\n\nTo be confirmed", "the other lines for the map"),
        ("MOVE 1 SP A TO B\nif Italy does too", "line 1"),
        ("MOVE 1 SP A TO B\nIf attacked, fall back", ""),
        ("MOVE 1 SP A TO B\nAll other units stay, and no unit retreats", ""),
        ("North:\nMOVE 1 SP A TO B\nHold Metz", ""),
        ("MOVE 1 SP A TO B\nWithdraw all units from Poland", ""),
        ("Draft – don't play this yet", ""),
    ],
)
def test_sender_is_warned_of_words_that_may_take_map_lines_back(text: str, about: str) -> None:
    """Contract 3a.3: free text is accepted, so the gamesmaster decides, and the sender knows."""
    reading: Any = read(text, multiplayer(), "Germany", MULTIPLAYER)
    assert len(reading.understood) == len(text.replace("\n\n", "\n").splitlines())
    said = [remark.message for remark in reading.remarks if remark.code == "unsure"]
    assert len(said) == bool(about)
    assert all(f"may take back {about} or make " in message for message in said)
    assert all("send CANCEL" in message for message in said)


@pytest.mark.parametrize(
    "below",
    [
        *("\nHold Metz", "\nHold Metz if attacked", "\nNo units move.", "\nThanks for the plan!"),
        *("\n\nHold Metz\nIf attacked, fall back", "\n\nThe weather is fine.", "\n\nGreat game!"),
        *("\n\nWhen is the next deadline?", "\n\nHans Maier", "\n\nMilitary:\nHold Metz"),
    ],
)
@pytest.mark.parametrize("above", ["", "My orders:\n", "Orders for the diplomacy phase:\n\n"])
def test_binding_line_beside_other_free_text_binds(above: str, below: str) -> None:
    reading: Any = read(f"{above}ALLY France{below}", multiplayer(), "Germany", MULTIPLAYER)
    assert [order.text for order in reading.orders if order.binding] == ["ALLY France"]


FORMS = {
    "ALLY {p}": ["ALLY {p}", "ally with {p}", "Ally: {p}", "alliance with {them}"],
    "UNALLY {p}": ["UNALLY {p}", "end our alliance with {p}", "break the alliance with {them}"],
    "PEACE {p}": ["PEACE {p}", "peace with {them}", "make peace with {p}", "Peace: {p}"],
    "DECLARE WAR ON {p}": ["DECLARE WAR ON {p}", "declare war on {them}", "war on {p}"],
    "GRANT SUPPLY TO {p} IN Germany": ["GRANT SUPPLY TO {p} IN Germany",
                                       "grant supply to {them} in Germany"],
    "REVOKE TRANSIT FROM {p}": ["REVOKE TRANSIT FROM {p}", "revoke transit from {them}"],
    "PASS": ["PASS"],
}  # fmt: skip
OTHER_POWERS = ("Britain", "France", "Italy", "USSR", "USA")
dressed = st.tuples(
    bullets,
    st.sampled_from(["", "please ", "I ", "We will ", "“"]),
    st.sampled_from(["", ".", ", please", "!"]),
)


@st.composite
def agreements(draw: st.DrawFn) -> Written:
    """Draw a canonical line of Multi-Player and the same in plain words."""
    form, power = draw(st.sampled_from(list(FORMS))), draw(st.sampled_from(OTHER_POWERS))
    before, courtesy, behind = draw(dressed)
    text = draw(st.sampled_from(FORMS[form])).format(p=power, them=people(draw, power))
    return form.format(p=power), f"{before}{courtesy}{text}{behind}"


@searching
@example([("GRANT SUPPLY TO USA IN Germany", "grant supply to USA in Germany, please")], [])
@example([("GRANT SUPPLY TO USA IN Germany", "GRANT SUPPLY TO USA IN Germany!")], [])
@given(st.lists(agreements(), min_size=1, max_size=8), st.lists(st.integers(0, 8), max_size=3))
def test_multiplayer_orders_in_any_style_read_as_their_canonical_set(
    lines: list[Written], blank: list[int]
) -> None:
    """Issue 23, “Show”: whole sets, with free text for the gamesmaster and blank lines."""
    state = multiplayer()
    written = [words for _, words in lines]
    canonical = [line for line, _ in lines]
    for place in blank:
        written.insert(place, ["", "Hold the west at all costs."][place % 2])
    free = [line for line in written if line.startswith("Hold")]
    reading = read("\n".join(written), state, "Germany", MULTIPLAYER)
    orders: Any = reading.orders
    assert [order.text for order in orders if order.verb != "FREE"] == canonical
    assert [order.text for order in orders if order.verb == "FREE"] == [line[:-1] for line in free]
    assert [written[order.line - 1] for order in orders] == [line for line in written if line]


@searching
@given(
    st.sampled_from(BINDING),
    st.sampled_from(DOUBTS),
    st.data(),
)
def test_binding_line_with_a_word_of_doubt_does_not_bind(line: str, doubt: str, data: Any) -> None:
    """Multi-Player accepts other words as free text for the gamesmaster; they bind nobody."""
    words = line.split(" ")
    place = data.draw(st.integers(0, len(words)))
    state = multiplayer()
    reading = read(" ".join([*words[:place], doubt, *words[place:]]), state, "Italy", MULTIPLAYER)
    assert not any(order.binding for order in reading.orders)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """Draw a plausible line with some slips."""
    return with_slips(draw, draw(st.sampled_from(BINDING)))


@searching
@given(st.one_of(mutated(), st.lists(pieces, max_size=12).map(" ".join), st.text(max_size=60)))
def test_random_line_of_multiplayer_is_read_or_refused_without_a_crash(line: str) -> None:
    """Orders read back as themselves; a line is either read or refused."""
    assert_read_or_refused(line, multiplayer(), MULTIPLAYER)
