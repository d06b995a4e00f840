"""`manage.py simulate CARD -n 1000`: play games with bots; report how balanced the card is."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.rules import Json, RulesError, cards
from games.rules.registry import RULESETS
from games.simulation import Report, compare_talks, simulate


class Command(BaseCommand):
    help = (
        "Play many games of a scenario without a database, and report win shares, scores and their"
        " spread."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "cards",
            metavar="CARD",
            nargs="*",
            help="a name (origins-ww1/standard) or a TOML file (default: all scenarios)",
        )
        parser.add_argument(
            "-n", "--games", type=int, default=1000, help="how many games (default 1000)"
        )
        parser.add_argument(
            "--seed", default="1", help="any text; the same text gives the same games"
        )
        parser.add_argument(
            "--seats",
            default="",
            help="nations with a player of their own, separated by commas (default: all)",
        )
        parser.add_argument(
            "--option",
            action="append",
            default=[],
            type=_option,
            metavar="ID=VALUE",
            help="a game option, such as ID=VALUE",
        )
        parser.add_argument(
            "--processes", type=int, default=os.cpu_count() or 1, help="default: one for each core"
        )
        parser.add_argument(
            "--silent", action="store_true", help="bots make no deals with each other"
        )
        parser.add_argument(
            "--deals",
            action="store_true",
            help="a table of what bargaining brings each nation, instead of the balance",
        )
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--json", action="store_true", help="one JSON document")
        form.add_argument("--markdown", action="store_true", help="tables as in docs/balance.md")

    def handle(self, *args: Any, **options: Any) -> None:
        seats = [name.strip() for name in options["seats"].split(",") if name.strip()]
        try:
            named = [_card(name) for name in options["cards"]]
            trees = named or [
                cards.load(game, name) for game in _playable() for name in cards.names(game)
            ]
            if options["deals"]:
                self.stdout.write("\n\n".join(_talks(tree, options) for tree in trees))
                return
            reports = [
                simulate(
                    tree,
                    options["games"],
                    options["seed"],
                    dict(options["option"]),
                    seats or None,
                    max(1, options["processes"]),
                    silent=tree["order"] if options["silent"] else (),
                )
                for tree in trees
            ]
        except RulesError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            results = [report.as_json() for report in reports]
            self.stdout.write(
                json.dumps(
                    results[0] if len(options["cards"]) == 1 else results,
                    indent=1,
                    ensure_ascii=False,
                )
            )
            return
        self.stdout.write(
            "\n\n".join(
                (_markdown if options["markdown"] else _plain)(report) for report in reports
            )
        )


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ArgumentTypeError(f"“{text}” is not of the form ID=VALUE")
    return name, int(value) if value.isdecimal() else value


def _card(name: str) -> Json:
    """Return the card in a file of that name, else one of the service, with or without its game."""
    if name.endswith(".toml") or Path(name).is_file():
        try:
            return cards.read_toml(Path(name))
        except cards.CardError as error:
            raise error if error.file else error.within(name) from error
    game_name, _, card = name.rpartition("/")
    candidates = [game_name] if game_name in RULESETS else [] if game_name else _playable()
    games = [game for game in candidates if card in cards.names(game)]
    if len(games) == 1:
        return cards.load(games[0], card)
    if games:
        raise RulesError(f"“{name}” is a card of several games; name one as in {games[0]}/{card}")
    names = ", ".join(card for game in _playable() for card in cards.names(game))
    raise RulesError(f"There is no scenario “{name}”. Choose one of {names}, or name a TOML file")


def _talks(tree: Json, options: dict[str, Any]) -> str:
    """Return a table for docs/balance.md: agreements, games won and scores with and without
    deals."""
    rows = compare_talks(
        tree,
        options["games"],
        options["seed"],
        dict(options["option"]),
        max(1, options["processes"]),
    )
    lines = [
        f"### {tree['title']}",
        "",
        "| | accepted | for a price | won | won, silent | score | score, silent |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        (won, won_silent), (score, score_silent) = row.won, row.score
        lines.append(
            f"| {row.nation} | {row.accepted:.0%} | {row.priced:.0%} | {won:.1%} |"
            f" {won_silent:.1%} | {score:.1f} | {score_silent:.1f} |"
        )
    gain = sum(row.won[0] - row.won[1] for row in rows) / len(rows)
    points = sum(row.score[0] - row.score[1] for row in rows) / len(rows)
    ending = (
        f"On average, bargaining changes the games won by {gain:+.1%}, the score by {points:+.2f}."
    )
    return "\n".join([*lines, "", ending])


def _playable() -> list[str]:
    return [game for game, rules in RULESETS.items() if rules.playable]


def _plain(report: Report) -> str:
    rows = [f"{report.title}: {report.games:,} games, seed {report.seed}", ""]
    rows.append(f"{'':12}{'wins':>8}{'score':>8}{'spread':>8}{'lowest':>8}{'highest':>8}")
    for line in report.lines:
        rows.append(
            f"{line.nation:12}{line.wins:8.1%}{line.mean:8.1f}{line.spread:8.1f}{line.lowest:8}{line.highest:8}"
        )
    return "\n".join([*rows, "", _ending(report)])


def _markdown(report: Report) -> str:
    rows = [
        f"## {report.title}",
        "",
        "| | wins | score | spread | lowest | highest |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for line in report.lines:
        rows.append(
            f"| {line.nation} | {line.wins:.1%} | {line.mean:.1f} | {line.spread:.1f} |"
            f" {line.lowest} | {line.highest} |"
        )
    # Without the rate, which depends on the machine: the page must not change when it is rebuilt.
    return "\n".join([*rows, "", _ending(report).partition(" Played")[0]])


def _ending(report: Report) -> str:
    return (
        f"Winners have {report.winning:.1f} points on average; {report.ties:.1%} of the games are"
        f" won by more than one nation, after {report.turns:.0f} turns."
        f" Each game has {report.deals:.1f} promises on average; {report.kept:.0%} are kept."
        f" Played at {report.rate:,.0f} games per second and core."
    )
