"""What a nation may send, by example, and what happens if it sends nothing. Both are asked of the
ruleset, never retold here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from games.market.rolls import by_sales
from games.models import Game
from games.rules import Choice, RulesError

EXAMPLES = 3
#: Never examples: a pass needs no teaching, and what binds beyond the turn is not to be tried out.
NOT_SHOWN = ("PASS", "STANDING", "ALLY", "LEAVE")
#: Events that say that an order came to nothing.
IN_VAIN = ("void", "not_placed")


@dataclass(frozen=True)
class Silence:
    """`lines` count as the nation's orders; else `sentences` tell what becomes of it."""

    lines: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()


class AnyDigit:
    """Sales that give a digit whatever the stock, so that the rules judge an attack; the throw
    itself is not looked at."""

    def get(self, symbol: str, /) -> int | None:
        return 100


def means(game: Game, state: Any, nation: str) -> Silence:
    """What counts for a nation that sends nothing in this phase, by the rules and options of this
    game."""
    rules = game.rules
    if rules.referee:
        said = (
            f"nothing is played out in the name of {nation}; alliances, leave and instructions"
            " stand as they are."
        )
        return Silence(sentences=(said,))
    phase = rules.phase(state)
    try:
        in_force = rules.in_force(state, {})
        lines = tuple(
            line.strip() for line in in_force.get(nation, "").splitlines() if line.strip()
        )
        if lines or phase is None:
            return Silence(lines=lines)
        # What the rules do with a silent nation is told by what they do. Nobody attacks, so that
        # no digit is asked for.
        judged = rules.resolve(state, in_force, {}, ())
    except RulesError:
        return Silence()
    told = [
        _of_silence(event)
        for event in judged.events
        if event.get("nation") == nation and event.get("message")
    ]
    # what only the nation itself is told
    told += [remark.message for remark in judged.remarks.get(nation, ())]
    if rules.facts(phase, game.options).draws:
        counters = " and places no counters" if rules.counters else ""
        told.append(f"{nation} attacks nobody{counters}.")
    return Silence(sentences=tuple(told))


def _of_silence(event: Any) -> str:
    if event["kind"] == "kept_home":
        number = event["pf"]
        return f"your {number} PF{' goes' if number == 1 else 's go'} to {event['area']}."
    return str(event["message"])


def examples(game: Game, state: Any, nation: str, *, heading: bool = False) -> list[str]:
    """Two or three lines that are taken as they stand, work on the present board and raise no
    warning: one of each verb first, then more of the same.

    `state` is the nation's view. `heading`: the reader sends orders for several nations, so that a
    line says for which.
    """
    if game.rules.referee and (samples := game.rules.referee.samples(state, nation)):
        lines = list(samples)
    else:
        lines = _tried(game, state, nation)
    return [f"FOR {nation}", *lines] if heading and lines else lines


def _tried(game: Game, state: Any, nation: str) -> list[str]:
    by_verb: dict[str, list[Choice]] = {}
    for choice in game.rules.planner.choices(state, nation):
        if not choice.verb.startswith(NOT_SHOWN):
            by_verb.setdefault(choice.verb, []).append(choice)
    chosen: list[Choice] = []
    while len(chosen) < EXAMPLES and any(by_verb.values()):
        for verb in list(by_verb):
            while by_verb[verb] and len(chosen) < EXAMPLES:
                # From the middle of the list: the first of each would be the same well-worn area in
                # every game.
                choice = by_verb[verb].pop(len(by_verb[verb]) // 2)
                before = [one.line((one.most or 2) // 2) for one in chosen if one.verb != verb]
                if working := _working(game, state, nation, choice, before):
                    chosen.append(working)
                    break
    lines: list[str] = []
    for choice in _in_order(chosen):
        line = _line(game, choice, chosen, lines)
        if not _warnings(game, state, nation, [*lines, line]):
            lines.append(line)
    return lines


def _working(
    game: Game, state: Any, nation: str, choice: Choice, before: Sequence[str]
) -> Choice | None:
    """The choice with the first of its targets or partners for which it works behind other lines;
    None where it works for none."""
    for named in choice.nations or ("",):
        one = replace(choice, nations=(named,)) if named else choice
        if _works(game, state, nation, [*before, one.line(1)]):
            return one
    return None


def _works(game: Game, state: Any, nation: str, lines: Sequence[str]) -> bool:
    """Whether no line raises a warning or comes to nothing, if nobody else orders anything."""
    if _warnings(game, state, nation, lines):
        return False
    sent = {nation: "\n".join(lines)}
    try:
        judged = game.rules.resolve(state, sent, AnyDigit(), game.reserves)
    except RulesError:  # of counters that lie face down the view does not know enough
        return True
    return not any(
        event["kind"] in IN_VAIN and event.get("nation") == nation for event in judged.events
    ) and not any(remark.severity == "warning" for remark in judged.remarks.get(nation, ()))


def _warnings(game: Game, state: Any, nation: str, lines: Sequence[str]) -> bool:
    remarks = game.rules.read("\n".join(lines), nation, state).remarks
    return any(remark.severity != "note" for remark in remarks)


def _line(game: Game, choice: Choice, chosen: list[Choice], before: list[str]) -> str:
    same = [other for other in chosen if other.verb == choice.verb]
    number = _share(choice, same)
    # The first that may say which counters it lays does so; the others show that it need not be
    # said.
    first = not any(line.startswith(choice.verb) for line in before)
    stock = (game.reserves[:1] or [game.stock_market.example]) if by_sales(game) else ()
    return choice.line(
        number,
        stocks=stock if choice.stock else (),
        counters=_counters(choice, number) if first else (),
    )


def _counters(choice: Choice, number: int) -> list[int]:
    """The number in counters that are less than the whole of it: 5 as 3+1+1."""
    found: list[int] = []
    for value in sorted(choice.counters, reverse=True):
        while value <= number - sum(found) and (value < number or number == 1):
            found.append(value)
    return found


def _share(choice: Choice, same: list[Choice]) -> int:
    """A number such that all lines of one verb together ask for all that there is and no more."""
    most = choice.most or 1
    share = max(1, most // len(same))
    rest = most - share * len(same)
    return share + rest if rest > 0 and choice == same[0] and not _capped(same) else share


def _capped(same: list[Choice]) -> bool:
    """Whether areas differ in how much may go there: then no line asks for more than its share."""
    return len({one.most for one in same}) > 1


def _in_order(chosen: list[Choice]) -> list[Choice]:
    verbs = list(dict.fromkeys(choice.verb for choice in chosen))
    return sorted(chosen, key=lambda choice: verbs.index(choice.verb))
