"""All options of Rules O in one typed table, with all texts about them.

`options.toml` here has the options of all games; the package of each game has its own. Options are
fixed when a game is opened, shown in its first report and never changed after. Values that the
service does not offer yet are listed too, marked by `not_yet`, so that records and situations with
them are understood.
"""

from __future__ import annotations

import marshal
import pkgutil
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from . import PhaseFacts, RulesError, pairs
from .contract import Ruleset
from .markets import MARKETS, Market, market_of
from .orders import is_stock

RESERVES_AT_LEAST = 20
GAME = "game"  # `Option.judges` of options that no ruling changes for one phase
#: The heading of options that are in no section.
REST = "Other rules"
NEEDS_RESERVES = (
    "This form of play draws lots from the reserve list, so attacks without a usable stock must"
    " also take the next stock on the list."
)

# Large American companies with high sales every day: the reserve list of a New York game unless the
# gamesmaster gives one.
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
    """One option.

    A choice has `values`; a whole number, a list of symbols or of pairs of nations has only a
    default.
    """

    id: str
    text: str  # what it decides, in a sentence
    values: tuple[str, ...] = ()
    default: Any = None
    kind: str = "choice"  # "choice", "whole", "symbols", "pairs"
    not_yet: tuple[str, ...] = field(default=())
    ready: bool = True  # False: its game, or all but its default, is not offered yet
    added: bool = False  # after 0.1.0: records from before it leave it out
    opening: Any = None  # the value in a new game unless another is chosen; None: the default
    name: str = ""  # its name on the page that opens a game
    why: str = ""  # why the default is the default
    labels: Mapping[object, str] = field(default_factory=dict, compare=False)  # values in words
    does: Mapping[str, str] = field(default_factory=dict, compare=False)  # what each value does
    #: "placement", "attacks"; "": both; "game": no single phase but the whole game, such as the
    #: order of its phases, scoring, and what is shown.
    judges: str = field(default="", compare=False)

    @property
    def usual(self) -> Any:
        """The value in a new game.

        `default` is the value in a record that leaves the option out.
        """
        return self.default if self.opening is None else self.opening

    @property
    def title(self) -> str:
        return self.name or self.text

    def judges_phase(self, facts: PhaseFacts) -> bool:
        """Return whether a phase may be judged by it: a placement, attacks, or both."""
        judged = {"placement": facts.places, "attacks": facts.draws, GAME: False}
        return judged.get(self.judges, True)

    def label(self, value: object) -> str:
        """Return a value in words: its label, or the value without underscores."""
        if self.kind == "pairs":
            return str(value).replace("+", " and ") or "none"
        return self.labels.get(value) or str(value).replace("_", " ")

    @property
    def offered(self) -> bool:
        """Whether a gamesmaster may now set it to anything but the default."""
        return self.ready and (self.kind != "choice" or len(self.choosable) > 1)

    @property
    def choosable(self) -> tuple[str, ...]:
        """The values that a gamesmaster may choose now."""
        return tuple(
            value
            for value in self.values
            if value == self.default or (self.ready and value not in self.not_yet)
        )

    def check(self, value: object) -> Any:
        """Return the value in its canonical form. Raise `RulesError` naming the id."""
        if self.kind == "whole":
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise RulesError(f"{self.id} must be a whole number of 0 or more")
            return value
        if self.kind == "symbols":
            return self._symbols(value)
        if self.kind == "pairs":
            return self._pairs(value)
        # Some programs write 2 and 3 in JSON instead of "2" and "3", which is just as clear.
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if not isinstance(text, str) or text not in self.values:
            raise RulesError(f"{self.id} must be one of {', '.join(self.values)}")
        return text

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
        """Return pairs in one spelling.

        Setting up the game checks that the card has these nations.
        """
        if not isinstance(value, str):
            raise RulesError(f"{self.id} must be text, such as Britain+France")
        try:
            return pairs.to_text(pairs.read(value))
        except RulesError as error:
            raise RulesError(f"{self.id}: {error}") from error


Kind = TypeVar("Kind", bound=Option)


class Section(NamedTuple):
    """Options that are chosen together, with a heading and an introduction."""

    title: str
    intro: str
    options: tuple[str, ...]


class Table(NamedTuple):
    """The contents of an `options.toml`."""

    options: tuple[Option, ...]
    sections: tuple[Section, ...]


def read_table(content: bytes) -> Table:
    """Return the options and sections of an `options.toml`.

    Each value has a row: id, name, what it does. The first is the default.
    """
    tree = tomllib.loads(content.decode())
    made = tuple(make_option(Option, **declared) for declared in tree["option"])
    return Table(made, read_sections(tree))


def read_sections(tree: Mapping[str, Any]) -> tuple[Section, ...]:
    """Return the sections of a table of options or settings."""
    return tuple(
        Section(section["title"], section.get("intro", ""), tuple(section.get("options", ())))
        for section in tree.get("section", ())
    )


def make_option(
    kind_of_option: type[Kind],
    id: str,
    text: str,
    values: Sequence[tuple[str, str, str]] | str = (),
    does: Mapping[str, str] | None = None,
    zero: str = "",
    **given: Any,
) -> Kind:
    """Return an option, or a setting, as its table declares it."""
    if isinstance(values, str):  # the exchanges, which have their names in `markets`
        assert values == "markets", id
        rows = [
            (market.id, market.title, (does or {}).get(market.id, ""))
            for market in MARKETS.values()
        ]
    else:
        rows = [(value, label, effect) for value, label, effect in values]
    if isinstance(given.get("default"), list):
        given["default"] = tuple(given["default"])
    if rows:
        given["default"] = rows[0][0]
    labels: dict[object, str] = {value: label for value, label, _ in rows}
    return kind_of_option(
        id,
        text,
        tuple(value for value, _, _ in rows),
        labels=labels | ({0: zero} if zero else {}),
        does={value: effect for value, _, effect in rows if effect},
        **given,
    )


def _own(folder: str) -> Table:
    content = pkgutil.get_data(__package__, f"{folder}options.toml")  # also in the packed checker
    assert content is not None, folder
    return read_table(content)


def add(content: bytes) -> None:
    """Add the `options.toml` of another game; options that exist already stay as they are."""
    table = read_table(content)
    for option in table.options:
        TABLES.setdefault(option.id.partition(".")[0], table)
        OPTIONS.setdefault(option.id, replace(option, added=True))
    _validate_by_content.cache_clear()


SHARED = _own("")
#: The tables of the games, by the prefix of their options.
TABLES = {
    "wwi": _own("origins_ww1/"),
    "ow2": _own("origins_ww2/"),
}
OPTIONS: dict[str, Option] = {
    option.id: option for table in (SHARED, *TABLES.values()) for option in table.options
}


def sections(groups: Collection[str]) -> tuple[Section, ...]:
    """Return the sections of a game that has options of these groups.

    Those of all games come first, unless the game's own table moves them or adds to them.
    """
    own_sections = [
        section for group in groups if group in TABLES for section in TABLES[group].sections
    ]
    shared = {section.title: section for section in SHARED.sections}
    first = [
        section
        for section in SHARED.sections
        if section.title not in {s.title for s in own_sections}
    ]
    merged = [*first]
    for section in own_sections:
        common = shared.get(section.title, Section("", "", ()))
        merged.append(
            Section(
                section.title, section.intro or common.intro, (*common.options, *section.options)
            )
        )
    return tuple(merged)


def arrange(
    groups: Collection[str], options: Iterable[Option]
) -> Iterator[tuple[Section, list[Option]]]:
    """Yield these options of a game section by section, and options without a section last.

    Sections without any of them are left out.
    """
    by_id = {option.id: option for option in options}
    for section in sections(groups):
        if listed := [by_id.pop(id) for id in section.options if id in by_id]:
            yield section, listed
    if by_id:
        yield Section(REST, "", tuple(by_id)), list(by_id.values())


def contradictions(options: Mapping[str, Any], lent: Collection[str]) -> Iterator[str]:
    """Yield a sentence for each pair of choices that clash in any game; `lent`: unheld nations."""
    if options.get("rng.no_stock") == "attack_void" and lent:
        yield NEEDS_RESERVES
    if options.get("rng.source") != "stocks":
        if options.get("rng.stock_choice") == "list_only":
            yield (
                "This game uses no stocks, so “which stocks may be named” has no effect. Set it"
                " back to the default."
            )
        if options.get("rng.quote_session") == "deadline_day":
            yield (
                "This game uses no stocks, so “which day’s sales” has no effect. Set it back to the"
                " default."
            )


def validate(mapping: Mapping[str, Any], partial: bool = True) -> dict[str, Any]:
    """Return every option with its value, in table order; missing ones have their default.

    With `partial` false nothing may be missing. Raise `RulesError` naming a key that is unknown,
    missing or has a bad value.
    """
    try:
        content = marshal.dumps((dict(mapping), partial))
    except ValueError:  # not a value that an option can have
        return _validate(mapping, partial)
    return {
        key: list(value) if isinstance(value, list) else value
        for key, value in _validate_by_content(content).items()
    }


@lru_cache(maxsize=256)
def _validate_by_content(content: bytes) -> dict[str, Any]:
    """Validate by content, cached: options are read with every loaded position and never change."""
    return _validate(*marshal.loads(content))


def _validate(mapping: Mapping[str, Any], partial: bool) -> dict[str, Any]:
    for key in mapping:
        if key not in OPTIONS:
            raise RulesError(f"{key} is not an option")
    if not partial:
        for key in OPTIONS:
            if key not in mapping and not OPTIONS[key].added:
                raise RulesError(f"{key} is missing")
    values = {
        key: option.check(mapping[key]) if key in mapping else _default(option)
        for key, option in OPTIONS.items()
    }
    _check_reserves(values["rng.reserve_list"], market_of(values))
    return values


def _check_reserves(symbols: Iterable[str], market: Market) -> None:
    """Check that the list has only stocks of the market.

    Raise `RulesError` quoting the symbol at fault.
    """
    for symbol in symbols:
        if not is_stock(symbol, market):
            raise RulesError("rng.reserve_list must be a list of stock symbols")
        if not market.has_symbol(symbol):
            raise RulesError(
                f"rng.reserve_list names {symbol}, but the game draws on {market.place}, where"
                f" {market.symbols}"
            )


def stocks_to_name(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the stocks that programs name: outside New York those of the published list."""
    market = market_of(options)
    return (
        tuple(filter(market.has_symbol, options["rng.reserve_list"]))
        if market.suffix
        else LIQUID_STOCKS
    )


def _default(option: Option) -> Any:
    return list(option.default) if option.kind == "symbols" else option.default


def new_game_options(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return every option of a game opened with these choices.

    Raise `RulesError` as `validate` does.
    """
    usual = {option.id: option.usual for option in OPTIONS.values() if option.opening is not None}
    return validate({**usual, **chosen})


def check_offered(options: Mapping[str, Any]) -> None:
    """Raise `RulesError`, naming the key, for a value with which no game can be opened yet."""
    for key, value in options.items():
        option = OPTIONS[key]
        if value != _default(option) and not option.offered:
            raise RulesError(f"{key} can only be {option.default} for now")
        if option.kind == "choice" and value not in option.choosable:
            raise RulesError(f"{key} cannot be {value} for now")


#: Options about stocks that orders name. Orders of a refereed game name none: its dice come only
#: from the published list, on the first session after the gamesmaster asks for them, so that nobody
#: can know a die that they could still cause.
NAMED_STOCKS = ("rng.quote_session", "rng.stock_choice", "rng.no_stock", "rng.duplicate_stock")


def game_options(rules: Ruleset) -> tuple[Option, ...]:
    """Return the options that apply to a game.

    Standing wishes are for counters: a game without counters has nothing to keep.
    """
    without = {
        *(() if rules.counters else ("orders.standing",)),
        *(() if rules.names_stocks else NAMED_STOCKS),
    }
    return tuple(
        option for option in group_options(rules.option_groups) if option.id not in without
    )


def group_options(groups: tuple[str, ...]) -> tuple[Option, ...]:
    """Return the options whose prefix is one of `groups`: those that apply to one game."""
    return tuple(option for option in OPTIONS.values() if option.id.partition(".")[0] in groups)
