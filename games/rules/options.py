"""All options of Rules O in one typed table: id, values with the default first, and what each
decides in one sentence.

Options are fixed when a game is opened, shown in its first report and never changed after. What the
service does not offer yet stands here all the same, so that records and situations that say so are
understood; `not_yet` marks it.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from . import RulesError, pairs
from .contract import Ruleset
from .digits import beacon_number
from .markets import MARKETS, Market, market_of
from .orders import is_stock

RESERVES_AT_LEAST = 20

# Large American companies that trade in great numbers every day: the reserve list of a game on New
# York unless the gamesmaster gives one.
LIQUID_STOCKS: tuple[str, ...] = (
    "AA",
    "BA",
    "GE",
    "F",
    "T",
    "XOM",
    "CVX",
    "IBM",
    "KO",
    "PFE",
    "MRK",
    "JNJ",
    "PG",
    "DIS",
    "CAT",
    "MCD",
    "WMT",
    "HD",
    "JPM",
    "BAC",
    "C",
    "WFC",
    "INTC",
    "CSCO",
    "MSFT",
    "AAPL",
    "ORCL",
    "VZ",
    "GM",
    "DE",
)


@dataclass(frozen=True)
class Option:
    """One option. A choice has `values`; a whole number, a list of symbols or of pairs of nations
    has none, only its default."""

    id: str
    text: str
    values: tuple[str, ...] = ()
    default: Any = None
    kind: str = "choice"  # "choice", "whole", "symbols", "pairs"
    not_yet: tuple[str, ...] = field(default=())
    ready: bool = (
        True  # False: the game that it belongs to, or all but its default, is not offered yet
    )
    added: bool = False  # not in Rules O: records from before it leave it out

    @property
    def offered(self) -> bool:
        """Whether a gamesmaster may set it to anything but the default now."""
        return self.ready and (self.kind != "choice" or len(self.choosable) > 1)

    @property
    def choosable(self) -> tuple[str, ...]:
        """The values that a gamesmaster may choose from now."""
        return tuple(
            value
            for value in self.values
            if value == self.default or (self.ready and value not in self.not_yet)
        )

    def check(self, value: object) -> Any:
        """The value in its one proper form. Raises `RulesError` naming the id."""
        if self.kind == "whole":
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise RulesError(f"{self.id} must be a whole number of 0 or more")
            return value
        if self.kind == "symbols":
            return self._symbols(value)
        if self.kind == "pairs":
            return self._pairs(value)
        # Of "2" and "3" some writer of JSON will make 2 and 3: the number is as clear as the word.
        said = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if not isinstance(said, str) or said not in self.values:
            raise RulesError(f"{self.id} must be one of {', '.join(self.values)}")
        return said

    def _symbols(self, value: object) -> list[str]:
        if not isinstance(value, list | tuple) or not all(
            isinstance(symbol, str) for symbol in value
        ):
            raise RulesError(f"{self.id} must be a list of stock symbols")
        symbols = list(dict.fromkeys(symbol.upper() for symbol in value))
        if symbols and len(symbols) < RESERVES_AT_LEAST:
            raise RulesError(
                f"{self.id} must have {RESERVES_AT_LEAST} different symbols or more, and has"
                f" {len(symbols)}"
            )
        return symbols

    def _pairs(self, value: object) -> str:
        """Pairs of nations in one spelling. Whether the card has such nations, whoever sets the
        game up finds out."""
        if not isinstance(value, str):
            raise RulesError(f"{self.id} must be text, such as Britain+France")
        try:
            return pairs.written(pairs.read(value))
        except RulesError as error:
            raise RulesError(f"{self.id}: {error}") from error


def _choice(
    id: str, values: str, text: str, not_yet: str = "", ready: bool = True, added: bool = False
) -> Option:
    listed = tuple(values.split())
    return Option(
        id, text, listed, listed[0], not_yet=tuple(not_yet.split()), ready=ready, added=added
    )


def _whole(id: str, default: int, text: str, ready: bool = True, added: bool = False) -> Option:
    return Option(id, text, default=default, kind="whole", ready=ready, added=added)


_COMMON = (
    _choice(
        "rng.source",
        "stocks gm_dice commit_reveal",
        "Digits come from stock sales, from the gamesmaster's own dice, or from a seed whose hash"
        " is published beforehand.",
    ),
    _choice(
        "rng.quote_session",
        "first_session_after_lock deadline_day",
        "Sales are those of the first session that opens after the orders lock, or of the deadline"
        " day itself.",
    ),
    _choice(
        "rng.settle",
        "agreed_readings first_reading",
        "A figure counts when two readings some hours apart agree, or the first reading after the"
        " close counts.",
    ),
    _choice(
        "rng.stock_choice",
        "free list_only",
        "Players may name any stock, or only those on the published reserve list.",
    ),
    Option(
        "rng.reserve_list",
        "The published reserve list, read from the top where an order's own stocks give no digit.",
        default=(),
        kind="symbols",
    ),
    _choice(
        "rng.no_stock",
        "next_on_list attack_void",
        "An attack without a usable stock takes the next reserve, or is void.",
    ),
    _choice(
        "rng.duplicate_stock",
        "reserve_within_nation allow reserve_always",
        "A stock on an earlier line of the same nation is passed over, or counts again, or is"
        " passed over whoever named it.",
    ),
    _choice(
        "rng.d6",
        "reject two_digit full_mod",
        "A die is the first digit from 1 to 6, or comes from two digits, or from the remainder of"
        " the whole figure.",
    ),
    _choice(
        "rng.market",
        " ".join(MARKETS),
        "The exchange whose sessions, time zone and symbols decide: New York unless the gamesmaster"
        " chooses another.",
        added=True,
    ),
    _whole(
        "rng.floor",
        10_000,
        "A stock has no usable report with fewer shares sold in the session; 0: no floor.",
        added=True,
    ),
    _whole(
        "rng.floor_median",
        100_000,
        "A stock has no usable report with a lower median of shares over the 20 sessions before; 0:"
        " no floor.",
        added=True,
    ),
    _choice(
        "orders.amend",
        "replace_all merge_lines",
        "New orders replace the earlier ones, or only the lines about the same thing.",
    ),
    _whole("orders.grace_hours", 0, "Hours after the deadline in which orders are still taken."),
    _choice(
        "orders.standing",
        "yes no",
        "Standing wishes are kept from turn to turn, or count only in the turn they are sent.",
    ),
    _whole(
        "seat.nmr_limit",
        2,
        "After so many phases without orders running, the seat is reported vacant.",
    ),
)

_WWI = (
    _choice(
        "wwi.phasing",
        "two_phase one_deadline sequential",
        "A turn has a deadline for placing and one for attacks, or one for both together, or one"
        " for each nation in turn.",
    ),
    _choice("wwi.seating", "choice random", "Players choose their nations, or draw them."),
    _choice(
        "wwi.pairing",
        "agreed random",
        "With fewer than five players it is agreed which nations one person plays together, or"
        " drawn.",
    ),
    _choice(
        "wwi.alliance_test",
        "ge gt",
        "An alliance wins if it has at least as many points as all others together, or only if it"
        " has more.",
    ),
    _choice(
        "wwi.failed_alliance",
        "unallied all_five",
        "Where no alliance wins, the best nation outside the alliances wins, or the best of all"
        " five.",
    ),
    _choice(
        "wwi.alliance_withdrawal",
        "never allowed",
        "An alliance is for good, or a nation may leave it by its orders; one made before the game"
        " is for good in any case.",
    ),
    _choice("wwi.attack_ally", "allowed forbidden", "Allies may attack each other, or may not."),
    _choice(
        "wwi.alliance_secrecy",
        "public until_end",
        "An alliance is published with the report on the phase in which it is made, or known to its"
        " members alone until the end.",
    ),
    _choice(
        "wwi.alliance_deadline",
        "last_orders turn9",
        "Alliances may be made up to the last orders of the game, or not in its last turn any"
        " more.",
    ),
    _choice("wwi.unplaced", "home lost", "PFs that a nation does not place go home, or are lost."),
    _choice(
        "wwi.overplaced",
        "trim reject_all",
        "Lines that ask for more PFs than a nation has, or than may go into an area, get what is"
        " left, or none of its lines counts.",
    ),
    _choice(
        "wwi.bonus_areas",
        "all13 without_regions",
        "For the bonuses of France and Germany treaty rights in the Far East and in Africa count as"
        " all others, or do not count.",
    ),
    _choice(
        "wwi.bonus_time",
        "end ever",
        "For the bonuses of France and Germany treaty rights count that stand at the end, or any"
        " that stood at any time.",
    ),
    _choice(
        "wwi.britain_test",
        "final objectives_only",
        "Britain's bonus looks at the others' points with their bonuses, or at those of their"
        " objectives alone.",
    ),
    _choice(
        "wwi.nmr",
        "home lost repeat_last",
        "Without orders a nation's PFs go home, or are lost, or it places again as it did last.",
    ),
    Option(
        "wwi.premade",
        "Nations that one person plays together, allied from the beginning and for good: the names"
        " of the pairs.",
        default="",
        kind="pairs",
        added=True,
    ),
)

_SPI = (
    _choice(
        "spi.flow",
        "batched sequential",
        "Orders for a Game-Turn are due from everybody at once, or Player-Turn by Player-Turn.",
    ),
    _whole(
        "spi.last_turn", 23, "The last Game-Turn of the campaign; 23 is the second quarter of 1945."
    ),
    _choice(
        "spi.seasons", "winter1 spring1", "The first quarter of a year is winter, or it is spring."
    ),
    _whole(
        "spi.diplomacy_days",
        14,
        "Days of diplomacy before the orders of a Game-Turn, twice as many before the first; with 0"
        " its end is a deadline like others.",
    ),
    _choice(
        "spi.declaration",
        "press_only required_before_attack",
        "A declaration of war is a letter like any other, or an attack without one is told to the"
        " gamesmaster.",
    ),
    _choice(
        "spi.pre_entry_us_share",
        "idle british",
        "Until the USA is at war its half of the Allied sea transport lies idle, or is Britain's"
        " too.",
    ),
    _choice(
        "spi.british_replacement",
        "spring any_turn",
        "Britain's yearly replacement point falls due in spring, or with the first turn of the"
        " year.",
    ),
    _choice("spi.half_rounding", "down up", "Half of the German rate is rounded down or up."),
    _choice(
        "spi.invader_unit",
        "player power",
        "Of two powers in one hand an invasion by either is the player's, or that power's alone.",
    ),
    _choice(
        "spi.us_entry",
        "variable base_schedule",
        "The USA enters when the dice say so, or when the gamesmaster says so by the base game's"
        " schedule.",
    ),
    _choice(
        "spi.us_dice",
        "ordered either_order",
        "The two dice of American intervention are read in order, or in either order.",
    ),
    _choice(
        "spi.us_special",
        "in_addition instead",
        "A German invasion has its throw beside that of the turn, or in its place.",
    ),
    _choice(
        "spi.us_trigger_units",
        "german_only german_player",
        "American intervention looks at invasions by German units, or by any units of the German"
        " player.",
    ),
    _choice(
        "spi.allied",
        "registered nonhostile",
        "Allies are those who have registered it, or all who are not hostile to each other.",
    ),
    _choice(
        "spi.blend",
        "choose_one any_mix",
        "A column made of two takes one printed entry a country, or may take both.",
    ),
    _choice(
        "spi.standings",
        "public gm_only",
        "Standings are shown to everybody, or to the gamesmaster alone until the end.",
    ),
    _choice(
        "spi.tie",
        "shared fewest_own_hexes_lost",
        "A tie is shared, or goes to whoever has lost fewest hexes of his own.",
    ),
)

_WW2 = (
    _choice(
        "ow2.placement",
        "simultaneous ordered",
        "All place at one deadline, or nation by nation with five deadlines a turn.",
    ),
    _choice(
        "ow2.unplaced",
        "home forfeit gm_places",
        "PFs that a nation with orders did not place go home, are forfeited, or are placed by the"
        " gamesmaster.",
    ),
    _choice(
        "ow2.overplaced",
        "trim reject_all",
        "Too many PFs: lines count as written until they are used up, or none counts.",
    ),
    _choice(
        "ow2.nmr_placement",
        "home forfeit repeat_last",
        "A silent nation's new PFs go home, are forfeited, or go where its last placement sent"
        " them.",
    ),
    _choice(
        "ow2.resolution",
        "ordered frozen_odds",
        "Losses count before the next attack, or all attacks are judged on the board as published.",
    ),
    _choice(
        "ow2.home_first",
        "auto as_written",
        "A nation's attack in its own home area comes first, or its lines count as written.",
    ),
    _choice(
        "ow2.sub_1_1",
        "void attacker_removed",
        "An attack that has come below 1-1 is void, or costs the attacker all he has there.",
    ),
    _choice(
        "ow2.absent_target",
        "drop void",
        "A target that is gone or immune is left out, or makes the whole list void.",
    ),
    _choice(
        "ow2.conditionals",
        "else_and_min none",
        "Attacks may carry ELSE and MIN, or these are ignored.",
    ),
    _choice(
        "ow2.x_attacker_loss",
        "equal all",
        "In an exchange the attacker loses as much as his targets, or everything.",
    ),
    _choice(
        "ow2.u_loss",
        "pf_first u_first owner_says",
        "A partial loss takes plain PFs first, or the Understanding first, or what the owner says"
        " (plain PFs where he says nothing).",
    ),
    _choice(
        "ow2.failed_home",
        "no_more_attacks only_that_nation",
        "A home attack that leaves an Understanding standing ends the nation's attacks of the turn,"
        " or only its owner stays immune.",
    ),
    _choice(
        "ow2.immunity_ends",
        "counter_gone only_by_host",
        "Immunity ends when the Understanding is gone, or in that turn only where the host nation"
        " itself destroyed it.",
    ),
    _choice(
        "ow2.share_consent",
        "named_pair both_asked_control",
        "CONTROL is shared by nations that name each other, or by any two who both asked for it.",
    ),
    _choice("ow2.share_max", "2 3", "CONTROL is shared by two nations at most, or by three."),
    _choice(
        "ow2.u_counts_for_control",
        "yes no",
        "The own Understanding counts as 5 PFs towards CONTROL, or does not.",
    ),
    _choice(
        "ow2.auto_counters",
        "no understanding_when_possible",
        "A silent nation places no counters, or every Understanding that it may.",
    ),
    _choice(
        "ow2.nu_broken_by",
        "card_note understanding understanding_or_control",
        "“No Understanding” is broken as the card says, by an Understanding, or by an Understanding"
        " or CONTROL.",
    ),
    _choice(
        "ow2.ally_draw",
        "with_previous_report own_session",
        "Who has the nations that nobody holds is drawn with the report before each turn, or on a"
        " day of its own.",
    ),
    _choice("ow2.nonplayer_wins", "no yes", "A nation that nobody holds cannot win, or can."),
    _choice(
        "ow2.four_without_usa",
        "no yes",
        "Four play with the USA as a nation that nobody holds, or without it.",
    ),
    _choice(
        "ow2.team",
        "spokesman majority last_received",
        "A team's orders are its spokesman's, the majority's, or the last received.",
    ),
    _choice(
        "ow2.blind",
        "no yes",
        "Every nation plays with its own charts, or with charts that are drawn, its objectives"
        " known to itself alone.",
        added=True,
    ),
    _choice(
        "ow2.blind_draw",
        "without_replacement with_replacement",
        "Charts of the blind game are drawn without or with replacement.",
    ),
    _choice(
        "ow2.hidden", "off face_down", "New PFs are published, or lie face down until attacked."
    ),
    _choice(
        "ow2.running_score", "shown hidden", "Scores are shown every turn, or only at the end."
    ),
    _choice(
        "ow2.tie",
        "shared more_control more_counters",
        "A tie is shared, or goes to whoever has more CONTROL counters, or more counters of both"
        " kinds.",
    ),
    _choice(
        "ow2.show_year", "no yes", "Turns are numbered only, or shown with the year from 1933 on."
    ),
)

OPTIONS: dict[str, Option] = {option.id: option for option in (*_COMMON, *_WWI, *_SPI, *_WW2)}


def validate(mapping: Mapping[str, Any], partial: bool = True) -> dict[str, Any]:
    """Every option with its value, in the order of the table; what `mapping` leaves out has its
    default.

    With `partial` false nothing may be left out. Raises `RulesError` naming the key that is
    unknown, missing or has a bad value.
    """
    try:
        content = marshal.dumps((dict(mapping), partial))
    except ValueError:  # something that is no value of any option
        return _validated(mapping, partial)
    return {
        key: list(value) if isinstance(value, list) else value
        for key, value in _known(content).items()
    }


@lru_cache(maxsize=256)
def _known(content: bytes) -> dict[str, Any]:
    """By content: a game's options are looked at with every position that is loaded, and never
    change."""
    return _validated(*marshal.loads(content))


def _validated(mapping: Mapping[str, Any], partial: bool) -> dict[str, Any]:
    for key in mapping:
        if key not in OPTIONS:
            raise RulesError(f"{key} is no option")
    if not partial:
        for key in OPTIONS:
            if key not in mapping and not OPTIONS[key].added:
                raise RulesError(f"{key} is missing")
    found = {
        key: option.check(mapping[key]) if key in mapping else _default(option)
        for key, option in OPTIONS.items()
    }
    _check_reserves(found["rng.reserve_list"], market_of(found))
    return found


def _check_reserves(symbols: Iterable[str], market: Market) -> None:
    """The published list has stocks of the game's market; digits of drand's beacon may stand at its
    end."""
    for symbol in symbols:
        if not is_stock(symbol, market):
            raise RulesError("rng.reserve_list must be a list of stock symbols")
        if not market.has_symbol(symbol) and beacon_number(symbol) is None:
            raise RulesError(
                f"rng.reserve_list names {symbol}, but the game draws on {market.place}, where"
                f" {market.symbols}"
            )


def stocks_to_name(options: Mapping[str, Any]) -> tuple[str, ...]:
    """The stocks that a program names in its orders: in another market than New York those of the
    published list."""
    market = market_of(options)
    return (
        tuple(filter(market.has_symbol, options["rng.reserve_list"]))
        if market.suffix
        else LIQUID_STOCKS
    )


def _default(option: Option) -> Any:
    return list(option.default) if option.kind == "symbols" else option.default


def check_offered(options: Mapping[str, Any]) -> None:
    """Refuses what a game cannot be opened with yet. Raises `RulesError` naming the key."""
    for key, value in options.items():
        option = OPTIONS[key]
        if value != _default(option) and not option.offered:
            raise RulesError(f"{key} can only be {option.default} for now")
        if option.kind == "choice" and value not in option.choosable:
            raise RulesError(f"{key} cannot be {value} for now")


#: What says which stock decides where orders name them. A refereed game's orders name none: its
# dice are read from the published list : alone, on the first session after the gamesmaster has
# asked for them, so that nobody can know a die that he may still cause.
NAMED_STOCKS = ("rng.quote_session", "rng.stock_choice", "rng.no_stock", "rng.duplicate_stock")


def of_game(rules: Ruleset) -> tuple[Option, ...]:
    """The options that mean something to a game. Standing wishes are for counters: where there are
    none, there is nothing to keep."""
    without = {
        *(() if rules.counters else ("orders.standing",)),
        *(NAMED_STOCKS if rules.referee else ()),
    }
    return tuple(option for option in for_groups(rules.option_groups) if option.id not in without)


def for_groups(groups: tuple[str, ...]) -> tuple[Option, ...]:
    """The options whose prefix is one of `groups`: those that mean something to one game."""
    return tuple(option for option in OPTIONS.values() if option.id.partition(".")[0] in groups)
