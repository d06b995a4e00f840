"""Decide whether a second copy of a letter was unavoidable, from the notes of all processes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.drills.breaking.post import Copy

if TYPE_CHECKING:
    from tests.drills.breaking.counting import Counted

#: Seconds on a busy machine from the delivery of a letter to its mark, or from the last check of a
# letter's lease to its delivery.
A_MOMENT = 1.5
#: Who delivers letters: a process and a thread in it. Writes of its other threads say nothing about
# this thread's letters.
Sender = tuple[int, int]


@dataclass
class Witness:
    """The notes of the processes, and when they were killed: decides whether a second copy of a
    letter was unavoidable.

    It was unavoidable if, between the mail server's acceptance and the mark that the letter was
    sent, one of these happened:

    - the server's answer never arrived;
    - the sender was killed without a commit in between;
    - the database accepted no writes;
    - all leases ran out at once, because the clock jumped or the machine slept, while the letter
      was being delivered or before it was marked. That excuses one letter of each sender: before
      the next one a sender can know that the clock jumped.
    """

    talked: dict[int, list[tuple[float, Sender]]]  # by port: since when, and which sender
    commits: dict[Sender, list[float]]
    killed: dict[int, float]
    away: list[tuple[float, float]]
    leapt: list[tuple[float, float]]
    # By port: when the mail server kept letters from it, in order.
    kept: dict[int, list[float]] = field(default_factory=dict)

    @classmethod
    def of(cls, running: Counted) -> Witness:
        talked: dict[int, list[tuple[float, Sender]]] = defaultdict(list)
        commits: dict[Sender, list[float]] = defaultdict(list)
        killed = dict(running.killed)
        for file in running.notes.glob("did-*"):
            pid = int(file.name.partition("-")[2])
            for line in file.read_text().splitlines():
                at, _, what = line.partition(" ")
                word, _, rest = what.partition(" ")
                if word == "commit":
                    commits[pid, int(rest)].append(float(at))
                elif word == "mail":
                    port, _, thread = rest.partition(" ")
                    talked[int(port)].append((float(at), (pid, int(thread))))
                elif word == "killed":
                    killed[pid] = float(at)
        kept: dict[int, list[float]] = defaultdict(list)
        for copy in sorted(running.copies, key=lambda copy: copy.at):
            kept[copy.port].append(copy.at)
        return cls(talked, commits, killed, running.away, running.leapt, kept)

    def sender(self, copy: Copy) -> Sender | None:
        since = [(at, who) for at, who in self.talked.get(copy.port, []) if at <= copy.at]
        return max(since)[1] if since else None

    def explains(self, copy: Copy) -> bool:
        if not copy.answered:
            return True
        who = self.sender(copy)
        if who is None:
            return False
        next_commit = next((at for at in self.commits.get(who, []) if at > copy.at), float("inf"))
        end = self.killed.get(who[0], float("inf"))
        if copy.at - 0.05 <= end < next_commit:
            return True
        # A database that crashes loses the marks that it has not confirmed; one that is away
        # accepts none, and the sender retries for some seconds.
        return any(
            since - 1 < copy.at < since
            or (since < copy.at + 10 and until > copy.at and next_commit > max(since, copy.at))
            for since, until in self.away
        ) or any(self._at_leap(copy, *leap) for leap in self.leapt)

    def _at_leap(self, copy: Copy, since: float, until: float) -> bool:
        """Return whether the leap could not be known: before its end, or first letter after it."""
        if copy.at <= until:
            return copy.at > since - A_MOMENT
        return copy.at < until + A_MOMENT and copy.at == next(
            at for at in self.kept[copy.port] if at > until
        )

    def of_copy(self, copy: Copy) -> str:
        who = self.sender(copy) or (0, 0)
        after = [round(at - copy.at, 3) for at in self.commits.get(who, []) if at > copy.at][:3]
        return (
            f"process and thread {who}, killed {self.killed.get(who[0])}, kept at {copy.at:.3f},"
            f" commits after {after}"
        )
