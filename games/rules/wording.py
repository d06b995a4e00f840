"""Put scores, tables and options into words for people: pages and letters never show the ids that
programs use."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from games.rules import ResultTable, Standing
from games.rules.options import Option
from games.rules.verbs import Help

#: Columns of the list of orders in letters; lines are indented by 4.
FORM_WIDTH, MEANING_WIDTH = 30, 36


def odds_words(column: str) -> str:
    """Return a column of the printed table in words: “2-1”, “below 1-1”."""
    return column if "-" in column else "below 1-1"


def form_lines(forms: Iterable[Help]) -> list[str]:
    """Return order forms with their meanings beside them, in lines for letters.

    A long form has its meaning on the lines below. Letters are short: of a meaning they have what
    comes before the first semicolon; pages have the rest.
    """
    lines: list[str] = []
    for form, _, meaning in forms:
        first, *more = textwrap.wrap(meaning.partition(";")[0], MEANING_WIDTH)
        if len(form) <= FORM_WIDTH:
            lines.append(f"{form:<{FORM_WIDTH}}  {first}")
        else:
            lines += [form, f"{'':<{FORM_WIDTH}}  {first}"]
        lines += [f"{'':<{FORM_WIDTH}}  {line}" for line in more]
    return lines


def scores_line(scores: Sequence[tuple[str, int]], before: Mapping[str, int]) -> str:
    """Return “Germany 9 (+5), France 6, USA 4 (-2)”, with the changes since `before`."""
    parts = []
    for nation, score in scores:
        change = score - before.get(nation, score)
        parts.append(f"{nation} {score}" + (f" ({change:+d})" if change else ""))
    return ", ".join(parts)


def alliance_sentences(standing: Standing) -> list[str]:
    """Return a sentence with the points of each alliance that the reader may know of."""
    return [
        f"{first} and {second}, allied: {points} together, all others {rest}."
        for (first, second), points, rest in standing.sums()
    ]


def table_lines(table: ResultTable) -> list[str]:
    """Return the lines of the printed table; equal rows share a line."""
    rows: dict[tuple[str, ...], list[int]] = {}
    for row, results in table.rows:
        rows.setdefault(tuple(results), []).append(row)
    columns = "".join(f"{column if '-' in column else '<1-1':>5}" for column in table.columns)
    return [
        " " * 11 + columns,
        *(
            f"{table.thrown} {', '.join(map(str, numbers))}".ljust(11)
            + "".join(f"{result:>5}" for result in results)
            for results, numbers in rows.items()
        ),
    ]


def outcomes_line(table: ResultTable) -> str:
    return f"{'; '.join(f'{result}: {means}' for result, means in table.meanings.items())}."


def unusual_options(options: list[Option], values: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each option with an unusual value: “A tie for the win: more CONTROL
    counters win.”"""
    sentences = []
    for option in options:
        value = values.get(option.id, option.default)
        if value != option.usual:
            colon = "" if option.title.endswith("?") else ":"
            sentences.append(f"{option.title.removesuffix('.')}{colon} {option.label(value)}.")
    return sentences


def option_rows(options: list[Option], values: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
    """Return, for each option, its description, its value in words, and whether that is unusual."""
    rows = []
    for option in options:
        value = values.get(option.id, option.default)
        rows.append((option.text, option.label(value), value != option.usual))
    return rows
