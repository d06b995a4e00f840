"""Read texts in plain language, for the tests here."""

from __future__ import annotations

from functools import cache
from typing import Any

from games.rules import Reading, cards
from games.rules.options import validate
from games.rules.origins_ww1.ruleset import OriginsWW1
from games.rules.origins_ww2.ruleset import OriginsWW2

WW2, WW1 = OriginsWW2(), OriginsWW1()
PLAIN = {"orders.language": "plain"}


@cache
def ww2(phase: str = "attacks", **options: Any) -> Any:
    return _situation(WW2, "historical", phase, options)


@cache
def ww1(phase: str = "attacks", **options: Any) -> Any:
    return _situation(WW1, "standard", phase, options)


def _situation(rules: Any, name: str, phase: str, options: dict[str, Any]) -> Any:
    card = cards.load(rules.id, name)
    board = {"Germany": {"Germany": {"pf": 9}}, "Britain": {"Britain": {"pf": 9}}}
    chosen = validate({**PLAIN, **options})
    return rules.situation({"turn": 3, "phase": phase, "board": board}, card, chosen)


def read(text: str, state: Any = None, nation: str = "Germany", rules: Any = WW2) -> Reading:
    reading: Reading = rules.read(text, nation, ww2() if state is None else state)
    return reading


def lines(text: str, state: Any = None, nation: str = "Germany", rules: Any = WW2) -> list[str]:
    """Return the orders of a text in canonical words."""
    return [words for _, words in read(text, state, nation, rules).understood]


def errors(reading: Reading) -> list[str]:
    return [remark.message for remark in reading.remarks if remark.severity == "error"]
