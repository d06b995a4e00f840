"""Rulings of a gamesmaster, and judging a phase under them (contract.md 5).

The service and `verify` use the same pure function. The result of a phase follows from the position
before it, the orders sent, the figures, the reserve list, and the rulings in force on it. A ruling
is never changed: another one revokes it, and may be revoked in turn. The JSON of each kind
(`Ruling.what`):

    orders    {"nation": N, "text": T}        the orders of N are this text
              {"nation": N, "submission": n}  the orders of N are its submission n, late or
                superseded
              {"nation": N, "text": null}     the orders of N are struck, as if it had sent nothing
    digit     {"stock": S, "volume": v|null}  the sales of S in the session; null: no usable report
    result    {"nation": N, "line": n, "result": r}   the result of one attack: one of the game's
              table, or "void"
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
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import REFEREE_SEAT, Cell, Json, Resolution, RulesError, Volumes, event, options
from .contract import Ruleset
from .digits import beacon_number, digit_of_shares, roll_number, volume_of_roll
from .lands import PF, Unit
from .markets import market_of
from .names import all_of
from .orders import is_stock

#: All kinds; a game says which of them apply to it (`Editor.ruling_kinds`).
KINDS = (
    "orders",
    "digit",
    "result",
    "position",
    "counter",
    "alliance",
    "controller",
    "points",
    "option",
    "again",
    "rollback",
    "revoke",
)
#: Kinds under which a phase is judged; the others only cause it to be judged, or open another.
JUDGED_UNDER = tuple(kind for kind in KINDS if kind not in ("again", "rollback", "revoke"))
#: The result of an attack that does not take place; it can be ruled like those of the table.
VOID = "void"
MOST_POINTS = 99
LONGEST_TEXT = 20_000
MOST_SHARES = 10**12
LONGEST_WORDS = 500
_RNG = ("rng.no_stock", "rng.duplicate_stock", "rng.stock_choice")
#: How a die is made from sales: only for games whose attacks are decided by a die.
DIE, FACES = "rng.d6", 6
#: Groups of options that all games share.
_EVERY_GAMES = ("rng", "orders", "seat")
#: Options of the whole game, not of one phase: the order of phases, scoring, and what is shown.
_OF_THE_GAME = (
    "ow2.placement",
    "ow2.attacks",
    "ow2.hidden",
    "ow2.nu_broken_by",
    "ow2.running_score",
    "ow2.tie",
    "ow2.show_year",
    "ow2.ally_draw",
    "ow2.nonplayer_wins",
    "ow2.four_without_usa",
    "ow2.blind",
    "ow2.blind_charts",
    "ow2.blind_draw",
    "wwi.phasing",
    "wwi.seating",
    "wwi.pairing",
    "wwi.alliance_test",
    "wwi.failed_alliance",
    "wwi.alliance_secrecy",
    "wwi.bonus_areas",
    "wwi.bonus_time",
    "wwi.britain_test",
    # Phases, years and what is due in them; hostility, operators and columns; scoring.
    "spi.flow",
    "spi.seasons",
    "spi.declaration",
    "spi.british_replacement",
    "spi.invader_unit",
    "spi.us_entry",
    "spi.allied",
    "spi.reading",
    "spi.blend",
    "spi.standings",
    "spi.tie",
)


@dataclass(frozen=True)
class Ruling:
    """A ruling as the record has it.

    `phase` is the number of the phase that it is about; `revokes` the number of another ruling.
    """

    number: int
    phase: int
    kind: str
    what: Json
    words: str = ""
    reason: str = ""
    revokes: int | None = None


@dataclass(frozen=True)
class RuledSubmission:
    """Nation and text of a submission in the phase that is ruled on."""

    nation: str
    text: str


@dataclass(frozen=True)
class JudgedPhase:
    """A phase judged under rulings.

    `state` is the state before, with the options that count; `orders` are those in force.
    """

    state: Any
    orders: Mapping[str, str]
    resolution: Resolution


class ImpossibleRuling(RulesError):
    """A ruling that is impossible after the phase. `number` is its own; `str()` says why."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(why)
        self.number = number


def in_force(rulings: Sequence[Ruling], upto: int | None = None) -> tuple[Ruling, ...]:
    """Return the rulings in force, revocations included, in the order of their numbers.

    `upto`: those in force right after the ruling of that number; None: now.
    """
    newest_first = sorted(
        (ruling for ruling in rulings if upto is None or ruling.number <= upto),
        key=lambda one: -one.number,
    )
    revoked: set[int] = set()
    standing = []
    for ruling in newest_first:  # only later rulings decide whether a revocation holds
        if ruling.number in revoked:
            continue
        standing.append(ruling)
        if ruling.revokes is not None:
            revoked.add(ruling.revokes)
    return tuple(reversed(standing))


def rulings_on(
    rulings: Sequence[Ruling], phase: int, upto: int | None = None
) -> tuple[Ruling, ...]:
    """Return the rulings in force under which a phase is judged."""
    return tuple(
        ruling
        for ruling in in_force(rulings, upto)
        if ruling.phase == phase and ruling.kind in JUDGED_UNDER
    )


def option_ids(rules: Ruleset) -> tuple[str, ...]:
    """Return the options by which a phase is judged; a ruling can change them for one phase."""
    offered = [
        option
        for option in options.group_options(rules.option_groups)
        if option.offered and option.values
    ]
    own_ids = tuple(
        option.id for option in offered if option.id.partition(".")[0] not in _EVERY_GAMES
    )
    die = (DIE,) if max(digit for digit, _ in rules.guide.table().rows) <= FACES else ()
    applicable = {option.id for option in options.game_options(rules)}
    return tuple(
        key for key in (*_RNG, *die, *own_ids) if key in applicable and key not in _OF_THE_GAME
    )


def ruled_volumes(rulings: Sequence[Ruling]) -> dict[str, int | None]:
    """Return the ruled figures by stock."""
    return {
        ruling.what["stock"]: ruling.what["volume"] for ruling in rulings if ruling.kind == "digit"
    }


def ruled_options(chosen: Mapping[str, Any], rulings: Sequence[Ruling]) -> dict[str, Any]:
    """Return the game's options, with the ruled ones changed."""
    return {
        **chosen,
        **{
            ruling.what["option"]: ruling.what["value"]
            for ruling in rulings
            if ruling.kind == "option"
        },
    }


def ruled_results(rulings: Sequence[Ruling]) -> dict[tuple[str, int], str]:
    """Return the ruled results of attacks by nation and line."""
    return {
        (ruling.what["nation"], ruling.what["line"]): str(ruling.what["result"])
        for ruling in rulings
        if ruling.kind == "result"
    }


def ruled_texts(
    sent: Mapping[str, str], rulings: Sequence[Ruling], submissions: Mapping[int, RuledSubmission]
) -> dict[str, str]:
    """Return the texts sent, amended, accepted or struck as ruled.

    Raise `RulesError` where a ruling names a submission that does not exist.
    """
    texts = dict(sent)
    for ruling in rulings:
        if ruling.kind != "orders":
            continue
        nation, text = ruling.what["nation"], _text_of(ruling.what, submissions)
        texts.pop(nation, None)
        if text is not None:
            texts[nation] = text
    return texts


def _text_of(what: Json, submissions: Mapping[int, RuledSubmission]) -> str | None:
    if "submission" not in what:
        return None if what["text"] is None else str(what["text"])
    submission = submissions.get(what["submission"])
    if submission is None or submission.nation != what["nation"]:
        raise RulesError(
            f"There is no submission {what['submission']} of {what['nation']} in this phase."
        )
    return submission.text


class RuledVolumes:
    """Figures, with ruled ones in place of those that were read."""

    def __init__(self, volumes: Volumes, ruled: Mapping[str, int | None]) -> None:
        self._volumes = volumes
        self._ruled = dict(ruled)

    def get(self, symbol: str, /) -> int | None:
        return self._ruled[symbol] if symbol in self._ruled else self._volumes.get(symbol)


def judge(
    rules: Ruleset,
    card: Json,
    chosen: Mapping[str, Any],
    position: Json,
    sent: Mapping[str, str],
    volumes: Volumes,
    reserves: Sequence[str],
    rulings: Sequence[Ruling] = (),
    submissions: Mapping[int, RuledSubmission] | None = None,
    state: Any = None,
) -> JudgedPhase:
    """Judge a phase under the rulings in force on it (`rulings_on`).

    `sent` are the texts in force as sent; `volumes` may raise. `state` is that of the position
    under the game's own options, if the caller already has it. Raise `ImpossibleRuling`
    where a ruling of step 3 is impossible.

    1. Option rulings change the options, order rulings the texts; then standing wishes are added as
       usual (`Ruleset.in_force`).
    2. The phase is resolved with the ruled figures and results; the state after it has the game's
       own options again.
    3. Position, counter, alliance, controller and points rulings follow in the order of their
       numbers. Every ruling adds an event of the kind "ruled", so that each report mentions it.
    """
    if state is None or rulings:
        state = rules.load(card, ruled_options(chosen, rulings), position)
    orders = rules.in_force(state, ruled_texts(sent, rulings, submissions or {}))
    set_results = [ruling for ruling in rulings if ruling.kind == "result"]
    results = {(ruling.what["nation"], ruling.what["line"]): ruling for ruling in set_results}
    figures = RuledVolumes(volumes, ruled_volumes(rulings)) if rulings else volumes
    resolution = rules.resolve(state, orders, figures, reserves, results=ruled_results(rulings))
    after = rules.load(card, chosen, rules.dump(resolution.state)) if rulings else resolution.state
    events = [_cite(event, results) for event in resolution.events]
    for ruling in rulings:
        try:
            after = _apply(rules, after, ruling)
        except RulesError as error:
            raise ImpossibleRuling(ruling.number, str(error)) from error
    first = [_event(ruling) for ruling in rulings if ruling.kind not in AFTERWARDS]
    last = [_event(ruling) for ruling in rulings if ruling.kind in AFTERWARDS]
    return JudgedPhase(
        state, orders, Resolution(after, (*first, *events, *last), resolution.remarks)
    )


#: Rulings on the state after the phase, applied after everything else.
AFTERWARDS = ("position", "counter", "alliance", "controller", "points")


def _cite(told: Json, results: Mapping[tuple[str, int], Ruling]) -> Json:
    """Return an event; if a ruling set the result of its attack, with that ruling as its rule."""
    if not told.get("ruled"):
        return told
    return {**told, "rule": f"ruling {results[told['nation'], told['line']].number}"}


def _event(one: Ruling) -> Json:
    because = f" The reason: {' '.join(one.reason.split())}" if one.reason else ""
    sentence = f"Ruling {one.number} of the gamesmaster: {one.words}{because}"
    return event("ruled", f"ruling {one.number}", sentence, ruling=one.number, about=one.kind)


def _apply(rules: Ruleset, state: Any, one: Ruling) -> Any:
    what, editor = one.what, rules.editor
    match one.kind:
        case "position":
            return editor.edit(state, cells_of(what["cells"]))
        case "counter":
            where = (what["nation"], what["area"])
            return editor.counter(state, *where, what["counter"], what["given"])
        case "alliance":
            first, second = what["nations"]
            return editor.ally(state, first, second, what["allied"])
        case "controller":
            return editor.hand_over(state, what["nation"], what["controller"])
        case "points":
            return editor.adjust(state, what["nation"], what["points"])
    return state


def cells_of(tree: Mapping[str, Mapping[str, Json]]) -> dict[str, dict[str, Cell]]:
    """Return cells from their JSON form; missing values mean nothing there."""
    keys = ("pf", "understanding", "control")
    return {
        area: {
            nation: Cell(**{key: cell[key] for key in keys if key in cell})
            for nation, cell in row.items()
        }
        for area, row in tree.items()
    }


# --- what may be ruled ---


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
    if roll_number(stock) is not None or beacon_number(stock) is not None:
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


# --- in words ---


def words(kind: str, what: Json, title: str = "", unit: Unit = PF) -> str:
    """Return one plain sentence for the public list about a ruling that `check` accepted.

    `title` is that of the phase, where the ruling is about it; `unit` is that of the game's
    counters.
    """
    return _shorten(
        _position_sentence(what, unit) if kind == "position" else _SENTENCES[kind](what, title)
    )


def _shorten(sentence: str) -> str:
    short = f"{sentence[: LONGEST_WORDS - 2].rstrip()} …"
    return sentence if len(sentence) <= LONGEST_WORDS else short


def _orders_sentence(what: Json, title: str) -> str:
    if what["nation"] == REFEREE_SEAT:
        if "submission" in what:
            return f"Submission {what['submission']} is accepted as the gamesmaster's report."
        return f"The gamesmaster's report is {'struck' if what['text'] is None else 'amended'}."
    if "submission" in what:
        return f"Submission {what['submission']} of {what['nation']} is accepted: its orders count."
    return f"The orders of {what['nation']} are {'struck' if what['text'] is None else 'amended'}."


def _digit_sentence(what: Json, title: str) -> str:
    stock, volume = what["stock"], what["volume"]
    if roll_number(stock) is not None or beacon_number(stock) is not None:
        return f"{stock} counts as {digit_of_shares(volume)}."
    if volume is None:
        return f"{stock} counts as having no usable report."
    return f"The sales of {stock} count as {volume:,}."


#: The result of an attack in words, for the tables of all games.
_RESULTS = {
    **dict.fromkeys(("A", "AE"), "fails: the attacker is eliminated"),
    **dict.fromkeys(("D", "DE"), "succeeds: the defender is eliminated"),
    **dict.fromkeys(("X", "EX"), "is an exchange"),
    "-": "has no effect",
    VOID: "is void",
}


def _result_sentence(what: Json, title: str) -> str:
    attack = f"The attack of {what['nation']} in line {what['line']} of its orders"
    return f"{attack} {_RESULTS[what['result']]}."


def _position_sentence(what: Json, unit: Unit) -> str:
    cells = cells_of(what["cells"])
    # Sorted, because a database may change the order of keys, and the sentence must stay the same.
    sentences = [
        f"{nation} {_describe_cell(cell, unit)} in {area}"
        for area, row in sorted(cells.items())
        for nation, cell in sorted(row.items())
    ]
    return f"The position becomes: {'; '.join(sentences)}."


def _describe_cell(cell: Cell, unit: Unit) -> str:
    parts = [unit.amount(cell.pf)] if cell.pf else []
    parts += ["an Understanding"] * cell.understanding + ["CONTROL"] * cell.control
    return f"has {' and '.join(parts)}" if parts else "has nothing"


def _counter_sentence(what: Json, title: str) -> str:
    nation, area, is_understanding = (
        what["nation"],
        what["area"],
        what["counter"] == "understanding",
    )
    if what["given"]:
        return (
            f"{nation} is given {'an Understanding' if is_understanding else 'CONTROL'} in {area}."
        )
    return f"{nation} loses {'its Understanding' if is_understanding else 'CONTROL'} in {area}."


def _alliance_sentence(what: Json, title: str) -> str:
    both = all_of(what["nations"])
    return f"{both} are allies." if what["allied"] else f"{both} are no longer allies."


def _controller_sentence(what: Json, title: str) -> str:
    return f"{what['controller']} sends {what['nation']}'s orders until the turn ends."


def _points_sentence(what: Json, title: str) -> str:
    points = what["points"]
    number = f"{abs(points)} point{'' if abs(points) == 1 else 's'}"
    return f"{what['nation']} {'gets' if points > 0 else 'loses'} {number}."


def _option_sentence(what: Json, title: str) -> str:
    option = options.OPTIONS[what["option"]]
    label = option.label(what["value"])
    if option.title.endswith("?"):
        return f"For this phase: {option.title} {label[0].upper()}{label[1:]}."
    return f"For this phase: {option.title}: {label}."


#: Present wording to the wording of earlier records.
_EARLIER = {
    "attacker is eliminated": "attacker is removed",
    "the defender is eliminated": "the defence falls",
    "has no effect": "comes to nothing",
    "gamesmaster's report": "gamesmaster's sheet",
}


def earlier_words(kind: str, what: Json, title: str = "") -> str | None:
    """Return the sentence about a ruling in records from before the present wording.

    Return None where it is the same.
    """
    if kind in ("orders", "result", "again", "rollback"):
        sentence = words(kind, what, title)
        for present, earlier in _EARLIER.items():
            sentence = sentence.replace(present, earlier)
        return sentence
    if kind == "controller":
        has = f"{what['controller']} has {what['nation']}"
        return f"{has}, and sends its orders, until the turn is over."
    if kind == "alliance":
        return None if what["allied"] else f"{all_of(what['nations'])} are allies no more."
    if kind != "option":
        return None
    text = options.OPTIONS[what["option"]].text.rstrip(".")
    value = what["value"].replace("_", " ")
    return _shorten(f"In this phase one option is “{value}”. (The option: {text}.)")


_SENTENCES: dict[str, Callable[[Json, str], str]] = {
    "orders": _orders_sentence,
    "digit": _digit_sentence,
    "result": _result_sentence,
    "counter": _counter_sentence,
    "alliance": _alliance_sentence,
    "controller": _controller_sentence,
    "points": _points_sentence,
    "option": _option_sentence,
    "again": lambda what, title: f"{title or 'The phase'} is judged again.",
    "rollback": lambda what, title: (
        f"The game goes back to the moment at which {title or 'the phase'} opened."
    ),
    "revoke": lambda what, title: f"Ruling {what['ruling']} is revoked.",
}
