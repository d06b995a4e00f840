"""Check one phase of a record: deadlines, submissions, orders, digits, resolutions (`verify`)."""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise, zip_longest
from typing import Any

from .. import (
    REFEREE_SEAT,
    Doubt,
    Json,
    PhaseId,
    Reading,
    RulesError,
    UnknownFigure,
    doubts,
    facts,
    rulings,
    teams,
    time_credit,
)
from ..contract import Ruleset
from ..digits import DICE, digit_of_shares, digits_in_events, is_usable
from ..orders import PART
from ..plain import editions
from ..plain.facts import is_plain
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


def _refused_lines(remarks: Mapping[str, list[Json]], besides: Container[str]) -> Json:
    """Return the refused lines with their codes, by nation, for all nations `besides` some."""
    errors = {
        nation: [
            [remark["line"], remark["code"]] for remark in rows if remark["severity"] == "error"
        ]
        for nation, rows in remarks.items()
        if nation not in besides
    }
    return {nation: rows for nation, rows in errors.items() if rows}


#: Says what was understood of a submission before; None where its text is read.
Before = Callable[[Json], editions.Understood | None]


def _understood(row: Json) -> editions.Understood | None:
    """Return what a record says was understood, whatever edition did."""
    understood: editions.Understood | None = row.get("understood")
    return understood if row["nation"] != REFEREE_SEAT else None


def _as_recorded(reading: Reading) -> list[Any]:
    """Return what was understood, and what is in doubt, as a record has them."""
    return [reading.understood, doubts.as_json(reading.doubt)]


def _replace_texts(tree: Any, texts: Mapping[str, str]) -> Any:
    """Return a JSON value with other texts in place of some, wherever they stand."""
    if isinstance(tree, dict):
        return {key: _replace_texts(value, texts) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_replace_texts(value, texts) for value in tree]
    return texts.get(tree, tree) if isinstance(tree, str) else tree


class _MissingFigure(RulesError, UnknownFigure):
    """A figure that the record does not have. An attack with a ruled result may do without."""


class _Figures:
    """The recorded figures in the form that the rules take.

    A figure that the rules need and the record lacks is a difference of its own.
    """

    def __init__(self, volumes: Mapping[str, int | None]) -> None:
        self._volumes = volumes

    def get(self, symbol: str, /) -> int | None:
        if symbol not in self._volumes:
            raise _MissingFigure(
                f"an attack needs the sales of {symbol}, and the record has no figure for it"
            )
        return self._volumes[symbol]


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
        if phase["status"] != "undone" and (phase["resolutions"] or phase["status"] == "resolved"):
            without = "not resolved, for it has no resolution"
            follows = "resolved" if phase["resolutions"] else without
            yield from self.expect("the status", phase["status"], follows)

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
            if versions:
                yield self.wrong("the lock", None, "an instant, for the phase is resolved")
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
            yield from self.expect("the digest", phase["digest"], "")
            yield from self.expect("the leaves", phase["leaves"], {})
            yield from self.expect("the list of stocks", phase["stocks"], [])
            yield from self.expect("the list of those who sent nothing", phase["missed"], [])
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
        drawn: dict[tuple[str, int], Json] = {}
        for row in self.phase["draws"]:
            nation, line, volume = row["nation"], row["line"], row["volume"]
            subject = f"the digit for the attack in {row['area']}"
            if (nation, line) in drawn:
                yield self.wrong(subject, "drawn twice", "drawn once", nation, line)
            drawn[nation, line] = row
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

    # 5. resolutions

    def resolutions(self) -> Iterator[Difference]:
        board = None
        for number, row in enumerate(self.phase["resolutions"], start=1):
            after_ruling = row["after_ruling"]
            position = self.position(after_ruling)
            yield from self.expect("the number of the version", row["version"], number)
            subject, made_by = f"the ruling that made version {number}", row["ruling"]
            yield from self.expect(subject, made_by, after_ruling if number > 1 else None)
            yield from self.expect("the position before", row["before"], position)
            yield from self._check_rulings_of(row, number, after_ruling)
            if self.versions and after_ruling <= self.versions[-1].after_ruling:
                newer = f"above {self.versions[-1].after_ruling}"
                yield self.wrong(f"the newest ruling of version {number}", after_ruling, newer)
            if row["orders"] is not None:
                state = yield from self._judge(row, position)
            else:
                state = self.rules.load(self.tree["card"], self.options, row["after"])
                yield from self._check_published(row, state)
            made = Version(after_ruling, parse_time(row["resolved"]), self.rules.dump(state))
            self.versions.append(made)
            board = record.board(self.rules, state)
        yield from self.expect("the board", self.phase["board"], board)
        if self.versions:
            yield from self._check_newest()
            yield from self._check_rulings_told()

    def _check_rulings_of(self, row: Json, place: int, after_ruling: int) -> Iterator[Difference]:
        """Check that the rulings that count for a version had been made by then, and no others.

        A public record may leave out some, so it is not checked.
        """
        subject = f"the newest ruling of version {place}"
        if not self.tree["complete"]:
            return
        resolved = row["resolved"]
        made = {ruling["number"]: parse_time(ruling["made"]) for ruling in self.tree["rulings"]}
        if after_ruling and (after_ruling not in made or made[after_ruling] > parse_time(resolved)):
            yield self.wrong(subject, after_ruling, f"a ruling made by {resolved}")
        if any(
            number > after_ruling and time < parse_time(resolved) for number, time in made.items()
        ):
            yield self.wrong(subject, after_ruling, f"the last one made before {resolved}")

    def _check_newest(self) -> Iterator[Difference]:
        """Check that the newest version rests on the newest one before it and on all rulings.

        These are the rulings in force now or, for an undone phase, when it was undone.
        """
        newest, undone_by = self.phase["resolutions"][-1], self.phase["undone_by"]
        upto = undone_by - 1 if undone_by is not None else None
        position = self.history[-1].position if upto is None else self.position(upto)
        subject = "the position before, in the newest version,"
        yield from self.expect(subject, newest["before"], position)
        recorded = [ruling.number for ruling in self._rulings_of(newest)]
        expected = [
            ruling.number for ruling in rulings.rulings_on(self.known, self.phase["number"], upto)
        ]
        yield from self.expect(
            "the list of rulings that hold in the newest version", recorded, expected
        )

    def _check_rulings_told(self) -> Iterator[Difference]:
        """Check that each ruling on a phase that was already judged made a version of it.

        That includes rulings that changed nothing.
        """
        first = self.phase["resolutions"][0]["after_ruling"]
        made = {row["ruling"] for row in self.phase["resolutions"]}
        by_number = {ruling.number: ruling for ruling in self.known}
        for ruling in self.known:
            root = ruling
            while root.revokes in by_number and root.revokes < root.number:
                root = by_number[root.revokes]
            if (
                ruling.phase == self.phase["number"]
                and ruling.number > first
                and ruling.number not in made
                and root.kind != "rollback"
            ):
                yield self.wrong(f"the version that ruling {ruling.number} made", None, "there")

    def _judge(self, row: Json, position: Json) -> Generator[Difference, None, Any]:
        """Judge the phase again: yield differences, and return the resulting state."""
        volumes = _Figures({figure["symbol"]: figure["volume"] for figure in self.phase["figures"]})
        submissions = self._ruled_submissions(self.before)
        card, reserves, held = self.tree["card"], self.tree["reserves"], self._rulings_of(row)
        judged = rulings.judge(
            self.rules,
            card,
            self.options,
            position,
            self.texts,
            volumes,
            reserves,
            held,
            submissions,
        )
        otherwise = self._judged_otherwise(row["orders"], judged, held)
        for nation in sorted({*judged.orders, *row["orders"]} - otherwise.keys()):
            recorded, expected = row["orders"].get(nation), judged.orders.get(nation)
            yield from self.expect("the order text as judged", recorded, expected, nation)
        follows = judged.resolution
        yield from self._events(map(facts, row["events"]), map(facts, follows.events))
        # Refused lines do nothing, so they must be the same. Warnings and notes decide nothing, and
        # may say more in a later version than when the phase was judged.
        refused = _refused_lines(
            {
                nation: [remark.as_json() for remark in remarks]
                for nation, remarks in follows.remarks.items()
            },
            otherwise,
        )
        recorded = _refused_lines(row["remarks"], otherwise)
        yield from self.expect("the list of refused lines", recorded, refused)
        state, after = follows.state, self.rules.dump(follows.state)
        # A position may keep order texts.
        texts = {judged.orders[nation]: text for nation, text in otherwise.items()}
        if row["after"] != after and row["after"] == (kept := _replace_texts(after, texts)):
            state, after = self.rules.load(card, self.options, kept), kept
        yield from self.expect("the position after", row["after"], after)
        standing = self.rules.standing(state)
        over = self.rules.phase(state) is None
        winners, remark = (standing.winners, standing.remark) if over else (None, "")
        yield from self.expect("the list of scores", row["scores"], standing.scores)
        yield from self.expect("the list of winners", row["winners"], winners)
        yield from self.expect("the closing remark", row["closing"], remark)
        return state

    def _judged_otherwise(
        self,
        recorded: Mapping[str, str],
        judged: rulings.JudgedPhase,
        held: Sequence[rulings.Ruling],
    ) -> dict[str, str]:
        """Return by nation the texts that another edition of the reader judged instead.

        An edition judges what it read as it was sent, and what another one read as it was
        understood. Both mean the same, and have other refused lines.
        """
        differ = {n: text for n, text in recorded.items() if judged.orders.get(n, text) != text}
        if not differ or not is_plain(self.options):
            return {}
        standing = self.orders_of(self.phase["submissions"], _understood)
        as_understood = {nation: orders.judged for nation, orders in standing.items()}
        forms = [
            self.rules.in_force(
                judged.state, rulings.ruled_texts(texts, held, self._ruled_submissions(before))
            )
            for texts, before in (
                (self.sent_texts, lambda row: None),
                (as_understood, _understood),
            )
        ]
        return {n: text for n, text in differ.items() if text in [form.get(n) for form in forms]}

    def _ruled_submissions(self, before: Before) -> dict[int, rulings.RuledSubmission]:
        return {
            row["number"]: rulings.RuledSubmission(
                row["nation"], editions.judged_text(row["text"], before(row))
            )
            for row in self.phase["submissions"]
        }

    def _events(self, recorded: Iterable[Json], follows: Iterable[Json]) -> Iterator[Difference]:
        """Compare the facts of events, not their sentences, whose wording may change."""
        empty: Json = {}
        for index, (actual, expected) in enumerate(zip_longest(recorded, follows, fillvalue=empty)):
            about = expected or actual
            nation, line = str(about.get("nation", "")), about.get("line")
            subject = (
                f"event {index + 1}"
                f" ({about['kind']}{' in ' + str(about['area']) if 'area' in about else ''})"
            )
            if not actual or not expected:
                yield self.wrong(subject, actual or None, expected or None, nation, line)
                continue
            for key in [*expected, *(key for key in actual if key not in expected)]:
                actual_value, expected_value = actual.get(key), expected.get(key)
                yield from self.expect(
                    f"the {key} of {subject}", actual_value, expected_value, nation, line
                )

    def _check_published(self, row: Json, after: Any) -> Iterator[Difference]:
        """Check a result whose orders are withheld.

        The game must go on to another phase, and the scores must be those of the board.
        """
        scores = self.rules.standing(after).scores
        yield from self.expect("the list of scores", row["scores"], scores)
        turn = self.rules.phase(after)
        if turn is not None and turn == PhaseId(self.phase["turn"], self.phase["kind"]):
            follows = "one in which the next phase comes"
            yield self.wrong("the position after", row["after"], follows)
