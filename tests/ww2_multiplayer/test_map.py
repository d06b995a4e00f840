"""Test the map of 31 countries (issue 9, 5): complete, and legible even without color."""

from __future__ import annotations

import io
import re
import time
from itertools import combinations
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageChops, ImageFont

from games import boards
from games.boards import mosaic as mosaics
from games.boards import overlay, picture, plate, preview, signs, tiles
from games.boards.inks import THEMES
from games.rules import Board, Cell, cards
from games.rules.lands import Land
from tests.boards.test_plate import SIGHT, inside, lab, luminance

from .maps import AREAS, CARD, GAME, NATIONS, board, crowded, late, new_state

pytestmark = pytest.mark.guest

MOSAIC = mosaics.load(GAME)
START, LATE, CROWDED = board(new_state()), board(late()), board(crowded())
BOARDS = {"start": START, "late": LATE, "four": board(late(4)), "crowded": CROWDED}
#: Land borders of 1939, written down independently of the map: a country, then its neighbors that
# no earlier entry names.
BORDERS = """
Norway: Sweden, Finland. Sweden: Finland. Finland: USSR. Denmark: Germany. Netherlands: Belgium, Germany. Belgium: France, Germany.
France: Germany, Italy, Spain. Germany: Poland, Hungary, Italy, Yugoslavia. Poland: USSR, Hungary, Rumania. Hungary: Rumania, Yugoslavia.
Rumania: USSR, Yugoslavia, Bulgaria. Yugoslavia: Italy, Bulgaria, Greece. Bulgaria: Greece, Turkey. Greece: Turkey.
Turkey: USSR, Syria, Iraq, Persia. USSR: Persia. Syria: Lebanon, Palestine, Iraq. Lebanon: Palestine. Palestine: Egypt, Iraq.
Iraq: Persia, Kuwait. Egypt: Libya. Libya: Tunisia, Algeria. Tunisia: Algeria. Algeria: French Morocco.
"""  # noqa: E501


def pairs(text: str) -> set[tuple[str, str]]:
    borders = set()
    for sentence in text.replace("\n", " ").split("."):
        country, _, rest = sentence.strip().partition(": ")
        borders |= {tuple(sorted((country, other))) for other in rest.split(", ") if rest}
    return borders  # type: ignore[return-value]


def svg(name: str = "late", theme: str = "light", **how: object) -> str:
    return boards.board_svg(GAME, CARD, BOARDS[name], theme=theme, **how)  # type: ignore[arg-type]


# --- the data ---


def test_map_has_every_country_once_and_nothing_else() -> None:
    assert set(MOSAIC.tiles) == set(AREAS)
    assert len(AREAS) == 31
    squares = [square for tile in MOSAIC.tiles.values() for square in tile.squares]
    assert len(squares) == len(set(squares))


@pytest.mark.parametrize("name", cards.names(GAME))
def test_every_card_of_the_game_has_this_map(name: str) -> None:
    card = cards.load(GAME, name)
    assert boards.map_for(GAME, card["areas"]) is MOSAIC
    assert boards.map_for(GAME, [*AREAS, "Atlantis"]) is None


def _touching(mosaic: mosaics.Mosaic) -> set[tuple[str, str]]:
    """Return the pairs of areas with adjacent squares, each pair in alphabetical order."""
    whose = {square: tile.name for tile in mosaic.tiles.values() for square in tile.squares}
    beside = [
        ((x, y), near) for x, y in whose for near in ((x + 1, y), (x, y + 1)) if near in whose
    ]
    pairs = [sorted((whose[square], whose[other])) for square, other in beside]
    return {(area, other) for area, other in pairs if area != other}


def test_map_borders_are_the_borders_of_1939() -> None:
    assert _touching(MOSAIC) == pairs(BORDERS)


@pytest.mark.parametrize("area", AREAS)
def test_country_is_connected_and_contains_its_name(area: str) -> None:
    tile = MOSAIC.tiles[area]
    reached, waiting = set(), {min(tile.squares)}
    while waiting:
        x, y = waiting.pop()
        reached.add((x, y))
        waiting |= {
            (x + dx, y + dy) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))
        } & tile.squares - reached
    assert reached == tile.squares
    left, top, wide, high = tile.box
    assert all(
        inside(tile.outline, (left + dx * wide, top + dy * high))
        for dx in (0.05, 0.5, 0.95)
        for dy in (0.1, 0.5, 0.9)
    )


@pytest.mark.parametrize("area", AREAS)
def test_name_fits_its_country_and_is_legible_on_phones(area: str) -> None:
    """On a map 640 pixels wide a name is 12 pixels high, like the small print of a page."""
    tile = MOSAIC.tiles[area]
    for text in tile.lines:
        size = tiles.name_size(text, tile)
        font = ImageFont.truetype(
            next(path for path in picture.fonts() if "700-normal" in path), 100
        )
        assert font.getlength(text) * size / 100 <= tile.box[2] - 4
        assert size * 640 / MOSAIC.size[0] >= 12


def test_invalid_mosaic_raises_value_error(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    text = (mosaics._MOSAICS / f"{GAME}.toml").read_text(encoding="utf-8")
    monkeypatch.setattr(mosaics, "_MOSAICS", folder)
    for name, was, now, fault in (
        ("twice", 'sign = "k"', 'sign = "i"', "a sign of its own"),
        ("outside", "box = [35, 34, 4, 4]", "box = [36, 34, 4, 4]", "the box of Kuwait"),
        ("short", '    "aaaaaaa......NNNN', '    "aaaaaa......NNNN', "not of one length"),
    ):
        assert was in text
        (folder / f"{name}.toml").write_text(text.replace(was, now, 1), encoding="utf-8")
        with pytest.raises(ValueError, match=fault):
            mosaics.load(name)


# --- what is drawn ---


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", BOARDS)
def test_board_svg_describes_every_country(name: str, theme: str) -> None:
    drawn = ElementTree.fromstring(svg(name, theme))
    descriptions = {
        node.get("data-area"): node.get("aria-label")
        for node in drawn.iter()
        if node.get("role") == "img" and node.get("data-area")
    }
    assert set(descriptions) == set(AREAS)
    for area, land in BOARDS[name].lands.items():
        assert all(sentence in (descriptions[area] or "") for sentence in land.sentences())


def test_description_states_control_hostility_forces_and_supply() -> None:
    """issue 9, 5 and Rules B.3: control, operator, hostility, forces, supply."""
    descriptions = dict(re.findall(r'role="img" data-area="([^"]*)" aria-label="([^"]*)"', svg()))
    assert (
        descriptions["Poland"]
        == "Poland: Germany controls it. It is not normalized: forces of Germany stand there and"
        " are hostile to it. Its army is destroyed. Germany has 9 SPs."
    )
    assert descriptions["Egypt"].endswith(
        "Italy has 3 SPs, 2 of them out of supply. Britain has 4 SPs."
    )
    assert "Nobody controls it. It is not normalized: forces of Italy" in descriptions["Egypt"]
    assert (
        "More than half of it is under hostile control: France scores nothing (19.13)."
        in descriptions["France"]
    )
    assert descriptions["Greece"].endswith(
        "Italy is hostile to it. The gamesmaster moves its army."
    )
    assert descriptions["Persia"] == "Persia: Nobody controls it. It is normalized."
    assert "France and Britain are allied. Italy and Germany are allied." in svg()
    assert "Italy and Germany have the same player" in svg("four")


def test_country_states_are_distinct_without_color() -> None:
    """In black print: hatching and flag, band, dashed rim."""
    ink = THEMES["print"]
    drawer = tiles.Drawer(MOSAIC, LATE, "print")
    held, home, fought, free = (
        drawer.area(area) for area in ("Hungary", "Germany", "Belgium", "Persia")
    )
    assert "url(#" in held
    assert "url(#" not in home + fought + free
    assert "stroke-dasharray" in fought
    assert "stroke-dasharray" not in held + home + free
    band = signs.band(MOSAIC.tiles["Germany"], drawer.nations["Germany"], ink, rim=False)
    assert band in home
    assert free.count("<path") == 1
    assert {look.pattern for look in drawer.nations.values()} <= set(plate.PATTERNS)
    assert (
        len({look.pattern for look in drawer.nations.values()})
        == len({look.letters for look in drawer.nations.values()})
        == 6
    )


@pytest.mark.parametrize("sight", SIGHT)
def test_powers_are_distinct_for_color_blind_readers(sight: str) -> None:
    looks = plate.colors(NATIONS, MOSAIC.nations)
    for nation, other in combinations(NATIONS, 2):
        a, b = lab(looks[nation].color, sight), lab(looks[other].color, sight)
        apart = sum((p - q) ** 2 for p, q in zip(a, b, strict=True)) ** 0.5
        assert apart > 20, f"{nation} and {other}: {apart:.1f}"


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("power", NATIONS)
def test_names_have_contrast_on_every_ground(power: str, theme: str) -> None:
    """Contrast is at least 4.5:1 on a controller's tint, a home color and uncontrolled land."""
    ink, look = THEMES[theme], plate.colors(NATIONS, MOSAIC.nations)[power]
    for ground in (signs.tint(look, ink), signs.home_color(look, ink), signs.land_color(ink)):
        light, dark = sorted((luminance(ink.ink), luminance(ground)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, ground


def test_counters_are_apart_and_inside_their_country() -> None:
    """Six counters, a flag and a badge fit even the smallest country."""
    drawer = tiles.Drawer(MOSAIC, CROWDED, "light")
    for area in AREAS:
        x, y, wide, high = MOSAIC.tiles[area].box
        layers = drawer.piece_layers(area)
        assert len(layers) >= 6
        for layer in layers:
            assert x < layer.at[0] < x + wide
            assert y < layer.at[1] < y + high
        least = min(layer.box[2] for layer in layers) / 76 * tiles.PIECE[0] * 0.95
        for layer, other in combinations(layers, 2):
            assert (
                abs(layer.at[0] - other.at[0]) >= least
                or abs(layer.at[1] - other.at[1]) >= least * 0.55
            )


def test_changed_counters_and_flags_are_marked() -> None:
    assert THEMES["light"].mark not in _pieces(svg("late"), "Poland")
    assert THEMES["light"].mark in _pieces(svg("late", changed=[("Poland", "Germany")]), "Poland")
    assert "Changed: Germany." in svg("late", changed=[("Poland", "Germany")])
    # Where only control changed, the flag is marked.
    assert THEMES["light"].mark in _pieces(svg("late", changed=[("Hungary", "Germany")]), "Hungary")


def test_hostile_rim_and_change_mark_have_different_colors() -> None:
    """Player review, S7: orange means “changed”, and nothing else."""
    for theme in ("light", "dark"):
        ink, drawn = THEMES[theme], tiles.svg(MOSAIC, BOARDS["late"], theme=theme)
        assert f'stroke="{ink.foe}" stroke-width="{signs.RIM:g}" stroke-dasharray="13 8"' in drawn
        assert ink.mark not in drawn


def _pieces(text: str, area: str) -> str:
    start = text.index(f'<g class="pieces" data-area="{area}"')
    end = text.find('<g class="pieces"', start + 1)
    return text[start:end] if end > 0 else text[start:]


def test_areas_are_clickable() -> None:
    ground = overlay.ground(GAME, CARD, LATE)
    assert ground.size == MOSAIC.size
    assert {spot.area for spot in ground.spots} == set(AREAS)
    hits = overlay.hits(
        ground,
        dict.fromkeys(AREAS, "#at"),
        {area: overlay.sentence_of(LATE, area) for area in AREAS},
    )
    assert hits.count("<a ") == len(AREAS)


def test_names_and_titles_are_escaped() -> None:
    assert "&lt;b&gt;" in svg(title="<b>&\nTurn 1")
    assert "<b>" not in svg(title="<b>&\nTurn 1")


def test_board_without_country_states_is_drawn() -> None:
    """A preview of a typed board may have only counters and CONTROL."""
    plain = Board(AREAS, NATIONS, {"Poland": {"Germany": Cell(3, control=True)}})
    drawn = boards.board_svg(GAME, CARD, plain)
    assert 'data-area="Poland"' in drawn
    assert tiles.Drawer(MOSAIC, plain, "light").land("Poland") == Land("Germany")


# --- pictures ---


@pytest.mark.parametrize(
    ("name", "theme"), [*((name, "light") for name in BOARDS), ("late", "dark"), ("late", "print")]
)
def test_board_png_is_small_and_deterministic(name: str, theme: str) -> None:
    """issue 6, 2: under 150 kB."""
    once = boards.board_png(
        GAME,
        CARD,
        BOARDS[name],
        width=1160,
        title="Turn 3 (2/40)\nThe board as judged",
        theme=theme,
    )
    assert once == boards.board_png(
        GAME,
        CARD,
        BOARDS[name],
        width=1160,
        title="Turn 3 (2/40)\nThe board as judged",
        theme=theme,
    )
    assert len(once) < 150_000
    assert Image.open(io.BytesIO(once)).size[0] == 1160


def test_composed_picture_looks_like_the_whole_svg() -> None:
    """Cached ground and layers match the whole SVG: fewer than 1 % of the pixels differ much."""
    title = "Turn 3 (2/40)\nThe board as judged"
    laid = Image.open(
        io.BytesIO(boards.board_png(GAME, CARD, LATE, width=1040, title=title))
    ).convert("L")
    whole = Image.open(
        io.BytesIO(picture.draw_picture(svg(title=title, width=1040), 1040))
    ).convert("L")
    assert laid.size == whole.size
    far = sum(ImageChops.difference(laid, whole).histogram()[60:])
    assert far / (laid.width * laid.height) < 0.01


def test_second_picture_is_fast() -> None:
    """About 45 ms of processor time; ten times as much would slow down a phase's letters."""
    boards.board_png(GAME, CARD, LATE, width=1160)
    began = time.process_time()
    boards.board_png(GAME, CARD, LATE, width=1160, title="Turn 4")
    assert time.process_time() - began < 0.45


def test_a_link_preview_shows_the_map() -> None:
    small = preview.png(
        boards.board_png(GAME, CARD, LATE, width=1160),
        "The map on the table",
        ("Turn 3 (2/40), orders.",),
        "Gamesmaster",
    )
    assert Image.open(io.BytesIO(small)).size == preview.SIZE


def test_pages_and_map_have_the_same_colors() -> None:
    places = mosaics.places(NATIONS)
    assert {name: plate.PLACES[place] for name, place in places.items()} == {
        name: tree["color"] for name, tree in MOSAIC.nations.items()
    }
    assert len(set(places.values())) == 6


def test_areas_of_the_map_are_found_from_west_to_east() -> None:
    left, right = (boards.distance_from_west(GAME, AREAS, area) for area in ("Spain", "Turkey"))
    assert left is not None
    assert right is not None
    assert 0 < left < 0.4 < 0.6 < right < 1
