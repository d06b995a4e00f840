"""Measure movement phases of the package `diplomacy` with random orders; run by alone.py.

Imports nothing of this project. Prints JSON: a list of [orders, seconds of processor time].
"""

from __future__ import annotations

import json
import random
import sys
import time


def phases(numbers: list[int], each: int) -> list[tuple[int, float]]:
    """Measure `each` movement phases for each number of orders: random units, the others hold."""
    from diplomacy import Game  # type: ignore[import-not-found]

    chance = random.Random(1971)
    measured: list[tuple[int, float]] = []
    for size in numbers:
        game = Game()
        while sum(number == size for number, _ in measured) < each:
            if game.is_game_done or not game.get_current_phase().endswith("M"):
                game = Game() if game.is_game_done else game
                game.process()
                continue
            possible = game.get_all_possible_orders()
            units = [
                (power, place)
                for power in game.powers
                for place in game.get_orderable_locations(power)
                if possible[place]
            ]
            if len(units) < size:
                game = Game()
                continue
            for power in game.powers:
                game.set_orders(power, [])
            orders_by_power: dict[str, list[str]] = {}
            for power, place in chance.sample(units, size):
                orders_by_power.setdefault(power, []).append(chance.choice(possible[place]))
            for power, orders in orders_by_power.items():
                game.set_orders(power, orders)
            began = time.process_time()
            game.process()
            measured.append((size, time.process_time() - began))
    return measured


if __name__ == "__main__":
    print(json.dumps(phases([int(word) for word in sys.argv[2:]], int(sys.argv[1]))))
