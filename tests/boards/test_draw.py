"""Boards as SVG (issue 6, 1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from games import boards
from games.boards import area_drawer, draw, pieces, plate
from games.rules import Board, Cell

from .boards import AREAS, CARD, CROWDED, EMPTY, GAME, LATE, NATIONS

SVG = "{http://www.w3.org/2000/svg}"
OTHER: dict[str, Any] = {"areas": ["Rome & Latium", "Carthage"]}
PUNIC = Board(
    ("Rome & Latium", "Carthage"),
    ("Rome", "<b>Punes</b>"),
    {"Carthage": {"Rome": Cell(3), "<b>Punes</b>": Cell(4, True)}},
)


def drawn(board: Board, card: Mapping[str, Any] = CARD, **how: Any) -> Xml.Element:
    return Xml.fromstring(boards.board_svg(GAME, dict(card), board, **how))


def texts(root: Xml.Element | None) -> list[str]:
    return [] if root is None else [text.text or "" for text in root.iter(f"{SVG}text")]


def group(root: Xml.Element, area: str, kind: str) -> Xml.Element | None:
    return next(
        (it for it in root.iter() if it.get("data-area") == area and it.get("class") == kind), None
    )


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
@pytest.mark.parametrize("board", [EMPTY, LATE, CROWDED], ids=["empty", "late", "crowded"])
def test_board_svg_is_well_formed_and_deterministic(board: Board, theme: str) -> None:
    once = boards.board_svg(GAME, CARD, board, theme=theme, title="Origins of World War II\nTurn 3")
    assert once == boards.board_svg(
        GAME, CARD, board, theme=theme, title="Origins of World War II\nTurn 3"
    )
    root = Xml.fromstring(once)
    assert {it.get("data-area") for it in root.iter() if it.get("class") == "area"} == set(AREAS)
    assert " style=" not in once  # the pages allow neither inline styles nor inline scripts
    assert "<script" not in once
    assert len(once) < 300_000


@pytest.mark.parametrize("board", [EMPTY, LATE, CROWDED], ids=["empty", "late", "crowded"])
def test_dark_board_has_the_colors_of_the_light_one_for_paper(board: Board) -> None:
    """Where no style applies, it is dark all the same."""
    dark, light = (boards.board_svg(GAME, CARD, board, theme=theme) for theme in ("dark", "light"))
    rules = re.search(r"<style>@media \(prefers-color-scheme:light\){:root{(.*)}}</style>", dark)
    assert rules is not None
    on_paper = dict(rule.split(":") for rule in rules[1].split(";"))
    printed = re.sub(r"var\((--c\d+),#\w{6}\)", lambda it: on_paper[it[1]], dark)
    printed = printed.replace(rules[0], "").replace("dark", "light")
    assert printed == light


def test_every_piece_of_every_nation_is_drawn() -> None:
    root = drawn(CROWDED)
    for area in AREAS:
        for place, name in enumerate(NATIONS):
            labels = texts(group(root, area, "pieces"))
            assert str(12 + 3 * place) in labels
            assert plate.abbreviation(name, NATIONS) in labels
        assert labels.count("U") == len(NATIONS)


def test_shared_control_shows_both_flags_and_both_hatchings() -> None:
    root = drawn(LATE)
    assert texts(group(root, "Czechoslovakia", "pieces")) == ["RU", "GE"]
    area = group(root, "Czechoslovakia", "area")
    assert area is not None
    fill = next(it.get("fill", "") for it in area.iter(f"{SVG}path"))
    filling = next(it for it in root.iter(f"{SVG}pattern") if fill == f"url(#{it.get('id')})")
    assert filling.find(f"{SVG}circle") is not None  # Russia's dots
    assert filling.find(f"{SVG}path") is not None  # Germany's grid


def test_map_area_describes_its_counters() -> None:
    root = drawn(LATE, changed={("Poland", "Germany")})
    descriptions = {
        it.get("data-area"): it.get("aria-label") or ""
        for it in root.iter()
        if it.get("class") == "area"
    }
    assert (
        descriptions["Czechoslovakia"]
        == "Czechoslovakia: Russia and Germany share CONTROL; the area is closed."
    )
    assert (
        descriptions["USA"]
        == "USA: USA has 9 PFs. France has an Understanding. Britain has 3 PFs and an"
        " Understanding."
    )
    assert descriptions["Poland"].endswith("Changed: Germany.")
    assert descriptions["Russia"].endswith("Germany has 1 PF.")
    assert descriptions["Austria"] == "Austria: nobody is there."


def test_changed_counters_are_marked() -> None:
    plain, marked = drawn(LATE), drawn(LATE, changed={("Poland", "Germany")})
    before, after = group(plain, "Poland", "pieces"), group(marked, "Poland", "pieces")
    assert before is not None
    assert after is not None
    assert len(list(after.iter())) > len(list(before.iter()))


def test_names_and_titles_are_escaped() -> None:
    text = boards.board_svg(GAME, OTHER, PUNIC, title='<i>& "quoted"</i>\n\x07bell')
    assert "<i>" not in text
    assert "<b>" not in text
    Xml.fromstring(text)
    Xml.fromstring(boards.board_svg(GAME, CARD, LATE, title="]]> &amp; \x00 <x"))


def test_card_without_a_plate_gets_a_diagram() -> None:
    """issue 6, 1: a card with areas that the map lacks gets a schematic board."""
    root = drawn(PUNIC, OTHER)
    assert {it.get("data-area") for it in root.iter() if it.get("class") == "area"} == set(
        PUNIC.areas
    )
    labels = texts(root)
    assert {"3", "4", "U", "ROME & LATIUM"} <= set(labels)
    assert drawn(Board((), (), {}), {"areas": ["nowhere"]}) is not None


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("area", AREAS)
def test_counters_of_an_area_do_not_overlap(area: str, count: int) -> None:
    stand = plate.load(GAME).areas[area].stand
    outside = stand.tray is not None and count > stand.fits
    places = pieces.block(
        stand.tray if outside and stand.tray else stand.at,
        count,
        stand.tray_columns if outside else stand.columns,
    )
    for k, (x, y) in enumerate(places):
        assert all(
            abs(x - a) >= pieces.WIDE + 4 or abs(y - b) >= pieces.HIGH + 4 for a, b in places[:k]
        )


def test_counters_do_not_cover_those_of_other_areas() -> None:
    """A crowded board stays readable: no counter covers the middle of another area's counter."""
    it = plate.load(GAME)
    layers = draw.layers(it, CROWDED, "light")
    places = [layer.at for layer in layers if any(layer.at)]
    assert len(places) == len(AREAS) * len(NATIONS)
    for k, (x, y) in enumerate(places):
        assert all(
            abs(x - a) > pieces.WIDE / 2 or abs(y - b) > pieces.HIGH / 2 for a, b in places[:k]
        )


def test_diagram_uses_the_colors_of_the_map() -> None:
    """A nation has the same color on every card."""
    areas = ("Atlantis", "Poland")
    text = boards.board_svg(
        GAME, {"areas": list(areas)}, Board(areas, NATIONS, {"Poland": {"Russia": Cell(3)}})
    )
    assert plate.load(GAME).nations["Russia"]["color"] in text


def test_trays_of_crowded_small_areas_do_not_overlap() -> None:
    """Player review, S7: readers cannot tell to which area a counter on a neighbor belongs."""
    its = plate.load(GAME)
    small = {"Austria", "Czechoslovakia", "Baltic States", "Rhineland", "Alsace-Lorraine"}
    drawer = area_drawer.drawer_of(its, CROWDED)
    assert drawer.busy() >= small
    trays = [drawer.places(its.areas[area]) for area in sorted(drawer.busy())]
    for place, tray in enumerate(trays):
        for other in trays[place + 1 :]:
            assert not any(
                abs(x - a) < pieces.WIDE and abs(y - b) < pieces.HIGH
                for x, y in tray
                for a, b in other
            )
