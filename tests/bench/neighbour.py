"""What the package `diplomacy` takes for movement with random orders; run by alone.py.

Imports nothing of ours. Prints JSON: a list of [orders, seconds of the processor]."""

from __future__ import annotations

import json
import random
import sys
import time


def phases(numbers: list[int], each: int) -> list[tuple[int, float]]:
    """Movement phases with so many orders each: units drawn by lot, the others hold."""
    from diplomacy import Game  # type: ignore[import-not-found]

    drawn = random.Random(1971)
    found: list[tuple[int, float]] = []
    for wanted in numbers:
        game = Game()
        while sum(number == wanted for number, _ in found) < each:
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
            if len(units) < wanted:
                game = Game()
                continue
            for power in game.powers:
                game.set_orders(power, [])
            of: dict[str, list[str]] = {}
            for power, place in drawn.sample(units, wanted):
                of.setdefault(power, []).append(drawn.choice(possible[place]))
            for power, orders in of.items():
                game.set_orders(power, orders)
            began = time.process_time()
            game.process()
            found.append((wanted, time.process_time() - began))
    return found


if __name__ == "__main__":
    print(json.dumps(phases([int(word) for word in sys.argv[2:]], int(sys.argv[1]))))
