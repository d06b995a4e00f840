"""The printed charts of the game as values (Rules B.1, B.2). `charts.py` reads and checks them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from games.rules import Json

GAME = "ww2-multiplayer"
CONTROL, NORMALISED = KINDS = ("control", "normalised")
PLAYERS_COUNTS = (6, 5, 4)
COLUMN = 25  # every printed column adds up to it, and a blended one may not exceed it (19.2)
LANDED, ABORTED, ELIMINATED = OUTCOMES = ("landed", "aborted", "eliminated")
SEASONS = ("winter", "spring", "summer", "autumn")
ANY, OPERATOR = "any", "operator"  # who may give a grant if the case names no power
#: The kind of grant that gives the permission of a printed case, and its place; "" for any place.
GRANT_CASES = {
    "9.12": ("supply", "North Africa"),
    "9.32": ("supply", "Gibraltar"),
    "9.33": ("supply", "Britain"),
    "10.51, 10.82": ("base", "Britain"),
    "9.42": ("supply", ""),
    "16.31": ("transit", ""),
    "16.24": ("transit", ""),
    "10.35": ("lend_lease", ""),
}
LARGEST = "largest unit"  # the entitlement that is not points but the size of Russian units (10.73)
DUE_KINDS = ("replacement", "reinforcement", LARGEST)
GRANT_KINDS = ("supply", "transit", "base", "lend_lease", "transport")


class Aim(NamedTuple):
    """What a column pays for a country: for control, or for no hostile forces there."""

    kind: str
    points: int

    def __str__(self) -> str:
        """ "C3" or "N2", as the chart prints it."""
        return f"{'C' if self.kind == CONTROL else 'N'}{self.points}"


class Row(NamedTuple):
    """A row of the intervention table: both dice in these ranges, ends included, mean `entry`."""

    turn: int
    first: tuple[int, int]
    second: tuple[int, int]
    entry: int


class Special(NamedTuple):
    """A row used on the turn of a German invasion; entry is `delay` turns after the roll."""

    country: str
    first: tuple[int, int]
    second: tuple[int, int]
    delay: int


@dataclass(frozen=True)
class Intervention:
    rows: tuple[Row, ...]
    specials: tuple[Special, ...]
    automatic: int
    track_start: int
    overflow: Mapping[str, int]
    amphibious_lost: int
    roller: str


@dataclass(frozen=True)
class Minors:
    pro_axis: tuple[str, ...]
    self_defence: tuple[str, ...]
    ally: Mapping[str, str]
    balkans: tuple[str, ...]
    halves: str  # the country whose invasion or destruction halves the German rate (12.1)
    bars_sea: str  # the country that bars sea transport until it is invaded (12.4)
    expedition: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class DueEntitlement:
    """An entitlement as printed. If `points` is 0, the base game's track gives the number."""

    case: str
    power: str
    kind: str
    points: int
    every: str
    season: str
    place: str
    lapses: bool
    steps: tuple[int, ...] = ()


@dataclass(frozen=True)
class Permission:
    """What one power may allow another, in games of `players` players."""

    case: str
    by: str
    what: str
    players: tuple[int, ...]


@dataclass(frozen=True)
class Card:
    name: str
    title: str
    provenance: str
    note: str
    turns: int
    order: tuple[str, ...]
    areas: tuple[str, ...]
    inferred: tuple[str, ...]
    player_turns: Mapping[int, tuple[tuple[str, ...], ...]]
    hands: Mapping[int, tuple[tuple[str, str], ...]]
    first_quarter: int
    first_year: int
    quarters: int
    seasons: Mapping[str, tuple[str, ...]]
    objectives: Mapping[str, Mapping[str, Aim]]
    victory: Json
    us: Intervention
    operators: Mapping[int, Mapping[str, tuple[str, ...]]]
    minors: Minors
    mediterranean: Mapping[int, str]
    transport: Json
    entitlements: tuple[DueEntitlement, ...]
    grants: tuple[Permission, ...]
    switches: Json
    prewar: Mapping[str, str]  # country to its holder
    #: The phases of a Player-Turn by the gamesmaster's own copy of the base game.
    checklist: tuple[str, ...] = ()

    def aim(self, power: str, country: str) -> Aim | None:
        return self.objectives.get(power, {}).get(country)

    @property
    def us_power(self) -> str:
        """The power that enters late (18.0)."""
        return "USA"
