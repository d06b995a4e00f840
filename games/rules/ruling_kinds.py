"""The kinds of rulings: what each may say, how it is checked, and its sentence for the public list.

The JSON of each kind (`Ruling.what`):

    orders    {"nation": N, "text": T}        the orders of N are this text
              {"nation": N, "submission": n}  the orders of N are its submission n, late or
                superseded
              {"nation": N, "text": null}     the orders of N are struck, as if it had sent nothing
    digit     {"stock": S, "volume": v|null}  the sales of S in the session; null: no usable report
    result    {"nation": N, "line": n, "area": A, "result": r}   the result of one attack: one of
              the game's table, or "void" (0.1.0 named no area)
    position  {"cells": {area: {nation: {"pf", "understanding", "control"}}}}   the contents of
              these cells after the phase
    counter   {"nation": N, "area": A, "counter": "understanding"|"control", "given": true|false}
    alliance  {"nations": [N, M], "allied": true|false}   two nations are allies from here on, or
              no longer
    controller {"nation": N, "controller": M} M sends the orders of N, which nobody holds, until the
      turn is over
    points    {"nation": N, "points": p}      added to its score from here on
    option    {"option": id, "value": v}      this phase is judged with this value of the option
    again     {}                              the phase is judged again
    rollback  {}                              the game goes back to the moment at which the phase
              opened
    revoke    {"ruling": n}                   that ruling is no longer in force

What a kind does to the board is in each game's editor (`Editor.edits`); how the others change the
judging is in `rulings`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import REFEREE_SEAT, Json, RulesError, options
from .contract import Ruleset
from .digits import digit_of_shares, roll_number, volume_of_roll
from .lands import PF, Unit
from .markets import market_of
from .names import all_of, count_of
from .orders import is_stock
from .rulings import LONGEST_TEXT, VOID, RuledSubmission, Ruling, cells_of, option_ids, ruled_texts

MOST_POINTS = 99
MOST_SHARES = 10**12
LONGEST_WORDS = 500
#: What people call the kinds.
TITLES = {
    "orders": "Orders",
    "digit": "Sales figure",
    "result": "Result of an attack",
    "position": "Position",
    "counter": "Counter",
    "alliance": "Alliance",
    "controller": "Controller of an ally",
    "points": "Points",
    "option": "A rule for this phase",
    "again": "Resolve again",
    "rollback": "Roll back",
    "revoke": "Revocation",
}


@dataclass(frozen=True)
class RuledPhase:
    """The phase that a ruling is about.

    `state` is the one in which it is played, under the game's own options; `standing` are the
    rulings in force on it already.
    """

    rules: Ruleset
    state: Any
    sent: Mapping[str, str]
    submissions: Mapping[int, RuledSubmission]
    reserves: Sequence[str]
    standing: Sequence[Ruling] = ()


@dataclass(frozen=True)
class RulingKind:
    """A kind of ruling.

    `check` raises `RulesError`; `words` gets what is ruled, the title of the phase and the unit of
    the game's counters. `in_every_game`: no game needs to list it.
    """

    check: Callable[[Json, RuledPhase], None]
    words: Callable[[Json, str, Unit], str]
    in_every_game: bool = False


def kinds_of(rules: Ruleset) -> tuple[str, ...]:
    """Return the kinds that apply to a game."""
    own = {*rules.editor.edits, *rules.editor.ruling_kinds}
    return tuple(key for key, kind in KINDS.items() if kind.in_every_game or key in own)


def check(kind: str, what: object, phase: RuledPhase) -> None:
    """Raise `RulesError`, quoting the fault, where no such ruling can be made on the phase.

    `judge` checks whether a position, counter or score is possible, because that depends on the
    phase's result. Code that knows all rulings of the game checks revocations.
    """
    if kind not in (kinds := kinds_of(phase.rules)):
        raise RulesError(f"“{kind}” is not a ruling; choose from {', '.join(kinds)}.")
    if not isinstance(what, dict):
        raise RulesError("The ruling must be an object.")
    KINDS[kind].check(what, phase)


def words(kind: str, what: Json, title: str = "", unit: Unit = PF) -> str:
    """Return one plain sentence for the public list about a ruling that `check` accepted.

    `title` is that of the phase, where the ruling is about it; `unit` is that of the game's
    counters.
    """
    sentence = KINDS[kind].words(what, title, unit)
    short = f"{sentence[: LONGEST_WORDS - 2].rstrip()} …"
    return sentence if len(sentence) <= LONGEST_WORDS else short


def _check_keys(what: Json, *wanted: str) -> None:
    for key in wanted:
        if key not in what:
            raise RulesError(f"The ruling lacks “{key}”.")
    for key in what:
        if key not in wanted:
            raise RulesError(f"This ruling has no “{key}”; leave it out.")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_nation(nation: object, phase: RuledPhase) -> None:
    if nation not in (nations := phase.rules.nations(phase.state)):
        raise RulesError(f"There is no nation “{nation}”; there are {all_of(nations)}.")


def _check_orders(what: Json, phase: RuledPhase) -> None:
    rules, state = phase.rules, phase.state
    _check_keys(what, "nation", "submission" if "submission" in what else "text")
    nation = what["nation"]
    if nation not in rules.referee.seats:
        _check_nation(nation, phase)
    if nation not in rules.acting_nations(state):
        is_referee = nation == REFEREE_SEAT
        sender = "The gamesmaster sends no report" if is_referee else f"{nation} sends no orders"
        raise RulesError(f"{sender} in this phase.")
    if "submission" in what:
        number = what["submission"]
        submission = phase.submissions.get(number) if _is_whole(number) else None
        if submission is None or submission.nation != nation:
            raise RulesError(f"There is no submission {number} of {nation} in this phase.")
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
        # A gamesmaster may play too: the reason must not show what only the nation knows.
        seen = state if nation == REFEREE_SEAT else rules.view(state, None)
        why = next((remark.message for remark in rules.read(text, nation, seen).remarks), "")
        raise RulesError(
            f"No line of these orders of {nation} can be read. {why} To remove its orders, strike"
            " them."
        )


def _orders_sentence(what: Json, title: str, unit: Unit) -> str:
    if what["nation"] == REFEREE_SEAT:
        if "submission" in what:
            return "A submission is accepted as the gamesmaster's report."
        return f"The gamesmaster's report is {'struck' if what['text'] is None else 'amended'}."
    if "submission" in what:
        # Everybody reads this: its number would say how much others have sent.
        return f"A submission of {what['nation']} is accepted: its orders count."
    return f"The orders of {what['nation']} are {'struck' if what['text'] is None else 'amended'}."


def _check_digit(what: Json, phase: RuledPhase) -> None:
    rules, state = phase.rules, phase.state
    _check_keys(what, "stock", "volume")
    phase_id = rules.phase(state)
    if phase_id is None or not rules.facts(phase_id, {}).draws:
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
        raise RulesError(
            f"“{volume}” is not a number of shares. If there is no figure, rule that the stock has"
            " no usable report."
        )


def _digit_sentence(what: Json, title: str, unit: Unit) -> str:
    stock, volume = what["stock"], what["volume"]
    if roll_number(stock) is not None:
        return f"{stock} counts as {digit_of_shares(volume)}."
    if volume is None:
        return f"{stock} counts as having no usable report."
    return f"The sales of {stock} count as {volume:,}."


class _UsableVolumes:
    """A usable report for every stock, so that every possible attack throws; none for rolls."""

    def get(self, symbol: str, /) -> int | None:
        return 100 if roll_number(symbol) is None else None


def attacks(phase: RuledPhase) -> dict[tuple[str, int], str]:
    """Return the area of every attack of the phase, whatever its result, by nation and line."""
    texts = ruled_texts(phase.sent, phase.standing, phase.submissions)
    orders = phase.rules.in_force(phase.state, texts)
    events = phase.rules.resolve(phase.state, orders, _UsableVolumes(), phase.reserves).events
    made = (event for event in events if event["kind"] in ("attack", "void"))
    return {(event["nation"], event["line"]): event["area"] for event in made}


def _check_result(what: Json, phase: RuledPhase) -> None:
    _check_keys(what, "nation", "line", "result", *(["area"] if "area" in what else []))
    _check_nation(what["nation"], phase)
    results = (*phase.rules.guide.table().meanings, VOID)
    if what["result"] not in results:
        choices = ", ".join(results)
        raise RulesError(f"“{what['result']}” is not a result of an attack; choose from {choices}.")
    nation, line = what["nation"], what["line"]
    if not _is_whole(line):
        raise RulesError(f"“{line}” is not a line number.")
    area = attacks(phase).get((nation, line))
    if area is None or what.get("area", area) != area:
        there = f" in {what['area']}" if "area" in what else ""
        raise RulesError(f"{nation} has no attack{there} in line {line} of its orders.")


#: The result of an attack in words, for the tables of all games.
_RESULTS = {
    **dict.fromkeys(("A", "AE"), "fails: the attacker is eliminated"),
    **dict.fromkeys(("D", "DE"), "succeeds: the defender is eliminated"),
    **dict.fromkeys(("X", "EX"), "is an exchange"),
    "-": "has no effect",
    VOID: "is void",
}


def _result_sentence(what: Json, title: str, unit: Unit) -> str:
    line = f"line {what['line']} of its orders"
    where = f"{what['area']} ({line})" if "area" in what else line
    return f"The attack of {what['nation']} in {where} {_RESULTS[what['result']]}."


def _check_position(what: Json, phase: RuledPhase) -> None:
    _check_keys(what, "cells")
    cells = what["cells"]
    rows = cells.values() if isinstance(cells, dict) else ()
    if not rows or not all(isinstance(row, dict) and row for row in rows):
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
                    else key in phase.rules.counters and isinstance(value, bool)
                )
                if not fits:
                    raise RulesError(f"“{key}: {value}” cannot be what {nation} has in {area}.")


def _position_sentence(what: Json, title: str, unit: Unit) -> str:
    cells = cells_of(what["cells"])
    sentences = []
    # Sorted, because a database may change the order of keys, and the sentence must stay the same.
    for area, row in sorted(cells.items()):
        for nation, cell in sorted(row.items()):
            parts = [unit.amount(cell.pf)] if cell.pf else []
            parts += ["an Understanding"] * cell.understanding + ["CONTROL"] * cell.control
            sentences.append(f"{nation} has {' and '.join(parts) or 'nothing'} in {area}")
    return f"The position becomes: {'; '.join(sentences)}."


def _check_counter(what: Json, phase: RuledPhase) -> None:
    _check_keys(what, "nation", "area", "counter", "given")
    _check_nation(what["nation"], phase)
    if not isinstance(what["area"], str):
        raise RulesError(f"“{what['area']}” is not an area.")
    if what["counter"] not in phase.rules.counters:
        choices = " and ".join(phase.rules.counters)
        raise RulesError(f"“{what['counter']}” is not a counter; choose from {choices}.")
    if not isinstance(what["given"], bool):
        expected = "true for a counter that is given, or false for one that is taken"
        raise RulesError(f"“{what['given']}” must be {expected}.")


def _counter_sentence(what: Json, title: str, unit: Unit) -> str:
    verb, its = ("is given", "an") if what["given"] else ("loses", "its")
    counter = f"{its} Understanding" if what["counter"] == "understanding" else "CONTROL"
    return f"{what['nation']} {verb} {counter} in {what['area']}."


def _check_alliance(what: Json, phase: RuledPhase) -> None:
    _check_keys(what, "nations", "allied")
    nations = what["nations"]
    if not isinstance(nations, list) or len(nations) != 2 or nations[0] == nations[1]:
        raise RulesError(f"“{nations}” does not work: an alliance joins two nations.")
    for nation in nations:
        _check_nation(nation, phase)
    if not isinstance(what["allied"], bool):
        raise RulesError(
            f"“{what['allied']}” must be true for nations that become allies, or false for those"
            " that are no longer allies."
        )


def _alliance_sentence(what: Json, title: str, unit: Unit) -> str:
    both = all_of(what["nations"])
    return f"{both} are allies." if what["allied"] else f"{both} are no longer allies."


def _check_controller(what: Json, phase: RuledPhase) -> None:
    _check_keys(what, "nation", "controller")
    _check_nation(what["nation"], phase)
    _check_nation(what["controller"], phase)


def _check_points(what: Json, phase: RuledPhase) -> None:
    _check_keys(what, "nation", "points")
    _check_nation(what["nation"], phase)
    points = what["points"]
    if not _is_whole(points) or not points or abs(points) > MOST_POINTS:
        expected = f"from 1 to {MOST_POINTS}, or from -1 to -{MOST_POINTS}"
        raise RulesError(f"“{points}” is not a number of points: give one {expected}.")


def _points_sentence(what: Json, title: str, unit: Unit) -> str:
    points = what["points"]
    number = count_of(abs(points), "point")
    return f"{what['nation']} {'gets' if points > 0 else 'loses'} {number}."


def _check_option(what: Json, phase: RuledPhase) -> None:
    _check_keys(what, "option", "value")
    if what["option"] not in option_ids(phase.rules):
        raise RulesError(f"“{what['option']}” is not an option you can set for one phase.")
    option = options.OPTIONS[what["option"]]
    value = what["value"]
    if not isinstance(value, str) or value not in option.choosable:
        raise RulesError(f"{option.id} can be {' or '.join(option.choosable)}, not “{value}”.")


def _option_sentence(what: Json, title: str, unit: Unit) -> str:
    option = options.OPTIONS[what["option"]]
    label = option.label(what["value"])
    if option.title.endswith("?"):
        return f"For this phase: {option.title} {label[0].upper()}{label[1:]}."
    return f"For this phase: {option.title}: {label}."


def _check_revoke(what: Json, phase: RuledPhase) -> None:
    _check_keys(what, "ruling")
    if not _is_whole(what["ruling"]):
        raise RulesError(f"“{what['ruling']}” is not the number of a ruling.")


#: All kinds, in the order of the list of choices.
KINDS = {
    "orders": RulingKind(_check_orders, _orders_sentence, in_every_game=True),
    "digit": RulingKind(_check_digit, _digit_sentence),
    "result": RulingKind(_check_result, _result_sentence),
    "position": RulingKind(_check_position, _position_sentence),
    "counter": RulingKind(_check_counter, _counter_sentence),
    "alliance": RulingKind(_check_alliance, _alliance_sentence),
    "controller": RulingKind(
        _check_controller,
        lambda what, title, unit: (
            f"{what['controller']} sends {what['nation']}'s orders until the turn ends."
        ),
    ),
    "points": RulingKind(_check_points, _points_sentence),
    "option": RulingKind(_check_option, _option_sentence),
    "again": RulingKind(
        lambda what, phase: _check_keys(what),
        lambda what, title, unit: f"{title or 'The phase'} is judged again.",
        in_every_game=True,
    ),
    "rollback": RulingKind(
        lambda what, phase: _check_keys(what),
        lambda what, title, unit: (
            f"The game goes back to the moment at which {title or 'the phase'} opened."
        ),
        in_every_game=True,
    ),
    "revoke": RulingKind(
        _check_revoke,
        lambda what, title, unit: f"Ruling {what['ruling']} is revoked.",
        in_every_game=True,
    ),
}
