"""The position of a campaign (Rules B.8) and its JSON form: frozen values, nothing of a map.

What a position holds is what later phases need; what happened and why stands in the events of the
record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from .. import REFEREE_SEAT, Json, RulesError
from .card import Card

DIPLOMACY, ORDERS, COUNT, OVER = "diplomacy", "orders", "count", "over"
REFEREE, DICE = "referee", "dice"
BATCHED = "batched"  # spi.flow
#: Under this name the gamesmaster's sheets stand among the orders of a phase. No power can have it.
SHEET = REFEREE_SEAT
ATTACKED, CROSSED = "attacked", "crossed"
NOBODY = ""  # no power at all: nobody controls, the gamesmaster operates


@dataclass(frozen=True)
class Force:
    """Strength Points of a power in a country, and how many of them are in supply."""

    sp: int
    supplied: int


@dataclass(frozen=True)
class Invasion:
    turn: int
    power: str


@dataclass(frozen=True)
class Country:
    """What the gamesmaster has told of one of the 31 rows of the chart.

    `cleared`: power to how many invasions there had been when it had driven out all hostile forces;
    a later one undoes it. `held` are the resource centres that a power holds. `controller` and
    `operator` are rulings: None where there is none, "" for nobody.
    """

    invasions: tuple[Invasion, ...] = ()
    destroyed_by: str | None = None
    forces: Mapping[str, Force] = field(default_factory=dict)
    swept: tuple[str, ...] = ()
    cleared: Mapping[str, int] = field(default_factory=dict)
    hexes: int | None = None
    hexes_hostile: int | None = None
    centres: int | None = None
    held: Mapping[str, int] = field(default_factory=dict)
    controller: str | None = None
    operator: str | None = None

    def invaded_by(self, power: str) -> bool:
        return any(one.power == power for one in self.invasions)


@dataclass(frozen=True)
class Hostility:
    """A flag per power and country (B.3): raised by an invasion or a fight, cleared by a peace."""

    power: str
    country: str
    since: int
    cause: str


@dataclass(frozen=True)
class Alliance:
    """Between two players, named by the powers that their seats are of, in card order."""

    a: str
    b: str
    since: int


@dataclass(frozen=True)
class Offer:
    """One side's word for what needs both: "alliance" or "peace". `by` is a power, or a minor
    country whose operator speaks for it."""

    by: str
    to: str
    kind: str
    turn: int


@dataclass(frozen=True)
class Grant:
    by: str
    to: str
    kind: str
    place: str
    since: int


@dataclass(frozen=True)
class Entitlement:
    """Points due. `expires`: the last turn on which they may be taken; None: they do not lapse."""

    number: int
    turn: int
    power: str
    kind: str
    points: int
    place: str
    expires: int | None
    case: str
    used: int = 0

    @property
    def left(self) -> int:
        return self.points - self.used


@dataclass(frozen=True)
class Use:
    """Sea transport used on a turn: points of an owner, and for whom."""

    turn: int
    owner: str
    kind: str  # "naval", "amphibious"
    points: int
    by: str


@dataclass(frozen=True)
class Ruled:
    """What the gamesmaster said of an order line: done, changed or void; `sp` where a change says
    how many Strength Points."""

    power: str
    line: int
    ruling: str
    sp: int | None = None


@dataclass(frozen=True)
class Request:
    """Dice that are owed (`dice.py`). `about`: what they decide; `rolled`: thrown so far."""

    purpose: str  # "die", "contest", "mediterranean", "us_entry", "us_special", "ahead"
    owner: str
    number: int
    about: Json
    rolled: tuple[int, ...] = ()


@dataclass(frozen=True)
class Ahead:
    """Dice drawn before the reports that use them (`spi.dice_ahead`), in their order, and how many
    are used."""

    dice: tuple[int, ...] = ()
    used: int = 0

    @property
    def left(self) -> tuple[int, ...]:
        return self.dice[self.used :]


@dataclass(frozen=True)
class American:
    """How the USA stands (18): successes as turn and entry, German invasions already rolled for,
    and the turn of entry."""

    entry: int | None = None
    rolled_for: tuple[str, ...] = ()


@dataclass(frozen=True)
class Flags:
    """What the gamesmaster has said once: Italy at war (16.6), a Limited or Full War (10.73),
    Italians in supply in Africa (6.53), the German rate halved for good (12.1), powers that fail
    the garrison rule (14.4).

    As printed (`spi.reading`): countries that the Axis has attacked (16.31), whether a Finn has
    been attacked or the Finnish border crossed (16.41, 16.42), the last Game-Turn whose Russian
    resources have been computed (4.2).
    """

    italy: bool = False
    war_level: bool = False
    africa: bool = False
    halved: bool = False
    garrison_failed: tuple[str, ...] = ()
    axis_attacked: tuple[str, ...] = ()
    finland: str = ""  # "", ATTACKED or CROSSED
    resources: int = 0


@dataclass(frozen=True)
class State:
    card: Card
    options: Mapping[str, Any]
    seats: tuple[str, ...]  # the powers that people play, in card order
    turn: int
    # DIPLOMACY, ORDERS, REFEREE, DICE, COUNT, OVER; what it is called in the record says
    # `flow.kind`
    step: str
    mover: int = 0  # which Player-Turn of the Game-Turn
    sheets: int = 1  # the sheet of that Player-Turn that is due
    throws: int = 0  # dice phases of this Game-Turn so far
    ended: bool = False  # the Player-Turn is over but for the dice that it asked for
    countries: Mapping[str, Country] = field(default_factory=dict)
    hostile: tuple[Hostility, ...] = ()
    alliances: tuple[Alliance, ...] = ()
    offers: tuple[Offer, ...] = ()
    grants: tuple[Grant, ...] = ()
    declared: tuple[tuple[str, str], ...] = ()  # power, and on whom
    med: tuple[str, ...] | None = None  # against whom Italy invokes 6.53; None: nothing said
    us: American = field(default_factory=American)
    flags: Flags = field(default_factory=Flags)
    #: Turn to naval and amphibious points of the Allies.
    tracks: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    uses: tuple[Use, ...] = ()
    entitlements: tuple[Entitlement, ...] = ()
    #: Texts of this Game-Turn whose lines wait for the gamesmaster.
    orders: Mapping[str, str] = field(default_factory=dict)
    ruled: tuple[Ruled, ...] = ()
    owed: tuple[Request, ...] = ()
    ahead: Ahead = field(default_factory=Ahead)
    #: Sealed: seat to countries and whose entry.
    columns: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    sealed: bool = False  # set by `view`: columns that are not the reader's own are left out
    scores_hidden: bool = False  # set by `view` under spi.standings = gm_only
    points: Mapping[str, int] = field(default_factory=dict)  # by rulings of the gamesmaster

    @property
    def printed(self) -> bool:
        """Whether doubtful cases go as printed (`spi.reading`)."""
        return bool(self.options["spi.reading"] == "printed")

    @property
    def version(self) -> int:
        """4, 5 or 6 players."""
        return len(self.seats)

    @property
    def last_turn(self) -> int:
        return min(self.card.turns, self.options["spi.last_turn"] or self.card.turns)

    @cached_property
    def flags_up(self) -> frozenset[tuple[str, str]]:
        """The hostilities as pairs of power and country: asked for again and again."""
        return frozenset((one.power, one.country) for one in self.hostile)

    def country(self, name: str) -> Country:
        return self.countries.get(name, _NOTHING_TOLD)

    def put(self, name: str, **changes: Any) -> State:
        """The state with something of a country changed."""
        return replace(
            self, countries={**self.countries, name: replace(self.country(name), **changes)}
        )


_NOTHING_TOLD = Country()


# --- JSON ---


def dump(state: State) -> Json:
    """Everything but card and options. Tables are dumped whole, so that a key that is not there is
    a fault of the document."""
    return {
        "turn": state.turn,
        "step": state.step,
        "mover": state.mover,
        "sheets": state.sheets,
        "throws": state.throws,
        "ended": state.ended,
        "seats": list(state.seats),
        "countries": {
            name: _country_json(state.countries[name])
            for name in state.card.areas
            if name in state.countries
        },
        "hostile": [asdict(one) for one in state.hostile],
        "alliances": [asdict(one) for one in state.alliances],
        "offers": [asdict(one) for one in state.offers],
        "grants": [asdict(one) for one in state.grants],
        "declared": [list(pair) for pair in state.declared],
        "med": None if state.med is None else list(state.med),
        "us": {"entry": state.us.entry, "rolled_for": list(state.us.rolled_for)},
        "flags": _flags_json(state.flags),
        "tracks": {str(turn): list(points) for turn, points in sorted(state.tracks.items())},
        "uses": [asdict(one) for one in state.uses],
        "entitlements": [asdict(one) for one in state.entitlements],
        "orders": {
            power: state.orders[power] for power in state.card.order if power in state.orders
        },
        "ruled": [asdict(one) for one in state.ruled],
        "owed": [{**asdict(one), "rolled": list(one.rolled)} for one in state.owed],
        "columns": {
            seat: [list(pair) for pair in state.columns[seat]]
            for seat in state.card.order
            if seat in state.columns
        },
        **(
            {"ahead": {"dice": list(state.ahead.dice), "used": state.ahead.used}}
            if state.ahead.dice
            else {}
        ),
        **({"sealed": True} if state.sealed else {}),
        **({"scores_hidden": True} if state.scores_hidden else {}),
        **(
            {
                "points": {
                    seat: state.points[seat] for seat in state.card.order if state.points.get(seat)
                }
            }
            if state.points
            else {}
        ),
    }


def load(card: Card, options: Mapping[str, Any], position: Json) -> State:
    """Load a position. Raises `RulesError` where something is missing or malformed."""
    try:
        return State(
            card,
            options,
            tuple(position["seats"]),
            position["turn"],
            position["step"],
            mover=position["mover"],
            sheets=position["sheets"],
            throws=position["throws"],
            ended=position["ended"],
            countries={name: _country(tree) for name, tree in position["countries"].items()},
            hostile=tuple(Hostility(**row) for row in position["hostile"]),
            alliances=tuple(Alliance(**row) for row in position["alliances"]),
            offers=tuple(Offer(**row) for row in position["offers"]),
            grants=tuple(Grant(**row) for row in position["grants"]),
            declared=tuple((by, on) for by, on in position["declared"]),
            med=None if position["med"] is None else tuple(position["med"]),
            us=American(position["us"]["entry"], tuple(position["us"]["rolled_for"])),
            flags=Flags(
                **{
                    **position["flags"],
                    "garrison_failed": tuple(position["flags"]["garrison_failed"]),
                    "axis_attacked": tuple(position["flags"].get("axis_attacked", ())),
                }
            ),
            tracks={
                int(turn): (naval, amphibious)
                for turn, (naval, amphibious) in position["tracks"].items()
            },
            uses=tuple(Use(**row) for row in position["uses"]),
            entitlements=tuple(Entitlement(**row) for row in position["entitlements"]),
            orders=dict(position["orders"]),
            ruled=tuple(Ruled(**row) for row in position["ruled"]),
            owed=tuple(
                Request(**{**row, "rolled": tuple(row["rolled"])}) for row in position["owed"]
            ),
            columns={
                seat: tuple((country, power) for country, power in rows)
                for seat, rows in position["columns"].items()
            },
            ahead=_ahead(position.get("ahead", {"dice": (), "used": 0})),
            sealed=position.get("sealed", False),
            scores_hidden=position.get("scores_hidden", False),
            points=dict(position.get("points", {})),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RulesError(f"this position is incomplete: {error}") from error


def _ahead(tree: Json) -> Ahead:
    return Ahead(tuple(tree["dice"]), tree["used"])


def _flags_json(flags: Flags) -> Json:
    """Leave out what has not come about as printed: positions of the earlier reading have none of
    it."""
    tree = asdict(flags)
    tree["garrison_failed"] = list(flags.garrison_failed)
    later = {
        "axis_attacked": list(flags.axis_attacked),
        "finland": flags.finland,
        "resources": flags.resources,
    }
    kept = {key: value for key, value in tree.items() if key not in later}
    return {**kept, **{key: value for key, value in later.items() if value}}


def _country_json(country: Country) -> Json:
    tree = asdict(country)
    tree["invasions"] = [asdict(one) for one in country.invasions]
    tree["swept"] = list(country.swept)
    return tree


def _country(tree: Json) -> Country:
    return Country(**{
        **tree,
        "invasions": tuple(Invasion(**row) for row in tree["invasions"]),
        "forces": {power: Force(**row) for power, row in tree["forces"].items()},
        "swept": tuple(tree["swept"]),
    })  # fmt: skip
