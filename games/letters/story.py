"""Describe the events of a phase for people: the sentence, the stocks that were passed over, and
the rule."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from games.models import Figure, Resolution
from games.records import proof
from games.rules import wording
from games.rules.names import all_of

Event = Mapping[str, Any]


@dataclass(frozen=True)
class StoryEvent:
    sentence: str
    note: str = ""
    rule: str = ""


def tell(
    events: Sequence[Event],
    passed_over: Mapping[tuple[str, int], str] = MappingProxyType({}),
    reader: str = "",
) -> list[StoryEvent]:
    """Return the events of a phase in order. Consecutive placements of one nation become one
    sentence, and so do all attacks that are void for one reason, and all counters that cannot be
    placed for one reason: where the last of them is told.

    `passed_over` has, by nation and line, the stocks that gave an attack no digit, and why.
    `reader` is the nation that is “you” (`headlines.reader_of`); rulings keep the gamesmaster's
    words.
    """
    story_events: list[StoryEvent] = []
    events = wording.gather_done(events)

    def add(sentence: str, note: str = "", rule: str = "") -> None:
        if reader:
            sentence = wording.address_reader(sentence, reader)
        story_events.append(StoryEvent(sentence, note, rule))

    alike = defaultdict[tuple[str, str], list[_Failure]](list)
    for event in events:
        if (failure := _failure(event)) and not _note(event, passed_over):
            alike[failure.kind, failure.cause].append(failure)
    told = Counter[tuple[str, str]]()
    for nation, run in itertools.groupby(events, places):
        if nation:
            areas = [f"{event['pf']} in {event['area']}" for event in run]
            add(f"{nation} places {all_of(areas)}.")
            continue
        for event in run:
            note, rule = _note(event, passed_over), str(event.get("rule", ""))
            if event["kind"] == "ruled":
                story_events.append(StoryEvent(_sentence(event), rule=rule))
                continue
            failure = None if note else _failure(event)
            group = alike[failure.kind, failure.cause] if failure else []
            if failure is None or len(group) < 2:
                add(_sentence(event), note, rule)
                continue
            told[failure.kind, failure.cause] += 1
            if told[failure.kind, failure.cause] == len(group):
                add(_alike(group), rule=rule)
    return story_events


class _Failure(NamedTuple):
    """What came to nothing: a kind of event, the id of its reason and its words, the nation, and
    “France in Poland”."""

    kind: str
    cause: str
    reason: str
    nation: str
    what: str


#: How sentences of events say that something came to nothing, by kind: what is between the nation
#: and what it wanted, and the end of that.
_FAILED = {
    "void": re.compile(r"(?P<nation>.+?)'s attack on (?P<what>.+) is void: (?P<reason>.+)\."),
    "not_placed": re.compile(r"(?P<nation>.+?) cannot place (?P<what>.+): (?P<reason>.+)\."),
}
_TOGETHER = {"void": "attacks are void", "not_placed": "counters cannot be placed"}


def _failure(event: Event) -> _Failure | None:
    """Return an event that changed nothing, as several with one reason are told; None for others,
    such as an attack that fails with losses."""
    kind = str(event["kind"])
    if kind not in _FAILED or (match := _FAILED[kind].fullmatch(_sentence(event))) is None:
        return None
    cause = str(event.get("reason", match["reason"]))
    return _Failure(kind, cause, match["reason"], match["nation"], match["what"])


def _alike(group: Sequence[_Failure]) -> str:
    """Return “3 attacks are void, each because it is weaker than its targets: Germany in Poland and
    Italy; USA in Poland.” The page of the phase has the targets. A reason with names in it is told
    with each nation."""
    wanted = defaultdict[tuple[str, str], dict[str, list[str]]](lambda: defaultdict(list))
    for failure in group:
        thing, _, area = failure.what.rpartition(" in ")
        thing = "" if failure.kind == "void" else f"{thing} "
        wanted[failure.nation, failure.reason][thing].append(area)
    reasons = {failure.reason for failure in group}
    each = "; ".join(
        f"{nation} {all_of([f'{thing}in {all_of(areas)}' for thing, areas in whats.items()])}"
        f"{f' ({reason})' if len(reasons) > 1 else ''}"
        for (nation, reason), whats in wanted.items()
    )
    because = f", each because {group[0].reason}" if len(reasons) == 1 else ""
    return f"{len(group)} {_TOGETHER[group[0].kind]}{because}: {each}."


def places(event: Event) -> str:
    """Return the nation of an event that only says where the nation places PFs; "" for any other
    event."""
    if event["kind"] != "placed":
        return ""
    sentence = f"{event['nation']} places {event['pf']} in {event['area']}."
    return str(event["nation"]) if event.get("message") == sentence else ""


def _note(event: Event, passed_over: Mapping[tuple[str, int], str]) -> str:
    if event["kind"] not in ("attack", "void"):
        return ""
    return passed_over.get((str(event.get("nation")), event.get("line", 0)), "")


def skipped_stocks(
    resolution: Resolution, figures: Collection[Figure]
) -> dict[tuple[str, int], str]:
    """Return, by nation and line of an attack, the stocks that gave it no digit: “Passed over:
    ZZTOP (no usable report), GE (an earlier line names it already).” `figures`: those of the phase.

    Stocks whose digit is no die roll are left out: the sentence of the attack mentions them.
    """
    dice = {
        (event["nation"], event["line"], row["stock"])
        for event in resolution.events
        if event["kind"] == "attack"
        for row in event.get("rejected", ())
    }
    undecided: dict[tuple[str, int], dict[str, list[str]]] = {}
    for place, stocks in proof.skipped_stocks(resolution, figures).items():
        for stock, why in stocks:
            if (*place, stock) not in dice:
                undecided.setdefault(place, {}).setdefault(why, []).append(stock)
    return {
        place: f"Passed over: {', '.join(map(_passed_over, by_reason.items()))}."
        for place, by_reason in undecided.items()
    }


def _passed_over(reason: tuple[str, Sequence[str]]) -> str:
    """Return stocks with the reason that they share: “GE and F (each: no usable report)”."""
    why, stocks = reason
    return f"{all_of(stocks)} ({'each: ' if len(stocks) > 1 else ''}{why})"


def _sentence(event: Event) -> str:
    """Return the ruleset's sentence for an event; without one, the event's data in words."""
    if message := event.get("message"):
        return " ".join(str(message).split())
    who = event.get("nation") or " and ".join(event.get("nations", ()))
    words = [who, str(event["kind"]).replace("_", " "), str(event.get("area", ""))]
    if targets := event.get("targets"):
        words.append(f"on {', '.join(targets)}")
    if reason := event.get("reason"):
        words.append(f"({str(reason).replace('_', ' ')})")
    return " ".join(word for word in words if word) + "."
