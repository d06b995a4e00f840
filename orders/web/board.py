"""The map of an order page or a receipt, with the orders of a text and the panels of areas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from games import positions
from games.boards import overlay
from games.models import Game, Phase, Seat
from games.pages import pictures
from games.pages.headings import headings
from games.pages.line_forms import OrderForms
from orders.web import panels, parts, pointing, worth


def state_of_request(phase: Phase) -> Any:
    """Return the state in which a phase is played, cached for this request on its phase row."""
    cache = phase.__dict__
    if "state_of_this_request" not in cache:
        cache["state_of_this_request"] = positions.state_of(phase)
    return cache["state_of_this_request"]


def visible_state(game: Game, phase: Phase, seat: Seat) -> Any:
    """Return the state as the nation of a seat may see it."""
    return game.rules.view(state_of_request(phase), seat.nation)


def order_forms_for(game: Game, phase: Phase, seat: Seat) -> OrderForms | None:
    """Return the lines with blanks that the game offers beside its choices, or None."""
    forms: OrderForms | None = game.rules.writing.order_forms(
        visible_state(game, phase, seat), seat.nation
    )
    return forms


def _listed_stocks(game: Game) -> tuple[str, ...]:
    """Return the published list where only its stocks may be named; otherwise nothing."""
    listed = game.options["rng.stock_choice"] == "list_only"
    return tuple(game.reserves) if listed else ()


@dataclass(frozen=True)
class MapWithOrders:
    """The board's picture, and the orders of a text as an SVG overlay."""

    picture: pictures.PagePicture
    marks: str


@dataclass(frozen=True)
class MapAndPanels(MapWithOrders):
    """The map and the panels for a text.

    `hits` and `points` are SVG overlays for the picture. `panels` are HTML by id in the page.
    """

    pointing: panels.Pointing
    panels: dict[str, SafeString]
    hits: str
    nations: dict[str, Any]
    listed: tuple[str, ...]
    points: str

    @property
    def boxes(self) -> SafeString:
        return parts.boxes(self.pointing.panels, self.panels)

    @property
    def areas(self) -> SafeString:
        return parts.areas_in_html(self.pointing.panels)


def desk_for(game: Game, seat: Seat, phase: Phase) -> pointing.Desk:
    seen = visible_state(game, phase, seat)
    return pointing.Desk(game.rules, seen, seat.nation, _listed_stocks(game), game.stock_market)


def map_with_orders(game: Game, seat: Seat, phase: Phase, text: str) -> MapWithOrders:
    """Return the map as the phase began, with the orders of a text, without any buttons."""
    desk = desk_for(game, seat, phase)
    ground = overlay.ground(game.ruleset_id, game.card, game.rules.board(desk.state))
    marks = panels.marks(desk, desk.plan(text), game.card.get("home", {}).get(seat.nation))
    return MapWithOrders(pictures.start_picture(game, phase), overlay.marks(ground, marks))


def map_and_panels(game: Game, seat: Seat, phase: Phase, text: str) -> MapAndPanels:
    desk = desk_for(game, seat, phase)
    board, nations = game.rules.board(desk.state), game.rules.nations(desk.state)
    parts_for_text = panels.pointing(
        desk,
        board,
        text,
        game.card.get("home", {}).get(seat.nation),
    )
    ground = overlay.ground(game.ruleset_id, game.card, board)
    links = {panel.area: f"#{panel.anchor}" for panel in parts_for_text.panels}
    facts = {area: overlay.sentence_of(board, area) for area in board.areas}
    worths = worth.area_worths(game.rules, desk.state, seat.nation, nations)
    nation_headings = headings(nations)
    return MapAndPanels(
        pictures.phase_picture(game, phase, None, changes=False),
        overlay.marks(ground, parts_for_text.marks),
        parts_for_text,
        parts.panels_in_html(
            parts_for_text.panels,
            game,
            seat.nation,
            nations=nation_headings,
            worth=worths,
            listed=desk.listed,
        ),
        overlay.hits(ground, links, facts),
        nation_headings,
        desk.listed,
        overlay.marks(ground, worth.marks(worths)) if worths else "",
    )
