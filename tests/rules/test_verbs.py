"""The order verbs of each game come from its `verbs.toml`.

`SNAPSHOTS=write pytest tests/rules/test_verbs.py` rewrites the orders in docs/mail.md.
"""

from __future__ import annotations

import os
import pkgutil
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from games.rules import cards, verbs
from games.rules.contract import Ruleset
from games.rules.digits import STOCKS
from games.rules.markets import MARKETS
from games.rules.options import OPTIONS, validate
from games.rules.orders import write_line
from games.rules.registry import RULESETS, ruleset
from games.rules.verbs import Ending, Kind, Verb
from orders.inbound.parsing import reading
from orders.inbound.parsing.commands import Orders

DOCUMENT = Path(__file__).parents[2] / "docs" / "mail.md"
BEGIN, END = "<!-- orders: from verbs.toml -->\n", "<!-- end of orders -->\n"
WW1, WW2 = ruleset("origins-ww1").verbs, ruleset("origins-ww2").verbs


def _condition(needs: Mapping[str, Collection[str]]) -> Iterator[str]:
    for option, values in needs.items():
        labels = " or ".join(str(OPTIONS[option].labels[value]) for value in values)
        yield f"{OPTIONS[option].name}: {labels}"


def _row(form: str, when: str, meaning: str, needs: Mapping[str, Collection[str]]) -> str:
    only = "".join(f" (only with “{condition}”)" for condition in _condition(needs))
    return f"| `{form}` | {when} | {meaning}{only} |\n"


def _document(rules: Ruleset) -> str:
    text = f"### {rules.title}\n\n{rules.verbs.intro}\n\n"
    text += "| line | when | means |\n| --- | --- | --- |\n"
    for verb in rules.verbs:
        if verb.meaning:
            text += _row(verb.form, verb.when, verb.meaning, verb.needs)
            text += "".join(
                _row(f"… {ending.form}", verb.when, ending.meaning, ending.needs)
                for ending in verb.endings
            )
    return text


def test_docs_mail_lists_the_orders_of_all_games() -> None:
    """docs/mail.md, “Orders”, is written from the verbs."""
    before, _, rest = DOCUMENT.read_text().partition(BEGIN)
    written, _, after = rest.partition(END)
    wanted = "\n" + "\n".join(map(_document, RULESETS.values())) + "\n"
    if os.environ.get("SNAPSHOTS") == "write":
        DOCUMENT.write_text(f"{before}{BEGIN}{wanted}{END}{after}")
    else:
        assert written == wanted


@pytest.mark.parametrize("game", RULESETS)
def test_help_of_a_game_leaves_out_what_its_options_exclude(game: str) -> None:
    """A player must not read of an order that this game refuses."""
    table = ruleset(game).verbs
    items: list[Verb | Ending] = [*table, *(ending for verb in table for ending in verb.endings)]
    conditional = [(item.form, item.needs) for item in items if item.needs and item.meaning]
    for form, needs in conditional:
        has = {option: next(iter(values)) for option, values in needs.items()}
        lacks = dict.fromkeys(needs, "something else")
        assert form in {row.form.removeprefix("… ") for row in table.help(has)}
        assert form not in {row.form.removeprefix("… ") for row in table.help(lacks)}


def test_help_names_a_stock_of_the_games_market() -> None:
    """rng.market: no other exchange has General Electric."""
    forms = [row.form for row in WW1.help({"rng.source": STOCKS}, MARKETS["tokyo"])]
    assert f"… STOCK {MARKETS['tokyo'].example}" in forms
    assert not any("GE" in form.split() for form in forms)


def test_help_lists_only_offered_orders_and_their_endings() -> None:
    """Paper has no room for orders of other phases."""
    forms = [row.form for row in WW2.help({}, offered={"CONTROL", "PASS"})]
    assert forms == ["CONTROL Poland", "PASS"]
    assert {row.when for row in WW2.help(offered={"ATTACK"})} == {"attacks"}


def test_verb_of_a_line_is_known_by_its_first_word() -> None:
    assert WW2["FROM HOME"].head == "FROM"
    with pytest.raises(KeyError):
        WW2["RETREAT"]


def test_optional_part_of_a_pattern_is_left_out_without_a_value() -> None:
    """Contract 3: STOCK, ELSE and MIN may each be missing."""
    pattern = WW2["ATTACK"].pattern
    places = {"area": "Poland", "nations": "Germany, Russia"}
    assert write_line(pattern, places) == "ATTACK Poland: Germany, Russia"
    assert write_line(pattern, places | {"stocks": "GE/F", "minimum": "2"}) == (
        "ATTACK Poland: Germany, Russia STOCK GE/F MIN 2-1"
    )


@pytest.mark.parametrize("game", RULESETS)
def test_each_verb_can_be_offered_by_its_words(game: str) -> None:
    """A button without words, or a mail pattern that misses its own order, helps nobody."""
    for verb in ruleset(game).verbs:
        assert not verb.looks or re.match(verb.looks, verb.example, re.IGNORECASE), verb.name
        assert verb.kind in (Kind.MAP, Kind.FREE) or verb.heading or not verb.in_lists, verb.name
        assert bool(verb.heading) == bool(verb.button), verb.name
        if verb.pattern:
            assert verb.pattern.startswith(verb.name), verb.name


@pytest.mark.parametrize("game", RULESETS)
def test_mail_takes_each_verb_for_an_order(game: str) -> None:
    """No verb may be a command of mail, as WITHDRAW, which takes a deal back."""
    table = ruleset(game).verbs
    for example in table.examples.values():
        script = reading.read(example, verbs=table.heads, free_text=table.free_text)
        assert [item.text for item in script.items if isinstance(item, Orders)] == [example]


def test_unknown_key_in_a_verbs_file_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelled key would be a silent gap in every list."""
    content = b'[[verb]]\nname = "HOLD"\nkind = "wish"\nmeanign = "stay"\n'

    def read(package: str, name: str) -> Any:
        return content

    monkeypatch.setattr(pkgutil, "get_data", read)
    with pytest.raises(TypeError, match="meanign"):
        verbs.load("anything")


def test_order_binds_unless_another_ends_it_in_this_game() -> None:
    """Receipts say which orders cannot be taken back (contract 3a.2; wwi.alliance_withdrawal)."""
    own = ruleset("origins-ww1").verbs
    for withdrawal, binds in (("never", True), ("allowed", False)):
        options = {"wwi.alliance_withdrawal": withdrawal}
        assert own.binds("ALLY France", options) is binds
    assert own.binds("LEAVE ALLIANCE", options)
    assert not own.binds("PLACE 3 Serbia", options)
    assert not own.binds("words of one's own", options)


@pytest.mark.parametrize("language", ["plain", "canonical"])
@pytest.mark.parametrize(("source", "ends"), [("gm_dice", ""), ("stocks", " STOCK 7203.T")])
@pytest.mark.parametrize("game", ["origins-ww1", "origins-ww2"])
def test_refusal_of_an_attack_names_a_stock_only_where_stocks_decide(
    game: str, source: str, ends: str, language: str
) -> None:
    """Where dice decide, the example still named one; in Tokyo, one of New York."""
    rules = ruleset(game)
    attack = "ATTACK Poland" if game == "origins-ww2" else "ATTACK Serbia"
    card = cards.load(game, "historical" if game == "origins-ww2" else "standard")
    chosen = {"rng.source": source, "rng.market": "tokyo", "orders.language": language}
    state = rules.situation({"turn": 3, "phase": "attacks", "board": {}}, card, validate(chosen))
    (remark,) = rules.read(attack, "France", state).remarks
    assert remark.message.rstrip("”.").endswith(ends), remark.message
    assert ("STOCK" in remark.message) == (source == "stocks")
