"""What a gamesmaster can rule: check the JSON of a ruling (`rulings.py`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import REFEREE_SEAT, Json, RulesError, options
from .contract import Ruleset
from .digits import roll_number, volume_of_roll
from .markets import market_of
from .names import all_of
from .orders import is_stock
from .rulings import LONGEST_TEXT, VOID, RuledSubmission, Ruling, option_ids, ruled_texts

MOST_POINTS = 99
MOST_SHARES = 10**12


def check(
    kind: str,
    what: object,
    *,
    rules: Ruleset,
    state: Any,
    sent: Mapping[str, str],
    submissions: Mapping[int, RuledSubmission],
    reserves: Sequence[str],
    standing: Sequence[Ruling] = (),
) -> None:
    """Raise `RulesError`, quoting the fault, where no such ruling can be made on the phase.

    `state` is the one in which the phase is played, under the game's own options; `standing` are
    the rulings in force on it already. `judge` checks whether a position, counter or score is
    possible, because that depends on the phase's result. Code that knows all rulings of the game
    checks revocations.
    """
    if kind not in rules.editor.ruling_kinds:
        choices = ", ".join(rules.editor.ruling_kinds)
        raise RulesError(f"“{kind}” is not a ruling; choose from {choices}.")
    if not isinstance(what, dict):
        raise RulesError("The ruling must be an object.")
    if kind == "orders":
        _check_orders(what, rules, state, submissions)
    elif kind == "digit":
        _check_digit(what, rules, state)
    elif kind == "result":
        _check_result(what, rules, state, sent, submissions, reserves, standing)
    elif kind == "position":
        _check_position(what, rules)
    elif kind == "counter":
        _check_keys(what, "nation", "area", "counter", "given")
        _check_nation(what, rules, state)
        _check_word(what, "area")
        if what["counter"] not in rules.counters:
            choices = " and ".join(rules.counters)
            raise RulesError(f"“{what['counter']}” is not a counter; choose from {choices}.")
        if not isinstance(what["given"], bool):
            expected = "true for a counter that is given, or false for one that is taken"
            raise RulesError(f"“{what['given']}” must be {expected}.")
    elif kind == "alliance":
        _check_alliance(what, rules, state)
    elif kind == "controller":
        _check_keys(what, "nation", "controller")
        for nation in (what["nation"], what["controller"]):
            _check_nation({"nation": nation}, rules, state)
    elif kind == "points":
        _check_keys(what, "nation", "points")
        _check_nation(what, rules, state)
        points = what["points"]
        if not _is_whole(points) or not points or abs(points) > MOST_POINTS:
            expected = f"from 1 to {MOST_POINTS}, or from -1 to -{MOST_POINTS}"
            raise RulesError(f"“{points}” is not a number of points: give one {expected}.")
    elif kind == "option":
        _check_option(what, rules)
    elif kind == "revoke":
        _check_keys(what, "ruling")
        if not _is_whole(what["ruling"]):
            raise RulesError(f"“{what['ruling']}” is not the number of a ruling.")
    else:
        _check_keys(what)


def _check_keys(what: Json, *wanted: str) -> None:
    for key in wanted:
        if key not in what:
            raise RulesError(f"The ruling lacks “{key}”.")
    for key in what:
        if key not in wanted:
            raise RulesError(f"This ruling has no “{key}”; leave it out.")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_word(what: Json, key: str) -> None:
    if not isinstance(what[key], str):
        raise RulesError(f"“{what[key]}” is not a {key}.")


def _check_nation(what: Json, rules: Ruleset, state: Any) -> None:
    if what["nation"] not in (nations := rules.nations(state)):
        choices = all_of(nations)
        raise RulesError(f"There is no nation “{what['nation']}”; there are {choices}.")


def _check_orders(
    what: Json, rules: Ruleset, state: Any, submissions: Mapping[int, RuledSubmission]
) -> None:
    _check_keys(what, "nation", "submission" if "submission" in what else "text")
    nation = what["nation"]
    if not (rules.referee and nation == REFEREE_SEAT):
        _check_nation(what, rules, state)
    if nation not in rules.acting_nations(state):
        is_referee = nation == REFEREE_SEAT
        sender = "The gamesmaster sends no report" if is_referee else f"{nation} sends no orders"
        raise RulesError(f"{sender} in this phase.")
    if "submission" in what:
        submission = submissions.get(what["submission"]) if _is_whole(what["submission"]) else None
        if submission is None or submission.nation != nation:
            reference = f"{what['submission']} of {nation}"
            raise RulesError(f"There is no submission {reference} in this phase.")
        text: object = submission.text
    else:
        text = what["text"]
    if text is None:
        return
    if (
        not isinstance(text, str)
        or len(text) > LONGEST_TEXT
        or "\0" in text
        or any("\ud800" <= char <= "\udfff" for char in text)
    ):
        raise RulesError(f"Orders are plain text of at most {LONGEST_TEXT:,} characters.")
    if not rules.read(text, nation, state).understood:
        hint = "to remove its orders, strike them"
        raise RulesError(f"No line of these orders of {nation} can be read; {hint}.")


def _check_digit(what: Json, rules: Ruleset, state: Any) -> None:
    _check_keys(what, "stock", "volume")
    phase = rules.phase(state)
    if phase is None or not rules.facts(phase, {}).draws:
        raise RulesError("This phase uses no sales.")
    stock, volume = what["stock"], what["volume"]
    if (
        not isinstance(stock, str)
        or not is_stock(stock, market_of(state.options))
        or stock != stock.upper()
    ):
        raise RulesError(f"“{stock}” is not a stock symbol in capitals.")
    if roll_number(stock) is not None:
        if volume not in [volume_of_roll(digit) for digit in range(10)] or isinstance(volume, bool):
            raise RulesError(f"{stock} is a digit: rule one from 0 to 9.")
        return
    if volume is not None and (not _is_whole(volume) or not 0 < volume <= MOST_SHARES):
        hint = "a stock without a figure has no usable report"
        raise RulesError(f"“{volume}” is not a number of shares; {hint}.")


class _UsableVolumes:
    """Volumes in which every stock has a usable report, so that every possible attack throws.

    Rolls have none.
    """

    def get(self, symbol: str, /) -> int | None:
        return 100 if roll_number(symbol) is None else None


def attacks(
    rules: Ruleset,
    state: Any,
    sent: Mapping[str, str],
    submissions: Mapping[int, RuledSubmission],
    reserves: Sequence[str],
    standing: Sequence[Ruling] = (),
) -> set[tuple[str, int]]:
    """Return nation and line of every attack of the phase, whatever its result."""
    orders = rules.in_force(state, ruled_texts(sent, standing, submissions))
    events = rules.resolve(state, orders, _UsableVolumes(), reserves).events
    return {
        (event["nation"], event["line"]) for event in events if event["kind"] in ("attack", "void")
    }


def _check_result(
    what: Json,
    rules: Ruleset,
    state: Any,
    sent: Mapping[str, str],
    submissions: Mapping[int, RuledSubmission],
    reserves: Sequence[str],
    standing: Sequence[Ruling],
) -> None:
    _check_keys(what, "nation", "line", "result")
    _check_nation(what, rules, state)
    results = (*rules.guide.table().meanings, VOID)
    if what["result"] not in results:
        choices = ", ".join(results)
        raise RulesError(f"“{what['result']}” is not a result of an attack; choose from {choices}.")
    nation, line = what["nation"], what["line"]
    if not _is_whole(line):
        raise RulesError(f"“{line}” is not a line number.")
    if (nation, line) not in attacks(rules, state, sent, submissions, reserves, standing):
        where = f"in line {line} of its orders for this phase"
        raise RulesError(f"{nation} has no attack {where}.")


def _check_alliance(what: Json, rules: Ruleset, state: Any) -> None:
    _check_keys(what, "nations", "allied")
    nations = what["nations"]
    if not isinstance(nations, list) or len(nations) != 2 or nations[0] == nations[1]:
        raise RulesError(f"“{nations}” does not work: an alliance joins two nations.")
    for nation in nations:
        _check_nation({"nation": nation}, rules, state)
    if not isinstance(what["allied"], bool):
        expected = (
            "true for nations that become allies, or false for those that are no longer allies"
        )
        raise RulesError(f"“{what['allied']}” must be {expected}.")


def _check_position(what: Json, rules: Ruleset) -> None:
    _check_keys(what, "cells")
    cells = what["cells"]
    if (
        not isinstance(cells, dict)
        or not cells
        or not all(isinstance(row, dict) and row for row in cells.values())
    ):
        raise RulesError(
            "A ruling on the position names one area and nation or more, and what stands there."
        )
    for area, row in cells.items():
        for nation, cell in row.items():
            if not isinstance(cell, dict):
                raise RulesError(f"What {nation} has in {area} must be an object.")
            for key, value in cell.items():
                fits = (
                    (_is_whole(value) and value >= 0)
                    if key == "pf"
                    else key in rules.counters and isinstance(value, bool)
                )
                if not fits:
                    raise RulesError(f"“{key}: {value}” cannot be what {nation} has in {area}.")


def _check_option(what: Json, rules: Ruleset) -> None:
    _check_keys(what, "option", "value")
    if what["option"] not in option_ids(rules):
        raise RulesError(f"“{what['option']}” is not an option you can set for one phase.")
    option = options.OPTIONS[what["option"]]
    value = what["value"]
    if not isinstance(value, str) or value not in option.choosable:
        raise RulesError(f"{option.id} can be {' or '.join(option.choosable)}, not “{value}”.")
