"""What can be chosen when a game is opened, explained: sections, options, values (choices.toml);
and which choices contradict others."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from games.rules.options import Option

from .words import DeskError

FILE = Path(__file__).with_name("choices.toml")
#: Where options stand that nothing is written about: a game that is added later begins with its
# options there.
REST = "Other rules"


@dataclass(frozen=True)
class Explained:
    """An option in plain words: its name, why the default is the default, and what each value
    does."""

    id: str
    name: str
    why: str
    does: Mapping[str, str]


@dataclass(frozen=True)
class Section:
    title: str
    intro: str
    options: tuple[Explained, ...]


@cache
def sections() -> tuple[Section, ...]:
    """The file, as it stands."""
    found = []
    for section in tomllib.loads(FILE.read_text(encoding="utf-8"))["section"]:
        options = (
            Explained(one["id"], one["name"], one["why"], one.get("does", {}))
            for one in section["option"]
        )
        found.append(Section(section["title"], section["intro"], tuple(options)))
    return tuple(found)


def explained(option: Option) -> Explained:
    """What is written about an option; its own sentence where nothing is."""
    known = {one.id: one for section in sections() for one in section.options}
    return known.get(option.id) or Explained(option.id, option.text, "", {})


def arranged(options: Sequence[Option]) -> Iterator[tuple[Section, list[tuple[Option, Explained]]]]:
    """The options that a page offers, section by section as they are explained; sections without
    any are left out."""
    by_id = {option.id: option for option in options}
    for section in sections():
        if here := [(by_id.pop(one.id), one) for one in section.options if one.id in by_id]:
            yield section, here
    if by_id:
        rest = [(option, explained(option)) for option in by_id.values()]
        yield Section(REST, "", tuple(one for _, one in rest)), rest


def check_sense(
    options: Mapping[str, Any], seats: Mapping[str, str], lent: Collection[str]
) -> None:
    """Refuses choices that contradict each other. `seats` as the desk takes them, `lent` the
    nations that nobody holds.

    What a single option may be is the table's to say; who may be missing is the ruleset's. This is
    about what one says of the other.
    """
    for holds, sentence in _contradictions(options, seats, lent):
        if holds:
            raise DeskError(sentence)


def _contradictions(
    options: Mapping[str, Any], seats: Mapping[str, str], lent: Collection[str]
) -> Iterator[tuple[bool, str]]:
    def set_to(option: str, value: str) -> bool:
        return bool(options.get(option) == value)

    blind = set_to("ow2.blind", "yes")
    if "ow2.blind" in options:
        yield (
            set_to("ow2.blind_draw", "with_replacement") and not blind,
            (
                "You have said how the charts of the blind game are drawn, but it is not to be a"
                " blind game; choose the blind game too."
            ),
        )
    if "ow2.four_without_usa" in options:
        playing = [nation for nation in seats if nation not in lent]
        yield (
            set_to("ow2.four_without_usa", "yes") and (len(seats) - len(playing) != 1),
            (
                "“Four players without the United States” wants four nations with players and the"
                " United States held by nobody."
            ),
        )
    yield (
        set_to("ow2.ally_draw", "own_session") and not lent and bool(seats),
        (
            "Every nation has a player, so there is nobody to be lent; leave the day for that draw"
            " out, or let a nation be held by nobody."
        ),
    )
    yield (
        set_to("ow2.nonplayer_wins", "yes") and not lent and bool(seats),
        (
            "Every nation has a player, so none without one can win; leave that choice as it is, or"
            " let a nation be held by nobody."
        ),
    )
    yield (
        set_to("wwi.alliance_secrecy", "until_end") and set_to("wwi.attack_ally", "forbidden"),
        (
            "An attack that is void because two nations are allied would tell everybody of a secret"
            " alliance; allow it, or let all know."
        ),
    )
    yield from _of_the_campaign(options, six=bool(seats) and not lent)
    yield (
        set_to("rng.no_stock", "attack_void") and (bool(lent) or blind),
        (
            "This form of play draws lots from the reserve list; so attacks without a usable stock"
            " take the next one on the list, too."
        ),
    )
    yield (
        not set_to("rng.source", "stocks") and set_to("rng.stock_choice", "list_only"),
        (
            "No stocks are read in this game, so there is no list to choose them from; leave “which"
            " stocks may be named” as it is."
        ),
    )
    yield (
        not set_to("rng.source", "stocks") and set_to("rng.quote_session", "deadline_day"),
        (
            "No stocks are read in this game, so there is no session to choose; leave “which day’s"
            " sales” as it is."
        ),
    )
    yield (
        set_to("ow2.hidden", "face_down") and set_to("ow2.unplaced", "gm_places"),
        (
            "What counters lie face down nobody but their owner may know, so the gamesmaster cannot"
            " place them; let them go home, or be lost."
        ),
    )
    yield (
        set_to("ow2.hidden", "face_down") and set_to("ow2.resolution", "frozen_odds"),
        (
            "Counters that lie face down are turned up attack by attack; so losses have to count"
            " before the next attack, too."
        ),
    )


def _of_the_campaign(options: Mapping[str, Any], six: bool) -> Iterator[tuple[bool, str]]:
    """Of a refereed campaign: what the table of intervention and two powers in one hand are asked
    about. `six`: everybody has one power."""
    intervention = {
        "spi.us_dice": "either_order",
        "spi.us_special": "instead",
        "spi.us_trigger_units": "german_player",
    }
    yield (
        options.get("spi.us_entry") == "base_schedule"
        and any(options.get(option) == value for option, value in intervention.items()),
        (
            "You say yourself when the USA enters, so nothing is thrown for it; leave the dice of"
            " intervention alone, or let them decide."
        ),
    )
    two_powers = {
        "spi.us_trigger_units": ("german_player", "which invasions cause a throw"),
        "spi.invader_unit": ("power", "whose invasion it is"),
        "spi.blend": ("any_mix", "a column made of two"),
    }
    for option, (value, about) in two_powers.items():
        yield (
            six and options.get(option) == value,
            (
                f"Every power has a player of its own, so nobody has two; leave “{about}” as it is,"
                " or let a power be held with another."
            ),
        )
