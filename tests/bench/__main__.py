"""`make bench`: what things cost, each beside something measured in the same run on the same
machine, so that the ratio travels.

Figures in seconds are this machine's alone; the ratios are what to compare. The database is a
SQLite file as in earnest (WAL, FULL).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import django

from games.rules.cards import load
from games.rules.options import LIQUID_STOCKS, validate
from games.rules.registry import ruleset
from games.simulation import simulate

from . import acknowledge, alone, growth, mail, memory, pages, starting, storm, written

GAMES = (20, 200)


def best_of(runs: int, work: Callable[[], Any]) -> float:
    """Seconds of the quickest of some runs: the one that other things on the machine disturbed
    least."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def table(title: str, rows: list[tuple[str, str]]) -> None:
    print(f"\n{title}")
    for name, figure in rows:
        print(f"  {name:<60} {figure:>16}")


def rules() -> None:
    """A whole game of the service's own players, resolved without a database, beside writing and
    reading its positions as JSON."""
    game = ruleset("origins-ww2")
    card, options = load("origins-ww2", "historical"), validate({})
    states: list[tuple[Any, dict[str, str]]] = []
    state = game.setup(card, options, card["order"])
    volumes = {stock: 100 * (number * 7919 + 1000) for number, stock in enumerate(LIQUID_STOCKS)}
    while game.phase(state) is not None:
        orders = {nation: game.bot.orders(state, nation, "bench") for nation in game.acting(state)}
        states.append((state, orders))
        state = game.resolve(state, orders, volumes, LIQUID_STOCKS).state
    positions = [(game.dump(state), orders) for state, orders in states]

    def resolve() -> None:
        for state, orders in states:
            game.resolve(state, orders, volumes, LIQUID_STOCKS)

    def as_json() -> None:
        for position in positions:
            json.loads(json.dumps(position))

    seconds, plain = best_of(20, resolve), best_of(20, as_json)
    table(
        "The rules alone (one core)",
        [
            ("resolutions a second", f"{len(states) / seconds:,.0f}"),
            ("whole five-player games a second, orders given", f"{1 / seconds:,.0f}"),
            ("a resolution, in JSON round trips of its position", f"{seconds / plain:.1f}"),
            (
                "whole five-player games a second, with programs that play them",
                f"{(rate := simulated(card)):,.0f}",
            ),
            (
                "such a game, in resolutions of a game whose orders are given",
                f"{1 / rate / seconds:.1f}",
            ),
        ],
    )


def simulated(card: dict[str, Any]) -> float:
    """Games a second of processor time, as `manage.py simulate` plays them: the best of some short
    runs."""
    return max(simulate(card, 20, str(run)).rate for run in range(10))


def drawings() -> None:
    """The board for a letter and for a page, beside packing the same picture once more; the first
    of a process draws the ground."""
    import io

    from PIL import Image

    from games import boards
    from games.rules import Board, Cell

    card = load("origins-ww2", "historical")
    areas, nations = tuple(card["areas"]), tuple(card["order"])

    def board(extra: int) -> Board:
        """Everybody everywhere, no two boards with the same counters in the same places."""
        return Board(
            areas,
            nations,
            {
                area: {name: Cell(10 + extra + k) for k, name in enumerate(nations)}
                for area in areas
            },
        )

    def draw_crowded() -> str:
        return boards.board_svg("origins-ww2", card, board(1))

    began = time.perf_counter()
    image = Image.open(io.BytesIO(boards.board_png("origins-ww2", card, board(0), width=1160)))
    image.load()
    first, numbers = time.perf_counter() - began, iter(range(1, 100))
    png = best_of(
        8, lambda: boards.board_png("origins-ww2", card, board(next(numbers) % 4), width=1160)
    )
    packing = best_of(8, lambda: image.save(io.BytesIO(), "PNG", compress_level=6))
    table(
        "The board as a picture (one core)",
        [
            (
                "a crowded board as PNG, 1160 pixels, the first of a process",
                f"{first * 1000:.0f} ms",
            ),
            ("another", f"{png * 1000:.0f} ms"),
            ("the same, in packings of the same picture", f"{png / packing:.1f}"),
            (
                "a crowded board as SVG",
                f"{best_of(8, draw_crowded) * 1000:.1f} ms",
            ),
        ],
    )


@contextmanager
def database() -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="gamesmaster-bench-") as folder:
        os.environ |= {
            "GAMESMASTER_VAR": folder,
            "SECRET_KEY": "bench" * 12,
            "LOG_LEVEL": "ERROR",
            "EMAIL_URL": "dummymail://",
        }
        os.environ |= mail.ENVIRONMENT
        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        yield


def clock_and_letters() -> float:
    """A tick with nothing due, and a deadline of many games at once, beside bare durable
    transactions on the same database.

    Gives what one of these takes, in seconds.
    """
    from games import tasks
    from games.letters import sending
    from games.models import Letter, Phase, Pulse
    from games.turns import process
    from games.turns import queue as turns_queue
    from orders import bots
    from tests.support.cast import MONDAY, NATIONS, Campaign

    rows: list[tuple[str, str]] = []
    quiet: dict[int, float] = {}
    made = 0

    def idle_tick() -> None:
        tasks.beat(MONDAY)
        turns_queue.claim(MONDAY, 100)

    for number in GAMES:
        while made < number:
            Campaign.begin(
                title=f"Game {made}",
                seats={"USA": "una@example.org", **dict.fromkeys(NATIONS[1:], "bot")},
            )
            made += 1
        bots.play(MONDAY)
        quiet[number] = best_of(20, idle_tick)
        rows.append(
            (f"a tick with nothing due, {number} running games", f"{quiet[number] * 1000:.2f} ms")
        )
    rows.append(
        (f"the same, {GAMES[1]} games to {GAMES[0]}", f"{quiet[GAMES[1]] / quiet[GAMES[0]]:.2f}")
    )

    def transactions() -> None:
        for _ in range(100):
            Pulse.objects.update_or_create(name="bench", defaults={"at": MONDAY})

    bare = best_of(3, transactions) / 100
    deadline = Phase.objects.order_by("-deadline").values_list("deadline", flat=True)[0]
    token, claimed = turns_queue.claim(deadline, GAMES[1])
    began = time.perf_counter()
    for phase in claimed:
        process.process([phase], token, deadline)
    each = (time.perf_counter() - began) / len(claimed)
    began, sent = time.perf_counter(), 0
    while True:
        token, letters = sending.claim(deadline, 50)
        if not letters:
            break
        sent += sending.send(letters, token, deadline)
    letter = (time.perf_counter() - began) / sent
    assert not Letter.objects.exclude(status="sent").exists()
    rows += [
        ("a bare durable transaction", f"{bare * 1000:.2f} ms"),
        ("a placement deadline locked and resolved", f"{each * 1000:.2f} ms"),
        ("the same in bare transactions", f"{each / bare:.1f}"),
        ("a letter rendered, kept and handed over", f"{letter * 1000:.2f} ms"),
        ("the same in bare transactions", f"{letter / bare:.1f}"),
    ]
    table("The clock and the letters (one process, SQLite)", rows)
    return bare


def main() -> None:
    print(f"Python {sys.version.split()[0]}, Django {django.get_version()}, {os.cpu_count()} cores")
    rules()
    drawings()
    with database():
        bare = clock_and_letters()
        table("Orders acknowledged (one process, SQLite)", mail.rows(bare))
        table("Pages of a game of twelve phases (one core, SQLite, warm)", pages.rows())


#: Benchmarks that set up a database of their own, each in a process of its own.
OTHERS = {
    "storm": storm.main,
    "acknowledge": acknowledge.main,
    "growth": growth.main,
    "alone": alone.main,
    "memory": memory.main,
    "starting": starting.main,
    "write": written.main,
}
#: What `make bench` runs, at sizes that take some minutes; docs/performance.md says the commands
# of the whole.
USUAL = (
    "alone",
    "starting",
    "acknowledge --games 5 50 500",
    "acknowledge --database postgresql --games 5 50 500",
    "growth --phases 1000 5000",
    "growth --database postgresql --phases 1000 5000",
    "storm --games 500",
)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesmaster.settings")
    if sys.argv[1:2] and sys.argv[1] in OTHERS:
        OTHERS[sys.argv[1]](sys.argv[2:])
    elif sys.argv[1:]:
        sys.exit(
            f"“{sys.argv[1]}” is no benchmark. There are {', '.join(OTHERS)}; without a word a"
            " round of all of them."
        )
    else:
        main()
        for one in USUAL:
            print(f"\n{one}", flush=True)
            subprocess.run(
                [sys.executable, "-m", "tests.bench", *one.split()],
                check=True,
                env=os.environ | {"BENCH_KEPT": "var/bench"},
            )
