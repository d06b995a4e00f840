"""The order verbs of a game, from its `verbs.toml`: everything that is said about each of them.

Order help in letters, on pages, on paper and in docs/mail.md, the examples of the parser, the marks
by which mail recognizes an order, and the words on buttons come from this table. Besides `[[verb]]`
(see `Verb`) with `[[verb.ending]]` (see `Ending`) a file has

    start      an example of the start of a name: Pol is Poland
    notes      further sentences about how lines are written
    continues  words from the middle of an order, with which a broken line may begin
    looks      patterns of lines that look like orders in mail but have no verb of this table
"""

from __future__ import annotations

import pkgutil
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from . import Choice
from .markets import NEW_YORK, Market
from .orders import PASS, write_line
from .parsing import example_form


class Kind(StrEnum):
    """What an order does, as far as pages need to know to offer it."""

    COUNT = "count"  # puts a number into an area
    ATTACK = "attack"  # attacks nations in an area; shown with odds
    WISH = "wish"  # asks for something that is there or not: a button
    PASS = "pass"  # orders nothing
    MAP = "map"  # moves on a map that the service does not have; never a `Choice`
    FREE = "free"  # the writer's own words, without a verb


@dataclass(frozen=True)
class Ending:
    """What may follow an order in the same line: STOCK GE.

    `in_example`: the parser's example has it. `needs` as in `Verb`.
    """

    form: str
    meaning: str
    needs: Mapping[str, Collection[str]] = field(default_factory=dict)
    in_example: bool = False


@dataclass(frozen=True)
class Verb:
    """One verb, with the words that people read and write.

    `name` is the verb as in `Choice`; `form` an example, by default the name; `meaning` half a
    sentence in the second person, of which letters have only what comes before the first semicolon,
    "" for a form that help does not list. `when` is the phase.
    `needs`: values of options without which the game does not have this verb.

    `pattern` is the canonical line with its places (`orders.write_line`): number, area, nation or
    nations, stocks, counters, otherwise, minimum.
    """

    name: str
    kind: Kind
    form: str
    meaning: str = ""
    when: str = "any"
    needs: Mapping[str, Collection[str]] = field(default_factory=dict)
    endings: tuple[Ending, ...] = ()
    pattern: str = ""
    # Words on pages.
    label: str = ""  # of the button or field of an area, with {} for a nation
    heading: str = ""  # of the form that writes such lines
    button: str = ""  # of that form
    mark: str = ""  # on the map, with the places of the pattern
    spoken: str = ""  # on the telephone: number, area, nations and own (who orders) have places
    # Where orders are offered.
    from_home: bool = False  # its number leaves the home area
    binds: bool = False  # cannot be taken back once it is judged: never inferred
    ended_by: str = ""  # the order that takes back a binding one, in games that have it
    sample: bool = True  # may be shown as an example to send; not what binds for long
    in_lists: bool = True  # has a form among the lists of a page that offers lines with blanks, too
    as_button: bool = True  # has a button on such a page
    # How people say it, for a wish: forms over kinds of words (games/rules/plain/words.toml), in
    # which the groups `areas` and `nation` fill the places of the pattern.
    plain: tuple[str, ...] = ()
    # How mail recognizes it.
    looks: str = ""  # a pattern for a line that can hardly be anything else; "" for none
    everyday: bool = False  # its first word is frequent in letters, too
    stems: tuple[str, ...] = ()  # patterns for starts of words by which people mean this order

    @property
    def head(self) -> str:
        """The first word, by which a parser knows the order."""
        return self.name.partition(" ")[0]

    @property
    def example(self) -> str:
        """A whole order: ATTACK Poland: Germany, Russia STOCK GE."""
        return self.example_in(None)

    def example_in(self, options: Mapping[str, Any] | None, market: Market = NEW_YORK) -> str:
        """Return a whole order as a game with these options writes it: with a stock of its market,
        or without one where no stocks are named."""
        endings = (
            ending.form
            for ending in self.endings
            if ending.in_example and _has(options, ending.needs)
        )
        return example_form(market, " ".join([self.form, *endings]))

    @property
    def names_nations(self) -> bool:
        """Whether the order is about another nation."""
        return "{nation" in self.pattern

    def line(self, **values: str) -> str:
        """Return the order with these values in its places."""
        return write_line(self.pattern or self.name, values)


class Help(NamedTuple):
    """A row of the list of orders."""

    form: str
    when: str
    meaning: str


@dataclass(frozen=True, eq=False)
class Verbs:
    """The verbs of a game, in the order in which help lists them."""

    verbs: tuple[Verb, ...]
    start: str = ""
    notes: str = ""
    continues: tuple[str, ...] = ()
    looks: tuple[str, ...] = ()
    #: An example of each order by its first word.
    examples: dict[str, str] = field(default_factory=dict, init=False)
    _by_name: dict[str, Verb] = field(default_factory=dict, init=False)
    _by_head: dict[str, Verb] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for verb in self.verbs:
            self._by_name[verb.name] = verb
            if verb.kind != Kind.FREE:
                self._by_head.setdefault(verb.head, verb)
                self.examples.setdefault(verb.head, verb.example)

    def __iter__(self) -> Iterator[Verb]:
        return iter(self.verbs)

    def __contains__(self, head: object) -> bool:
        """Return whether an order begins with this word."""
        return head in self.examples

    def __getitem__(self, name: str) -> Verb:
        """Return a verb by its name, or that of a line by its first word. Raise `KeyError`."""
        return self._by_name.get(name) or self._by_head[name.partition(" ")[0]]

    def examples_in(self, options: Mapping[str, Any], market: Market) -> dict[str, str]:
        """Return an example of each order by its first word, as `Verb.example_in`."""
        return {head: self[head].example_in(options, market) for head in self.examples}

    @property
    def intro(self) -> str:
        """How lines are written, in sentences for above the list of orders."""
        example = f": {self.start}" if self.start else ""
        other = (
            "Among orders for the map a line in any other form is free text and goes to the"
            " gamesmaster unchanged."
            if self.free_text
            else "Nothing is ever guessed: a line that cannot be read is refused with a sentence"
            " that says why."
        )
        return (
            "One order per line. Capitals, extra spaces and a period at the end do not matter, and"
            f" the unambiguous start of a name is enough{example}. {other} {self.notes}".rstrip()
        )

    @property
    def heads(self) -> tuple[str, ...]:
        """The first words of orders."""
        return tuple(self.examples)

    @property
    def free_text(self) -> bool:
        """Whether orders may be in the writer's own words."""
        return bool(self.of_kind(Kind.FREE))

    def of_kind(self, kind: Kind) -> tuple[Verb, ...]:
        return tuple(verb for verb in self.verbs if verb.kind == kind)

    def binds(self, line: str, options: Mapping[str, Any]) -> bool:
        """Return whether nothing takes an order back once it is judged; `line` is canonical."""
        try:
            verb = self[line]
        except KeyError:  # free text
            return False
        return verb.binds and not any(
            other.name == verb.ended_by and _has(options, other.needs) for other in self.verbs
        )

    def choice(self, name: str, area: str | None = None, **facts: Any) -> Choice:
        """Return a choice of this verb, with its label and pattern unless others are given."""
        verb = self[name]
        return Choice(name, area, **{"label": verb.label, "pattern": verb.pattern, **facts})

    def help(
        self,
        options: Mapping[str, Any] | None = None,
        market: Market = NEW_YORK,
        offered: Collection[str] | None = None,
    ) -> tuple[Help, ...]:
        """Return form, phase and meaning of each order, and of what may follow it.

        Leave out what a game with these options does not have, and orders that are not `offered`
        (verbs of choices or of forms with blanks); None for all.
        """
        rows: list[Help] = []
        for verb in self.verbs:
            if not verb.meaning or not _has(options, verb.needs) or not self._is_in(verb, offered):
                continue
            rows.append(Help(example_form(market, verb.form), verb.when, verb.meaning))
            rows += [
                Help(f"… {example_form(market, ending.form)}", verb.when, ending.meaning)
                for ending in verb.endings
                if _has(options, ending.needs)
            ]
        return tuple(rows)

    def _is_in(self, verb: Verb, offered: Collection[str] | None) -> bool:
        if offered is None or verb.name in offered:
            return True
        if verb.kind == Kind.FREE:  # its writer would otherwise use an order for the map
            return any(other.name in offered for other in self.of_kind(Kind.MAP))
        return verb.name in {name.partition(" ")[0] for name in offered}


def _has(options: Mapping[str, Any] | None, needs: Mapping[str, Collection[str]]) -> bool:
    return options is None or all(options.get(option) in values for option, values in needs.items())


#: The one order that every game has. A game's own table may say more of it.
_PASS: dict[str, Any] = {
    "name": PASS,
    "kind": "pass",
    "form": PASS,
    "meaning": "you send no orders, on purpose",
    "label": "Send no orders on purpose",
    "heading": "Send no orders on purpose",
    "button": f"Write {PASS}",
    "looks": rf"{PASS}\W*$",
    "spoken": "no orders, on purpose",
    "sample": False,
    "plain": ["{lead} {writer} PASS (?:THE? TURN)? {close}"],
}


def load(package: str) -> Verbs:
    """Return the verbs of a game from the `verbs.toml` of its package. Raise `TypeError` for a key
    that verbs do not have."""
    content = pkgutil.get_data(package, "verbs.toml")  # also in the packed checker
    assert content is not None, package
    table = tomllib.loads(content.decode())
    entries = [entry for entry in table["verb"] if entry["name"] != PASS]
    own_pass: dict[str, Any] = next((entry for entry in table["verb"] if entry["name"] == PASS), {})
    return Verbs(
        tuple(_verb(entry) for entry in (*entries, _PASS | own_pass)),
        table.get("start", ""),
        table.get("notes", ""),
        tuple(table.get("continues", ())),
        tuple(table.get("looks", ())),
    )


def _verb(entry: Mapping[str, Any]) -> Verb:
    own = dict(entry)
    endings = tuple(Ending(**ending) for ending in own.pop("ending", ()))
    kind, form = Kind(own.pop("kind")), own.pop("form", own["name"])
    plain, stems = tuple(own.pop("plain", ())), tuple(own.pop("stems", ()))
    return Verb(kind=kind, form=form, endings=endings, plain=plain, stems=stems, **own)
