"""Check a phase's digits: its session, the settling of its figures, and its rolls.

Everything is computed again, by the same functions that the service uses: the session from deadline
and calendar, every figure from the readings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from .. import Json, PhaseId, time_credit
from ..contract import Ruleset
from ..digits import (
    STOCKS,
    digit_of_shares,
    is_seed,
    is_usable,
    roll_number,
    roll_symbol,
    seed_digit,
    seed_hash,
    volume_of_roll,
)
from ..markets import market_of
from ..sessions import DEMO, Session, demo_session_after, session_after
from ..settling import (
    NEWSPAPER,
    PUBLISHERS,
    PendingFigure,
    Policy,
    Settlement,
    compare,
    first_reading_time,
    settle,
)
from . import record
from .closures import regular_session
from .difference import Check, Difference, parse_time, phase_name

#: Where rolls are stored: exchange and source, by `rng.source`.
ROLLS = {"gm_dice": ("DICE", "dice"), "commit_reveal": ("SEED", "seed")}
#: A reading that another game takes at the same moment may be stored this long after this game has
#: settled.
IN_FLIGHT = timedelta(minutes=2)
#: A lock may miss a closure that is entered this shortly before it; the session is then changed at
#: once.
UNSEEN = timedelta(minutes=1)
#: Suffixes of the keys for the old and new session in a change: label, opening, close.
ENDS = ("", "_opens", "_closes")


@dataclass(frozen=True)
class _Row:
    """A reading in the form that `settle` takes."""

    number: int
    source: str
    kind: str
    volume: int | None
    read_at: datetime
    flag: str
    facts: Mapping[str, Any]


class Digits(Check):
    """Checks session, readings and figures of one phase.

    `ruled`: rulings were in force when it was first judged.
    """

    def __init__(self, tree: Json, rules: Ruleset, phase: Json, ruled: bool) -> None:
        super().__init__(phase_name(phase))
        self.tree, self.rules, self.phase, self.ruled = tree, rules, phase, ruled
        self.options: Json = tree["options"]
        self.readings: dict[int, Json] = {row["number"]: row for row in phase["readings"]}
        self.policy = None if phase["policy"] is None else Policy.from_record(phase["policy"])

    def differences(self) -> Iterator[Difference]:
        yield from self._policy()
        yield from self._changes()
        yield from self._check_session()
        yield from self._readings()
        yield from self._figures()
        if self.policy is not None:
            yield from self._settle_all(self.policy)

    # --- the policy ---

    def _policy(self) -> Iterator[Difference]:
        """Compare the policy with the options; its hours are the service's, fixed at the lock."""
        phase, policy = self.phase, self.policy
        subject = "the policy by which figures are read"
        if phase["session"] is None:
            yield from self.expect(subject, phase["policy"], None)
            return
        if policy is None:
            yield self.wrong(subject, None, "there, for a session decides")
            return
        source, options = self.tree["market"], self.options
        first = source in ("demo", NEWSPAPER) or options["rng.settle"] == "first_reading"
        subject = "whether the first reading counts, by the policy,"
        yield from self.expect(subject, policy.agree_after is None, first)
        for_ever = policy.give_up_after is None
        yield from self.expect("whether the policy waits for ever", for_ever, source == NEWSPAPER)
        published = source in PUBLISHERS
        follows = [
            market_of(options).id if published else "",
            options["rng.floor"],
            options["rng.floor_median"] if published else 0,
        ]
        floors = [policy.market, policy.floor, policy.floor_median]
        subject = "the list of market, floor and median in the policy"
        yield from self.expect(subject, floors, follows)

    # --- the session ---

    def _changes(self) -> Iterator[Difference]:
        """Check that each change leads to the session of the next change, or to that of the phase.

        Nothing may have settled before a change.
        """
        phase, session = self.phase, self.phase["session"]
        changes = phase["session_changes"]
        for change, following in zip(changes, (*changes[1:], None), strict=False):
            next_session = [following[f"old{end}"] for end in ENDS] if following else None
            if next_session is None:
                next_session = (
                    [session["label"], session["opens"], session["closes"]] if session else None
                )
            new = [change[f"new{end}"] for end in ENDS]
            yield from self.expect("the session after it was changed", next_session, new)
            if not self._may_change(change):
                in_time = (
                    f"before {change['old']} and {change['new']} opened, or after the closure of"
                    f" {change['old']} was confirmed"
                )
                yield self.wrong("the time of the session change", change["changed"], in_time)
            for figure in phase["figures"]:
                if parse_time(figure["settled"]) < parse_time(change["changed"]):
                    subject = f"the time at which {figure['symbol']} settled"
                    late = f"not before the session was changed at {change['changed']}"
                    yield self.wrong(subject, figure["settled"], late)

    def _may_change(self, change: Json) -> bool:
        """Return whether a session could be changed at that time.

        One that had begun needs a closure with evidence, whenever it is said to have been entered:
        nobody can show that its sales were unknown then. That holds for the new one, too, which may
        come first where a closure is removed.
        """
        changed = parse_time(change["changed"])
        first = min(parse_time(change["old_opens"]), parse_time(change["new_opens"]))
        return changed < first or any(
            (row["exchange"], row["day"]) == (self.exchange, change["old"])
            and row["confirmed"] is not None
            and parse_time(row["confirmed"]) <= changed
            for row in self.tree["closures"]
        )

    def _check_session(self) -> Iterator[Difference]:
        """Check that the session is the first after the announced deadline.

        The calendar and the closures that counted at that time decide.
        """
        phase, session = self.phase, self.phase["session"]
        if phase["locked"] is None or session is None:
            return
        yield from self.expect("the exchange of the session", session["exchange"], self.exchange)
        changes = phase["session_changes"]
        # When the session was fixed: at the lock, and at each change.
        moments = [
            parse_time(phase["locked"]),
            *(parse_time(change["changed"]) for change in changes),
        ]
        fixed = [[change[f"old{end}"] for end in ENDS] for change in changes]
        fixed.append([session["label"], session["opens"], session["closes"]])
        for (label, opens, closes), moment in zip(fixed, moments, strict=True):
            decided = Session(self.exchange, label, parse_time(opens), parse_time(closes))
            if not any(
                self._may_decide(decided, self._closed_days(instant))
                for instant in (moment, moment - UNSEEN)
            ):
                follows = self._next_session(self._bases()[0], self._closed_days(moment))
                yield self.wrong("the session", _session_label(decided), _session_label(follows))
        # What closes without a deadline has none to be late for.
        locked, opens = parse_time(phase["locked"]), parse_time(fixed[0][1])
        if time_credit.is_too_late(self._closes, locked, opens):
            in_time = f"before the session opened at {fixed[0][1]}, or time given back"
            yield self.wrong("the lock", phase["locked"], in_time)
        settled = [parse_time(figure["settled"]) for figure in phase["figures"]]
        if (
            settled
            and self.exchange != DEMO
            and date.fromisoformat(session["label"]) in self._closed_days(min(settled))
        ):
            another = "another, for a closure of that day counted"
            yield self.wrong("the session", session["label"], another)

    @property
    def exchange(self) -> str:
        return DEMO if self.tree["market"] == "demo" else market_of(self.options).exchange

    @property
    def _closes(self) -> datetime:
        """Until when orders count: the deadline with its hours of grace."""
        grace = timedelta(hours=self.options["orders.grace_hours"])
        return parse_time(self.phase["deadline"]) + grace

    def _bases(self) -> tuple[datetime, datetime]:
        """Return the earliest and the latest instant after which the session must open.

        The instant is the deadline, an earlier lock, or the newest orders that are not late. Two
        are possible because a record that withholds the submissions does not tell.
        """
        phase = self.phase
        locked = parse_time(phase["locked"])
        announced = min(locked, self._closes)
        newest = max(
            (parse_time(row["received"]) for row in phase["submissions"] if not row["late"]),
            default=announced,
        )
        basis = max(announced, newest)
        return basis, basis if self.tree["complete"] else max(locked, basis)

    def _may_decide(self, session: Session, closed: frozenset[date]) -> bool:
        """Return whether a session is in the calendar, open, and first after a possible basis."""
        first, last = (self._next_session(basis, closed) for basis in self._bases())
        regular = self._next_session(
            session.opens - timedelta(microseconds=1), closed, evening=False
        )
        return regular == session and first.opens <= session.opens <= last.opens

    def _next_session(
        self, moment: datetime, closed: frozenset[date], *, evening: bool = True
    ) -> Session:
        if self.exchange == DEMO:
            return demo_session_after(moment)
        strict = evening and self.tree["strict_evening"]
        return session_after(market_of(self.options), moment, strict_evening=strict, closed=closed)

    def _closed_days(self, moment: datetime) -> frozenset[date]:
        """Return the days whose closure counts at an instant.

        The closure of a session that has begun counts only from its confirmation.
        """
        days = set()
        for row in self.tree["closures"]:
            session = regular_session(row)
            if session is None or session.exchange != self.exchange:
                continue
            since = (
                row["entered"] if parse_time(row["entered"]) < session.opens else row["confirmed"]
            )
            if (
                since is not None
                and parse_time(since) <= moment
                and not (row["removed"] is not None and parse_time(row["removed"]) <= moment)
            ):
                days.add(session.day)
        return frozenset(days)

    # --- readings ---

    def _readings(self) -> Iterator[Difference]:
        numbers = [row["number"] for row in self.phase["readings"]]
        follows = [*range(1, len(numbers) + 1)]
        yield from self.expect("the list of numbers of readings", numbers, follows)
        for row in (*self.phase["readings"], *self.phase["later_readings"]):
            subject = f"reading {row['number']} of {row['symbol']}"
            yield from self.expect(f"the hash of {subject}", row["hash"], record.reading_hash(row))
            volume = row["volume"]
            if (row["kind"] == "ok") != is_usable(volume) or (
                row["kind"] != "ok" and volume is not None
            ):
                expected = "above zero for a figure, and nothing otherwise"
                yield self.wrong(f"the volume of {subject}", volume, expected)
            yield from self._reading_place(subject, row)
        settled = {
            figure["symbol"]: parse_time(figure["settled"]) for figure in self.phase["figures"]
        }
        for row in self.phase["later_readings"]:
            if (
                row["symbol"] in settled
                and parse_time(row["time"]) <= settled[row["symbol"]] - IN_FLIGHT
            ):
                subject = f"the time of a later reading of {row['symbol']}"
                yield self.wrong(subject, row["time"], "after the stock settled")

    def _reading_place(self, what: str, row: Json) -> Iterator[Difference]:
        """Check that a reading is of the phase's own session, and from a source of the game."""
        session, source = self.phase["session"], self.options["rng.source"]
        entered, by_hand = f"whether the gamesmaster entered {what}", row["entered_by_gamesmaster"]
        recorded = [row["exchange"], row["session"]]
        if source in ROLLS:
            exchange, name = ROLLS[source]
            place = [exchange, f"phase-{self.phase['number']}"]
            yield from self.expect(f"the place of {what}", recorded, place)
            yield from self.expect(f"the source of {what}", row["source"], name)
            yield from self.expect(entered, by_hand, source == "gm_dice")
            return
        decided = [session["exchange"], session["label"]] if session else None
        yield from self.expect(f"the session of {what}", recorded, decided)
        sources = {self.tree["market"], self.tree["second_source"], NEWSPAPER} - {""}
        if row["source"] not in sources:
            follows = f"one of {', '.join(sorted(sources))}"
            yield self.wrong(f"the source of {what}", row["source"], follows)
        yield from self.expect(entered, by_hand, row["source"] == NEWSPAPER)

    # --- figures ---

    def _figures(self) -> Iterator[Difference]:
        phase = self.phase
        symbols = [figure["symbol"] for figure in phase["figures"]]
        yield from self.expect("the list of settled stocks", symbols, sorted(set(symbols)))
        if self.options["rng.source"] != "commit_reveal":
            for key in ("seed", "seed_hash"):
                yield from self.expect(f"the {key.replace('_', ' ')}", phase[key], "")
        if self.options["rng.source"] != STOCKS:
            yield from self._rolls(symbols)
        elif symbols and not phase["session"]:
            yield self.wrong("the session", None, "there, for sales of it were read")
        for figure in phase["figures"]:
            yield from self._figure(figure)

    def _rolls(self, symbols: list[str]) -> Iterator[Difference]:
        """Check that rolls are used in order and that the seed has the hash published before."""
        phase = self.phase
        follows = sorted(roll_symbol(number) for number in range(1, len(symbols) + 1))
        yield from self.expect("the list of rolls", symbols, follows)
        if self.options["rng.source"] == "gm_dice":
            for figure in phase["figures"]:
                typed = all(
                    self.readings.get(number, {}).get("entered_by_gamesmaster")
                    for number in figure["readings"]
                )
                subject = f"whether the gamesmaster entered {figure['symbol']}"
                yield from self.expect(subject, typed, True)
            return
        seed = phase["seed"]
        drawing = self.rules.facts(PhaseId(phase["turn"], phase["kind"]), self.options).draws
        if not seed and drawing and phase["resolutions"]:
            yield self.wrong("the seed", None, "there, for the phase is judged")
        if not seed:
            return
        if not is_seed(seed):
            yield self.wrong("the seed", seed, "64 hexadecimal digits")
            return
        subject = "the hash of the seed, published when the phase opened,"
        yield from self.expect(subject, phase["seed_hash"], seed_hash(seed))
        for figure in phase["figures"]:
            number = roll_number(figure["symbol"])
            if number is not None:
                roll = volume_of_roll(seed_digit(seed, phase["turn"], phase["kind"], number))
                subject = f"the digit {figure['symbol']} from the seed"
                yield from self.expect(subject, figure["volume"], roll)

    def _figure(self, figure: Json) -> Iterator[Difference]:
        """Check a figure against the readings that it rests on."""
        subject, session = f"the figure of {figure['symbol']}", self.phase["session"]
        volume = figure["volume"]
        first = any(
            number in self.readings and not self._is_of_second_source(self.readings[number])
            for number in figure["readings"]
        )
        for number in figure["readings"]:
            row = self.readings.get(number, {"symbol": None})
            behind = f"reading {number}, on which {subject} rests,"
            yield from self.expect(f"the stock of {behind}", row["symbol"], figure["symbol"])
            if row["symbol"] is None:
                continue
            if session and parse_time(row["time"]) < parse_time(session["closes"]):
                late = f"not before the close at {session['closes']}"
                yield self.wrong(f"the time of {behind}", row["time"], late)
            if volume is not None and not (first and self._is_of_second_source(row)):
                yield from self.expect(subject, volume, row["volume"])
            elif volume is not None and is_usable(row["volume"]):
                own, other = digit_of_shares(volume), digit_of_shares(row["volume"])
                yield from self.expect(f"the digit of {subject} by the second source", own, other)
            if row["flag"] == "split" and volume is not None:
                restated, own_figure = "one restated after a split", "the gamesmaster's own"
                yield self.wrong(f"the figure behind {subject}", restated, own_figure)
        if volume is not None and not is_usable(volume):
            yield self.wrong(subject, volume, "above zero, or nothing")
        if (listed := figure["readings"]) != sorted({*listed}) or not listed:
            expected = "one reading or more, each once and in order: no stock settles unread"
            yield self.wrong(f"the list of readings behind {subject}", listed, expected)

    def _is_of_second_source(self, row: Json) -> bool:
        """Return whether a reading is from the source that is only compared.

        Its digit must be the same, not its figure.
        """
        return bool(row["source"]) and row["source"] == self.tree["second_source"]

    # --- settling, repeated ---

    def _settle_all(self, policy: Policy) -> Iterator[Difference]:
        """Settle every figure again. Every stock that the orders name must have one."""
        session = self.phase["session"]
        if session is None:
            return
        decided = Session(
            session["exchange"],
            session["label"],
            parse_time(session["opens"]),
            parse_time(session["closes"]),
        )
        settled = {figure["symbol"] for figure in self.phase["figures"]}
        skipped = [symbol for symbol in self.phase["stocks"] if symbol not in settled]
        if skipped and self.phase["resolutions"] and not self.ruled:
            expected = "there, for the orders name the stock"
            yield self.wrong(f"the figure of {skipped[0]}", None, expected)
        for figure in self.phase["figures"]:
            yield from self._settle(figure, decided, policy)

    def _settle(self, figure: Json, session: Session, policy: Policy) -> Iterator[Difference]:
        symbol, volume = figure["symbol"], figure["volume"]
        moment, rests_on = parse_time(figure["settled"]), sorted(figure["readings"])
        rows = [_row(row) for row in self.phase["readings"] if row["symbol"] == symbol]
        for row in rows:
            if row.read_at > (moment + IN_FLIGHT if row.number in rests_on else moment):
                subject = f"the time of reading {row.number} of {symbol}"
                yield self.wrong(subject, row.read_at.isoformat(), "before it settled")
        seen = [row for row in rows if row.number in rests_on or row.read_at <= moment - IN_FLIGHT]
        verdicts = [self._verdict(known, session, policy, moment) for known in (rows, seen)]
        if any(
            isinstance(candidate, Settlement)
            and (candidate.volume, _numbers(candidate)) == (volume, rests_on)
            for candidate in verdicts
        ):
            return
        subject, verdict = f"the figure of {symbol}, settled from its readings,", verdicts[0]
        if isinstance(verdict, PendingFigure):
            yield self.wrong(subject, _describe_volume(volume), f"not settled: {verdict.reason}")
        elif verdict.volume != volume:
            follows = f"{_describe_volume(verdict.volume)}: {verdict.reason}"
            yield self.wrong(subject, _describe_volume(volume), follows)
        else:
            listed = f"the list of readings that settle {symbol}"
            yield self.wrong(listed, rests_on, _numbers(verdict))

    def _verdict(
        self, rows: Sequence[_Row], session: Session, policy: Policy, moment: datetime
    ) -> Settlement | PendingFigure:
        """Return what the service settles from readings (docs/design.md 6).

        Readings of a second source are compared; a figure typed in decides.
        """
        market, second = self.tree["market"], self.tree["second_source"]
        typed = [row for row in rows if row.source == NEWSPAPER]
        own = settle([row for row in rows if row.source in (market, NEWSPAPER)], session, policy)
        if not second or market == NEWSPAPER:
            return own
        other = settle([row for row in rows if row.source == second], session, policy)
        give_up = policy.give_up_after
        over = give_up is not None and moment >= first_reading_time(policy, session) + give_up
        decided = compare(own, other, (market, second), over=over)
        return (
            settle(typed, session, policy)
            if typed and isinstance(decided, PendingFigure)
            else decided
        )


def _row(row: Json) -> _Row:
    fields = {key: row[key] for key in ("number", "source", "kind", "volume", "flag")}
    return _Row(**fields, read_at=parse_time(row["time"]), facts=row["facts"])


def _numbers(verdict: Settlement) -> list[int]:
    """Return the numbers of the readings on which a verdict rests."""
    return sorted(row.number for row in verdict.readings if isinstance(row, _Row))


def _session_label(session: Session) -> str:
    return (
        f"{session.exchange} {session.label}, {record.instant(session.opens)} to"
        f" {record.instant(session.closes)}"
    )


def _describe_volume(volume: int | None) -> str:
    return "no usable report" if volume is None else f"{volume:,}"
