"""Rulings of a gamesmaster, and a phase judged under them: one pure function for the service and
for `verify` (contract.md 5).

What a phase comes to follows from the position before it, the orders sent, the figures, the reserve
list, and the rulings that hold on it. A ruling is never changed: another revokes it, and may be
revoked in turn. What each kind says, as JSON (`Ruling.what`):

    orders    {"nation": N, "text": T}        the orders of N are this text
              {"nation": N, "submission": n}  the orders of N are its submission n, late or
                superseded
              {"nation": N, "text": null}     the orders of N are struck, as if it had sent nothing
    digit     {"stock": S, "volume": v|null}  the sales of S in the session; null: no usable report
    result    {"nation": N, "line": n, "result": r}   what one attack comes to: a result of the
              game's table, or "void"
    position  {"cells": {area: {nation: {"pf", "understanding", "control"}}}}   what stands there
              after the phase
    counter   {"nation": N, "area": A, "counter": "understanding"|"control", "given": true|false}
    alliance  {"nations": [N, M], "allied": true|false}   two nations are allies from here on, or
              are no more
    controller {"nation": N, "controller": M} M sends the orders of N, which nobody holds, until the
      turn is over
    points    {"nation": N, "points": p}      added to its score from here on
    option    {"option": id, "value": v}      this phase is judged with that option so
    again     {}                              the phase is judged again
    rollback  {}                              the game goes back to the moment at which the phase
              opened
    revoke    {"ruling": n}                   that ruling does not hold any more
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

#: All kinds; which of them mean something to a game it says itself (`Editor.ruling_kinds`).
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
#: Those that a phase is judged under; the others only cause it to be judged, or open another.
JUDGED_UNDER = tuple(kind for kind in KINDS if kind not in ("again", "rollback", "revoke"))
#: What may be set for an attack beside the results of the table: that it does not take place.
VOID = "void"
MOST_POINTS = 99
LONGEST_TEXT = 20_000
MOST_SHARES = 10**12
LONGEST_WORDS = 500
_RNG = ("rng.no_stock", "rng.duplicate_stock", "rng.stock_choice")
#: How a die is made of sales: asked only where attacks are decided by one.
DIE, FACES = "rng.d6", 6
#: Groups of options that are not one game's own.
_EVERY_GAMES = ("rng", "orders", "seat")
#: Options of the game and not of one phase: how the phases follow each other, what pays, what is
# shown.
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
    # What makes the phases, the years and what falls due in them; what hostility, operators and
    # columns are made of; what pays.
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
    """A ruling as the record has it. `phase` is the number of the phase that is ruled on; `revokes`
    the number of another ruling."""

    number: int
    phase: int
    kind: str
    what: Json
    words: str = ""
    reason: str = ""
    revokes: int | None = None


@dataclass(frozen=True)
class Sent:
    """One submission of the phase that is ruled on: whose it is and what it says."""

    nation: str
    text: str


@dataclass(frozen=True)
class Judged:
    """A phase judged under rulings: the state before (with the options that count), the orders in
    force, what comes of them."""

    state: Any
    orders: Mapping[str, str]
    resolution: Resolution


class Unfit(RulesError):
    """A ruling that does not fit what the phase leaves. `number` is its own; `str()` says why."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(why)
        self.number = number


def in_force(rulings: Sequence[Ruling], upto: int | None = None) -> tuple[Ruling, ...]:
    """The rulings that hold when number `upto` has been made (None: now), in the order of their
    numbers, revocations included."""
    known = sorted(
        (one for one in rulings if upto is None or one.number <= upto), key=lambda one: -one.number
    )
    revoked: set[int] = set()
    standing = []
    for one in known:  # the newest first: whether a revocation holds is decided by later ones alone
        if one.number in revoked:
            continue
        standing.append(one)
        if one.revokes is not None:
            revoked.add(one.revokes)
    return tuple(reversed(standing))


def rulings_on(
    rulings: Sequence[Ruling], phase: int, upto: int | None = None
) -> tuple[Ruling, ...]:
    """Those of the rulings in force under which a phase is judged."""
    return tuple(
        one for one in in_force(rulings, upto) if one.phase == phase and one.kind in JUDGED_UNDER
    )


def option_ids(rules: Ruleset) -> tuple[str, ...]:
    """The options that may be ruled otherwise in one phase: those by which it is judged."""
    offered = [
        option
        for option in options.for_groups(rules.option_groups)
        if option.offered and option.values
    ]
    own = tuple(option.id for option in offered if option.id.partition(".")[0] not in _EVERY_GAMES)
    die = (DIE,) if max(digit for digit, _ in rules.guide.table().rows) <= FACES else ()
    meant = {option.id for option in options.of_game(rules)}
    return tuple(one for one in (*_RNG, *die, *own) if one in meant and one not in _OF_THE_GAME)


def ruled_volumes(rulings: Sequence[Ruling]) -> dict[str, int | None]:
    """Stock to the figure that is ruled for it."""
    return {one.what["stock"]: one.what["volume"] for one in rulings if one.kind == "digit"}


def ruled_options(chosen: Mapping[str, Any], rulings: Sequence[Ruling]) -> dict[str, Any]:
    """The game's options with those that are ruled otherwise."""
    return {
        **chosen,
        **{one.what["option"]: one.what["value"] for one in rulings if one.kind == "option"},
    }


def ruled_results(rulings: Sequence[Ruling]) -> dict[tuple[str, int], str]:
    """Nation and line of an attack to the result that is set for it."""
    return {
        (one.what["nation"], one.what["line"]): str(one.what["result"])
        for one in rulings
        if one.kind == "result"
    }


def ruled_texts(
    sent: Mapping[str, str], rulings: Sequence[Ruling], submissions: Mapping[int, Sent]
) -> dict[str, str]:
    """The texts sent, as ruled: amended, accepted, struck. Raises `RulesError` where a ruling names
    a submission that is not there."""
    texts = dict(sent)
    for one in rulings:
        if one.kind != "orders":
            continue
        nation, text = one.what["nation"], _text_of(one.what, submissions)
        texts.pop(nation, None)
        if text is not None:
            texts[nation] = text
    return texts


def _text_of(what: Json, submissions: Mapping[int, Sent]) -> str | None:
    if "submission" not in what:
        return None if what["text"] is None else str(what["text"])
    sent = submissions.get(what["submission"])
    if sent is None or sent.nation != what["nation"]:
        raise RulesError(
            f"There is no submission {what['submission']} of {what['nation']} in this phase."
        )
    return sent.text


class RuledVolumes:
    """Figures with those that are ruled in their place."""

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
    submissions: Mapping[int, Sent] | None = None,
    state: Any = None,
) -> Judged:
    """A phase judged under the rulings that hold on it (`rulings_on`). `sent` are the texts in
    force as sent; `volumes` may raise. `state`: of the position, by the game's own options, from a
    caller that has it.

    1. Option rulings change the options, order rulings the texts; then standing wishes are added,
       as ever (`Ruleset.in_force`).
    2. The phase is resolved with the figures and results that are ruled; the state after carries
       the game's own options again.
    3. Position, counter, alliance, controller and points follow in the order of their numbers.
       Every ruling adds an event of the kind "ruled", so that each report tells of it. Raises
       `Unfit` where one of the last cannot be so.
    """
    if state is None or rulings:
        state = rules.load(card, ruled_options(chosen, rulings), position)
    orders = rules.in_force(state, ruled_texts(sent, rulings, submissions or {}))
    set_results = [one for one in rulings if one.kind == "result"]
    results = {(one.what["nation"], one.what["line"]): one for one in set_results}
    figures = RuledVolumes(volumes, ruled_volumes(rulings)) if rulings else volumes
    resolution = rules.resolve(state, orders, figures, reserves, results=ruled_results(rulings))
    after = rules.load(card, chosen, rules.dump(resolution.state)) if rulings else resolution.state
    told = [_cite(event, results) for event in resolution.events]
    for one in rulings:
        try:
            after = _apply(rules, after, one)
        except RulesError as error:
            raise Unfit(one.number, str(error)) from error
    first = [_event(one) for one in rulings if one.kind not in AFTERWARDS]
    last = [_event(one) for one in rulings if one.kind in AFTERWARDS]
    return Judged(state, orders, Resolution(after, (*first, *told, *last), resolution.remarks))


#: Rulings on what the phase leaves, after everything else.
AFTERWARDS = ("position", "counter", "alliance", "controller", "points")


def _cite(told: Json, results: Mapping[tuple[str, int], Ruling]) -> Json:
    """Return an event; of an attack whose result was set, with the ruling as its rule."""
    if not told.get("ruled"):
        return told
    return {**told, "rule": f"ruling {results[told['nation'], told['line']].number}"}


def _event(one: Ruling) -> Json:
    because = f" The reason: {' '.join(one.reason.split())}" if one.reason else ""
    said = f"Ruling {one.number} of the gamesmaster: {one.words}{because}"
    return event("ruled", f"ruling {one.number}", said, ruling=one.number, about=one.kind)


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
    """Cells out of their JSON form; what is left out is nothing."""
    given = ("pf", "understanding", "control")
    return {
        area: {
            nation: Cell(**{key: here[key] for key in given if key in here})
            for nation, here in row.items()
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
    submissions: Mapping[int, Sent],
    reserves: Sequence[str],
    standing: Sequence[Ruling] = (),
) -> None:
    """Raises `RulesError`, one sentence that quotes the fault, where no ruling of this kind can say
    this of the phase.

    `state` is the one in which the phase is played, under the game's own options; `standing` are
    the rulings that hold on it already. Whether a position, counter or score can be so, `judge`
    finds out: that depends on what the phase leaves. Revocations are checked by whoever knows all
    rulings of the game.
    """
    if kind not in rules.editor.ruling_kinds:
        known = ", ".join(rules.editor.ruling_kinds)
        raise RulesError(f"“{kind}” is not a ruling; choose from {known}.")
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
            known = " and ".join(rules.counters)
            raise RulesError(f"“{what['counter']}” is not a counter; choose from {known}.")
        if not isinstance(what["given"], bool):
            wanted = "true for a counter that is given, or false for one that is taken"
            raise RulesError(f"“{what['given']}” must be {wanted}.")
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
            wanted = f"from 1 to {MOST_POINTS}, or from -1 to -{MOST_POINTS}"
            raise RulesError(f"“{points}” is not a number of points: give one {wanted}.")
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
        known = all_of(nations)
        raise RulesError(f"There is no nation “{what['nation']}”; there are {known}.")


def _check_orders(what: Json, rules: Ruleset, state: Any, submissions: Mapping[int, Sent]) -> None:
    _check_keys(what, "nation", "submission" if "submission" in what else "text")
    nation = what["nation"]
    if not (rules.referee and nation == REFEREE_SEAT):
        _check_nation(what, rules, state)
    if nation not in rules.acting(state):
        judge = nation == REFEREE_SEAT
        who = "The gamesmaster sends no report" if judge else f"{nation} sends no orders"
        raise RulesError(f"{who} in this phase.")
    if "submission" in what:
        sent = submissions.get(what["submission"]) if _is_whole(what["submission"]) else None
        if sent is None or sent.nation != nation:
            which = f"{what['submission']} of {nation}"
            raise RulesError(f"There is no submission {which} in this phase.")
        text: object = sent.text
    else:
        text = what["text"]
    if text is None:
        return
    if (
        not isinstance(text, str)
        or len(text) > LONGEST_TEXT
        or "\0" in text
        or any("\ud800" <= sign <= "\udfff" for sign in text)
    ):
        raise RulesError(f"Orders are plain text of at most {LONGEST_TEXT:,} characters.")
    if not rules.read(text, nation, state).understood:
        strike = "to remove its orders, strike them"
        raise RulesError(f"No line of these orders of {nation} can be read; {strike}.")


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
        without = "a stock without a figure has no usable report"
        raise RulesError(f"“{volume}” is not a number of shares; {without}.")


class _Always:
    """Every stock has a usable report, so that every possible attack throws. Rolls have none."""

    def get(self, symbol: str, /) -> int | None:
        return 100 if roll_number(symbol) is None else None


def attacks(
    rules: Ruleset,
    state: Any,
    sent: Mapping[str, str],
    submissions: Mapping[int, Sent],
    reserves: Sequence[str],
    standing: Sequence[Ruling] = (),
) -> set[tuple[str, int]]:
    """Nation and line of every attack of the phase, whatever becomes of it."""
    orders = rules.in_force(state, ruled_texts(sent, standing, submissions))
    events = rules.resolve(state, orders, _Always(), reserves).events
    return {
        (event["nation"], event["line"]) for event in events if event["kind"] in ("attack", "void")
    }


def _check_result(
    what: Json,
    rules: Ruleset,
    state: Any,
    sent: Mapping[str, str],
    submissions: Mapping[int, Sent],
    reserves: Sequence[str],
    standing: Sequence[Ruling],
) -> None:
    _check_keys(what, "nation", "line", "result")
    _check_nation(what, rules, state)
    results = (*rules.guide.table().meanings, VOID)
    if what["result"] not in results:
        known = ", ".join(results)
        raise RulesError(f"“{what['result']}” is not a result of an attack; choose from {known}.")
    nation, line = what["nation"], what["line"]
    if not _is_whole(line):
        raise RulesError(f"“{line}” is not a line number.")
    if (nation, line) not in attacks(rules, state, sent, submissions, reserves, standing):
        where = f"in line {line} of its orders for this phase"
        raise RulesError(f"{nation} has no attack {where}.")


def _check_alliance(what: Json, rules: Ruleset, state: Any) -> None:
    _check_keys(what, "nations", "allied")
    named = what["nations"]
    if not isinstance(named, list) or len(named) != 2 or named[0] == named[1]:
        raise RulesError(f"“{named}” does not work: an alliance joins two nations.")
    for nation in named:
        _check_nation({"nation": nation}, rules, state)
    if not isinstance(what["allied"], bool):
        wanted = "true for nations that become allies, or false for those that are no longer allies"
        raise RulesError(f"“{what['allied']}” must be {wanted}.")


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
    """One plain sentence for the public list, of a ruling that `check` has passed. `title` is the
    phase's, where the ruling is about it; `unit` what the game's counters count.
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


#: Results of every game's table, as what an attack does.
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
    # Sorted: a database may keep the keys in an order of its own, and the sentence must be the
    # same.
    said = [
        f"{nation} {_describe_cell(cell, unit)} in {area}"
        for area, row in sorted(cells.items())
        for nation, cell in sorted(row.items())
    ]
    return f"The position becomes: {'; '.join(said)}."


def _describe_cell(cell: Cell, unit: Unit) -> str:
    parts = [unit.amount(cell.pf)] if cell.pf else []
    parts += ["an Understanding"] * cell.understanding + ["CONTROL"] * cell.control
    return f"has {' and '.join(parts)}" if parts else "has nothing"


def _counter_sentence(what: Json, title: str) -> str:
    nation, area, plain = what["nation"], what["area"], what["counter"] == "understanding"
    if what["given"]:
        return f"{nation} is given {'an Understanding' if plain else 'CONTROL'} in {area}."
    return f"{nation} loses {'its Understanding' if plain else 'CONTROL'} in {area}."


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


#: What sentences say now, and said in earlier records.
_EARLIER = {
    "attacker is eliminated": "attacker is removed",
    "the defender is eliminated": "the defence falls",
    "has no effect": "comes to nothing",
    "gamesmaster's report": "gamesmaster's sheet",
}


def earlier_words(kind: str, what: Json, title: str = "") -> str | None:
    """What records made before the present wording say of a ruling; None where that is the same."""
    if kind in ("orders", "result", "again", "rollback"):
        sentence = words(kind, what, title)
        for now, earlier in _EARLIER.items():
            sentence = sentence.replace(now, earlier)
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
