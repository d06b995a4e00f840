"""The board for a letter and for a page, beside packing the same picture once more.

python -m tests.bench drawings
"""

from __future__ import annotations

import argparse
import io
import time
from collections.abc import Callable
from typing import Any

from PIL import Image

from games import boards
from games.rules import Board, Cell, cards

from . import figures

CARD = cards.load("origins-ww2", "historical")
WIDTH = 1160


def main(words: list[str]) -> None:
    argparse.ArgumentParser(prog="python -m tests.bench drawings").parse_args(words)
    began = time.perf_counter()
    image = Image.open(io.BytesIO(_png(0)))  # a process draws the ground for its first picture
    image.load()
    first = time.perf_counter() - began
    numbers = iter(range(1, 100))
    png = best_of(8, lambda: _png(next(numbers) % 4))
    packing = best_of(8, lambda: image.save(io.BytesIO(), "PNG", compress_level=6))
    svg = best_of(8, lambda: boards.board_svg("origins-ww2", CARD, crowded(1)))
    results = {
        "a crowded board as PNG, the first of a process, ms": round(first * 1000),
        "another, ms": round(png * 1000),
        "the same, in packings of the same picture": round(png / packing, 1),
        "a crowded board as SVG, ms": round(svg * 1000, 1),
    }
    figures.say("The board as a picture", list(results.items()))
    figures.keep("drawings", results)


def best_of(runs: int, work: Callable[[], Any]) -> float:
    """Return the seconds of the fastest run, which other work on the machine disturbed least."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def crowded(extra: int) -> Board:
    """Put every nation into every area; each `extra` gives other numbers of counters."""
    areas, nations = tuple(CARD["areas"]), tuple(CARD["order"])
    here = {name: Cell(10 + extra + place) for place, name in enumerate(nations)}
    return Board(areas, nations, dict.fromkeys(areas, here))


def _png(extra: int) -> bytes:
    return boards.board_png("origins-ww2", CARD, crowded(extra), width=WIDTH)
