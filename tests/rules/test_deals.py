"""Check deals: read from text, written as sentences and judged (issue 27.5; deals.txt)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from games.rules import PhaseId, cards
from games.rules.deals import characters, outcomes, promises, terms
from games.rules.options import validate
from games.rules.registry import ruleset
from tests.rules.test_cases import read_board, read_pairs

NATIONS = ("USA", "France", "Britain", "Russia", "Germany")
AREAS = ("France", "Germany", "Poland", "Austria", "Rumania", "Baltic States")
GROUND = terms.Ground(NATIONS, AREAS, 3, 6, (terms.PEACE, terms.SHARE, terms.ATTACK, terms.LEAVE))


def read(text: str, ground: terms.Ground = GROUND) -> str:
    """Return the canonical text of a proposal of France to Germany."""
    return terms.write(terms.read(text, "France", "Germany", ground))


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("PEACE Poland UNTIL TURN 4", "PEACE Poland UNTIL TURN 4"),
        ("peace in Poland", "PEACE Poland UNTIL TURN 3"),
        ("peace with you in Poland until the end", "PEACE Poland UNTIL TURN 6"),
        ("Peace everywhere until turn 5.", "PEACE UNTIL TURN 5"),
        ("SHARE CONTROL Poland", "SHARE CONTROL Poland UNTIL TURN 3"),
        ("share Poland with me by turn 4", "SHARE CONTROL Poland UNTIL TURN 4"),
        ("SUPPORT ATTACK Russia IN Rumania", "SUPPORT ATTACK Russia IN Rumania UNTIL TURN 3"),
        ("you attack USSR in Romania", "Germany SUPPORT ATTACK Russia IN Rumania UNTIL TURN 3"),
        ("LEAVE Austria", "Germany LEAVE Austria UNTIL TURN 3"),
        ("I leave Austria alone until turn 4", "France LEAVE Austria UNTIL TURN 4"),
        (
            "peace Poland, I leave Austria and you leave the Baltics",
            "PEACE Poland UNTIL TURN 3; France LEAVE Austria UNTIL TURN 3;"
            " Germany LEAVE Baltic States UNTIL TURN 3",
        ),
        ("France leaves Austria; peace", "France LEAVE Austria UNTIL TURN 3; PEACE UNTIL TURN 3"),
    ],
)
def test_canonical_terms_read_back_unchanged(typed: str, canonical: str) -> None:
    typed = typed.replace("the Baltics", "Baltics")
    assert read(typed) == canonical
    assert read(canonical) == canonical


@pytest.mark.parametrize(
    ("typed", "fault"),
    [
        ("", "The proposal is empty"),
        ("PAECE Poland", "Did you mean PEACE?"),
        ("PEACE Polnad", "Did you mean Poland?"),
        ("PEACE Poland UNTIL TURN 2", "until turn 3 to 6, not “2”"),
        ("PEACE Poland UNTIL TURN 7", "until turn 3 to 6, not “7”"),
        ("Russia LEAVES Austria", "Russia is not a party to this deal"),
        ("ATTACK Russia", "does not say where"),
        ("YOU ATTACK IN Poland", "the name of the nation is missing"),
        ("ATTACK Germany IN Poland", "another nation"),
        ("ALLY", "there is no such promise in this game"),
        ("LEAVE", "the name of the area is missing"),
        ("PEACE Poland; PEACE Poland UNTIL TURN 4", "makes the same promise twice"),
        ("; ".join(f"I LEAVE {area}" for area in AREAS) + "; PEACE", "at most 6 promises"),
    ],
)
def test_unreadable_terms_are_refused_in_one_sentence(typed: str, fault: str) -> None:
    with pytest.raises(terms.DealFault) as refused:
        read(typed)
    assert fault in str(refused.value)


@pytest.mark.parametrize(
    ("game", "card"), [("origins-ww2", "historical"), ("origins-ww1", "standard")]
)
def test_example_of_each_promise_can_be_proposed(game: str, card: str) -> None:
    """HELP in Origins of World War I showed PEACE Poland, and that game has no Poland (A.1)."""
    chart, rules = cards.load(game, card), ruleset(game)
    assert rules.deals is not None
    nations = tuple(chart["order"])
    ground = terms.Ground(nations, tuple(chart["areas"]), 1, 4, tuple(rules.deals.verbs))
    for form in ground.forms:
        assert terms.read(form, nations[0], nations[1], ground), form


def test_deal_sentences_name_nation_promise_and_end() -> None:
    sentences = [
        clause.sentence()
        for clause in terms.read(
            "PEACE Poland UNTIL TURN 4; I LEAVE Austria; YOU ATTACK Russia IN Rumania;"
            " SHARE Poland",
            "France",
            "Germany",
            GROUND,
        )
    ]
    assert sentences == [
        "France and Germany do not attack each other in Poland through turn 4.",
        "France stays out of Austria through turn 3: no PFs, attacks or counters.",
        "Germany attacks Russia in Rumania by the end of turn 3.",
        "France and Germany share CONTROL in Poland by the end of turn 3.",
    ]


@dataclass
class Case:
    title: str
    given: dict[str, str] = field(default_factory=dict)
    orders: dict[str, list[str]] = field(default_factory=dict)
    wanted: dict[str, str] = field(default_factory=dict)


def _cases() -> list[Case]:
    cases: list[Case] = []
    section: dict[str, str] = {}
    for line in (Path(__file__).parent / "deals.txt").read_text().split("\n"):
        if line.startswith("=== "):
            cases.append(Case(line[4:]))
            section = cases[-1].given
        elif line == "--":
            section = cases[-1].wanted
        elif line and not line.startswith("#"):
            nation, arrow, order = line.partition(" > ")
            if arrow:
                cases[-1].orders.setdefault(nation, []).append(order)
            else:
                key, _, value = line.partition(": ")
                section[key] = value
    return cases


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case.title)
def test_deal_outcome(case: Case) -> None:
    game = case.given.get("game", "origins-ww2")
    rules = ruleset(game)
    card = cards.load(game, cards.names(game)[0] if game == "origins-ww1" else "historical")
    options = validate({})
    turn, _, kind = case.given["phase"].partition(" ")
    board = case.given["board"]
    tree: dict[str, Any] = {
        "turn": int(turn),
        "phase": kind,
        "board": {} if board == "empty" else read_board(board, game == "origins-ww1"),
        "alliances": read_pairs(case.given.get("alliances", "none")),
    }
    before = rules.situation(tree, card, options)
    volumes = {
        name: int(number)
        for name, number in [
            volume.split() for volume in case.given.get("volumes", "GE 200").split(",")
        ]
    }
    orders = {nation: "\n".join(lines) for nation, lines in case.orders.items()}
    orders_by_nation = {nation: orders.get(nation, "") for nation in rules.nations(before)}
    judged = rules.resolve(before, orders, volumes, ("GE",))
    reader = case.given.get("reader", "all")
    known = orders_by_nation if reader == "all" else {reader: orders_by_nation[reader]}
    chapter = outcomes.Chapter(PhaseId(int(turn), kind), before, judged.state, judged.events, known)
    parties, _, text = case.given["deal"].partition(": ")
    by, _, to = parties.partition(" to ")
    assert rules.deals is not None
    board_now = rules.board(before)
    ground = terms.Ground(
        board_now.nations,
        board_now.areas,
        int(turn),
        rules.turns(before),
        tuple(rules.deals.verbs),
    )
    clauses = terms.read(text, by, to, ground)
    now = case.given["now"]
    results = outcomes.judge(rules, clauses, [chapter], None if now == "over" else int(now))
    assert {
        f"{outcome.nation} {outcome.clause.verb}": outcome.result for outcome in results
    } == case.wanted


@pytest.mark.parametrize("game", ["origins-ww1", "origins-ww2"])
def test_bot_that_keeps_its_promises_does_not_break_a_peace(game: str) -> None:
    """Issue 27.6: an infinite price of a broken promise means that it is always kept."""
    rules = ruleset(game)
    card = cards.load(game, "standard" if game == "origins-ww1" else "historical")
    attacker, prey, area, turn = ("Austria-Hungary", "Russia", "Serbia", 10)
    if game == "origins-ww2":
        attacker, prey, area, turn = ("Germany", "France", "Poland", 3)
    plain = {"understanding": False, "control": False} if game == "origins-ww2" else {}
    tree: dict[str, Any] = {
        "turn": turn,
        "phase": "attacks",
        "board": {area: {attacker: {"pf": 50, **plain}, prey: {"pf": 12, **plain}}},
    }
    state = rules.situation(tree, card, validate({}))
    peace = terms.Clause(terms.PEACE, (prey, attacker), (prey, attacker), turn, area)
    fulfilled, broken = (
        promises.promises(attacker, [peace], turn, price) for price in (float("inf"), 0.0)
    )
    assert prey in rules.bot.orders(state, attacker, "salt")
    assert prey in rules.bot.orders(state, attacker, "salt", broken)
    assert prey not in rules.bot.orders(state, attacker, "salt", fulfilled)


def test_bot_orders_the_alliance_it_agreed_to() -> None:
    """Issue 27.6: accepted proposals lead to ALLY orders."""
    rules = ruleset("origins-ww1")
    state = rules.setup(cards.load("origins-ww1", "standard"), validate({}), rules_order(), "")
    ally = terms.Clause(terms.ALLY, ("France", "Russia"), ("France", "Russia"), 1)
    for nation, other in (ally.pair, ally.pair[::-1]):
        asked = promises.promises(nation, [ally], 1, float("inf"))
        assert f"ALLY {other}" in rules.bot.orders(state, nation, "salt", asked)


def rules_order() -> list[str]:
    return list(cards.load("origins-ww1", "standard")["order"])


def test_characters_depend_only_on_the_secret() -> None:
    character_ids = {characters.draw(str(number), "France").id for number in range(60)}
    assert character_ids == {character.id for character in characters.CHARACTERS}
    assert characters.draw("a", "France") is characters.draw("a", "France")
    schemer = next(character for character in characters.CHARACTERS if character.id == "schemer")
    assert schemer.price_in(8, 10) == float("inf")
    assert schemer.price_in(9, 10) == 0.0
