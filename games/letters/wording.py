"""What the choices of a game are called: no page and no letter shows the ids that programs use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.rules import ResultTable, Standing
from games.rules.options import Option


def of_odds(column: str) -> str:
    """A column of the printed table as people say it: “2-1”, “below 1-1”."""
    return column if "-" in column else "below 1-1"


def of_scores(scores: Sequence[tuple[str, int]], before: Mapping[str, int]) -> str:
    """“Germany 9 (+5), France 6, USA 4 (-2)”: with what has changed since `before`."""
    told = []
    for nation, score in scores:
        change = score - before.get(nation, score)
        told.append(f"{nation} {score}" + (f" ({change:+d})" if change else ""))
    return ", ".join(told)


def of_sums(standing: Standing) -> list[str]:
    """What allies have together, a sentence for each alliance that the reader may know."""
    return [
        f"{one} and {other}, allied: {points} together, all others {rest}."
        for (one, other), points, rest in standing.sums()
    ]


def of_table(table: ResultTable) -> list[str]:
    """The printed table, a line for rows that are alike."""
    rows: dict[tuple[str, ...], list[int]] = {}
    for row, results in table.rows:
        rows.setdefault(tuple(results), []).append(row)
    columns = "".join(f"{column if '-' in column else '<1-1':>6}" for column in table.columns)
    return [
        " " * 12 + columns,
        *(
            f"{table.thrown} {', '.join(map(str, numbers))}".ljust(12)
            + "".join(f"{result:>6}" for result in results)
            for results, numbers in rows.items()
        ),
    ]


def of_outcomes(table: ResultTable) -> str:
    return f"{'; '.join(f'{result}: {means}' for result, means in table.meanings.items())}."


def unusual_options(options: list[Option], values: Mapping[str, Any]) -> list[str]:
    """Return “A tie for the win: more CONTROL counters win.” for options that are not the usual."""
    told = []
    for option in options:
        value = values.get(option.id, option.default)
        if value != option.usual:
            colon = "" if option.title.endswith("?") else ":"
            told.append(f"{option.title.removesuffix('.')}{colon} {option.label(value)}.")
    return told


def option_rows(options: list[Option], values: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
    """What each option is about, its value in words, and whether it is not the usual one."""
    told = []
    for option in options:
        value = values.get(option.id, option.default)
        told.append((option.text, option.label(value), value != option.usual))
    return told
