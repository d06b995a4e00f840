"""Rulings of a gamesmaster, and judging a phase under them.

The service and `verify` use the same pure function. The result of a phase follows from the position
before it, the orders sent, the figures, the reserve list, and the rulings in force on it. A ruling
is never changed: another one revokes it, and may be revoked in turn. `ruling_kinds` says what
there is to rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import Cell, Json, Resolution, RulesError, Volumes, event, options
from .contract import Ruleset

#: Kinds that only cause a phase to be judged, or open another; it is judged under the others.
NOT_JUDGED_UNDER = ("again", "rollback", "revoke")
#: The result of an attack that does not take place; it can be ruled like those of the table.
VOID = "void"
LONGEST_TEXT = 20_000
_RNG = ("rng.no_stock", "rng.duplicate_stock", "rng.stock_choice")
#: How a die is made from sales: only for games whose attacks are decided by a die.
DIE, FACES = "rng.d6", 6
#: Groups of options that all games share.
_EVERY_GAMES = ("rng", "orders", "seat")


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
        key=lambda ruling: -ruling.number,
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
        if ruling.phase == phase and ruling.kind not in NOT_JUDGED_UNDER
    )


def option_ids(rules: Ruleset) -> tuple[str, ...]:
    """Return the options by which a phase is judged; a ruling can change them for one phase."""
    offered = [
        option
        for option in options.group_options(rules.option_groups)
        if option.offered and option.values
    ]
    own_ids = tuple(
        option.id
        for option in offered
        if option.id.partition(".")[0] not in _EVERY_GAMES and option.judges != options.GAME
    )
    die = (DIE,) if max(digit for digit, _ in rules.guide.table().rows) <= FACES else ()
    applicable = {option.id for option in options.game_options(rules)}
    return tuple(key for key in (*_RNG, *die, *own_ids) if key in applicable)


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
    3. Rulings on the board (`Editor.edits`) follow in the order of their numbers. Every ruling adds
       an event of the kind "ruled", so that each report mentions it.
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
    first = [_event(ruling) for ruling in rulings if ruling.kind not in rules.editor.edits]
    last = [_event(ruling) for ruling in rulings if ruling.kind in rules.editor.edits]
    return JudgedPhase(
        state, orders, Resolution(after, (*first, *events, *last), resolution.remarks)
    )


def _cite(row: Json, results: Mapping[tuple[str, int], Ruling]) -> Json:
    """Return an event; if a ruling set the result of its attack, with that ruling as its rule.

    Raise `ImpossibleRuling` if later orders have another attack in the line than the ruled one.
    """
    if not row.get("ruled"):
        return row
    nation, line, area = row["nation"], row["line"], row["area"]
    ruling = results[nation, line]
    if ruling.what.get("area", area) != area:
        raise ImpossibleRuling(
            ruling.number,
            f"The attack in line {line} of {nation}’s orders is in {area},"
            f" not in {ruling.what['area']}.",
        )
    return {**row, "rule": f"ruling {ruling.number}"}


def _event(ruling: Ruling) -> Json:
    because = f" The reason: {' '.join(ruling.reason.split())}" if ruling.reason else ""
    sentence = f"Ruling {ruling.number} of the gamesmaster: {ruling.words}{because}"
    return event(
        "ruled", f"ruling {ruling.number}", sentence, ruling=ruling.number, about=ruling.kind
    )


def _apply(rules: Ruleset, state: Any, ruling: Ruling) -> Any:
    edit = rules.editor.edits.get(ruling.kind)
    if edit is not None:
        what = ruling.what
        return edit(state, **({"cells": cells_of(what["cells"])} if "cells" in what else what))
    if ruling.kind != "orders" and ruling.kind not in rules.editor.ruling_kinds:
        raise RulesError(f"“{ruling.kind}” is not a ruling of this game.")
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
