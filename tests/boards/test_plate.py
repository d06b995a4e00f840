"""Test plates as data (issue 6, 1): complete, counters inside areas, distinct colors."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from games.boards import plate as plates
from games.boards.inks import THEMES
from games.rules import cards

from .boards import AREAS, GAME, NATIONS

PLATE = plates.load(GAME)
NUMBER = re.compile(r"-?[0-9.]+")


def rings(path: str) -> list[list[tuple[float, float]]]:
    result = []
    for part in path.split("M")[1:]:
        numbers = [float(text) for text in NUMBER.findall(part)]
        x = y = 0.0
        ring = []
        for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
            x, y = x + dx, y + dy
            ring.append((x, y))
        result.append(ring)
    return result


def inside(path: str, at: tuple[float, float]) -> bool:
    """Return whether a point is inside a path by the even-odd rule, which the drawing uses."""
    x, y = at
    odd = False
    for ring in rings(path):
        for (x1, y1), (x2, y2) in zip(ring, [*ring[1:], ring[0]], strict=True):
            if (y1 > y) != (y2 > y) and x < x1 + (y - y1) * (x2 - x1) / (y2 - y1):
                odd = not odd
    return odd


@pytest.mark.parametrize("name", cards.names(GAME))
def test_every_card_of_the_game_has_its_areas_on_the_plate(name: str) -> None:
    assert plates.plate_for(GAME, cards.load(GAME, name)["areas"]) is PLATE


def test_a_card_with_an_area_that_the_plate_lacks_has_no_plate() -> None:
    assert plates.plate_for(GAME, [*AREAS, "Atlantis"]) is None
    assert plates.plate_for("chess", ["a1"]) is None
    assert plates.plate_for("../plates", ["a1"]) is None


@pytest.mark.parametrize("area", AREAS)
def test_counters_and_leaders_are_inside_their_area(area: str) -> None:
    it = PLATE.areas[area]
    assert inside(it.outline, it.stand.at)
    if it.label.leader:
        assert inside(it.outline, it.label.leader)
    assert it.stand.fits >= len(NATIONS) or it.stand.tray is not None
    assert all(theme.tints[it.tint] for theme in THEMES.values())


@pytest.mark.parametrize("area", AREAS)
def test_labels_and_trays_are_on_the_plate(area: str) -> None:
    x, y, w, h = PLATE.window
    for at in (
        PLATE.areas[area].label.at,
        PLATE.areas[area].stand.tray or PLATE.areas[area].stand.at,
    ):
        assert x < at[0] < x + w
        assert y < at[1] < y + h


def test_no_two_areas_overlap() -> None:
    """Neighbors share borders: the place of an area's counters lies in no other area."""
    for area in AREAS:
        at = PLATE.areas[area].stand.at
        assert [
            name
            for name in AREAS
            if not PLATE.areas[name].inset and inside(PLATE.areas[name].outline, at)
        ] in ([area], [])


def test_the_source_of_the_outlines_is_named_and_free() -> None:
    """issue 6, 1: outline data only from public-domain sources, with the source named."""
    assert "Natural Earth" in PLATE.source
    assert "public domain" in PLATE.source


# Matrices for the common color vision deficiencies, in linear light (Viénot, Brettel and Mollon
# 1999; tritanopia after Brettel).
SIGHT = {
    "full": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.11238, 0.88762, 0), (0.11238, 0.88762, 0), (0.00401, -0.00401, 1)),
    "deuteranopia": ((0.29275, 0.70725, 0), (0.29275, 0.70725, 0), (-0.02234, 0.02234, 1)),
    "tritanopia": (
        (1.01277, 0.13548, -0.14826),
        (-0.01243, 0.86812, 0.14431),
        (0.07589, 0.805, 0.11911),
    ),
}


def linear(color: str) -> list[float]:
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def lab(color: str, sight: str) -> tuple[float, float, float]:
    light = linear(color)
    red, green, blue = (
        min(1.0, max(0.0, sum(a * b for a, b in zip(row, light, strict=True))))
        for row in SIGHT[sight]
    )
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (
        value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in (x, y, z)
    )
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def luminance(color: str) -> float:
    red, green, blue = linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("sight", SIGHT)
def test_nations_are_distinct_for_color_blind_readers(sight: str) -> None:
    """issue 6, 1: distances in CIELAB; a distance of 10 is visible at a glance."""
    looks = plates.colors(NATIONS, PLATE.nations)
    for nation, other in combinations(NATIONS, 2):
        a, b = lab(looks[nation].color, sight), lab(looks[other].color, sight)
        apart = sum((p - q) ** 2 for p, q in zip(a, b, strict=True)) ** 0.5
        assert apart > 20, f"{nation} and {other}: {apart:.1f}"


def test_nations_are_distinct_without_color() -> None:
    looks = plates.colors(NATIONS, PLATE.nations)
    assert len({look.pattern for look in looks.values()}) == len(NATIONS)
    assert len({look.letters for look in looks.values()}) == len(NATIONS)


def test_numbers_on_counters_have_contrast() -> None:
    """Large bold figures need a contrast of 3:1."""
    for name, look in plates.colors((*NATIONS, "Italy", "Japan", "China"), PLATE.nations).items():
        light, dark = sorted((luminance(look.color), luminance(look.ink)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) > 3, name


def test_nations_unknown_to_the_plate_get_distinct_colors() -> None:
    looks = plates.colors(("USA", "Japan", "China"), PLATE.nations)
    assert len({look.color for look in looks.values()}) == 3
    assert len({look.pattern for look in looks.values()}) == 3
