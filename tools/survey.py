"""Compute the outlines of a plate.

Run this by hand to redraw lands. The result is committed, so that nobody else needs to run it, nor
to install shapely.

    npm pack world-atlas@2.0.2 && tar xf world-atlas-2.0.2.tgz
    uv run --with shapely python -m tools.survey
      games/boards/plates/GAME/lands.toml package/countries-50m.json

It reads lands.toml (projection, states, pieces that change hands, rivers) and the countries of
Natural Earth (public domain) in the TopoJSON of the npm package world-atlas. It writes
outlines.json beside lands.toml: paths in units of the plate, to the half unit.
"""

from __future__ import annotations

import argparse
import json
import math
import tomllib
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import shapely
from shapely.geometry import LineString, MultiPolygon, Polygon, box
from shapely.geometry.base import BaseGeometry

SOURCE = "Natural Earth 1:50m (public domain), by world-atlas 2.0.2; {} drawn for this project"
EARTH = 6371.0  # km
SIMPLER = 1.2  # units: smaller bends are invisible
LEAST_ISLAND = 7.0  # square units
WASH = 4.5  # units: the width of the band of color inside a border
WATER = (3.0, 6.5, 10.8)  # units: distances of the water lines from the coast

Point = tuple[float, float]
Projection = Callable[[float, float], Point]


def decode(topology: dict[str, Any]) -> dict[str, BaseGeometry]:
    """Return the countries of a quantized TopoJSON by name, in longitude and latitude."""
    (sx, sy), (tx, ty) = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs: list[list[Point]] = []
    for arc in topology["arcs"]:
        x = y = 0
        line = []
        for dx, dy in arc:
            x, y = x + dx, y + dy
            line.append((x * sx + tx, y * sy + ty))
        arcs.append(line)

    def ring(numbers: Sequence[int]) -> list[Point]:
        points: list[Point] = []
        for number in numbers:
            line = arcs[number] if number >= 0 else arcs[~number][::-1]
            points += line[1:] if points else line
        return points

    countries: dict[str, BaseGeometry] = {}
    for shape in topology["objects"]["countries"]["geometries"]:
        arcs_of_shape = shape.get("arcs") or []
        polygons = arcs_of_shape if shape["type"] == "MultiPolygon" else [arcs_of_shape]
        parts = [
            Polygon(ring(rings[0]), [ring(hole) for hole in rings[1:]])
            for rings in polygons
            if rings
        ]
        countries[shape["properties"]["name"]] = shapely.make_valid(MultiPolygon(parts))
    return countries


def conic(origin: Point, parallels: Point) -> Projection:
    """Return Lambert's conformal conic projection, from degrees to kilometers east and north."""
    lon0, lat0, lat1, lat2 = (math.radians(value) for value in (*origin, *parallels))

    def t(lat: float) -> float:
        return math.tan(math.pi / 4 + lat / 2)

    n = math.log(math.cos(lat1) / math.cos(lat2)) / math.log(t(lat2) / t(lat1))
    f = math.cos(lat1) * t(lat1) ** n / n

    def project(lon: float, lat: float) -> Point:
        rho, rho0 = EARTH * f / t(math.radians(lat)) ** n, EARTH * f / t(lat0) ** n
        theta = n * (math.radians(lon) - lon0)
        return rho * math.sin(theta), rho0 - rho * math.cos(theta)

    return project


def main_projection(tree: dict[str, Any]) -> Projection:
    """Return the plate's conic projection with its lens, in units of the plate."""
    settings, window = tree["projection"], tree["window"]
    plain = conic(tuple(settings["origin"]), tuple(settings["parallels"]))
    lens = plain(*settings["lens"])

    def through(lon: float, lat: float) -> Point:
        x, y = plain(lon, lat)
        dx, dy = x - lens[0], y - lens[1]
        factor = 1 + settings["gain"] * math.exp(-(dx * dx + dy * dy) / settings["reach"] ** 2)
        return lens[0] + dx * factor, lens[1] + dy * factor

    at = through(*window["at"])

    def project(lon: float, lat: float) -> Point:
        x, y = through(lon, lat)
        return window["point"][0] + (x - at[0]) / window["unit"], window["point"][1] - (
            y - at[1]
        ) / window["unit"]

    return project


def project_point(shape: BaseGeometry, project: Projection) -> BaseGeometry:
    fine = shapely.segmentize(
        shape, 0.25
    )  # degrees: short segments, because straight lines on the globe are curved on the plate
    return shapely.make_valid(
        shapely.transform(fine, lambda points: [project(x, y) for x, y in points])
    )


def polygons(shape: BaseGeometry, least: float = 0.0) -> BaseGeometry:
    """Return the polygons of a shape with an area of at least `least`, and always the largest."""
    parts = [
        part for part in shapely.get_parts(shapely.make_valid(shape)) if part.geom_type == "Polygon"
    ]
    nested = [
        part
        for part in shapely.get_parts(shapely.make_valid(shape))
        if part.geom_type == "MultiPolygon"
    ]
    parts += [inner for part in nested for inner in part.geoms]
    parts.sort(key=lambda part: -part.area)
    return MultiPolygon(parts[:1] + [part for part in parts[1:] if part.area >= least])


def states(
    tree: dict[str, Any], countries: dict[str, BaseGeometry], project: Projection
) -> dict[str, BaseGeometry]:
    """Return the shapes of every state and other country by name, clipped to the window, with
    simplified borders."""
    theatre = box(-32, 27, 62, 72)
    window = box(*_corners(tree["window"]["box"]))
    lands = {
        name: project_point(shape.intersection(theatre), project)
        for name, shape in countries.items()
        if shape.intersects(theatre)
    }
    owner = {part: state for state, parts in tree["states"].items() for part in parts}
    pieces_by_state: dict[str, list[BaseGeometry]] = {}
    for name, land in lands.items():
        for piece in tree["pieces"]:
            if name in piece["of"]:
                ring = project_point(Polygon(piece["ring"]), project)
                pieces_by_state.setdefault(piece["to"], []).append(land.intersection(ring))
                land = land.difference(ring)
        pieces_by_state.setdefault(owner.get(name, name), []).append(land)
    whole = {
        name: polygons(shapely.union_all(parts, grid_size=0.01).intersection(window))
        for name, parts in pieces_by_state.items()
    }
    whole = {name: shape for name, shape in sorted(whole.items()) if not shape.is_empty}
    simple = shapely.coverage_simplify(list(whole.values()), SIMPLER)
    return {
        name: polygons(shape, LEAST_ISLAND)
        for name, shape in zip(whole, simple, strict=True)
        if not shape.is_empty
    }


def _corners(sides: Sequence[float]) -> tuple[float, float, float, float]:
    x, y, wide, high = sides
    return x, y, x + wide, y + high


def number(halves: int) -> str:
    return f"{halves / 2:g}"


def path(lines: Iterable[Sequence[Sequence[float]]], closed: bool) -> str:
    """Return an SVG path of relative steps. Points are rounded to half units before the steps are
    taken, so that rounding errors do not add up. Tenths look the same, and a map in tenths is
    half as large again."""
    paths = []
    for line in lines:
        points = [(round(x * 2), round(y * 2)) for x, y in line]
        points = [
            point for place, point in enumerate(points) if not place or point != points[place - 1]
        ]
        if closed and points[0] == points[-1]:
            points.pop()
        if len(points) < (3 if closed else 2):
            continue
        steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(points)]
        text = " ".join(f"{number(dx)} {number(dy)}" for dx, dy in steps).replace(" -", "-")
        paths.append(
            f"M{number(points[0][0])} {number(points[0][1])}l{text}{'z' if closed else ''}"
        )
    return "".join(paths)


def outline(shape: BaseGeometry) -> str:
    rings = [
        ring.coords for part in polygons(shape).geoms for ring in (part.exterior, *part.interiors)
    ]
    return path(rings, closed=True)


def wash(shape: BaseGeometry) -> str:
    """Return the band of color inside a border, with the interior cut out (fill-rule evenodd)."""
    inner = shapely.simplify(shape.buffer(-WASH, quad_segs=2), 0.7)
    return outline(polygons(shape.difference(inner), 2.0))


def lines(shape: BaseGeometry) -> str:
    parts = [
        part
        for part in shapely.get_parts(shape)
        if part.geom_type in ("LineString", "LinearRing") and part.length > 6
    ]
    return path([part.coords for part in parts], closed=False)


def water(land: BaseGeometry, window: BaseGeometry) -> list[str]:
    """Return the water lines, nearest to the coast first, smoother farther out."""
    return [
        lines(
            shapely.line_merge(
                shapely.simplify(
                    land.buffer(far, quad_segs=4), 0.8 + far / 20
                ).boundary.intersection(window.buffer(-0.5))
            )
        )
        for far in WATER
    ]


def smooth(points: Sequence[Sequence[float]]) -> list[Point]:
    """Return a smooth curve through the points (Catmull-Rom spline)."""
    ends = [points[0], *points, points[-1]]
    curve: list[Point] = []
    for a, b, c, d in zip(ends, ends[1:], ends[2:], ends[3:], strict=False):
        for step in range(5):
            s = step / 5
            curve.append(
                tuple(  # type: ignore[arg-type]
                    0.5
                    * (
                        2 * b[k]
                        + (c[k] - a[k]) * s
                        + (2 * a[k] - 5 * b[k] + 4 * c[k] - d[k]) * s**2
                        + (3 * b[k] - a[k] - 3 * c[k] + d[k]) * s**3
                    )
                    for k in (0, 1)
                )
            )
    return [*curve, (points[-1][0], points[-1][1])]


def graticule(tree: dict[str, Any], project: Projection) -> dict[str, Any]:
    """Return meridians and parallels, and where each meets the neat line: side, position, label."""
    window = box(*_corners(tree["window"]["box"]))
    left, top, right, bottom = window.bounds
    step = tree["graticule"]["step"]
    grid_lines, degrees = [], []
    for kind, values in (("lon", range(-60, 90, step)), ("lat", range(20, 80, step))):
        for value in values:
            span = (
                [k / 2 for k in range(40, 156)]
                if kind == "lon"
                else [k / 2 for k in range(-100, 140)]
            )
            line = LineString(
                [project(value, at) if kind == "lon" else project(at, value) for at in span]
            )
            inside = shapely.simplify(line.intersection(window), 0.15)
            if inside.is_empty:
                continue
            parts = [part for part in shapely.get_parts(inside) if part.geom_type == "LineString"]
            grid_lines += parts
            for x, y in (end for part in parts for end in (part.coords[0], part.coords[-1])):
                sides = {
                    "left": abs(x - left),
                    "right": abs(x - right),
                    "top": abs(y - top),
                    "bottom": abs(y - bottom),
                }
                side = min(sides, key=lambda name: sides[name])
                if sides[side] < 0.5 and (side in ("top", "bottom")) == (kind == "lon"):
                    degrees.append([side, round(x if kind == "lon" else y, 1), f"{abs(value)}°"])
    return {"graticule": lines(shapely.MultiLineString(grid_lines)), "degrees": degrees}


def inset(
    how: dict[str, Any], countries: dict[str, BaseGeometry]
) -> tuple[BaseGeometry, BaseGeometry]:
    """Return the area of an inset and the land around it, in units of the plate."""
    plain = conic(tuple(how["origin"]), tuple(how["parallels"]))
    at = plain(*how["at"])
    x0, y0, wide, high = how["box"]

    def project(lon: float, lat: float) -> Point:
        x, y = plain(lon, lat)
        return x0 + wide / 2 + (x - at[0]) / how["unit"], y0 + high / 2 - (y - at[1]) / how["unit"]

    frame = box(*_corners(how["box"]))
    within = box(*how["within"])
    area = project_point(
        shapely.union_all([countries[name].intersection(within) for name in how["of"]]), project
    ).intersection(frame)
    around = box(
        how["within"][0] - 25, how["within"][1] - 12, how["within"][2] + 25, how["within"][3] + 12
    )
    rest = project_point(
        shapely.union_all([countries[name].intersection(around) for name in how["beside"]]), project
    ).intersection(frame)
    simple = shapely.coverage_simplify([polygons(area), polygons(rest)], SIMPLER)
    return polygons(simple[0], 3.0), polygons(simple[1], 8.0)


def survey(tree: dict[str, Any], countries: dict[str, BaseGeometry]) -> dict[str, Any]:
    project = main_projection(tree)
    window = box(*_corners(tree["window"]["box"]))
    lands = states(tree, countries, project)
    areas = {*tree["states"], *(piece["to"] for piece in tree["pieces"])}
    area_shapes = {name: shape for name, shape in lands.items() if name in areas}
    land = polygons(shapely.union_all(list(lands.values()), grid_size=0.05), LEAST_ISLAND)
    rivers = [
        shapely.simplify(LineString([project(*p) for p in smooth(r)]), 0.3).intersection(window)
        for r in tree["rivers"].values()
    ]
    result = {
        "source": SOURCE.format(tree["borders"]),
        "window": tree["window"]["box"],
        "lands": {
            name: {"outline": outline(shape), "wash": wash(shape)}
            for name, shape in area_shapes.items()
        },
        "others": outline(
            shapely.MultiPolygon(
                [
                    part
                    for n, s in lands.items()
                    if n not in area_shapes
                    for part in polygons(s, LEAST_ISLAND).geoms
                ]
            )
        ),
        "coast": lines(shapely.line_merge(land.boundary.intersection(window.buffer(-0.3)))),
        "water": water(land, window),
        "rivers": path(
            [
                line.coords
                for shape in rivers
                for line in shapely.get_parts(shape.intersection(land))
                if line.length > 4
            ],
            False,
        ),
        "insets": {},
        **graticule(tree, project),
    }
    for how in tree.get("insets", []):
        area, rest = inset(how, countries)
        both = shapely.union_all([area, rest])
        result["lands"][how["area"]] = {"outline": outline(area), "wash": wash(area)}
        result["insets"][how["area"]] = {
            "box": how["box"],
            "others": outline(rest),
            "water": water(both, box(*_corners(how["box"]))),
        }
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("lands", type=Path)
    parser.add_argument("countries", type=Path)
    arguments = parser.parse_args()
    outlines = survey(
        tomllib.loads(arguments.lands.read_text()),
        decode(json.loads(arguments.countries.read_text())),
    )
    arguments.lands.with_name("outlines.json").write_text(
        json.dumps(outlines, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    )


if __name__ == "__main__":
    main()
