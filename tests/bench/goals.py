"""The goals of speed, and what the kept figures say of each (docs/performance.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from . import acknowledge, figures, many, rest, talkative

Found = Mapping[str, Any]
SQLITE, POSTGRESQL = figures.DATABASES


@dataclass(frozen=True)
class Goal:
    """A goal, the file of figures that shows it, and what it shows of a kind of database.

    `{}` in `file` stands for the kind of database; without it, `says` returns "" for a kind that
    is not measured.
    """

    work: str
    goal: str
    file: str
    says: Callable[[Found, str], str]

    def shown(self, found: Callable[[str], Found | None]) -> list[str]:
        """Return a cell for each kind of database, from the figures of a file, None if missing."""
        cells = []
        for database in figures.DATABASES:
            here = found(self.file.format(database))
            cells.append(NOT_MEASURED if here is None else self.says(here, database))
        return cells


NOT_MEASURED = "not measured on this version"


def _costs(found: Found) -> tuple[Mapping[str, float], ...]:
    """Return the costs at the first and the last size, in bare pages, by name."""
    sizes = list(found["costs"].values())
    return tuple(
        {name: cost["ms"] / size[figures.BARE]["ms"] for name, cost in size.items()}
        for size in (sizes[0], sizes[-1])
    )


def _times(*names: str) -> Callable[[Found, str], str]:
    """Return a function for the costs of these works at the last size, in bare pages."""

    def says(found: Found, database: str) -> str:
        return ", ".join(f"{_costs(found)[-1][name]:.1f} ×" for name in names)

    return says


def _beside(one: str, other: str) -> Callable[[Found, str], str]:
    """Return a function for the ratio of a work to another at the last size."""
    return lambda found, database: f"{_costs(found)[-1][one] / _costs(found)[-1][other]:.2f}"


def _grown(*names: str) -> Callable[[Found, str], str]:
    """Return a function for the greatest ratio of the last size to the first, of these works or
    of all; of one size alone there is none."""

    def says(found: Found, database: str) -> str:
        if len(found["costs"]) == 1:
            return NOT_MEASURED
        last: Mapping[str, float] = found["last to first, in bare pages"]
        most = max(names or last, key=lambda name: last[name])
        return f"{last[most]:.2f}" if len(names) == 1 else f"at most {last[most]:.2f} ({most})"

    return says


def _a_minute(letters: bool) -> Callable[[Found, str], str]:
    """Return a function for the games a minute of two workers, and to bare transactions."""

    def says(found: Found, database: str) -> str:
        runs = [
            run
            for run in found["runs"]
            if (run["letters sent"], run["workers"]) == (letters, 2) and database == POSTGRESQL
        ]
        return ", ".join(
            f"{run['games a minute']:,}; {run['games judged to bare transactions']:.3f}"
            for run in runs
        )

    return says


def _migrations(found: Found, database: str) -> str:
    return f"{found['table'][f'migrations-{database}']['seconds']:.1f} s"


def _largest(found: Found, database: str) -> str:
    if database != SQLITE:
        return ""
    pages: Mapping[str, Mapping[str, int]] = found["table"]
    size = max(pages, key=lambda name: pages[name]["bytes"])
    asked = max(pages, key=lambda name: pages[name]["requests"])
    later = sum(page["later, of them static files"] for page in pages.values())
    return (
        f"at most {pages[size]['bytes'] / 1000:.0f} kB ({size}),"
        f" {pages[asked]['requests']} requests ({asked}); later {later}"
    )


TALK = talkative.TALK
GAME = f"{TALK}{talkative.GAME}"
NEWS = f"{TALK}news after a letter"
ORDERS = "acknowledge-{}"
GOALS = (
    Goal(
        "order by mail, obeyed and its answer set",
        "at most 9 bare pages",
        ORDERS,
        _times(f"{TALK}{acknowledge.OBEYED}"),
    ),
    Goal(
        "order page opened and sent",
        "at most 15 bare pages",
        ORDERS,
        _times(f"{TALK}{acknowledge.PAGE}"),
    ),
    Goal("receipt", "at most 8 bare pages", ORDERS, _times(f"{TALK}{acknowledge.RECEIPT}")),
    Goal("game page of a player in turn 6", "at most 13 bare pages", ORDERS, _times(GAME)),
    Goal("the same to 1 past phase", "flat", ORDERS, _beside(GAME, f"{GAME} of 1 past phase")),
    Goal("news after a change, 8 letters", "at most 8 bare pages", ORDERS, _times(NEWS)),
    Goal("100 letters to 8", "flat", ORDERS, _beside(f"{NEWS}, of many letters", NEWS)),
    Goal(
        "report, proof",
        "at most 12 bare pages",
        ORDERS,
        _times(f"{TALK}report", f"{TALK}proof"),
    ),
    Goal("tick with nothing due", "at most 5 bare pages", "rest-{}", _times(rest.TICK)),
    Goal("the same by running games", "flat", "rest-{}", _grown(rest.TICK)),
    Goal("migrations on an empty database", "at most 3 s", "starting", _migrations),
    Goal(
        "attacks, lock to result, no letters, 2 workers",
        "at least 16,500 games a minute, or 0.055 of bare transactions",
        f"storm-{many.ATTACKS}",
        _a_minute(letters=False),
    ),
    Goal(
        "attacks with all letters, 2 workers",
        "at least 4,500 games a minute",
        f"storm-{many.ATTACKS}",
        _a_minute(letters=True),
    ),
    Goal(
        "placements, no letters, 2 workers",
        "at least 40,000 games a minute",
        "storm",
        _a_minute(letters=False),
    ),
    Goal("cost after 100,000 past phases", "at most 1.10", "growth-{}", _grown()),
    Goal("cost with 5,000 running games", "at most 1.10", ORDERS, _grown()),
    Goal(
        "first view of a page; static files of later views",
        "at most 100 kB, 8 requests; 0",
        "views",
        _largest,
    ),
)
