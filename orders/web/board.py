"""The map of an order page or a receipt, with the orders of a text and the panels of areas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.safestring import SafeString

from games.boards import overlay
from games.models import Phase
from games.pages import pictures
from games.pages.headings import Heading
from games.rules import Board
from orders.web import panels, parts, worth
from orders.web.drafting import Drafting
from orders.web.panels import Count


@dataclass(frozen=True)
class MapWithOrders:
    """The board's picture, and the orders of a text as an SVG overlay."""

    picture: pictures.PagePicture
    marks: str


@dataclass(frozen=True)
class MapAndPanels(MapWithOrders):
    """The map and the panels for a text.

    `hits` and `points` are SVG overlays for the picture; `points` has what pays the nation beside
    its orders. `panels` are HTML by id in the page. `paying` names the areas that pay the nation,
    those that pay most first; `example` is what `points` shows of the first, such as “C5”, or "".
    """

    pointing: panels.Pointing
    panels: dict[str, SafeString]
    hits: str
    points: str
    paying: tuple[str, ...]
    example: str

    @property
    def suggested(self) -> list[Count]:
        """The two areas that pay the nation most and may take all that is left to place."""
        left = sum(total.left for total in self.pointing.totals[:1])
        counts = {panel.area: panel.counts[0] for panel in self.pointing.panels if panel.counts}
        offered = (counts[area] for area in self.paying if area in counts)
        return [count for count in offered if count.most == left > 0][:2]

    @property
    def meets(self) -> bool:
        """Whether there is an area where an attack can be ordered."""
        return any(panel.assault for panel in self.pointing.panels)

    @property
    def boxes(self) -> SafeString:
        return parts.boxes(self.pointing.panels, self.panels)

    @property
    def areas(self) -> SafeString:
        return parts.areas_in_html(self.pointing.panels)


def map_with_orders(drafting: Drafting, phase: Phase, text: str) -> MapWithOrders:
    """Return the map as the phase began, with the orders of a text, without any buttons."""
    game = phase.game
    ground = overlay.ground(game.ruleset_id, game.card, game.rules.board(drafting.state))
    marks = panels.marks(
        drafting, drafting.plan(text), game.card.get("home", {}).get(drafting.nation)
    )
    return MapWithOrders(pictures.start_picture(game, phase), overlay.marks(ground, marks))


def map_and_panels(
    drafting: Drafting, phase: Phase, board: Board, text: str, nations: Mapping[str, Heading]
) -> MapAndPanels:
    """Return the map and the panels for a text. `board`: as it is in the phase, for the reader."""
    game = phase.game
    pointed = panels.pointing(drafting, board, text, game.card.get("home", {}).get(drafting.nation))
    ground = overlay.ground(game.ruleset_id, game.card, board)
    links = {panel.area: f"#{panel.anchor}" for panel in pointed.panels}
    facts = {area: overlay.sentence_of(board, area) for area in board.areas}
    worths = worth.area_worths(game.rules, drafting.state, drafting.nation, nations)
    return MapAndPanels(
        pictures.phase_picture(game, phase, None, changes=False),
        overlay.marks(ground, pointed.marks),
        pointed,
        parts.panels_in_html(
            pointed.panels,
            game,
            drafting.nation,
            nations=nations,
            worth=worths,
            listed=drafting.listed,
        ),
        overlay.hits(ground, links, facts),
        overlay.marks(ground, [*worth.marks(worths), *pointed.marks]) if worths else "",
        worth.paying(worths),
        worth.example(worths),
    )
