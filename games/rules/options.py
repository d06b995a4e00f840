"""All options of Rules O in one typed table: id, values with the default first, and what each decides in one sentence.

Options are fixed when a game is opened, shown in its first report and never changed after. What the service does not offer
yet stands here all the same, so that records and situations that say so are understood; `not_yet` marks it.
"""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from . import RulesError
from .orders import is_stock

RESERVES_AT_LEAST = 20

# Large American companies that trade in great numbers every day: the reserve list unless the gamesmaster gives his own.
LIQUID_STOCKS: tuple[str, ...] = (
    "AA", "BA", "GE", "F", "T", "XOM", "CVX", "IBM", "KO", "PFE", "MRK", "JNJ", "PG", "DIS", "CAT",
    "MCD", "WMT", "HD", "JPM", "BAC", "C", "WFC", "INTC", "CSCO", "MSFT", "AAPL", "ORCL", "VZ", "GM", "DE",
)  # fmt: skip


@dataclass(frozen=True)
class Option:
    """One option. A choice has `values`; a whole number or a list of symbols has none, only its default."""

    id: str
    text: str
    values: tuple[str, ...] = ()
    default: Any = None
    kind: str = "choice"  # "choice", "whole", "symbols"
    not_yet: tuple[str, ...] = field(default=())
    ready: bool = True  # False: the game that it belongs to, or all but its default, is not offered yet
    added: bool = False  # not in Rules O: records from before it leave it out

    @property
    def offered(self) -> bool:
        """Whether a gamesmaster may set it to anything but the default now."""
        return self.ready and (self.kind != "choice" or len(self.choosable) > 1)

    @property
    def choosable(self) -> tuple[str, ...]:
        """The values that a gamesmaster may choose from now."""
        return tuple(value for value in self.values if value == self.default or (self.ready and value not in self.not_yet))

    def check(self, value: object) -> Any:
        """The value in its one proper form. Raises `RulesError` naming the id."""
        if self.kind == "whole":
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise RulesError(f"{self.id} must be a whole number of 0 or more")
            return value
        if self.kind == "symbols":
            return self._symbols(value)
        # Of "2" and "3" some writer of JSON will make 2 and 3: the number is as clear as the word.
        said = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if not isinstance(said, str) or said not in self.values:
            raise RulesError(f"{self.id} must be one of {', '.join(self.values)}")
        return said

    def _symbols(self, value: object) -> list[str]:
        if not isinstance(value, list | tuple) or not all(isinstance(symbol, str) and is_stock(symbol) for symbol in value):
            raise RulesError(f"{self.id} must be a list of stock symbols")
        symbols = list(dict.fromkeys(symbol.upper() for symbol in value))
        if symbols and len(symbols) < RESERVES_AT_LEAST:
            raise RulesError(f"{self.id} must have {RESERVES_AT_LEAST} different symbols or more, and has {len(symbols)}")
        return symbols


def _choice(id: str, values: str, text: str, not_yet: str = "", ready: bool = True, added: bool = False) -> Option:
    listed = tuple(values.split())
    return Option(id, text, listed, listed[0], not_yet=tuple(not_yet.split()), ready=ready, added=added)


def _whole(id: str, default: int, text: str, ready: bool = True) -> Option:
    return Option(id, text, default=default, kind="whole", ready=ready)


def _later(id: str, values: str, text: str) -> Option:
    return _choice(id, values, text, ready=False)


_COMMON = (
    _choice("rng.source", "stocks gm_dice commit_reveal",
            "Digits come from stock sales, from the gamesmaster's own dice, or from a seed whose hash is published beforehand."),
    _choice("rng.quote_session", "first_session_after_lock deadline_day",
            "Sales are those of the first session that opens after the orders lock, or of the deadline day itself."),
    _choice("rng.settle", "agreed_readings first_reading",
            "A figure counts when two readings some hours apart agree, or the first reading after the close counts."),
    _choice("rng.stock_choice", "free list_only",
            "Players may name any stock, or only those on the published reserve list."),
    Option("rng.reserve_list", "The published reserve list, read from the top where an order's own stocks give no digit.",
           default=(), kind="symbols"),
    _choice("rng.no_stock", "next_on_list attack_void",
            "An attack without a usable stock takes the next reserve, or is void."),
    _choice("rng.duplicate_stock", "reserve_within_nation allow reserve_always",
            "A stock on an earlier line of the same nation is passed over, or counts again, or is passed over whoever named it."),
    _choice("rng.d6", "reject two_digit full_mod",
            "A die is the first digit from 1 to 6, or comes from two digits, or from the remainder of the whole figure."),
    _choice("orders.amend", "replace_all merge_lines",
            "New orders replace the earlier ones, or only the lines about the same thing."),
    _whole("orders.grace_hours", 0, "Hours after the deadline in which orders are still taken."),
    _choice("orders.standing", "yes no", "Standing wishes are kept from turn to turn, or count only in the turn they are sent."),
    _whole("seat.nmr_limit", 2, "After so many phases without orders running, the seat is reported vacant."),
)  # fmt: skip

_WWI = (
    _later("wwi.phasing", "two_phase one_deadline sequential", "Two deadlines a turn, or one for both parts, or nation by nation."),
    _later("wwi.seating", "choice random", "Nations are chosen or drawn."),
    _later("wwi.pairing", "agreed random", "Nations in one hand are agreed or drawn."),
    _later("wwi.alliance_test", "ge gt", "An alliance wins with at least, or with more than, the others' score."),
    _later("wwi.failed_alliance", "unallied all_five", "Where the best alliance fails, the best nation outside or of all five wins."),
    _later("wwi.alliance_withdrawal", "never allowed", "Alliances are for good, or may be left."),
    _later("wwi.attack_ally", "allowed forbidden", "Allies may attack each other, or may not."),
    _later("wwi.alliance_secrecy", "public until_end", "Alliances are published at once or at the end."),
    _later("wwi.alliance_deadline", "last_orders turn9", "Alliances may be made to the last, or up to turn 9."),
    _later("wwi.unplaced", "home lost", "PFs not placed go home or are lost."),
    _later("wwi.overplaced", "trim reject_all", "Too many PFs: lines count until they are used up, or none counts."),
    _later("wwi.bonus_areas", "all13 without_regions", "Which areas count for the bonus."),
    _later("wwi.bonus_time", "end ever", "The bonus is judged at the end, or lost once for all."),
    _later("wwi.britain_test", "final objectives_only", "What counts in Britain's bonus."),
    _later("wwi.nmr", "home lost repeat_last", "A silent nation's PFs go home, are lost, or go where they went last."),
)

_SPI = (
    _later("spi.flow", "batched sequential", "Player-turns are sent together or one after the other."),
    _whole("spi.last_turn", 23, "The last turn of the campaign.", ready=False),
    _later("spi.seasons", "winter1 spring1", "Which season the first turn is."),
    _whole("spi.diplomacy_days", 14, "Days of the diplomacy interphase.", ready=False),
    _later("spi.declaration", "press_only required_before_attack", "War need not, or must, be declared before an attack."),
    _later("spi.pre_entry_us_share", "idle british", "The American share before entry is idle or British."),
    _later("spi.british_replacement", "spring any_turn", "When Britain may take its replacement."),
    _later("spi.half_rounding", "down up", "Halves are rounded down or up."),
    _later("spi.invader_unit", "player power", "An invader is a player or a power."),
    _later("spi.us_entry", "variable base_schedule", "American entry is rolled for or comes by the calendar."),
    _later("spi.us_dice", "ordered either_order", "Two dice are read in order or in either order."),
    _later("spi.us_special", "in_addition instead", "Special entry comes beside the roll or in its place."),
    _later("spi.us_trigger_units", "german_only german_player", "Whose units trigger American entry."),
    _later("spi.allied", "registered nonhostile", "Who counts as allied."),
    _later("spi.blend", "choose_one any_mix", "Objectives are chosen or mixed."),
    _later("spi.standings", "public gm_only", "Standings are published or the gamesmaster's alone."),
    _later("spi.tie", "shared fewest_own_hexes_lost", "A tie is shared, or goes to whoever lost fewest hexes of his own."),
)

_WW2 = (
    _choice("ow2.placement", "simultaneous ordered", "All place at one deadline, or nation by nation with five deadlines a turn."),
    _choice("ow2.unplaced", "home forfeit gm_places",
            "PFs that a nation with orders did not place go home, are forfeited, or are placed by the gamesmaster."),
    _choice("ow2.overplaced", "trim reject_all", "Too many PFs: lines count as written until they are used up, or none counts."),
    _choice("ow2.nmr_placement", "home forfeit repeat_last",
            "A silent nation's new PFs go home, are forfeited, or go where its last placement sent them."),
    _choice("ow2.resolution", "ordered frozen_odds",
            "Losses count before the next attack, or all attacks are judged on the board as published."),
    _choice("ow2.home_first", "auto as_written", "A nation's attack in its own home area comes first, or its lines count as written."),
    _choice("ow2.sub_1_1", "void attacker_removed", "An attack that has come below 1-1 is void, or costs the attacker all he has there."),
    _choice("ow2.absent_target", "drop void", "A target that is gone or immune is left out, or makes the whole list void."),
    _choice("ow2.conditionals", "else_and_min none", "Attacks may carry ELSE and MIN, or these are ignored."),
    _choice("ow2.x_attacker_loss", "equal all", "In an exchange the attacker loses as much as his targets, or everything."),
    _choice("ow2.u_loss", "pf_first u_first owner_says",
            "A partial loss takes plain PFs first, or the Understanding first, or what the owner says (plain PFs where he says nothing)."),
    _choice("ow2.failed_home", "no_more_attacks only_that_nation",
            "A home attack that leaves an Understanding standing ends the nation's attacks of the turn, or only its owner stays immune."),
    _choice("ow2.immunity_ends", "counter_gone only_by_host",
            "Immunity ends when the Understanding is gone, or in that turn only where the host nation itself destroyed it."),
    _choice("ow2.share_consent", "named_pair both_asked_control",
            "CONTROL is shared by nations that name each other, or by any two who both asked for it."),
    _choice("ow2.share_max", "2 3", "CONTROL is shared by two nations at most, or by three."),
    _choice("ow2.u_counts_for_control", "yes no", "The own Understanding counts as 5 PFs towards CONTROL, or does not."),
    _choice("ow2.auto_counters", "no understanding_when_possible",
            "A silent nation places no counters, or every Understanding that it may."),
    _choice("ow2.nu_broken_by", "card_note understanding understanding_or_control",
            "“No Understanding” is broken as the card says, by an Understanding, or by an Understanding or CONTROL."),
    _choice("ow2.ally_draw", "with_previous_report own_session",
            "Who has the nations that nobody holds is drawn with the report before each turn, or on a day of its own."),
    _choice("ow2.nonplayer_wins", "no yes", "A nation that nobody holds cannot win, or can."),
    _choice("ow2.four_without_usa", "no yes", "Four play with the USA as a nation that nobody holds, or without it."),
    _choice("ow2.team", "spokesman majority last_received", "A team's orders are its spokesman's, the majority's, or the last received."),
    _choice("ow2.blind", "no yes",
            "Every nation plays with its own charts, or with charts that are drawn, its objectives known to itself alone.", added=True),
    _choice("ow2.blind_draw", "without_replacement with_replacement", "Charts of the blind game are drawn without or with replacement."),
    _choice("ow2.hidden", "off face_down", "New PFs are published, or lie face down until attacked."),
    _choice("ow2.running_score", "shown hidden", "Scores are shown every turn, or only at the end."),
    _choice("ow2.tie", "shared more_control more_counters",
            "A tie is shared, or goes to whoever has more CONTROL counters, or more counters of both kinds."),
    _choice("ow2.show_year", "no yes", "Turns are numbered only, or shown with the year from 1933 on."),
)  # fmt: skip

OPTIONS: dict[str, Option] = {option.id: option for option in (*_COMMON, *_WWI, *_SPI, *_WW2)}


def validate(mapping: Mapping[str, Any], partial: bool = True) -> dict[str, Any]:
    """Every option with its value, in the order of the table; what `mapping` leaves out has its default.

    With `partial` false nothing may be left out. Raises `RulesError` naming the key that is unknown, missing or has a bad value.
    """
    try:
        content = marshal.dumps((dict(mapping), partial))
    except ValueError:  # something that is no value of any option
        return _validated(mapping, partial)
    return {key: list(value) if isinstance(value, list) else value for key, value in _known(content).items()}


@lru_cache(maxsize=256)
def _known(content: bytes) -> dict[str, Any]:
    """By content: a game's options are looked at with every position that is loaded, and never change."""
    return _validated(*marshal.loads(content))


def _validated(mapping: Mapping[str, Any], partial: bool) -> dict[str, Any]:
    for key in mapping:
        if key not in OPTIONS:
            raise RulesError(f"{key} is no option")
    if not partial:
        for key in OPTIONS:
            if key not in mapping and not OPTIONS[key].added:
                raise RulesError(f"{key} is missing")
    return {key: option.check(mapping[key]) if key in mapping else _default(option) for key, option in OPTIONS.items()}


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


def for_groups(groups: tuple[str, ...]) -> tuple[Option, ...]:
    """The options whose prefix is one of `groups`: those that mean something to one game."""
    return tuple(option for option in OPTIONS.values() if option.id.partition(".")[0] in groups)
