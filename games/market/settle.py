"""From readings to a figure: a pure function, so that a stranger can repeat it over the record.

The readings are gone through in the order in which they were taken, and the first that settles the figure ends it. Readings that are
added later therefore never change what was decided, and every game with the same policy takes the same figure from the same readings.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

from .policy import NEWSPAPER, Policy, first_reading_time, span
from .sessions import Session

OK, NO_BAR, NO_SALES, UNKNOWN, LATER = "ok", "no_bar", "no_sales", "unknown", "later"

_WHY = {
    NO_BAR: "there is no entry for that day",
    NO_SALES: "the entry for that day shows no sales",
    UNKNOWN: "the source does not know the symbol",
    LATER: "the source gave no answer",
    OK: "the figure kept changing",
}


class Looked(Protocol):
    """What is looked at in a reading: `games.models.Reading` has it."""

    @property
    def source(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def volume(self) -> int | None: ...
    @property
    def read_at(self) -> datetime: ...


@dataclass(frozen=True)
class Settled:
    """The figure in shares, or None for no usable report; why, in words; and the readings that it rests on."""

    volume: int | None
    reason: str
    readings: tuple[Looked, ...]


@dataclass(frozen=True)
class Waiting:
    """Nothing is settled; a new reading is due at `next_look`, which may have passed."""

    next_look: datetime
    reason: str


def settle(readings: Iterable[Looked], session: Session, policy: Policy) -> Settled | Waiting:
    """What the readings of one stock in one session come to (rules.md 0.1, `rng.settle`; foundations.md 1.3).

    - Only a figure above zero counts: a missing, empty or zero one is never a digit.
    - Two equal figures `agree_after` apart settle it; a figure that changes starts the count anew. Without `agree_after` the first does.
    - "No entry", "no sales" and "unknown" come to no usable report only from the give-up time on, an unknown symbol also as soon as it
      was unknown twice, far enough apart that one fault of the source cannot explain both.
    - No answer is never counted, not even at the give-up time: a source that cannot be reached says nothing about the stock.
    - A figure that the gamesmaster typed in settles it at once.
    """
    due = first_reading_time(policy, session)
    give_up = None if policy.give_up_after is None else due + policy.give_up_after
    apart = _apart(policy)
    answers: list[Looked] = []
    run: list[Looked] = []  # equal figures, up to the newest
    unknown: list[Looked] = []  # answers that the symbol is unknown, up to the newest
    last: Looked | None = None
    for reading in sorted(readings, key=lambda r: r.read_at):
        kind = _kind(reading)
        if reading.source == NEWSPAPER:
            return _typed_in(reading, kind)
        if reading.read_at < due:
            continue
        last = reading
        if kind == LATER:
            continue
        answers.append(reading)
        unknown = [*unknown, reading] if kind == UNKNOWN else []
        if kind == OK:
            changed = bool(run) and run[0].volume != reading.volume
            run = [reading] if changed else [*run, reading]
            if policy.agree_after is None:
                return Settled(reading.volume, f"the first reading, {_at(reading)}; provisional", (reading,))
            if reading.read_at - run[0].read_at >= policy.agree_after:
                return Settled(reading.volume, f"two readings agree, {_at(run[0])} and {_at(reading)}", (run[0], reading))
            if changed and _passed(give_up, reading):
                return _no_report(f"no two readings {span(policy.agree_after)} apart agreed", policy, answers)
            continue
        if unknown and reading.read_at - unknown[0].read_at >= apart:
            reason = f"no usable report: {_WHY[UNKNOWN]}, asked {_at(unknown[0])} and {_at(reading)}"
            return Settled(None, reason, (unknown[0], reading))
        if _passed(give_up, reading) and reading.read_at - answers[0].read_at >= apart:
            return _no_report(_WHY[kind], policy, answers)
    return _waiting(due, last, run, policy)


def _apart(policy: Policy) -> timedelta:
    """How far apart two answers must be so that one passing fault of the source cannot explain both.

    An hour where no agreement is demanded; nothing where there is nothing to wait for, as on the demonstration exchange.
    """
    if policy.agree_after is not None:
        return policy.agree_after
    hour = timedelta(hours=1)
    return hour if policy.give_up_after is None else min(hour, policy.give_up_after)


def _kind(reading: Looked) -> str:
    """The kind, but a "figure" that is missing or not above zero is none, whoever calls it one (foundations.md, second of the ten)."""
    if reading.kind == OK and (reading.volume is None or reading.volume <= 0):
        return NO_SALES
    return reading.kind


def _typed_in(reading: Looked, kind: str) -> Settled:
    if kind == OK:
        return Settled(reading.volume, f"typed in by the gamesmaster {_at(reading)}", (reading,))
    return Settled(None, f"no usable report: entered by the gamesmaster {_at(reading)}", (reading,))


def _no_report(why: str, policy: Policy, answers: list[Looked]) -> Settled:
    waited = span(policy.give_up_after) if policy.give_up_after else ""
    reason = f"no usable report: {why}" + (f", {waited} after the first reading time" if waited else "")
    return Settled(None, reason, tuple(answers[-2:]))


def _passed(limit: datetime | None, reading: Looked) -> bool:
    return limit is not None and reading.read_at >= limit


def _waiting(due: datetime, last: Looked | None, run: list[Looked], policy: Policy) -> Waiting:
    if last is None:
        return Waiting(due, f"the first reading that counts is due {_clock(due)}")
    again = last.read_at + policy.retry
    if not run or policy.agree_after is None:
        return Waiting(again, f"{_WHY[_kind(last)]}, asked {_at(last)}; asked again {_clock(again)}")
    # One figure has been seen. When its second reading is due is known; only a look in vain puts it off.
    second = run[0].read_at + policy.agree_after
    if last is not run[-1]:
        second = max(second, again)
    return Waiting(second, f"one reading so far, {run[0].volume:,} shares {_at(run[0])}; it counts if the one {_clock(second)} agrees")


def _at(reading: Looked) -> str:
    return _clock(reading.read_at)


def _clock(moment: datetime) -> str:
    return f"at {moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
