"""W4, the rules alone: phases resolved a second, beside those of the package `diplomacy`.

    python -m tests.bench alone [--games 200]

`diplomacy` is the nearest that is widely used, installed into an environment of its own (`make
bench`); where it is missing the figures stand alone."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from games.rules import cards
from games.rules.digits import volume_of_roll
from games.rules.options import LIQUID_STOCKS, validate
from games.rules.orders import lines
from games.rules.registry import ruleset
from games.simulation import simulate
from tests.support.children import run

from . import figures

NEIGHBOUR = figures.ROOT / os.environ.get("BENCH_PYTHON", ".venv-bench/bin/python")
PLAYED = (("origins-ww2", "historical"), ("origins-ww1", "standard"))

#: Units at the beginning of a game of Diplomacy, and so the most orders of a phase.
UNITS = 22


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench alone")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--runs", type=int, default=10, help="of the service's own players")
    arguments = parser.parse_args(words)
    ours = {game: _ours(game, card, arguments.games) for game, card in PLAYED}
    numbers = sorted(
        {number for phases in ours.values() for number in _by_number(phases) if 0 < number <= UNITS}
    )
    theirs = _theirs(numbers)
    results: dict[str, Any] = {}
    for game, phases in ours.items():
        results[game] = _of(phases) | {
            "whole games a second with the service's own players": round(
                _simulated(game, arguments.runs), 1
            )
        }
        if theirs:
            results[game]["beside diplomacy"] = _beside(phases, theirs)
    results["diplomacy"] = _of(theirs) if theirs else "not installed: these figures stand alone"
    for name, rows in results.items():
        figures.say(name, list(rows.items()) if isinstance(rows, dict) else [(rows, "")])
    figures.keep("alone", results)


def _ours(game: str, card_name: str, games: int) -> list[tuple[int, float]]:
    """Let bots play games; return each phase's number of orders and seconds to read and judge."""
    rules, card = ruleset(game), cards.load(game, card_name)
    options = validate({})
    phases = []
    for number in range(games):
        state = rules.setup(card, options, card["order"])
        while rules.phase(state) is not None:
            sent = {
                nation: rules.bot.orders(state, nation, f"{number}")
                for nation in rules.acting_nations(state)
            }
            volumes = {
                stock: volume_of_roll((place * 7 + number) % 10)
                for place, stock in enumerate(LIQUID_STOCKS)
            }
            position = rules.dump(state)
            state = rules.load(card, options, position)
            began = time.process_time()
            state = rules.resolve(state, rules.in_force(state, sent), volumes, LIQUID_STOCKS).state
            phases.append(
                (sum(len(lines(text)) for text in sent.values()), time.process_time() - began)
            )
    return phases


def _theirs(numbers: list[int]) -> list[tuple[int, float]]:
    """Return orders and seconds of movement phases with each of these numbers of orders."""
    if not NEIGHBOUR.exists():
        return []
    command = [
        str(NEIGHBOUR),
        "-m",
        "tests.bench.neighbour",
        "15",
        *(str(number) for number in numbers),
    ]
    output = run("diplomacy", command)
    return [(number, seconds) for number, seconds in json.loads(output)]


def _of(phases: list[tuple[int, float]]) -> dict[str, Any]:
    seconds, orders = sum(cost for _, cost in phases), sum(number for number, _ in phases)
    return {
        "phases": len(phases),
        "orders a phase": round(orders / len(phases), 1),
        "microseconds a phase, median": round(
            statistics.median(cost for _, cost in phases) * 1e6, 1
        ),
        "phases a second and core": round(len(phases) / seconds),
        "microseconds an order": round(seconds / orders * 1e6, 1),
    }


def _beside(ours: list[tuple[int, float]], theirs: list[tuple[int, float]]) -> dict[str, Any]:
    """Return how many times as long theirs take as ours: by number of orders, and the median."""
    mine, other = _by_number(ours), _by_number(theirs)
    both = sorted(set(mine) & set(other))
    ratios = {number: round(other[number] / mine[number], 1) for number in both}
    return {
        "phases with as many orders": len(both),
        "theirs take as many times as long": round(statistics.median(ratios.values()), 1)
        if ratios
        else None,
        "by orders": ratios,
    }


def _by_number(phases: Iterable[tuple[int, float]]) -> dict[int, float]:
    by_number: dict[int, list[float]] = defaultdict(list)
    for number, cost in phases:
        by_number[number].append(cost)
    return {
        number: statistics.median(costs) for number, costs in by_number.items() if len(costs) >= 3
    }


def _simulated(game: str, runs: int) -> float:
    """Return games a second, as `manage.py simulate` plays them: the best of short runs."""
    card = cards.load(game, dict(PLAYED)[game])
    return max(simulate(card, 20, str(number)).rate for number in range(runs))
