"""Check what comes before a phase's results in a record: times, submissions, orders, digits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from .. import (
    REFEREE_SEAT,
    Doubt,
    Json,
    PhaseId,
    Reading,
    doubts,
    rulings,
    teams,
    time_credit,
)
from ..contract import Ruleset
from ..digits import DICE, digit_of_shares, digits_in_events, is_usable
from ..orders import PART
from ..plain import editions
from . import entries, record
from .difference import Check, Difference, parse_time, phase_name, to_json

#: Orders that do not come by mail are entered within this time.
ENTERED_WITHIN = timedelta(minutes=1)


@dataclass(frozen=True)
class Version:
    """A version of a phase's result: when it was made, and after which ruling.

    `position` is the one after it, as judged here.
    """

    after_ruling: int
    resolved: datetime | None
    position: Json


#: Says what was understood of a submission before; None where its text is read.
Before = Callable[[Json], editions.Understood | None]


def _as_recorded(reading: Reading) -> list[Any]:
    """Return what was understood, and what is in doubt, as a record has them."""
    return [reading.understood, doubts.as_json(reading.doubt)]


class PhaseCheck(Check):
    """Checks one phase of a record, in each position it was played in: rulings may change it."""

    def __init__(
        self,
        tree: Json,
        rules: Ruleset,
        phase: Json,
        history: list[Version],
        known: list[rulings.Ruling],
    ) -> None:
        super().__init__(phase_name(phase))
        self.tree, self.rules, self.phase = tree, rules, phase
        self.history, self.known = history, known
        self.options: Json = tree["options"]
        self.state = rules.load(tree["card"], self.options, history[-1].position)
        self.grace = timedelta(hours=self.options["orders.grace_hours"])
        #: The orders in force by nation, as sent, and as they are judged.
        self.sent_texts: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        #: What each submission may leave in doubt, by number: None where it is clear.
        self.doubts: dict[int, list[Doubt | None]] = {}
        #: Versions with the position after the phase, as judged here and not as recorded.
        self.versions: list[Version] = []

    def position(self, after_ruling: int) -> Json:
        """Return the position before the phase, as of the ruling with this number."""
        stood = [version for version in self.history if version.after_ruling <= after_ruling]
        return (stood or self.history[:1])[-1].position

    def before(self, row: Json) -> editions.Understood | None:
        """Return what another edition of the reader understood of a submission.

        None if this one reads it, as all of a record that does not say which edition did.
        """
        if "edition" not in row:
            return None
        nation, edition = row["nation"], row["edition"]
        return editions.understood_before(self.options, nation, edition, row["understood"])

    def states(self, moment: datetime, until: datetime | None = None) -> list[Any]:
        """Return the state of the phase at a moment; two where a ruling was made at that moment.

        `until`: with those of rulings made until then, in order.
        """
        until = moment if until is None else until
        early = [
            version
            for version in self.history
            if version.resolved is None or version.resolved < moment
        ]
        since = [
            version
            for version in self.history
            if version.resolved is not None and moment <= version.resolved <= until
        ]
        versions = [*early[-1:], *since] or self.history[:1]
        return [
            self.rules.load(self.tree["card"], self.options, version.position)
            for version in versions
        ]

    def identity(self) -> Iterator[Difference]:
        identity, phase = self.rules.phase(self.state), self.phase
        own = [phase["turn"], phase["kind"]]
        yield from self.expect("the phase that comes next", own, identity and list(identity))
        recorded = phase["controllers"]
        possible = [
            dict(self.rules.controllers(self.rules.load(self.tree["card"], self.options, position)))
            for position in (version.position for version in self.history)
        ]
        if not any(to_json(recorded) == to_json(controllers) for controllers in possible):
            yield from self.expect("who sends whose orders", recorded, possible[-1])

    @property
    def is_ruled(self) -> bool:
        """Whether rulings were in force when the phase was first judged."""
        return bool(self.phase["resolutions"]) and bool(
            self._rulings_of(self.phase["resolutions"][0])
        )

    # 1. deadlines and submissions

    def times(self) -> Iterator[Difference]:
        phase, changes = self.phase, self.phase["deadline_changes"]
        followed = [*(change["old"] for change in changes[1:]), phase["deadline"]]
        for change, deadline in zip(changes, followed, strict=False):
            yield from self.expect("the deadline after it was moved", deadline, change["new"])
        for number, change in enumerate(changes, 1):
            yield from self._check_credit(change, changes[number:])
        locked, session, versions = phase["locked"], phase["session"], phase["resolutions"]
        if locked is None:
            return
        # A phase that waits for a report has no deadline, and closes once a report arrives.
        facts = self.rules.facts(PhaseId(phase["turn"], phase["kind"]), self.options)
        if (
            facts.awaited
            and self.tree["complete"]
            and REFEREE_SEAT not in self.orders_of(self.phase["submissions"])
        ):
            follows = "after a report of the gamesmaster, and there is none"
            yield self.wrong("the lock", locked, follows)
        if (
            not facts.awaited
            and parse_time(locked) < parse_time(phase["deadline"]) + self.grace
            and not self._may_end_early()
        ):
            yield self.wrong("the lock", locked, f"not before the deadline {phase['deadline']}")
        moments = [("its opening", phase["opened"]), ("the lock", locked)]
        judged = [("the resolution", version["resolved"]) for version in versions]
        # The deadline fixes the session, so the lock may come later (`market`).
        for subject, moment in judged[:1] if session and not self.is_ruled else ():
            yield from self._check_not_before(subject, moment, "the close", session["closes"])
        if self.is_ruled:
            # Under rulings a phase may need no sales, and is judged before the session is over.
            yield from self._check_not_before(*judged[0], "the lock", locked)
        else:
            moments += judged
        for (before, first), (after, second) in pairwise(moments):
            yield from self._check_not_before(after, second, before, first)
        for (_, first), (after, second) in pairwise(judged):
            yield from self._check_not_before(after, second, "the version before", first)

    def _may_end_early(self) -> bool:
        """Return whether the phase may end before its deadline: all that it waits for is final.

        That is an order set of each nation that could order something and has a player. A record
        that withholds the submissions does not tell.
        """
        state = self.states(parse_time(self.phase["locked"]))[-1]
        seats = entries.seats(self.tree, ("locked", self.phase["number"]))
        bots = {nation for nation, seat in seats.items() if seat["bot"]}
        playing = {*bots, *self.phase["holders"]}
        standing = self.orders_of(self.phase["submissions"])
        return self.tree["may_lock_early"] and all(
            nation in standing and standing[nation].final
            for nation in (self.rules.acting_nations(state) if self.tree["complete"] else ())
            if self.phase["controllers"].get(nation, nation) in playing
            and self.rules.could_order(state, nation)
        )

    def _check_credit(self, change: Json, later: Sequence[Json]) -> Iterator[Difference]:
        """Check the time that was given back for an outage (games.rules.time_credit).

        `later`: the changes after it. If one of them says that the clock had been ahead, the phase
        may have been opened again since. How long it had lasted when time was given back is then
        not known, but no outage gives more than a day.
        """
        if change["outage"] is None:
            return
        since, until = (change["outage"][end] for end in ("since", "until"))
        opened, old = parse_time(self.phase["opened"]), parse_time(change["old"])
        follows = time_credit.new_deadline(opened, old, parse_time(since), parse_time(until))
        subject, new = "the deadline after an outage", parse_time(change["new"])
        if any(after["reason"].startswith(record.CLOCK_WAS_AHEAD) for after in later):
            latest = time_credit.latest_deadline(parse_time(until))
            if not parse_time(until) <= new <= latest:
                bounds = f"from {until} to {record.instant(latest)}"
                yield self.wrong(subject, change["new"], bounds)
        else:
            yield from self.expect(subject, change["new"], record.instant(follows))
        yield from self._check_not_before(
            "a new deadline", change["changed"], "the end of the outage", until
        )

    def _check_not_before(
        self, what: str, moment: str, before: str, first: str
    ) -> Iterator[Difference]:
        if parse_time(moment) < parse_time(first):
            yield self.wrong(f"the time of {what}", moment, f"not before {before} at {first}")

    def submission(self, row: Json, number: int, previous: str) -> Iterator[Difference]:
        nation, subject = row["nation"], f"submission {row['number']}"
        yield from self.expect("the number of a submission", row["number"], number, nation)
        if nation not in (*self.rules.nations(self.state), *self.rules.referee.seats):
            yield self.wrong(f"the nation of {subject}", nation, "a nation of the card")
            return
        yield from self.expect(f"the hash before {subject}", row["previous_hash"], previous, nation)
        keys = ("number", "nation", "received", "channel", "salt", "text")
        chained = {key: row[key] for key in keys} | {
            key: row[key] for key in ("member", "proposal")
        }
        turn, kind = self.phase["turn"], self.phase["kind"]
        follows = record.chain_hash(previous=row["previous_hash"], turn=turn, phase=kind, **chained)
        yield from self.expect(f"the hash of {subject}", row["hash"], follows, nation)
        late = self._lateness(parse_time(row["received"]), by_mail=row["channel"] == "mail")
        if self._may_miss_the_lock(row):
            late.add(True)
        if row["late"] not in late:
            yield from self.expect(
                f"whether {subject} was late", row["late"], not row["late"], nation
            )
        # Mail, orders ahead and those in doubt are read later than they came, before the lock.
        locked = self.phase["locked"]
        until = parse_time(locked) if locked else datetime.max.replace(tzinfo=UTC)
        states = self.states(parse_time(row["received"]), until)
        before = self.before(row)
        if before is None:
            read = [self.rules.read(row["text"], nation, state) for state in states]
            self.doubts[row["number"]] = [reading.doubt for reading in read]
            understood = [bool(reading.understood) for reading in read]
            yield from self._check_understood(row, read)
        else:
            self.doubts[row["number"]] = [doubts.from_json(row["doubt"])] * len(states)
            understood = [bool(before)] * len(states)
        in_order = not (row["late"] or row["proposal"])
        counts = {
            in_order and nation in self.rules.acting_nations(state) and has_orders
            for state, has_orders in zip(states, understood, strict=True)
        }
        if row["counts"] not in counts:
            yield self.wrong(f"whether {subject} counts", row["counts"], not row["counts"], nation)
        if row["proposal"] and (not row["member"] or self.options[teams.OPTION] != teams.SPOKESMAN):
            yield self.wrong(f"whether {subject} is a proposal", True, False, nation)

    def _check_understood(self, row: Json, read: Sequence[Reading]) -> Iterator[Difference]:
        """Check what the record says was understood, if it does.

        `read`: as it may have been read, from when it came to the lock.
        """
        if "understood" not in row:
            return
        recorded = [row["understood"], row["doubt"]]
        if not any(to_json(_as_recorded(item)) == to_json(recorded) for item in read):
            subject = f"what was understood of submission {row['number']}, or in doubt in it,"
            yield self.wrong(subject, recorded, _as_recorded(read[-1]), row["nation"])

    def _may_miss_the_lock(self, row: Json) -> bool:
        """Return whether orders that came in time may be late: they were entered after the lock.

        Nothing in time may follow in the ledger. Mail may have come to a mail server that could not
        hand it on before; other orders wait a moment for the lock (`ENTERED_WITHIN`). Their
        receipts say so.
        """
        locked = self.phase["locked"]
        in_flight = locked and parse_time(locked) <= parse_time(row["received"]) + ENTERED_WITHIN
        return (row["channel"] == "mail" or bool(in_flight)) and not any(
            other["number"] > row["number"] and not other["late"]
            for other in self.phase["submissions"]
        )

    def _lateness(self, received: datetime, *, by_mail: bool) -> set[bool]:
        """Return whether orders received at an instant were late, as a set of possible answers.

        Both are possible where the deadline moved or the phase was locked at that very instant. If
        the deadline moved before orders were entered, the new one decided: of two processes that
        read the clock, the later may enter its orders first, and mail may wait for hours to be
        read.
        """
        announced = {
            *self._announced_deadlines(received, at_once=False),
            *self._announced_deadlines(received, at_once=True),
        }
        announced |= {
            change["new"]
            for change in self.phase["deadline_changes"]
            if received < parse_time(change["changed"])
            and (by_mail or parse_time(change["changed"]) <= received + ENTERED_WITHIN)
        }
        corrected = [  # the clock had been ahead, and the orders may be from before
            change
            for change in self.phase["deadline_changes"]
            if change["reason"].startswith(record.CLOCK_WAS_AHEAD)
            and parse_time(change["changed"]) < received
        ]
        announced |= {change["old"] for change in corrected}
        answers = {received > parse_time(deadline) + self.grace for deadline in announced}
        reversals = [
            row
            for row in self.tree["rulings"]
            if row["kind"] in ("rollback", "revoke") and parse_time(row["made"]) <= received
        ]
        if reversals:  # the phase may have been undone then, and orders for it came too late
            answers.add(True)
        locked = self.phase["locked"] and parse_time(self.phase["locked"])
        if locked and received > locked and not corrected:
            return {True}
        return answers | {True} if received == locked else answers

    def _announced_deadlines(self, received: datetime, *, at_once: bool) -> Iterator[str]:
        """Yield the deadline that stood at an instant.

        `at_once`: a change at that very instant counts. If the clock was set back from one change
        to the next, the instant may lie before the second or after it, and both deadlines are
        given.
        """
        changes = self.phase["deadline_changes"]
        made = [
            parse_time(change["changed"]) <= received
            if at_once
            else parse_time(change["changed"]) < received
            for change in changes
        ]
        if not changes:
            yield self.phase["deadline"]
        elif not made[0]:
            yield changes[0]["old"]
        for index, change in enumerate(changes):
            following = changes[index + 1] if index + 1 < len(changes) else None
            if made[index] and (
                following is None
                or not made[index + 1]
                or parse_time(following["changed"]) < parse_time(change["changed"])
            ):
                yield change["new"]

    def orders_of(
        self, submissions: Iterable[Json], before: Before | None = None
    ) -> dict[str, teams.OrdersInForce]:
        """Return the orders in force for each nation; for a team, from its members' submissions.

        They are put together in the state of the lock, whatever was ruled later.
        """
        before = before or self.before
        keys = ("number", "nation", "text", "counts", "late", "final", "salt", "member")
        rows = [
            teams.TeamSubmission(**{key: row[key] for key in keys}, before=before(row))
            for row in submissions
        ]
        locked = parse_time(self.phase["locked"])
        return teams.in_force(
            self.rules, lambda: self.states(locked)[-1], self.options, rows, self.phase["teams"]
        )

    # 2. orders, leaves, digest, stocks

    def orders(self) -> Iterator[Difference]:
        phase = self.phase
        if phase["locked"] is None:
            return
        yield from self.expect("the digest", phase["digest"], record.digest(phase["leaves"]))
        if not self.tree["complete"]:
            return
        standing = self.orders_of(self.phase["submissions"])
        self.sent_texts = {nation: orders.text for nation, orders in standing.items()}
        self.texts = {nation: orders.judged for nation, orders in standing.items()}
        for nation in sorted({*self.texts, *phase["leaves"]}):
            orders, leaf = standing.get(nation), phase["leaves"].get(nation)
            follows = orders and record.leaf(nation, orders.text, orders.salt)
            yield from self.expect("the leaf of the orders in force", leaf, follows, nation)
        held_by_teams = {seat["nation"] for seat in self.tree["seats"] if seat["team"]}
        sending = {row["nation"] for row in phase["submissions"] if row["member"]}
        listed = phase["teams"]
        for nation in sorted({*sending, *listed}):
            holder = phase["controllers"].get(nation, nation)
            if holder not in held_by_teams or nation not in listed:
                expected = "of a seat that a team holds"
                yield self.wrong("the team", listed.get(nation), expected, nation)
        may_miss = [
            seat["nation"]
            for seat in entries.seats(self.tree, ("locked", phase["number"])).values()
            if not seat["bot"] and seat["nation"] not in phase["leaves"]
        ]
        states = self.states(parse_time(phase["locked"]))
        for nation in phase["missed"]:
            asked = any(
                nation in self.rules.acting_nations(state) and self.rules.could_order(state, nation)
                for state in states
            )
            if nation not in may_miss or not asked:
                expected = "one that might order and did not"
                yield self.wrong("the list of those who sent nothing", nation, expected)
        possible = [
            self.rules.stocks(state, self.rules.in_force(state, self.texts)) for state in states
        ]
        if not phase["session"]:
            yield from self.expect("the list of stocks", phase["stocks"], [])
        elif not any(to_json(phase["stocks"]) == to_json(stocks) for stocks in possible):
            yield from self.expect("the list of stocks", phase["stocks"], possible[-1])

    # 4. digits (3. is in `market`)

    def draws(self) -> Iterator[Difference]:
        volumes = {figure["symbol"]: figure["volume"] for figure in self.phase["figures"]}
        drawn = {(row["nation"], row["line"]): row for row in self.phase["draws"]}
        listed = [(row["nation"], row["line"]) for row in self.phase["draws"]]
        yield from self.expect("the list of attacks with a digit", listed, sorted(drawn))
        for row in self.phase["draws"]:
            nation, line, volume = row["nation"], row["line"], row["volume"]
            subject = f"the digit for the attack in {row['area']}"
            sales = f"the sales of {row['stock']} behind {subject}"
            yield from self.expect(sales, volume, volumes.get(row["stock"]), nation, line)
            if is_usable(volume):
                yield from self.expect(subject, row["digit"], digit_of_shares(volume), nation, line)
        reported: set[tuple[str, int]] = set()
        for version in self.phase["resolutions"]:
            ruled = rulings.ruled_volumes(self._rulings_of(version))
            attacks = {
                (e.get("nation"), e.get("line")): e
                for e in version["events"]
                if e["kind"] == "attack"
            }
            attacks |= {
                (reported["nation"], reported["line"]): reported
                for reported in digits_in_events(version["events"])
                if DICE < reported["line"] < PART
            }
            for nation, line in sorted({*attacks, *drawn}, key=str):
                keys = ("area", "stock", "volume", "digit")
                event, draw = attacks.get((nation, line), {}), drawn.get((nation, line), {})
                if event and draw and all(event.get(key) == draw.get(key) for key in keys):
                    reported.add((nation, line))
                    continue
                if self._may_differ(event, draw, ruled, volumes, first=version["version"] == 1):
                    continue
                says = {key: event.get(key) for key in keys}
                held = {key: draw.get(key) for key in keys}
                subject = "the digit that the attack's report tells"
                yield from self.expect(subject, says, held, str(nation), line)
        for nation, line in drawn:
            if self.phase["resolutions"] and (nation, line) not in reported:
                subject, expected = "the digit that was drawn", "told by a report"
                yield self.wrong(subject, "there", expected, nation, line)

    def _may_differ(
        self,
        event: Json,
        draw: Json,
        ruled: Mapping[str, Any],
        volumes: Mapping[str, Any],
        *,
        first: bool,
    ) -> bool:
        """Return whether a report may differ from the draw.

        Rulings set results and figures, and change which stock decides. A digit in a report must be
        that of the figure all the same.
        """
        if not event:
            return len(self.phase["resolutions"]) > 1
        if event.get("digit") is None:
            return bool(event.get("ruled"))
        stock = str(event.get("stock"))
        figure = ruled[stock] if stock in ruled else volumes.get(stock)
        fits = (
            event.get("volume") == figure
            and is_usable(figure)
            and event["digit"] == digit_of_shares(figure or 0)
        )
        return fits and (stock in ruled or (bool(draw) and not first))

    def _rulings_of(self, row: Json) -> tuple[rulings.Ruling, ...]:
        """Return the rulings under which a version was judged."""
        return rulings.rulings_on(self.known, self.phase["number"], row["after_ruling"])
