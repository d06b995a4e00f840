"""Check which phases of a record stand, and which ruling has undone each of the others.

A rollback undoes the phases that stand, from its own on, and opens that one again. Its revocation
restores those, and undoes what was played instead (games.turns.turning_back).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .. import Json
from .difference import GAME, Check, Difference, phase_name


def differences(tree: Json) -> Iterator[Difference]:
    """Yield where standing phases do not follow each other, each once, or others stand."""
    undone_by = _undone(tree)
    played: set[tuple[int, str]] = set()
    last: int | None = None
    for phase in tree["phases"]:
        check, follows = Check(phase_name(phase)), undone_by.get(phase["number"])
        yield from check.expect("the ruling that has undone it", phase["undone_by"], follows)
        undone = phase["status"] == "undone"
        yield from check.expect("whether it is undone", undone, follows is not None)
        if undone:
            continue
        if (phase["turn"], phase["kind"]) in played:
            yield check.wrong("the phase", "played twice", "played once")
        played.add((phase["turn"], phase["kind"]))
        yield from check.expect("the phase upon which it is played", phase["previous"], last)
        last = phase["number"]
    yield from _opened_again(tree)


def _opened_again(tree: Json) -> Iterator[Difference]:
    """Yield the phases that rollbacks must have opened and the record does not have."""
    phases = {phase["number"]: phase for phase in tree["phases"]}
    ruled = {row["number"]: row["phase"] for row in tree["rulings"] if row["kind"] == "rollback"}
    follows: tuple[int, Json] | None = None  # a rollback, and its phase
    for kind, number in (*_steps(tree), ("opened", 0)):
        if kind == "ruling" and number in ruled:
            follows = number, phases.get(ruled[number], {})
        elif kind == "opened" and follows is not None:
            ruling, before = follows
            opened, follows = phases.get(number, {}), None
            if any(opened.get(key) != before.get(key) for key in ("turn", "kind", "previous")):
                yield GAME.wrong(f"the phase that ruling {ruling} opened again", None, "there")


def _steps(tree: Json) -> Iterator[tuple[str, int]]:
    """Yield which phases opened and which rulings were made, in the order of the entries.

    It holds whatever a clock said.
    """
    for part in (part for row in tree["entries"] for part in row["covers"]):
        match part:
            case ["opened" | "ruling" as kind, int() as number]:
                yield kind, number


def _undone(tree: Json) -> dict[int, int | None]:
    """Return by phase the ruling that has undone it; None for one that stands."""
    rulings = {row["number"]: row for row in tree["rulings"]}
    undone_by: dict[int, int | None] = {}
    for kind, number in _steps(tree):
        if kind == "opened":
            undone_by[number] = None
        elif number in rulings:
            _turn(tree, rulings, rulings[number], undone_by)
    return undone_by


def _turn(
    tree: Json, rulings: Mapping[int, Json], row: Json, undone_by: dict[int, int | None]
) -> None:
    """Undo and restore phases by a ruling that turns the game; no other does anything."""
    root = row
    while (root["revokes"] or root["number"]) < root["number"] and root["revokes"] in rulings:
        root = rulings[root["revokes"]]
    if root["kind"] != "rollback":
        return
    first = root["phase"]
    if row is not root:  # all that was played upon the same phase
        upon = {phase["number"]: phase["previous"] for phase in tree["phases"]}
        first = (upon.get(first) or 0) + 1
    for phase, by in undone_by.items():
        if by is None and phase >= first:
            undone_by[phase] = row["number"]
        elif by is not None and by == row["revokes"]:
            undone_by[phase] = None
