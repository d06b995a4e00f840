"""Count what was lost and doubled: compare record, mail server and senders."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import Any

from tests.drills.breaking.league import League
from tests.drills.breaking.players import Sent
from tests.drills.breaking.post import Copy
from tests.support.processes import Service

#: Kinds of letters of which each reader gets one per phase.
ONE_A_PHASE = ("board", "opened", "locked", "over")
#: Seconds on a busy machine from the delivery of a letter to its mark, or from the last check of a
# letter's lease to its delivery.
A_MOMENT = 1.5
#: How many details of losses and doubles to report; at least one of each kind.
DETAILS = 8
#: Most records to verify from the first phase on; at most one of ten games, but at least one. For
# the other games only the counts are checked.
RECORDS = 5


#: Who delivers letters: a process and a thread in it. Writes of its other threads say nothing about
# this thread's letters.
Sender = tuple[int, int]
#: Sentences about what was wrong, by the kind of check.
Details = dict[str, list[str]]


@dataclass
class Found:
    """Counts. `lost` and `doubled` must be 0; SMTP cannot avoid `known` (RFC 5321, 6.1)."""

    lost: dict[str, int]
    doubled: dict[str, int]
    known: int
    sizes: dict[str, int]
    details: Details = field(default_factory=dict)

    @property
    def nothing(self) -> bool:
        return not any(self.lost.values()) and not any(self.doubled.values())

    def told(self) -> dict[str, Any]:
        """Return the counts of losses and doubles that are not 0, with details."""
        return {name: times for name, times in {**self.lost, **self.doubled}.items() if times} | (
            {"details": some(self.details, DETAILS)} if not self.nothing else {}
        )


def some(details: Details, most: int) -> list[str]:
    """Return the first detail of each kind, then the second of each, until there are enough."""
    in_turn = [
        detail for row in zip_longest(*details.values()) for detail in row if detail is not None
    ]
    return in_turn[: max(most, len(details))]


def count(running: League, sent: Sent) -> Found:
    """Count losses and doubles. Call it when nothing is due and nothing is being sent."""
    details: Details = defaultdict(list)
    letters = _letters(running, details)
    records = min(RECORDS, max(1, len(running.games) // 10))
    orders = _orders(running, sent, details)
    digits = drawn(running)
    resolved = running.count("games_phase WHERE status = 'resolved'")
    overdue = "games_phase WHERE status IN ('open', 'locked') AND deadline <= ?"
    return Found(
        lost={
            "phases held": running.count("games_phase WHERE status = 'held'"),
            "phases due and not judged": running.count(overdue, running.stored(running.time.now)),
            "results missing": (
                resolved
                - int(running.rows("SELECT count(DISTINCT phase_id) FROM games_resolution")[0][0])
            ),
            "reports missing": _reports_missing(running),
            "letters given up and nobody told": _untold(running),
            **letters["lost"],
            **orders["lost"],
            **digits["lost"],
            "records that do not follow": not_following(
                running, [game.number for game in running.games[:records]], details
            ),
        },
        doubled={
            "phases judged twice": running.count("games_resolution WHERE version > 1"),
            **letters["doubled"],
            **orders["doubled"],
            **digits["doubled"],
        },
        known=letters["known"],
        sizes={
            "games": len(running.games),
            "phases": resolved,
            "orders": sent.accepted,
            "letters": running.count("games_letter WHERE status = 'sent'"),
        },
        details=details,
    )


def _untold(running: League) -> int:
    """Return the number of failed letters about a game of which its gamesmaster was not notified.

    Reminders, which are useless when late, and the notices themselves do not count, nor do letters
    to the gamesmaster, about which nobody else can be notified. The gamesmaster gets one notice per
    phase and person.
    """
    notices = {
        key for (key,) in running.rows("SELECT key FROM games_letter WHERE kind = 'undelivered'")
    }
    (ada,) = running.rows("SELECT id FROM games_person WHERE email = 'ada@example.org'")[0]
    kinds = "kind NOT IN ('reminder', 'undelivered')"
    failed = running.rows(
        f"SELECT key, person_id FROM games_letter WHERE status = 'failed' AND {kinds} AND person_id"
        " IS NOT NULL"
    )
    places = [
        (key.rpartition("/person-")[0].rpartition("/")[0], person)
        for key, person in failed
        if person != ada
    ]
    return sum(
        f"{place}/undelivered-of-{person}/person-{ada}" not in notices for place, person in places
    )


def _reports_missing(running: League) -> int:
    """Count missing reports; everyone who plays in a game or runs it gets one for each phase."""
    readers = 3  # Una, Gustav and Ada
    kinds = "kind IN ('board', 'over')"  # the report on the last phase is the final letter
    query = f"SELECT count(*) FROM games_letter WHERE {kinds} AND phase_id IS NOT NULL"
    resolved = running.count("games_phase WHERE status = 'resolved'")
    return max(0, resolved * readers - int(running.rows(query)[0][0]))


#: The service tells a person who writes to a finished game so once (`deciding._over`); it stores
# their further letters and need not answer them. A condition on `h`.
TOLD_BEFORE = """h.words = 'The game is over.' AND EXISTS (
    SELECT 1 FROM games_letter l
    WHERE l.key = 'game-' || h.game_id || '/over-mail/person-' || h.person_id)"""


def _orders(running: League, sent: Sent, details: Details) -> dict[str, dict[str, int]]:
    times: Counter[str] = Counter()
    for (text,) in running.rows(
        "SELECT text FROM orders_submission WHERE channel IN ('web', 'mail')"
    ):
        times[str(text).partition("# ")[2][:11]] += 1
    lost_pages = [sign for sign in sent.accepted_pages if not times[sign]]
    # Mail that was deferred and overtaken by newer orders changes nothing, and the answer says so
    # (docs/design.md 7).
    query = (
        "SELECT m.message_id FROM orders_mail m JOIN orders_handling h ON h.mail_id = m.id WHERE"
        f" h.answer_id IS NOT NULL OR {TOLD_BEFORE}"
    )
    answered = {name.partition("@")[0].strip("<") for (name,) in running.rows(query)}
    lost_mail = [sign for sign in sent.accepted_mail if not times[sign] and sign not in answered]
    details["orders"] += [f"lost: {sign}" for sign in (*lost_pages, *lost_mail)]
    unanswered = (
        f"orders_handling h WHERE status = 'done' AND answer_id IS NULL AND NOT ({TOLD_BEFORE})"
    )
    return {
        "lost": {
            "orders accepted by page and not in the record": len(lost_pages),
            "orders accepted by mail, neither in the record nor answered": len(lost_mail),
            "messages without an answer": (
                running.count(unanswered) + running.count("orders_handling WHERE status = 'failed'")
            ),
            "orders in force and not judged": _not_judged(running, details),
        },
        "doubled": {"orders entered twice": sum(number > 1 for number in times.values())},
    }


def _not_judged(running: League, details: Details) -> int:
    """Count the nations of phases whose result does not use their newest orders that count."""
    nation = dict(running.rows("SELECT id, nation FROM games_seat"))
    newest: dict[tuple[int, str], str] = {}
    query = "SELECT phase_id, seat_id, text FROM orders_submission WHERE counts ORDER BY number"
    for phase, seat, text in running.rows(query.replace("WHERE counts", "WHERE counts = ?"), True):
        newest[phase, nation[seat]] = text
    missing = 0
    for phase, orders in running.rows("SELECT phase_id, orders FROM games_resolution"):
        judged = json.loads(orders) if isinstance(orders, str) else orders
        for name in nation.values():
            text = newest.get((phase, name))
            if text is not None and text.strip() not in str(judged.get(name, "")):
                missing += 1
                details["not judged"].append(
                    f"phase {phase}, {name}: {text!r} was judged as {judged.get(name)!r}"
                )
    return missing


def drawn(running: Service) -> dict[str, dict[str, int]]:
    draws = running.rows("SELECT phase_id, nation, line, digit FROM games_draw")
    attacks = [
        (phase, event["nation"], event["line"], event["digit"])
        for phase, events in running.rows("SELECT phase_id, events FROM games_resolution")
        for event in (json.loads(events) if isinstance(events, str) else events)
        if event["kind"] == "attack"
    ]
    return {
        "lost": {
            "digits lost": len(set(attacks) - set(draws)),
            "digits without an attack": len(set(draws) - set(attacks)),
        },
        "doubled": {"digits drawn twice": len(draws) - len(set(draws))},
    }


def _letters(running: League, details: Details) -> dict[str, Any]:
    rows = running.rows(
        "SELECT message_id, status, kind, game_id, phase_id, person_id FROM games_letter"
    )
    delivered = {"sent", "bounced"}
    written = {row[0]: row[1] for row in rows}
    copies: dict[str, list[Copy]] = defaultdict(list)
    for copy in list(running.sink.copies):
        copies[copy.message_id].append(copy)
    once = Counter(
        (row[2], row[4], row[5]) for row in rows if row[2] in ONE_A_PHASE and row[4] is not None
    )
    witness, known, unexplained = Witness.of(running), 0, 0
    for name, same in copies.items():
        same.sort(key=lambda copy: copy.at)
        for earlier, later in pairwise(same):
            if witness.explains(earlier):
                known += 1
            else:
                unexplained += 1
                details["letters"].append(
                    f"{name} twice, {later.at - earlier.at:.2f} s apart: {witness.of_copy(earlier)}"
                )
    return {
        "lost": {
            "letters sent and never delivered": sum(
                status in delivered and name not in copies for name, status in written.items()
            ),
            "letters not sent": sum(
                status in ("queued", "sending", "deferred") for status in written.values()
            ),
            "letters that nobody wrote": sum(name not in written for name in copies),
        },
        "doubled": {
            "letters with two contents": sum(
                len({copy.says for copy in same}) > 1 for same in copies.values() if len(same) > 1
            ),
            "letters of one kind to one person about one phase": sum(
                number > 1 for number in once.values()
            ),
            "letters twice without need": unexplained,
        },
        "known": known,
    }


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
    def of(cls, running: League) -> Witness:
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
        for copy in sorted(running.sink.copies, key=lambda copy: copy.at):
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


#: All commands in one process, because each takes a second to start.
FOLLOWS = """
from django.core.management import CommandError, call_command
for game in {games!r}:
    file = "{folder}/record-%s.json" % game
    with open(file, "w") as record:
        call_command("exportgame", str(game), stdout=record)
    try:
        call_command("verify", file)
    except (SystemExit, CommandError) as error:
        print("NOT", game, error)
"""


def not_following(running: Service, games: Sequence[int], details: Details) -> int:
    """Return how many of these games' records `verify` refutes, from the first phase on."""
    code = FOLLOWS.format(folder=running.folder, games=list(games))
    said = running.manage("shell", "--no-imports", "--command", code)
    refuted = re.findall(r"^NOT (\d+)", said, re.MULTILINE)
    if refuted:
        details["records"].append(f"records of games {refuted} do not follow: {said[-600:]}")
    return len(refuted)
