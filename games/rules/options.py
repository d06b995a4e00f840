"""All options of Rules O in one typed table, with every word that is said of them: `options.toml`
here has those of all games, and in the package of a game its own.

Options are fixed when a game is opened, shown in its first report and never changed after. What the
service does not offer yet stands here all the same, so that records and situations that say so are
understood; `not_yet` marks it.
"""

from __future__ import annotations

import marshal
import pkgutil
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

from . import PhaseFacts, RulesError, pairs
from .contract import Ruleset
from .digits import beacon_number
from .markets import MARKETS, Market, market_of
from .orders import is_stock

RESERVES_AT_LEAST = 20
#: Where options stand that no section names.
REST = "Other rules"
NEEDS_RESERVES = (
    "This form of play draws lots from the reserve list; so attacks without a usable stock take the"
    " next one on the list, too."
)

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
    text: str  # what it decides, in a sentence
    values: tuple[str, ...] = ()
    default: Any = None
    kind: str = "choice"  # "choice", "whole", "symbols", "pairs"
    not_yet: tuple[str, ...] = field(default=())
    ready: bool = True  # False: its game, or all but its default, is not offered yet
    added: bool = False  # not in Rules O: records from before it leave it out
    opening: Any = None  # what a new game has unless it says otherwise; None: the default
    name: str = ""  # what a page that opens a game calls it
    why: str = ""  # why the default is the default
    labels: Mapping[object, str] = field(default_factory=dict, compare=False)  # values in words
    does: Mapping[str, str] = field(default_factory=dict, compare=False)  # what each value does
    judges: str = field(default="", compare=False)  # "placement", "attacks"; "": both

    @property
    def usual(self) -> Any:
        """What a new game has. The default is what a record means that leaves the option out."""
        return self.default if self.opening is None else self.opening

    @property
    def title(self) -> str:
        return self.name or self.text

    def judges_phase(self, facts: PhaseFacts) -> bool:
        """Return whether a phase may be judged by it: of placing, of attacks, or of both."""
        return {"placement": facts.places, "attacks": facts.draws}.get(self.judges, True)

    def label(self, value: object) -> str:
        """Return a value in words: its label, or the value without underscores."""
        if self.kind == "pairs":
            return str(value).replace("+", " and ") or "none"
        return self.labels.get(value) or str(value).replace("_", " ")

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
        """Return pairs in one spelling. Whether the card has such nations, setting up finds out."""
        if not isinstance(value, str):
            raise RulesError(f"{self.id} must be text, such as Britain+France")
        try:
            return pairs.to_text(pairs.read(value))
        except RulesError as error:
            raise RulesError(f"{self.id}: {error}") from error


class Section(NamedTuple):
    """Options that are chosen together, with a heading and what it is about."""

    title: str
    intro: str
    options: tuple[str, ...]


class Table(NamedTuple):
    """What an `options.toml` says."""

    options: tuple[Option, ...]
    sections: tuple[Section, ...]


def read_table(content: bytes) -> Table:
    """Return the options and sections of an `options.toml`. Each value has a row: id, name, what it
    does; the first is the default."""
    tree = tomllib.loads(content.decode())
    sections = (
        Section(one["title"], one.get("intro", ""), tuple(one.get("options", ())))
        for one in tree.get("section", ())
    )
    return Table(tuple(_option(**one) for one in tree["option"]), tuple(sections))


def _option(
    id: str,
    text: str,
    values: Sequence[tuple[str, str, str]] | str = (),
    does: Mapping[str, str] | None = None,
    zero: str = "",
    **given: Any,
) -> Option:
    if isinstance(values, str):  # the exchanges, whose names stand with them
        assert values == "markets", id
        rows = [(one.id, one.title, (does or {}).get(one.id, "")) for one in MARKETS.values()]
    else:
        rows = [(value, label, what) for value, label, what in values]
    if isinstance(given.get("default"), list):
        given["default"] = tuple(given["default"])
    if rows:
        given["default"] = rows[0][0]
    labels: dict[object, str] = {value: label for value, label, _ in rows}
    return Option(
        id,
        text,
        tuple(value for value, _, _ in rows),
        labels=labels | ({0: zero} if zero else {}),
        does={value: what for value, _, what in rows if what},
        **given,
    )


def _own(folder: str) -> Table:
    content = pkgutil.get_data(__package__, f"{folder}options.toml")  # in the packed checker, too
    assert content is not None, folder
    return read_table(content)


def add(content: bytes) -> None:
    """Take in the `options.toml` of a game that is added; one that is there stays as it is."""
    table = read_table(content)
    for option in table.options:
        TABLES.setdefault(option.id.partition(".")[0], table)
        OPTIONS.setdefault(option.id, replace(option, added=True))
    _validate_by_content.cache_clear()


SHARED = _own("")
#: The tables of the games, by the prefix of their options.
TABLES = {
    "wwi": _own("origins_ww1/"),
    "spi": _own("ww2_multiplayer/"),
    "ow2": _own("origins_ww2/"),
}
OPTIONS: dict[str, Option] = {
    option.id: option for table in (SHARED, *TABLES.values()) for option in table.options
}


def sections(groups: Collection[str]) -> tuple[Section, ...]:
    """Return the sections of a game that has options of these groups: those of all games first,
    unless the game's own table puts them elsewhere or adds to them."""
    own = [section for group in groups if group in TABLES for section in TABLES[group].sections]
    shared = {section.title: section for section in SHARED.sections}
    first = [section for section in SHARED.sections if section.title not in {s.title for s in own}]
    found = [*first]
    for section in own:
        common = shared.get(section.title, Section("", "", ()))
        found.append(
            Section(
                section.title, section.intro or common.intro, (*common.options, *section.options)
            )
        )
    return tuple(found)


def arrange(
    groups: Collection[str], options: Iterable[Option]
) -> Iterator[tuple[Section, list[Option]]]:
    """Yield these options of a game section by section; sections without any are left out, and
    options without a section come last."""
    by_id = {option.id: option for option in options}
    for section in sections(groups):
        if here := [by_id.pop(id) for id in section.options if id in by_id]:
            yield section, here
    if by_id:
        yield Section(REST, "", tuple(by_id)), list(by_id.values())


def contradictions(options: Mapping[str, Any], lent: Collection[str]) -> Iterator[str]:
    """Yield a sentence for each two choices that clash in any game. `lent`: unheld nations."""
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
    """Every option with its value, in the order of the table; what `mapping` leaves out has its
    default.

    With `partial` false nothing may be left out. Raises `RulesError` naming the key that is
    unknown, missing or has a bad value.
    """
    try:
        content = marshal.dumps((dict(mapping), partial))
    except ValueError:  # something that is no value of any option
        return _validate(mapping, partial)
    return {
        key: list(value) if isinstance(value, list) else value
        for key, value in _validate_by_content(content).items()
    }


@lru_cache(maxsize=256)
def _validate_by_content(content: bytes) -> dict[str, Any]:
    """Validate by content: options are read with every position loaded, and never change."""
    return _validate(*marshal.loads(content))


def _validate(mapping: Mapping[str, Any], partial: bool) -> dict[str, Any]:
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
    """Check that the list has stocks of the market; beacon digits may stand at its end."""
    for symbol in symbols:
        if not is_stock(symbol, market):
            raise RulesError("rng.reserve_list must be a list of stock symbols")
        if not market.has_symbol(symbol) and beacon_number(symbol) is None:
            raise RulesError(
                f"rng.reserve_list names {symbol}, but the game draws on {market.place}, where"
                f" {market.symbols}"
            )


def stocks_to_name(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the stocks that programs name: those of the published list outside of New York."""
    market = market_of(options)
    return (
        tuple(filter(market.has_symbol, options["rng.reserve_list"]))
        if market.suffix
        else LIQUID_STOCKS
    )


def _default(option: Option) -> Any:
    return list(option.default) if option.kind == "symbols" else option.default


def of_new_game(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Every option of a game that is opened with these choices. Raises `RulesError` as `validate`
    does."""
    usual = {option.id: option.usual for option in OPTIONS.values() if option.opening is not None}
    return validate({**usual, **chosen})


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
