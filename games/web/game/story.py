"""The story of a phase, attack by attack: what stood there, what decided, what was left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from games.models import Game, Phase, Resolution
from games.records import proof, replay
from games.rules import Cell, ResultTable
from games.web import pictures
from games.web.boards import NOTHING
from games.web.game.report import Fight
from games.web.headings import Heading, headings
from games.web.pictures import Shown


@dataclass(frozen=True)
class Stand:
    """What one nation had in the area, what the attack cost it, and what it had then."""

    heading: Heading
    part: str  # "attacks", "is attacked", or "" for whoever looks on
    before: Cell
    lost: int
    after: Cell


@dataclass(frozen=True)
class Step:
    """One attack; without stands and picture where the events do not tell the board."""

    fight: Fight
    stands: tuple[Stand, ...]
    picture: Shown | None
    row: tuple[
        tuple[str, str, bool], ...
    ]  # of the table: odds, result, and whether this cell decided

    @property
    def anybody_lost(self) -> bool:
        return any(stand.lost for stand in self.stands)


def steps(
    game: Game, phase: Phase, resolution: Resolution, fights: Sequence[Fight], viewer: str | None
) -> list[Step]:
    """Return every attack of a report, in order, as the viewer may see the board."""
    if not fights:
        return []
    moments = replay.moments(game, resolution, viewer)
    table, known = game.rules.guide.table(), headings(game.card["order"])
    found = []
    for fight in fights:
        moment = moments[fight.number - 1] if moments else None
        stands = _stands(fight, moment, known) if moment else ()
        picture = pictures.of_fight(game, phase, resolution, fight.number) if moment else None
        found.append(Step(fight, stands, picture, _row(table, fight)))
    return found


def _stands(fight: Fight, moment: replay.Moment, known: dict[str, Heading]) -> tuple[Stand, ...]:
    """Return who has anything in the area or is named; the attacker first, then targets."""
    before, after = (board.cells.get(fight.area, {}) for board in moment)
    lost = dict(fight.losses)
    named = [fight.nation, *fight.targets]
    others = [
        nation for nation in known if nation not in named and before.get(nation, NOTHING) != NOTHING
    ]
    found = []
    for nation in [*named, *others]:
        part = (
            "attacks"
            if nation == fight.nation
            else "is attacked"
            if nation in fight.targets
            else ""
        )
        found.append(
            Stand(
                known[nation],
                part,
                before.get(nation, NOTHING),
                lost.get(nation, 0),
                after.get(nation, NOTHING),
            )
        )
    return tuple(found)


def _row(table: ResultTable, fight: Fight) -> tuple[tuple[str, str, bool], ...]:
    """The row of the digit or die in the printed table; nothing where none decided."""
    if fight.void or fight.ruled or fight.row is None:
        return ()
    cells = next(
        (
            cells
            for row, cells in proof.table_rows(table, fight.odds, fight.row)
            if row == fight.row
        ),
        [],
    )
    return tuple(
        (odds, result, decided)
        for odds, (result, decided) in zip(table.columns, cells, strict=False)
    )
