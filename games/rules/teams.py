"""Whose orders are in force where several people hold a nation (F1, `ow2.team`), and where none do:
one answer for all who ask.

PURE. Submissions go in, oldest first, and for each nation the text comes out that is sealed at the
lock. What is recorded of a team is the number of each member, in the order in which they first sat
down, and at the lock the numbers of those who sat there then.

- `spokesman`: his submissions count. Those of the others are proposals, which count as little as
  what came late.
- `majority`: each member's newest set that counts is his vote. A line counts if more than half of
  the team sent it in the same canonical words, as often as more than half sent it; lines stand in
  the order of the member who sat down first among those who sent them. Where more than half have
  voted and no line has a majority, the team has sent orders and none of them counts: that is a PASS
  and no missed turn. Votes of those who have left count no more, and who has come counts among the
  team from then on.
- `last_received`: the newest that counts, whoever sent it, as of a nation that one person holds.

What came from nobody's member number (taken down for the seat as a whole, or sent by the service
while it was empty) holds like a set of one person, until what members have sent since comes to
something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .contract import Ruleset
from .orders import AGREED_ON_NOTHING
from .verification import record

OPTION = "ow2.team"
SPOKESMAN, MAJORITY = "spokesman", "majority"
#: What a team has sent that voted and agreed on nothing.


@dataclass(frozen=True)
class Sent:
    """A submission as ledger and record have it. `member` 0: of no team, or for the whole seat."""

    number: int
    nation: str
    text: str
    counts: bool
    late: bool
    final: bool = False
    salt: str = ""
    member: int = 0


@dataclass(frozen=True)
class Tally:
    """A line that somebody of a team sent, in canonical words, and the members who sent it."""

    words: str
    members: tuple[int, ...]
    counts: bool


@dataclass(frozen=True)
class InForce:
    """What is in force for a nation: its text, and number and salt of the newest submission that it
    rests on.

    `final`: that one is, or, of a majority, more than half of the team's votes are. `tally`: of a
    majority, every line with its senders.
    """

    text: str
    number: int
    salt: str
    final: bool
    tally: tuple[Tally, ...] = ()


@dataclass
class _Set:
    """What one member, or the nation as a whole, has sent and not taken back."""

    text: str = ""
    newest: Sent | None = None

    def add(self, sent: Sent, text: str) -> None:
        self.text, self.newest = text, sent


@dataclass
class _Nation:
    whole: _Set = field(default_factory=_Set)
    votes: dict[int, _Set] = field(default_factory=dict)


def is_decided_by_vote(
    options: Mapping[str, Any], nation: str, teams: Mapping[str, Sequence[int]]
) -> bool:
    """Whether a nation's orders are put together from its members' votes."""
    return nation in teams and options.get(OPTION) == MAJORITY


def in_force(
    rules: Ruleset,
    state: Callable[[], Any],
    options: Mapping[str, Any],
    sent: Iterable[Sent],
    teams: Mapping[str, Sequence[int]],
) -> dict[str, InForce]:
    """Nation to what is in force for it, of those that have something. `teams`: nations held by
    teams, with their members' numbers.

    `state` is asked for where texts must be read: under `merge_lines`, and for a majority.
    """
    nations = _gather(rules, state, options, sent, teams)
    found = {
        nation: _in_force_of(rules, state, nation, own, teams.get(nation, ()))
        for nation, own in nations.items()
    }
    return {nation: standing for nation, standing in found.items() if standing is not None}


def tallies(
    rules: Ruleset,
    state: Callable[[], Any],
    options: Mapping[str, Any],
    sent: Iterable[Sent],
    teams: Mapping[str, Sequence[int]],
) -> dict[str, tuple[Tally, ...]]:
    """Of each nation whose team votes every line that a member has sent, whether it counts or not.
    Arguments as of `in_force`."""
    nations = _gather(rules, state, options, sent, teams)
    found = {}
    for nation, members in teams.items():
        texts = _texts(nations.get(nation, _Nation()), members)
        found[nation] = (
            compose(rules, state(), nation, texts, len(members))[1]
            if is_decided_by_vote(options, nation, teams)
            else ()
        )
    return found


def _gather(
    rules: Ruleset,
    state: Callable[[], Any],
    options: Mapping[str, Any],
    sent: Iterable[Sent],
    teams: Mapping[str, Sequence[int]],
) -> dict[str, _Nation]:
    """Return what stands of each nation's submissions: the nation's, and each voting member's."""
    merging = options["orders.amend"] == "merge_lines"
    nations: dict[str, _Nation] = {}
    for one in sent:
        own = nations.setdefault(one.nation, _Nation())
        voting = one.member > 0 and is_decided_by_vote(options, one.nation, teams)
        if record.is_withdrawal(one.text, one.late):
            if voting:
                own.votes.pop(one.member, None)
            else:
                own.whole, own.votes = _Set(), {}
        elif one.counts:
            if not voting:
                own.votes = {}
            into = own.votes.setdefault(one.member, _Set()) if voting else own.whole
            earlier = into.newest is not None and merging
            into.add(
                one, rules.merge(into.text, one.text, one.nation, state()) if earlier else one.text
            )
    return nations


def _texts(own: _Nation, members: Sequence[int]) -> dict[int, str]:
    """The vote of each who belongs to the team, by his number."""
    return {
        member: one.text
        for member, one in sorted(own.votes.items())
        if member in members and one.newest is not None
    }


def _in_force_of(
    rules: Ruleset, state: Callable[[], Any], nation: str, own: _Nation, members: Sequence[int]
) -> InForce | None:
    voted = _texts(own, members)
    if voted:
        text, tally = compose(rules, state(), nation, voted, len(members))
        if text:
            sent = [
                one for one in (own.votes[member].newest for member in voted) if one is not None
            ]
            newest = max(sent, key=lambda one: one.number)
            finals = sum(one.final for one in sent)
            return InForce(text, newest.number, newest.salt, 2 * finals > len(members), tally)
    if own.whole.newest is None:
        return None
    newest = own.whole.newest
    return InForce(own.whole.text, newest.number, newest.salt, newest.final)


def compose(
    rules: Ruleset, state: Any, nation: str, texts: Mapping[int, str], size: int
) -> tuple[str, tuple[Tally, ...]]:
    """What members' texts come to in a team of so many, empty where no more than half have sent
    anything; and who sent each line."""
    read = {
        member: [words for _, words in rules.read(texts[member], nation, state).understood]
        for member in sorted(texts)
    }
    often = {member: Counter(lines) for member, lines in read.items()}
    found: dict[tuple[str, int], Tally] = {}
    for lines in read.values():
        seen: Counter[str] = Counter()
        for words in lines:
            seen[words] += 1
            if (words, seen[words]) not in found:
                senders = tuple(
                    member for member, counted in often.items() if counted[words] >= seen[words]
                )
                found[words, seen[words]] = Tally(words, senders, 2 * len(senders) > size)
    tally = tuple(found.values())
    agreed = [line.words for line in tally if line.counts]
    if not agreed and 2 * sum(bool(lines) for lines in read.values()) > size:
        agreed = [AGREED_ON_NOTHING]
    return "\n".join(agreed), tally
