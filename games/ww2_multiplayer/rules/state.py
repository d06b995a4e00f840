"""The position of a campaign (Rules B.8) and its JSON form: frozen values, without a map.

A position holds what later phases need. The events in the record say what happened and why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from games.rules import Json, RulesError

from .card import Card

DIPLOMACY, ORDERS, COUNT, OVER = "diplomacy", "orders", "count", "over"
REFEREE, DICE = "referee", "dice"
BATCHED = "batched"  # spi.flow
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
    """What the gamesmaster has reported about one of the 31 rows of the chart.

    `cleared`: power to the number of invasions at the time when it had driven out all hostile
    forces; a later invasion undoes it. `held`: the resource centers that each power holds.
    `controller` and `operator` are rulings: None if there is none, "" for nobody.
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

    def is_invaded_by(self, power: str) -> bool:
        return any(invasion.power == power for invasion in self.invasions)


@dataclass(frozen=True)
class Hostility:
    """A flag for power and country (B.3): raised by an invasion or a fight, lowered by a peace."""

    power: str
    country: str
    since: int
    cause: str


@dataclass(frozen=True)
class Alliance:
    """An alliance of two players, each named by the power of their seat, in card order."""

    a: str
    b: str
    since: int


@dataclass(frozen=True)
class Offer:
    """One side's offer of an "alliance" or "peace", which needs both sides.

    `by` is a power, or a minor country for which its operator speaks.
    """

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
    """Points due.

    `expires` is the last turn on which they may be taken; None if they do not lapse.
    """

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
class TransportUse:
    """Sea transport used on a turn: the owner's points, and for whom."""

    turn: int
    owner: str
    kind: str  # "naval", "amphibious"
    points: int
    by: str


@dataclass(frozen=True)
class LineRuling:
    """The gamesmaster's ruling on an order line: done, changed or void.

    `sp` is the number of Strength Points if a change gives one.
    """

    power: str
    line: int
    ruling: str
    sp: int | None = None


@dataclass(frozen=True)
class Request:
    """Dice that are owed (`dice.py`).

    `about` says what they decide; `rolled` has those thrown so far.
    """

    purpose: str  # "die", "contest", "mediterranean", "us_entry", "us_special", "ahead"
    owner: str
    number: int
    about: Json
    rolled: tuple[int, ...] = ()


@dataclass(frozen=True)
class AheadDice:
    """Dice drawn before the reports that use them (`spi.dice_ahead`), in order.

    `used`: how many of them are used.
    """

    dice: tuple[int, ...] = ()
    used: int = 0

    @property
    def left(self) -> tuple[int, ...]:
        return self.dice[self.used :]


@dataclass(frozen=True)
class American:
    """The USA's entry (18): the turn of entry, and German invasions already rolled for."""

    entry: int | None = None
    rolled_for: tuple[str, ...] = ()


@dataclass(frozen=True)
class Flags:
    """Facts that the gamesmaster reports once.

    Italy at war (16.6), a Limited or Full War (10.73), Italians in supply in Africa (6.53), the
    German rate halved for good (12.1), powers that fail the garrison rule (14.4).

    Only as printed (`spi.reading`): countries that the Axis has attacked (16.31), whether a Finn
    has been attacked or the Finnish border crossed (16.41, 16.42), the last Game-Turn whose Russian
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
    # DIPLOMACY, ORDERS, REFEREE, DICE, COUNT, OVER; `flow.kind` gives the name in the record
    step: str
    mover: int = 0  # which Player-Turn of the Game-Turn
    report_number: int = 1  # number of the report due in this Player-Turn
    throws: int = 0  # dice phases of this Game-Turn so far
    ended: bool = False  # the Player-Turn is over except for the dice that it requested
    countries: Mapping[str, Country] = field(default_factory=dict)
    hostile: tuple[Hostility, ...] = ()
    alliances: tuple[Alliance, ...] = ()
    offers: tuple[Offer, ...] = ()
    grants: tuple[Grant, ...] = ()
    declared: tuple[tuple[str, str], ...] = ()  # power, and on whom
    med: tuple[str, ...] | None = None  # powers against which Italy invokes 6.53; None: unsaid
    us: American = field(default_factory=American)
    flags: Flags = field(default_factory=Flags)
    #: Turn to naval and amphibious points of the Allies.
    tracks: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    uses: tuple[TransportUse, ...] = ()
    entitlements: tuple[Entitlement, ...] = ()
    #: Order texts of this Game-Turn for the gamesmaster to rule on.
    orders: Mapping[str, str] = field(default_factory=dict)
    ruled: tuple[LineRuling, ...] = ()
    owed: tuple[Request, ...] = ()
    ahead: AheadDice = field(default_factory=AheadDice)
    #: Sealed columns: seat to countries, each with the power whose entry it is.
    columns: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    sealed: bool = False  # set by `view`: columns that are not the reader's own are left out
    scores_hidden: bool = False  # set by `view` under spi.standings = gm_only
    points: Mapping[str, int] = field(default_factory=dict)  # by rulings of the gamesmaster

    @property
    def printed(self) -> bool:
        """Whether doubtful cases go as printed (`spi.reading`)."""
        return bool(self.options["spi.reading"] == "printed")

    @property
    def players_count(self) -> int:
        """4, 5 or 6."""
        return len(self.seats)

    @property
    def last_turn(self) -> int:
        return min(self.card.turns, self.options["spi.last_turn"] or self.card.turns)

    @cached_property
    def flags_up(self) -> frozenset[tuple[str, str]]:
        """The hostilities as pairs of power and country.

        Cached because they are looked up often.
        """
        return frozenset((flag.power, flag.country) for flag in self.hostile)

    def country(self, name: str) -> Country:
        return self.countries.get(name, _NOTHING_TOLD)

    def change_country(self, name: str, **changes: Any) -> State:
        """Return the state with fields of a country changed."""
        return replace(
            self, countries={**self.countries, name: replace(self.country(name), **changes)}
        )


_NOTHING_TOLD = Country()


# --- JSON ---


def dump(state: State) -> Json:
    """Return everything except card and options as JSON.

    Tables are dumped whole, so a missing key is an error of the document.
    """
    return {
        "turn": state.turn,
        "step": state.step,
        "mover": state.mover,
        "reports": state.report_number,
        "throws": state.throws,
        "ended": state.ended,
        "seats": list(state.seats),
        "countries": {
            name: _country_json(state.countries[name])
            for name in state.card.areas
            if name in state.countries
        },
        "hostile": [asdict(row) for row in state.hostile],
        "alliances": [asdict(row) for row in state.alliances],
        "offers": [asdict(row) for row in state.offers],
        "grants": [asdict(row) for row in state.grants],
        "declared": [list(pair) for pair in state.declared],
        "med": None if state.med is None else list(state.med),
        "us": {"entry": state.us.entry, "rolled_for": list(state.us.rolled_for)},
        "flags": _flags_json(state.flags),
        "tracks": {str(turn): list(points) for turn, points in sorted(state.tracks.items())},
        "uses": [asdict(row) for row in state.uses],
        "entitlements": [asdict(row) for row in state.entitlements],
        "orders": {
            power: state.orders[power] for power in state.card.order if power in state.orders
        },
        "ruled": [asdict(row) for row in state.ruled],
        "owed": [{**asdict(row), "rolled": list(row.rolled)} for row in state.owed],
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
    """Load a position. Raise `RulesError` if it is incomplete or malformed."""
    try:
        return State(
            card,
            options,
            tuple(position["seats"]),
            position["turn"],
            position["step"],
            mover=position["mover"],
            report_number=position["reports"],
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
            uses=tuple(TransportUse(**row) for row in position["uses"]),
            entitlements=tuple(Entitlement(**row) for row in position["entitlements"]),
            orders=dict(position["orders"]),
            ruled=tuple(LineRuling(**row) for row in position["ruled"]),
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


def _ahead(tree: Json) -> AheadDice:
    return AheadDice(tuple(tree["dice"]), tree["used"])


def _flags_json(flags: Flags) -> Json:
    """Leave out the flags of the printed reading that are unset.

    Positions of the earlier reading do not have them.
    """
    tree = asdict(flags)
    tree["garrison_failed"] = list(flags.garrison_failed)
    printed_only = {
        "axis_attacked": list(flags.axis_attacked),
        "finland": flags.finland,
        "resources": flags.resources,
    }
    always = {key: value for key, value in tree.items() if key not in printed_only}
    return {**always, **{key: value for key, value in printed_only.items() if value}}


def _country_json(country: Country) -> Json:
    tree = asdict(country)
    tree["invasions"] = [asdict(invasion) for invasion in country.invasions]
    tree["swept"] = list(country.swept)
    return tree


def _country(tree: Json) -> Country:
    return Country(**{
        **tree,
        "invasions": tuple(Invasion(**row) for row in tree["invasions"]),
        "forces": {power: Force(**row) for power, row in tree["forces"].items()},
        "swept": tuple(tree["swept"]),
    })  # fmt: skip
