"""A resolution as a report: placements, attacks with figures, counters, in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from games.letters import story
from games.records.replay import FIGHTING
from games.rules import wording

RESULTS = {
    "A": "attacker removed",
    "D": "defenders removed",
    "X": "exchange",
    "-": "no effect",
    "AE": "attacker removed",
    "DE": "defender removed",
    "EX": "exchange",
}
PLACING = ("placed", "kept_home", "forfeited", "left_home", "placed_face_down")
#: Chapters of reports that tell more than placements and attacks, in order, each with the kinds of
# its events.
CHAPTERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Agreed", ("alliance", "alliance_ended", "peace", "grant", "grant_ended", "declaration")),
    ("What happened to the orders", ("line", "next")),
    (
        "What happened on the map",
        (
            "invasion",
            "entry",
            "combat",
            "hostile",
            "army_destroyed",
            "cleared",
            "swept",
            "operator",
            "italy_enters",
            "russia_war_level",
            "supply_in_africa",
            "garrison",
        ),
    ),
    ("The position", ("forces", "centres", "hexes", "controller")),
    (
        "The ledger",
        (
            "track",
            "due",
            "taken",
            "lapsed",
            "rate",
            "resources",
            "us_enters",
            "us_column",
            "us_amphibious",
        ),
    ),
    ("Dice", ("asked", "die", "thrown", "contest", "mediterranean", "us_entry")),
    ("From the gamesmaster", ("note",)),
    ("Secret columns and every point", ("column", "score")),
)
COUNTERS = "Counters"  # the chapter of events that are in no other


@dataclass(frozen=True)
class Fight:
    """An attack. A void one has its reason in its sentence, and no figures."""

    number: int
    nation: str
    area: str
    targets: tuple[str, ...]
    void: bool
    sentence: str
    rule: str
    attacker: int | None = None
    defender: int | None = None
    odds: str = ""
    stock: str = ""
    volume: int | None = None
    digit: int | None = None
    row: int | None = None  # of the table: the digit, or the die that was computed from it
    result: str = ""
    result_words: str = ""
    losses: tuple[tuple[str, int], ...] = ()
    rolled: bool = False  # decided by the gamesmaster's roll or the seed, not by sales
    ruled: bool = False  # a ruling sets the result, whatever the digit; there may be no digit
    mine: bool = False  # the reader attacks or is attacked


@dataclass(frozen=True)
class OtherEvent:
    """Any other event."""

    nation: str
    sentence: str


@dataclass(frozen=True)
class Report:
    placements: tuple[tuple[str, tuple[OtherEvent, ...]], ...]  # by nation
    fights: tuple[Fight, ...]
    chapters: tuple[tuple[str, tuple[OtherEvent, ...]], ...]  # heading, and all other events
    rulings: tuple[OtherEvent, ...] = ()  # under which the phase was judged

    @property
    def others(self) -> tuple[OtherEvent, ...]:
        """The events of all chapters, for a page without room for headings."""
        return tuple(event for _, events in self.chapters for event in events)

    @property
    def empty(self) -> bool:
        return not (self.placements or self.fights or self.chapters or self.rulings)


def report(events: Iterable[Mapping[str, Any]], reader: str = "") -> Report:
    """Return the events of a resolution, sorted into the parts of a report.

    `reader`: the one nation of its reader, who is “you” outside placements and rulings.
    """
    placements: dict[str, list[OtherEvent]] = {}
    fights: list[Fight] = []
    others: dict[str, list[OtherEvent]] = {}
    rulings: list[OtherEvent] = []
    for event in wording.gather_done(events):
        kind = event["kind"]
        if kind in FIGHTING:
            fights.append(_fight(len(fights) + 1, event, reader))
        elif kind in PLACING:
            placements.setdefault(event["nation"], []).append(_placement(event))
        elif kind == "ruled":
            rulings.append(_other_event(event))
        else:
            chapter = next((heading for heading, kinds in CHAPTERS if kind in kinds), COUNTERS)
            others.setdefault(chapter, []).append(_other_event(event, reader))
    chapters = tuple(
        (heading, tuple(others[heading]))
        for heading in (*(heading for heading, _ in CHAPTERS), COUNTERS)
        if heading in others
    )
    return Report(
        tuple((nation, tuple(placed)) for nation, placed in placements.items()),
        tuple(fights),
        chapters,
        tuple(rulings),
    )


def _other_event(event: Mapping[str, Any], reader: str = "") -> OtherEvent:
    return OtherEvent(str(event.get("nation", "")), _sentence(event, reader))


def _sentence(event: Mapping[str, Any], reader: str) -> str:
    sentence = str(event.get("message", ""))
    return wording.address_reader(sentence, reader) if reader else sentence


def _placement(event: Mapping[str, Any]) -> OtherEvent:
    """Return what stands under the nation's name, without the name: “2 in Poland”."""
    told, nation = _other_event(event), str(event["nation"])
    if story.places(event):
        return OtherEvent(nation, f"{event['pf']} in {event['area']}")
    does = told.sentence.removeprefix(f"{nation} ")
    return OtherEvent(nation, does[:1].upper() + does[1:])


def _fight(number: int, event: Mapping[str, Any], reader: str) -> Fight:
    digit = event.get("digit", event.get("die"))
    row = event.get("die", digit)
    return Fight(
        number=number,
        nation=event["nation"],
        area=event["area"],
        targets=tuple(event["targets"]),
        void=event["kind"] == "void",
        sentence=_sentence(event, reader),
        rule=str(event.get("rule", "")),
        attacker=event.get("attacker"),
        defender=event.get("defender"),
        odds=str(event.get("odds", "")),
        stock=str(event.get("stock", "")),
        volume=event.get("volume"),
        digit=digit,
        row=row,
        result=str(event.get("result", "")),
        result_words=RESULTS.get(str(event.get("result", "")), ""),
        losses=tuple(event.get("losses", {}).items()),
        rolled=bool(event.get("rolled")),
        ruled=bool(event.get("ruled")),
        mine=reader in (event["nation"], *event["targets"]),
    )
