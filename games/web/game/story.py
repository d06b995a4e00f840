"""The story of a phase, attack by attack: the area before it, what decided, the area after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from games.models import Game, Phase, Resolution
from games.pages import pictures
from games.pages.headings import Heading, headings
from games.pages.pictures import PagePicture
from games.records import replay
from games.rules import NOTHING, Cell, ResultTable
from games.web.game.report import Fight


@dataclass(frozen=True)
class Stand:
    """What a nation had in the area, what the attack cost it, and what it had afterward."""

    heading: Heading
    part: str  # "attacks", "is attacked", or "" for a nation that does not take part
    before: Cell
    lost: int
    after: Cell


@dataclass(frozen=True)
class Step:
    """An attack; without stands and picture if the events do not determine the board."""

    fight: Fight
    stands: tuple[Stand, ...]
    picture: PagePicture | None
    row: tuple[tuple[str, str, bool], ...]  # of the table: odds, result, whether the cell decided

    @property
    def anybody_lost(self) -> bool:
        return any(stand.lost for stand in self.stands)


def steps(
    game: Game, phase: Phase, resolution: Resolution, fights: Sequence[Fight], viewer: str | None
) -> list[Step]:
    """Return every attack of a report, in order, with the board as the viewer may see it."""
    if not fights:
        return []
    moments = replay.moments(game, resolution, viewer)
    table, known = game.rules.guide.table(), headings(game.card["order"])
    story = []
    for fight in fights:
        moment = moments[fight.number - 1] if moments else None
        stands = _stands(fight, moment, known) if moment else ()
        picture = pictures.fight_picture(game, phase, resolution, fight.number) if moment else None
        story.append(Step(fight, stands, picture, _row(table, fight)))
    return story


def _stands(fight: Fight, moment: replay.Moment, known: dict[str, Heading]) -> tuple[Stand, ...]:
    """Return nations that have something in the area or take part: attacker, targets, others."""
    before, after = moment
    lost = dict(fight.losses)
    taking_part = [fight.nation, *fight.targets]
    others = [
        nation
        for nation in known
        if nation not in taking_part and before.cell(fight.area, nation) != NOTHING
    ]
    stands = []
    for nation in [*taking_part, *others]:
        part = (
            "attacks"
            if nation == fight.nation
            else "is attacked"
            if nation in fight.targets
            else ""
        )
        stands.append(
            Stand(
                known[nation],
                part,
                before.cell(fight.area, nation),
                lost.get(nation, 0),
                after.cell(fight.area, nation),
            )
        )
    return tuple(stands)


def _row(table: ResultTable, fight: Fight) -> tuple[tuple[str, str, bool], ...]:
    """Return the printed table's row of the digit or die; nothing if none decided."""
    if fight.void or fight.ruled or fight.row is None:
        return ()
    results = dict(table.rows).get(fight.row, ())
    return tuple(
        (odds, result, odds == fight.odds)
        for odds, result in zip(table.columns, results, strict=False)
    )
