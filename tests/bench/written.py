"""Writes docs/performance.md from the figures that benchmarks have kept in docs/performance/*.json.

python -m tests.bench write
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from typing import Any

from . import figures

PAGE = figures.ROOT / "docs" / "performance.md"
TITLES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
HEAD = """# What things cost

*Written by `python -m tests.bench write` from `docs/performance/*.json`; each file says its command, machine, versions, commit and load.*

Every figure stands beside something that was measured in the same run: the ratio travels to other machines, the seconds do not. Costs are
processor time of our process and of the PostgreSQL process that works for it; waiting for the disk is not in them.
"""  # noqa: E501


def main(words: list[str]) -> None:
    PAGE.write_text(page())
    print(f"{PAGE.relative_to(figures.ROOT)} is written.")


def page() -> str:
    parts = [HEAD]
    for part in (_machine, _acknowledge, _storm, _growth, _alone, _memory, _starting):
        if said := part():
            parts.append(said)
    return "\n".join(parts)


def _kept(name: str) -> dict[str, Any] | None:
    file = figures.KEPT / f"{name}.json"
    return json.loads(file.read_text()) if file.exists() else None


def _said(*lines: str) -> str:
    return textwrap.fill(" ".join(lines), 140) + "\n"


def _table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    heads = list(heads)
    lines = [
        "| " + " | ".join(heads) + " |",
        "| " + " | ".join(["---", *["---:"] * (len(heads) - 1)]) + " |",
    ]
    return (
        "\n".join([*lines, *("| " + " | ".join(str(cell) for cell in row) + " |" for row in rows)])
        + "\n"
    )


def _source(tree: dict[str, Any]) -> str:
    load = ", ".join(str(one) for one in tree["load"])
    return (
        f"`{tree['command']}`, {tree['at']}, commit {tree['commit']}; load averages at the end"
        f" {load}.\n"
    )


def _machine() -> str:
    trees = [
        tree
        for file in sorted(figures.KEPT.glob("*.json"))
        if "machine" in (tree := json.loads(file.read_text()))
    ]
    if not trees:
        return ""
    said = {
        ", ".join(f"{key}: {value}" for key, value in tree["machine"].items()) for tree in trees
    }
    used: dict[str, str] = {}
    for tree in trees:
        used |= tree["versions"]
    return (
        "\n".join([f"Machine: {one}." for one in sorted(said)])
        + "\nVersions: "
        + ", ".join(f"{a} {b}" for a, b in used.items())
        + ".\n"
    )


def _both(name: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        (title, tree) for database, title in TITLES.items() if (tree := _kept(f"{name}-{database}"))
    ]


def _costs(tree: dict[str, Any], last: str, size: str) -> str:
    costs = tree["found"]["costs"]
    sizes = list(costs)
    bare = next(iter(costs[sizes[0]]))

    def cell(at: str, name: str) -> str:
        cost = costs[at][name]["ms"]
        return (
            f"{cost:.1f} ms"
            if name == bare
            else f"{cost:.1f} ms, {cost / costs[at][bare]['ms']:.1f} ×"
        )

    rows = [
        [name, *(cell(at, name) for at in sizes), tree["found"][last].get(name, "")]
        for name in costs[sizes[0]]
    ]
    return _table(["", *(f"{int(at):,} {size}" for at in sizes), "last to first"], rows)


def _acknowledge() -> str:
    trees = _both("acknowledge")
    said = [
        "## W1. Acknowledging orders\n",
        _said(
            "From the bytes of a message to its answer in the outbox, from there to a mail server"
            " that takes everything, and from the",
            "request by page to the page that says what was understood (two requests). × is beside"
            " the bare page, measured in turns with",
            "the others; “last to first” compares those ratios: 1.0 is flat.",
        ),
    ]
    for title, tree in trees:
        said += [
            f"### {title}\n",
            _costs(tree, "last to first, in bare pages", "games"),
            _source(tree),
        ]
    return "\n".join(said) if trees else ""


def _growth() -> str:
    trees = _both("growth")
    said = [
        "## W3. A long past\n",
        _said(
            "The same with a past of whole games, played to their end, with all their orders,"
            " letters, figures and results. What is asked",
            "for is 1.10 at most.",
        ),
    ]
    for title, tree in trees:
        rows = ", ".join(
            f"{number:,} {name}"
            for name, number in tree["found"]["rows"].items()
            if number > 10_000
        )
        said += [
            f"### {title}\n",
            _costs(tree, "last to first, in bare pages", "past phases"),
            f"Rows at the end: {rows}.\n",
            _source(tree),
        ]
    return "\n".join(said) if trees else ""


def _storm() -> str:
    trees = [
        (file.stem, tree)
        for file in sorted(figures.KEPT.glob("storm*.json"))
        if "found" in (tree := json.loads(file.read_text()))
    ]
    said = [
        "## W2 and W5. The deadline storm\n",
        _said(
            "Thousands of games due in the same second on PostgreSQL, judged and told by Celery"
            " workers, their letters handed to an SMTP",
            "sink. Beside it bare durable transactions (pgbench) and bare SMTP deliveries by as"
            " many clients as there are workers. Known",
            "figures of other judges on two cores: one in PHP 5,500 games a minute without mail,"
            " one in C 3,800 with mail rendering, one",
            "in Django 319. Asked of two workers are 40,000 placements without letters and 11,400"
            " with five letters each; 16,500 attacks from the lock to the result, 9,500 with all"
            " letters.",
        ),
    ]
    for name, tree in trees:
        found = dict(tree["found"])
        runs, _ = found.pop("runs"), found.pop("asked of two workers, games a minute", None)
        runs.sort(key=lambda run: (run["letters sent"], run["workers"]))
        heads = [
            f"{run['workers']} workers, {'letters sent' if run['letters sent'] else 'none sent'}"
            for run in runs
        ]
        names = list(
            dict.fromkeys(
                key for run in runs for key in run if key not in ("workers", "letters sent")
            )
        )
        columns = [dict(_plain(run)) for run in runs]
        rows = [[key, *(column.get(key, "") for column in columns)] for key in names]
        said += [
            f"### {name}\n",
            _said(f"{found['games']:,} games, {found['letters a game']} letters a game.") + "\n",
        ]
        said += [_table(["", *heads], rows), _source(tree)]
    said += (
        ["### Where it stops\n", _said(*WHERE_IT_STOPS), _said(*OTHER_RUNS), _said(*NO_BARE_ROW)]
        if trees
        else []
    )
    return "\n".join(said) if trees else ""


WHERE_IT_STOPS = (
    (
        "One worker leaves almost half of two cores to PostgreSQL, the mail server and to waiting"
        " for them. A second takes what is left; with"
    ),
    (
        "two the processors are in use to more than nine tenths, and four do no more than two: what"
        " stops it is processor time, two thirds of"
    ),
    (
        "it the workers’ own Python and most of the rest PostgreSQL’s. Nothing else is waited for"
        " in turn: workers take games and letters by"
    ),
    "leases, and hold the rows of no game but their own.",
)
#: What runs of the same day came to that are not kept as JSON.
OTHER_RUNS = (
    (
        "That four workers came to less than two without letters was not seen again: in four runs"
        " later on the same day they came to 45,048,"
    ),
    (
        "46,794, 48,582 and 53,400 games a minute with the processors in use to 0.94 at least"
        " (`--workers 4 4 4 2 --only without`, then all"
    ),
    (
        "six storms). What the machine gives changes by the hour: in the last of these, when bare"
        " deliveries came to 3,588 a second and not to"
    ),
    (
        "4,087, two workers judged 49,252 games a minute without letters and 11,338 with them, one"
        " 26,842 and 7,023, four 45,048 and 10,576."
    ),
)
NO_BARE_ROW = (
    (
        "Half of the bare transactions and two thirds of the bare deliveries, which were aimed at,"
        " are out of reach of what is done here. A"
    ),
    (
        "bare transaction changes one number in one row; a judged game reads its seats, players,"
        " orders and position, is played in Python, and"
    ),
    (
        "writes its phase, its result, the next phase and a letter to each reader. A bare delivery"
        " hands over the same bytes again and again;"
    ),
    (
        "a letter is filled in for its reader, kept before it goes out so that a second try is the"
        " same letter, and marked by itself when it"
    ),
    "is out, so that a worker that is killed sends one letter again and not a hundred.",
)


def _plain(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (
            name,
            (
                f"{value:,.2f}"
                if isinstance(value, float)
                else f"{value:,}"
                if isinstance(value, int)
                else str(value)
            ),
        )
        for name, value in found.items()
    ]


def _alone() -> str:
    tree = _kept("alone")
    if tree is None:
        return ""
    said = [
        "## W4. The rules alone\n",
        (
            "Phases of games of the service's own players, from their texts to the new position, on"
            " one core.\n"
        ),
    ]
    found = {name: rows for name, rows in tree["found"].items() if isinstance(rows, dict)}
    names = [
        name for name, value in next(iter(found.values())).items() if not isinstance(value, dict)
    ]
    said.append(
        _table(
            ["", *found],
            [[name, *(rows.get(name, "") for rows in found.values())] for name in names],
        )
    )
    for game, rows in found.items():
        if beside := rows.get("beside diplomacy"):
            numbers = ", ".join(
                f"{orders}: {ratio}" for orders, ratio in beside["by orders"].items()
            )
            times = beside["theirs take as many times as long"]
            begun = (
                f"The package `diplomacy` takes {times} times as long for a phase with as many"
                f" orders as one of {game}"
            )
            said.append(
                _said(begun, f"(median over numbers of orders; by number of orders {numbers}).")
            )
    if isinstance(tree["found"].get("diplomacy"), str):
        said.append(f"`diplomacy` was {tree['found']['diplomacy']}.\n")
    return "\n".join([*said, _source(tree)])


def _memory() -> str:
    tree = _kept("memory")
    if tree is None:
        return ""
    found = tree["found"]
    rows = [[name, *values.values()] for name, values in found["processes"].items()]
    heads = ["process (proportional set size)", *next(iter(found["processes"].values()))]
    told = (
        f"{found['minutes']:g} minutes, {found['games at once']} games at once:"
        f" {found['phases judged']:,} phases judged,"
    )
    told += f" {found['letters sent']:,} letters sent, {found['pages opened']:,} pages opened.\n"
    return "\n".join(["## Memory under load\n", told, _table(heads, rows), _source(tree)])


def _starting() -> str:
    tree = _kept("starting")
    if tree is None:
        return ""
    heads = ["process", *next(iter(tree["found"].values()))]
    rows = [[name, *values.values()] for name, values in tree["found"].items()]
    said = (
        "Processor time until it stands, without compiled files of Python; nothing heavy is loaded"
        " (tests/gamesmaster/test_startup.py).\n"
    )
    return "\n".join(["## Starting\n", said, _table(heads, rows), _source(tree)])
