"""What letters that go out together ask, asked for all of them at once, before any of them is set.

Everything here is put under the keys at which the letters ask for it (`once`): a letter of a kind
that is not foreseen here, or set alone, asks for itself and gets the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar

from games.models import (
    DeadlineChange,
    Figure,
    Game,
    Letter,
    Phase,
    Resolution,
    Ruling,
    Seat,
    Sitting,
)

from . import once

Row = TypeVar("Row")

#: Letters that ask for all of this. To gather for one game costs a little more than it would ask
# for itself.
KINDS = ("opened", "board", "locked", "reminder", "over")
LEAST = 2


def gather(some: Sequence[Letter]) -> None:
    """Asks for these letters, within `once.sending`. Each has its game and its phase."""
    those = [
        letter
        for letter in some
        if letter.kind in KINDS and letter.game is not None and letter.phase is not None
    ]
    games = {letter.game.pk: letter.game for letter in those if letter.game is not None}
    if len(games) < LEAST:
        return
    phases = {letter.phase.pk: letter.phase for letter in those if letter.phase is not None}
    _gather_games(games)
    _gather_readers(games, those)
    _gather_phases(
        games, phases, {letter.about["next"] for letter in those if "next" in letter.about}
    )
    _gather_results(games, phases, those)


def _gather_games(games: dict[int, Game]) -> None:
    seats = _by(Seat.objects.filter(game__in=games).order_by("ordinal"), lambda seat: seat.game_id)
    rulings = _by(
        Ruling.objects.filter(game__in=games).select_related("revokes").order_by("number"),
        lambda one: one.game_id,
    )
    for pk in games:
        once.put(("seats", pk), seats.get(pk, []))
        once.put(("rulings", pk), rulings.get(pk, []))


def _gather_readers(games: dict[int, Game], those: Iterable[Letter]) -> None:
    """Of readers for no seat: whether they play (`tellers`)."""
    found = [
        letter
        for letter in those
        if letter.person is not None and letter.person.is_active and not letter.about.get("seats")
    ]
    readers = {(letter.game_id, letter.person_id) for letter in found}
    if not readers:
        return
    running = set(
        Game.gamesmasters.through.objects.filter(game__in=games).values_list("game_id", "person_id")
    )
    sitting = set(
        Sitting.objects.filter(seat__game__in=games, until=None).values_list(
            "seat__game_id", "person_id"
        )
    )
    for reader in readers:
        once.put(("plays", *reader), reader not in running or reader in sitting)


def _gather_phases(
    games: dict[int, Game], phases: dict[int, Phase], following: Collection[int]
) -> None:
    """What has befallen the deadlines of these phases, their figures, and the phases that come
    next."""
    changes = _by(
        DeadlineChange.objects.filter(phase__in=phases).order_by("pk"),
        lambda change: change.phase_id,
    )
    figures = _by(
        Figure.objects.filter(phase__in=phases).order_by("symbol"), lambda figure: figure.phase_id
    )
    for pk in phases:
        once.put(("deadline changes", pk), changes.get(pk, []))
        once.put(("figures", pk), figures.get(pk, []))
    for pk, phase in Phase.objects.in_bulk(following).items():
        if phase.game_id in games:
            phase.game = games[phase.game_id]
        once.put(("phase", pk), phase)


def _gather_results(
    games: dict[int, Game], phases: dict[int, Phase], those: Iterable[Letter]
) -> None:
    """The results that these letters tell, and those that left the positions in which their phases
    are played."""
    wanted = {
        letter.about[name]
        for letter in those
        for name in ("resolution", "position")
        if letter.about.get(name) is not None
    }
    found: dict[int, Any] = Resolution.objects.select_related("phase").in_bulk(wanted)
    for pk, resolution in found.items():
        if resolution.phase.game_id not in games:
            continue
        resolution.phase = phases.get(resolution.phase_id, resolution.phase)
        resolution.phase.game = games[resolution.phase.game_id]
        once.put(("result", pk), resolution)
    before = [phase.previous_id for phase in phases.values() if phase.previous_id]
    newest = dict(
        Resolution.objects.filter(phase__in=before).order_by("version").values_list("phase", "pk")
    )
    for pk, phase in phases.items():
        once.put(("position", pk), newest.get(phase.previous_id) if phase.previous_id else None)


def _by(rows: Iterable[Row], key: Callable[[Row], int]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found
