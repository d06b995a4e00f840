"""Writes the tables of docs/performance.md from the figures that benchmarks have kept in
docs/performance/*.json. A table stands between `<!-- NAME -->` and `<!-- end -->`; `goals` is made
from all of them.

python -m tests.bench write
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from . import figures, goals

PAGE = figures.ROOT / "docs" / "performance.md"
PLACE = re.compile(r"(?<=<!-- )(?!end )([\w-]+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench write")
    parser.add_argument("--dry", action="store_true", help="prints the page, and writes nothing")
    arguments = parser.parse_args(words)
    text = page(PAGE.read_text())
    if arguments.dry:
        print(text)
        return
    PAGE.write_text(text)
    print(f"{PAGE.relative_to(figures.ROOT)} is written.")


def page(text: str) -> str:
    """Return the page with a table, or a note that it is missing, for each benchmark it names."""

    def table(place: re.Match[str]) -> str:
        if place[1] == "goals":
            body = _goals()
        elif tree := _kept(place[1]):
            body = f"{_table(tree['found'])}\n{_source(tree)}"
        else:
            body = f"{goals.NOT_MEASURED.capitalize()}.\n"
        return f"{place[1]}{place[2]}\n{body}\n"

    return PLACE.sub(table, text)


def _kept(name: str) -> dict[str, Any] | None:
    file = figures.KEPT / f"{name}.json"
    return json.loads(file.read_text()) if file.exists() else None


def _goals() -> str:
    def found(name: str) -> Mapping[str, Any] | None:
        tree = _kept(name)
        return tree and tree["found"]

    rows = ([goal.work, goal.goal, *goal.shown(found)] for goal in goals.GOALS)
    return _lines(["work", "goal", *figures.DATABASES], rows)


def _table(found: Mapping[str, Any]) -> str:
    if "costs" in found:
        queries = [[of, *counts.values()] for of, counts in found.get("queries", {}).items()]
        return _costs(found["costs"], found["last to first, in bare pages"]) + "".join(
            _line([f"queries of {of}", *counts, ""]) for of, *counts in queries
        )
    for name in ("processes", "table"):
        if name in found:
            return _rows(found[name])
    if "runs" in found:
        runs = sorted(found["runs"], key=lambda run: (run["letters sent"], run["workers"]))
        sent = {False: "none sent", True: "letters sent"}
        return _columns(
            {f"{run['workers']} workers, {sent[run.pop('letters sent')]}": run for run in runs}
        )
    columns = {name: _flat(column) for name, column in found.items() if isinstance(column, dict)}
    return _columns(columns) if columns else _columns({"": found})


def _flat(column: Mapping[str, Any]) -> dict[str, Any]:
    """Return a column with nested values moved up one level, without those nested deeper."""
    flat: dict[str, Any] = {}
    for name, value in column.items():
        inner: Mapping[str, Any] = value if isinstance(value, dict) else {name: value}
        flat |= {key: figure for key, figure in inner.items() if not isinstance(figure, dict)}
    return flat


def _costs(costs: Mapping[str, Mapping[str, Mapping[str, float]]], last: Mapping[str, Any]) -> str:
    """Return the table of milliseconds at each size, also in bare pages."""

    def cell(of_size: Mapping[str, Mapping[str, float]], name: str) -> str:
        cost, bare = of_size[name]["ms"], next(iter(of_size.values()))["ms"]
        return f"{cost:.1f} ms" + ("" if cost is bare else f", {cost / bare:.1f} ×")

    names = next(iter(costs.values()))
    rows = [
        [name, *(cell(of_size, name) for of_size in costs.values()), str(last.get(name, ""))]
        for name in names
    ]
    return _lines(["", *(f"{int(size):,}" for size in costs), "last to first"], rows)


def _columns(columns: Mapping[str, Mapping[str, Any]]) -> str:
    names = dict.fromkeys(name for column in columns.values() for name in column)
    rows = ([name, *(column.get(name, "") for column in columns.values())] for name in names)
    return _lines(["", *columns], rows)


def _rows(rows: Mapping[str, Mapping[str, Any]]) -> str:
    heads = next(iter(rows.values()))
    return _lines(["", *heads], ([name, *row.values()] for name, row in rows.items()))


def _lines(heads: list[str], rows: Iterable[Iterable[object]]) -> str:
    ruled = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "".join(map(_line, ruled))


def _line(row: Iterable[object]) -> str:
    return f"| {' | '.join(map(_cell, row))} |\n"


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _source(tree: Mapping[str, Any]) -> str:
    load = ", ".join(str(average) for average in tree["load"])
    machine, versions = (
        ", ".join(f"{name} {value}" for name, value in tree[part].items())
        for part in ("machine", "versions")
    )
    return (
        f"`{tree['command']}`, {tree['at']}, commit {tree['commit']}; load averages at the end"
        f" {load}; {machine}; {versions}.\n"
    )
