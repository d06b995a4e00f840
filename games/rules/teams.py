"""Decide which orders are in force where a team, one person or nobody holds a nation (F1).

Pure. The option is `ow2.team`. Submissions go in, oldest first, and for each nation the text comes
out that is fixed at the lock. The record has the number of each team member, in the order in which
they first joined, and the numbers of those who were members at the lock.

- `spokesman`: their submissions count. Those of the others are proposals, which count as little as
  late submissions.
- `majority`: each member's newest set that counts is their vote. A line counts if more than half of
  the team sent it in the same canonical words, as often as more than half sent it; lines are in the
  order of the member who joined first among those who sent them. Where more than half voted and no
  line has a majority, the team has sent orders and none of them counts: that is a PASS and no
  missed turn. Votes of former members no longer count, and a new member counts as part of the team
  at once.
- `last_received`: the newest submission that counts, from any member, as for a nation that one
  person holds.

Submissions without a member number (taken down for the seat as a whole, or sent by the service
while it was empty) are in force like those of one person, until members' later submissions give a
text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .contract import Ruleset
from .orders import AGREED_ON_NOTHING
from .plain.editions import (
    Understood,
    canonical_text,
    is_canonical,
    judged_text,
    mark_canonical,
)
from .verification import record

OPTION = "ow2.team"
SPOKESMAN, MAJORITY = "spokesman", "majority"


@dataclass(frozen=True)
class TeamSubmission:
    """A submission as ledger and record have it.

    `member` 0: of no team, or for the whole seat.
    """

    number: int
    nation: str
    text: str
    counts: bool
    late: bool
    final: bool = False
    salt: str = ""
    member: int = 0
    #: What another edition of the reader understood; None if the text is read.
    before: Understood | None = None

    @property
    def judged(self) -> str:
        return judged_text(self.text, self.before)


@dataclass(frozen=True)
class Tally:
    """A line that a team member sent, in canonical words, and the members who sent it."""

    words: str
    members: tuple[int, ...]
    counts: bool


@dataclass(frozen=True)
class OrdersInForce:
    """The orders in force for a nation, with number and salt of their newest submission.

    `text` is the one that the digest covers, `judged` the one to judge: what an older edition of
    the reader understood stands in for it (games.rules.plain.editions). `final`: that submission is
    final or, with a majority, more than half of the team's votes are.
    """

    text: str
    number: int
    salt: str
    final: bool
    judged: str


@dataclass
class _OrderSet:
    """Orders that one member, or the nation as a whole, has sent and not taken back."""

    text: str = ""
    judged: str = ""
    newest: TeamSubmission | None = None
    #: What other editions of the reader understood of the texts in it, by text.
    before: dict[str, Understood] = field(default_factory=dict)

    def replace(self, sent: TeamSubmission) -> None:
        self.text, self.judged, self.newest = sent.text, sent.judged, sent
        self.before = {} if sent.before is None else {sent.text: sent.before}

    def merge(self, sent: TeamSubmission, rules: Ruleset, state: Any) -> None:
        nation, self.newest = sent.nation, sent
        if sent.before is not None:
            self.before[sent.text] = sent.before
        self.text = rules.merge(self.text, sent.text, nation, state, self.before)
        if not self.before:
            self.judged = self.text
            return
        mine, later = (
            text
            if is_canonical(text)
            else canonical_text(rules.read(text, nation, state).understood)
            for text in (self.judged, sent.judged)
        )
        self.judged = mark_canonical(rules.merge(mine, later, nation, state))


@dataclass
class _Nation:
    whole: _OrderSet = field(default_factory=_OrderSet)
    votes: dict[int, _OrderSet] = field(default_factory=dict)


def is_decided_by_vote(
    options: Mapping[str, Any], nation: str, teams: Mapping[str, Sequence[int]]
) -> bool:
    """Return whether a nation's orders are composed from its members' votes."""
    return nation in teams and options.get(OPTION) == MAJORITY


def in_force(
    rules: Ruleset,
    state: Callable[[], Any],
    options: Mapping[str, Any],
    sent: Iterable[TeamSubmission],
    teams: Mapping[str, Sequence[int]],
) -> dict[str, OrdersInForce]:
    """Return the orders in force by nation, for nations that have any.

    `teams`: nations held by teams, with their members' numbers. `state` is called where texts must
    be read: under `merge_lines`, and for a majority.
    """
    nations = _gather(rules, state, options, sent, teams)
    orders = {
        nation: _nation_orders_in_force(rules, state, nation, own, teams.get(nation, ()))
        for nation, own in nations.items()
    }
    return {nation: standing for nation, standing in orders.items() if standing is not None}


def tallies(
    rules: Ruleset,
    state: Callable[[], Any],
    options: Mapping[str, Any],
    sent: Iterable[TeamSubmission],
    teams: Mapping[str, Sequence[int]],
) -> dict[str, tuple[Tally, ...]]:
    """Return every line that a member sent, for each nation whose team votes.

    Lines are included whether they count or not. The arguments are those of `in_force`.
    """
    nations = _gather(rules, state, options, sent, teams)
    by_nation = {}
    for nation, members in teams.items():
        texts = _texts(nations.get(nation, _Nation()), members)
        by_nation[nation] = (
            compose(rules, state(), nation, texts, len(members))[1]
            if is_decided_by_vote(options, nation, teams)
            else ()
        )
    return by_nation


def _gather(
    rules: Ruleset,
    state: Callable[[], Any],
    options: Mapping[str, Any],
    sent: Iterable[TeamSubmission],
    teams: Mapping[str, Sequence[int]],
) -> dict[str, _Nation]:
    """Return the submissions that stand for each nation: its own, and each voting member's."""
    merging = options["orders.amend"] == "merge_lines"
    nations: dict[str, _Nation] = {}
    for submission in sent:
        own = nations.setdefault(submission.nation, _Nation())
        voting = submission.member > 0 and is_decided_by_vote(options, submission.nation, teams)
        if record.is_withdrawal(submission.text, submission.late):
            if voting:
                own.votes.pop(submission.member, None)
            else:
                own.whole, own.votes = _OrderSet(), {}
        elif submission.counts:
            if not voting:
                own.votes = {}
            target = own.votes.setdefault(submission.member, _OrderSet()) if voting else own.whole
            merges = target.newest is not None and merging
            if merges:
                target.merge(submission, rules, state())
            else:
                target.replace(submission)
    return nations


def _texts(own: _Nation, members: Sequence[int]) -> dict[int, str]:
    """Return the vote of each current member, as it is judged, by their number."""
    return {
        member: vote.judged
        for member, vote in sorted(own.votes.items())
        if member in members and vote.newest is not None
    }


def _nation_orders_in_force(
    rules: Ruleset, state: Callable[[], Any], nation: str, own: _Nation, members: Sequence[int]
) -> OrdersInForce | None:
    votes = _texts(own, members)
    if votes:
        text, _ = compose(rules, state(), nation, votes, len(members))
        if text:
            submissions = [
                submission
                for submission in (own.votes[member].newest for member in votes)
                if submission is not None
            ]
            newest = max(submissions, key=lambda submission: submission.number)
            finals = sum(submission.final for submission in submissions)
            final = 2 * finals > len(members)
            # The lines are canonical, and read as such where another edition read a vote.
            kept = mark_canonical(text) if any(map(is_canonical, votes.values())) else text
            return OrdersInForce(text, newest.number, newest.salt, final, kept)
    if own.whole.newest is None:
        return None
    newest = own.whole.newest
    whole = own.whole
    return OrdersInForce(whole.text, newest.number, newest.salt, newest.final, whole.judged)


def compose(
    rules: Ruleset, state: Any, nation: str, texts: Mapping[int, str], size: int
) -> tuple[str, tuple[Tally, ...]]:
    """Return the text that members' texts give in a team of `size`, and who sent each line.

    The text is empty where no more than half of them sent anything.
    """
    read = {
        member: [words for _, words in rules.read(texts[member], nation, state).understood]
        for member in sorted(texts)
    }
    counts_by_member = {member: Counter(lines) for member, lines in read.items()}
    line_tallies: dict[tuple[str, int], Tally] = {}
    for lines in read.values():
        seen: Counter[str] = Counter()
        for words in lines:
            seen[words] += 1
            if (words, seen[words]) not in line_tallies:
                senders = tuple(
                    member
                    for member, counted in counts_by_member.items()
                    if counted[words] >= seen[words]
                )
                line_tallies[words, seen[words]] = Tally(words, senders, 2 * len(senders) > size)
    tally = tuple(line_tallies.values())
    agreed = [line.words for line in tally if line.counts]
    if not agreed and 2 * sum(bool(lines) for lines in read.values()) > size:
        agreed = [AGREED_ON_NOTHING]
    return "\n".join(agreed), tally
