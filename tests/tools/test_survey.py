"""The outlines of a plate and the program that computes them. Needs shapely."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from games.boards import plate
from tests.boards.test_ww1 import PLACES

pytest.importorskip("shapely", reason="run this after a change of tools/survey.py")

from shapely.geometry import Polygon

from tools import survey

LANDS = Path(plate.__file__).parent / "plates" / "origins-ww1" / "lands.toml"
#: A country of two arcs that meet at its corners, in steps of a tenth of a degree.
SQUARE = {
    "transform": {"scale": [0.1, 0.1], "translate": [10, 50]},
    "arcs": [[[0, 0], [10, 0], [0, 10]], [[10, 10], [-10, 0], [0, -10]]],
    "objects": {
        "countries": {
            "geometries": [
                {"type": "Polygon", "arcs": [[0, 1]], "properties": {"name": "Square"}},
                {
                    "type": "Polygon",
                    "arcs": [[-2, -1]],
                    "properties": {"name": "Same, the other way round"},
                },
            ]
        }
    },
}


def test_topojson_arcs_are_joined_in_either_direction() -> None:
    """TopoJSON 1.0, 2.1.4: ~n is arc n reversed; neighbors share the arcs of their border."""
    countries = survey.decode(SQUARE)
    square = Polygon([(10, 50), (11, 50), (11, 51), (10, 51)])
    assert all(country.equals(square) for country in countries.values())
    assert len(countries) == 2


@pytest.mark.parametrize(
    ("town", "at"),
    [("Warsaw", (21.01, 52.23)), ("Sarajevo", (18.41, 43.86))],
)
def test_projection_finds_the_towns_of_the_plate(town: str, at: tuple[float, float]) -> None:
    """tests/boards/test_ww1.py locates the same towns in the outlines that were computed."""
    project = survey.main_projection(tomllib.loads(LANDS.read_text()))
    assert project(*at) == pytest.approx(PLACES[town], abs=1.5)
