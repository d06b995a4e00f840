"""Test the plate of Origins of World War I (issue 8, 3): areas, piles, treaties, alliances."""

from __future__ import annotations

import io
from itertools import combinations
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from PIL import Image

from games import boards
from games.boards import draw, mosaic, overlay, pieces, plate
from games.rules import Board, Cell

from . import boards as sister
from .boards_ww1 import AREAS, CARD, CROWDED, EMPTY, GAME, LATE, NATIONS
from .test_draw import SVG, group, texts
from .test_plate import SIGHT, inside, lab, luminance

PLATE = plate.load(GAME)


def drawn(board: Board, **how: Any) -> Xml.Element:
    return Xml.fromstring(boards.board_svg(GAME, CARD, board, **how))


def test_the_card_has_its_areas_on_the_plate() -> None:
    assert plate.plate_for(GAME, AREAS) is PLATE
    assert {area for area in AREAS if PLATE.areas[area].inset} == {"Far East", "Africa"}


@pytest.mark.parametrize("area", AREAS)
def test_areas_have_room_for_five_piles(area: str) -> None:
    it = PLATE.areas[area]
    assert inside(it.outline, it.stand.at)
    assert not it.label.leader or inside(it.outline, it.label.leader)
    assert it.stand.fits >= len(NATIONS) or it.stand.tray is not None
    x, y, w, h = PLATE.window
    for at in (it.label.at, it.stand.tray or it.stand.at):
        assert x < at[0] < x + w
        assert y < at[1] < y + h


def test_no_two_areas_overlap() -> None:
    for area in (name for name in AREAS if not PLATE.areas[name].inset):
        at = PLATE.areas[area].stand.at
        assert [
            name
            for name in AREAS
            if not PLATE.areas[name].inset and inside(PLATE.areas[name].outline, at)
        ] == [area]


#: Coordinates of towns and lands on the plate, computed once from longitude and latitude with
# `survey.main_projection` of lands.toml.
PLACES = {
    "Alsace-Lorraine": (309.0, 432.2),
    "Posen": (461.8, 341.1),
    "Warsaw": (525.4, 340.2),
    "Helsingfors": (566.8, 139.3),
    "Lemberg": (580.5, 380.1),
    "Klausenburg": (582.7, 432.9),
    "Trent": (349.1, 495.9),
    "Sarajevo": (444.5, 539.7),
    "Salonica": (586.8, 664.9),
    "Adrianople": (693.8, 610.8),
    "Uskub": (530.5, 611.9),
    "Nish": (543.0, 550.4),
    "Kishinev": (689.7, 437.5),
    "Dublin": (113.6, 268.2),
    "Larissa": (572.0, 710.0),
    "Constanza": (713.7, 511.6),
    "Philippopolis": (641.9, 596.0),
}


#: The country of each in 1910; most of them changed hands before 1937.
WHOSE = {
    "Germany": "Alsace-Lorraine Posen",
    "Russia": "Warsaw Helsingfors Kishinev",
    "Austria-Hungary": "Lemberg Klausenburg Trent Sarajevo",
    "Turkey": "Salonica Adrianople Uskub",
    "Serbia": "Nish",
    "Britain": "Dublin",
    "Greece": "Larissa",
    "Rumania": "Constanza",
    "Bulgaria": "Philippopolis",
}


@pytest.mark.parametrize(
    ("land", "country"),
    [(land, country) for country, lands in WHOSE.items() for land in lands.split()],
)
def test_the_borders_are_those_of_1910(land: str, country: str) -> None:
    x, y = PLACES[land]
    assert [
        name
        for name in AREAS
        if not PLATE.areas[name].inset and inside(PLATE.areas[name].outline, (x, y))
    ] == [country]


def test_the_source_of_the_outlines_is_named_and_free() -> None:
    assert "Natural Earth" in PLATE.source
    assert "public domain" in PLATE.source
    assert "1910" in PLATE.source
    assert "1937" in plate.load(sister.GAME).source


@pytest.mark.parametrize("sight", SIGHT)
def test_nations_are_distinct_for_color_blind_readers(sight: str) -> None:
    looks = plate.colors(NATIONS, PLATE.nations)
    for nation, other in combinations(NATIONS, 2):
        a, b = lab(looks[nation].color, sight), lab(looks[other].color, sight)
        assert sum((p - q) ** 2 for p, q in zip(a, b, strict=True)) ** 0.5 > 20, (
            f"{nation} and {other}"
        )


def test_nations_are_distinct_without_color_and_have_contrast() -> None:
    looks = plate.colors(NATIONS, PLATE.nations)
    assert (
        len({look.pattern for look in looks.values()})
        == len({look.letters for look in looks.values()})
        == len(NATIONS)
    )
    for look in looks.values():
        light, dark = sorted((luminance(look.color), luminance(look.ink)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) > 3


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
@pytest.mark.parametrize("board", [EMPTY, LATE, CROWDED], ids=["empty", "late", "crowded"])
def test_board_svg_is_well_formed_and_deterministic(board: Board, theme: str) -> None:
    once = boards.board_svg(GAME, CARD, board, theme=theme, title="Origins of World War I\nTurn 3")
    assert once == boards.board_svg(
        GAME, CARD, board, theme=theme, title="Origins of World War I\nTurn 3"
    )
    root = Xml.fromstring(once)
    assert {it.get("data-area") for it in root.iter() if it.get("class") == "area"} == set(AREAS)
    assert " style=" not in once
    assert len(once) < 300_000


def test_pile_with_treaty_rights_has_a_seal() -> None:
    root = drawn(LATE)
    assert "T" in texts(group(root, "Far East", "pieces"))
    assert (
        texts(group(root, "Serbia", "pieces")).count("T") == 1
    )  # Russia's 9 PFs give no treaty rights
    assert "T" not in texts(group(root, "Germany", "pieces"))  # nor do 40 PFs at home
    descriptions = {
        it.get("data-area"): it.get("aria-label") or ""
        for it in root.iter()
        if it.get("class") == "area"
    }
    assert (
        descriptions["Serbia"]
        == "Serbia: Russia has 9 PFs. Austria-Hungary has 10 PFs and treaty rights."
    )
    assert descriptions["Germany"] == "Germany: Germany has 40 PFs."


def test_map_key_explains_only_the_counters_of_this_game() -> None:
    labels = texts(drawn(EMPTY))
    assert "Treaty rights" in labels
    assert "Understanding" not in labels
    assert "CONTROL" not in labels
    other_labels = texts(Xml.fromstring(boards.board_svg(sister.GAME, sister.CARD, sister.EMPTY)))
    assert {"Understanding", "CONTROL"} <= set(other_labels)
    assert "Treaty rights" not in other_labels


def test_alliances_are_in_the_key_and_the_description() -> None:
    root = drawn(CROWDED)
    assert "Allied" in texts(root)
    assert "Allied" not in texts(drawn(EMPTY))
    description = root.find(f"{SVG}desc")
    assert description is not None
    assert (
        description.text
        == "A map. Each area says what stands in it. Britain and France are allied. Germany and"
        " Austria-Hungary are allied."
    )


def test_all_piles_are_drawn_without_covering_numbers() -> None:
    root = drawn(CROWDED)
    for area in AREAS:
        labels = texts(group(root, area, "pieces"))
        assert {str(12 + 21 * place) for place in range(len(NATIONS))} <= set(labels), area
    places = [layer.at for layer in draw.layers(PLATE, CROWDED, "light") if any(layer.at)]
    assert len(places) == len(AREAS) * len(NATIONS)
    for k, (x, y) in enumerate(places):
        assert all(
            abs(x - a) > pieces.WIDE / 2 or abs(y - b) > pieces.HIGH / 2 for a, b in places[:k]
        )


def test_diagram_shows_seals_and_alliances() -> None:
    areas = ("Atlantis", "Serbia")
    board = Board(
        areas, NATIONS, {"Serbia": {"Russia": Cell(12, treaty=True)}}, (("Britain", "France"),)
    )
    text = boards.board_svg(GAME, {"areas": list(areas)}, board)
    labels = texts(Xml.fromstring(text))
    assert {"T", "Treaty rights", "Allied"} <= set(labels)
    assert "CONTROL" not in labels


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_letter_picture_shows_alliances(theme: str) -> None:
    plain = boards.board_png(
        GAME, CARD, Board(AREAS, NATIONS, CROWDED.cells), theme=theme, width=600
    )
    allied = boards.board_png(GAME, CARD, CROWDED, theme=theme, width=600)
    assert plain != allied
    assert allied == boards.board_png(GAME, CARD, CROWDED, theme=theme, width=600)
    with Image.open(io.BytesIO(allied)) as picture:
        assert picture.size == (600, 528)
    assert len(boards.board_png(GAME, CARD, CROWDED)) < 260_000  # a letter stays small


def test_areas_are_clickable_and_have_section_drawings() -> None:
    ground = overlay.ground(GAME, CARD, CROWDED)
    assert {spot.area for spot in ground.spots} == set(AREAS)
    for area in ("Serbia", "Far East"):
        part = boards.section_svg(GAME, CARD, CROWDED, area)
        assert part is not None
        Xml.fromstring(part)


def test_nation_has_the_same_color_on_maps_and_pages() -> None:
    """Britain is red on the pages and maps of both games, whatever the order in the scenario."""
    here, there = mosaic.places(NATIONS), mosaic.places(sister.NATIONS)
    for name in set(NATIONS) & set(sister.NATIONS):
        assert here[name] == there[name]
        assert plate.PLACES[here[name]] == PLATE.nations[name]["color"]
    assert sorted(here.values()) == list(range(5))
    everybody = mosaic.places((*NATIONS, "USA", "Japan", "China", "Brazil"))
    assert len(set(everybody.values())) == 7
