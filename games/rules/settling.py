"""Settle figures from readings, in a pure function that a stranger can repeat on the record.

Readings are processed in the order in which they were taken, and the first that settles the figure
ends it. Readings added later therefore never change a decision, and every game with the same policy
takes the same figure from the same readings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from .digits import digit_of_shares
from .markets import INSTRUMENTS, MARKETS
from .sessions import Session

#: Publishers of sales, with their names. Their answers say where a symbol is listed, and each may
#: be asked besides another (`Game.second_source`).
PUBLISHERS = {"yahoo": "Yahoo", "tiingo": "Tiingo"}
#: The source of a figure that a person typed in.
NEWSPAPER = "newspaper"

OK, NO_BAR, NO_SALES, UNKNOWN, LATER = "ok", "no_bar", "no_sales", "unknown", "later"
#: A reading whose facts do not place the symbol on the game's market. No source says so, because it
#: depends on the game.
ELSEWHERE = "elsewhere"
#: The flag of a figure that does not count because of a stock split (`Reading.Flag`).
SPLIT = "split"

#: Begins the reason of a figure where the gamesmaster says that there is none.
ENTERED_NONE = "no usable report: entered by the gamesmaster"

_WHY = {
    NO_BAR: "there is no entry for that day",
    NO_SALES: "the entry for that day shows no sales",
    UNKNOWN: "the source does not know the symbol",
    ELSEWHERE: "it is not a share or fund of the game's market",
    LATER: "the source gave no answer",
    OK: "the figure kept changing",
}


@dataclass(frozen=True)
class Policy:
    """How the figures of a phase are read; fixed at its lock and part of its record.

    All times count from the regular close of the session. A reading before `first_after_close` does
    not count. Two readings that agree must be `agree_after` apart; None: the first one counts.
    After `give_up_after`, counted from the first reading time, a stock without a figure has no
    usable report; None: never, the phase waits for the gamesmaster. A source that had nothing is
    asked again after `retry`.

    `market` is an id of `markets.MARKETS` on which a symbol must be listed, "" for phases locked
    before that was checked. `floor` and `floor_median` are the least shares sold in the session,
    and the least median over the 20 sessions before (`rng.floor`); 0: no floor.
    """

    first_after_close: timedelta
    agree_after: timedelta | None
    give_up_after: timedelta | None
    retry: timedelta
    market: str = ""
    floor: int = 0
    floor_median: int = 0

    def as_record(self) -> dict[str, Any]:
        """Return the policy as a record has it, with lengths of time in whole seconds."""
        return {
            "first_after_close": _seconds(self.first_after_close),
            "agree_after": _seconds(self.agree_after),
            "give_up_after": _seconds(self.give_up_after),
            "retry": _seconds(self.retry),
            "market": self.market,
            "floor": self.floor,
            "floor_median": self.floor_median,
        }

    @classmethod
    def from_record(cls, tree: Mapping[str, Any]) -> Policy:
        return cls(
            timedelta(seconds=tree["first_after_close"]),
            _length(tree["agree_after"]),
            _length(tree["give_up_after"]),
            timedelta(seconds=tree["retry"]),
            tree["market"],
            tree["floor"],
            tree["floor_median"],
        )


def first_reading_time(policy: Policy, session: Session) -> datetime:
    """Return the first instant at which a reading counts."""
    return session.closes + policy.first_after_close


def span(time: timedelta) -> str:
    """Return a length of time in words: "14 hours", "90 minutes", "1 hour"."""
    seconds = time.total_seconds()
    for unit, size in (("hour", 3600), ("minute", 60), ("second", 1)):
        number = seconds / size
        if number == int(number) or size == 1:
            return f"{number:g} {unit}" + ("" if number == 1 else "s")
    raise AssertionError("seconds are the last unit")


def _seconds(time: timedelta | None) -> int | None:
    return None if time is None else round(time.total_seconds())


def _length(seconds: int | None) -> timedelta | None:
    return None if seconds is None else timedelta(seconds=seconds)


class ReadingLike(Protocol):
    """The fields of a reading that settling needs: `games.models.Reading` has them."""

    @property
    def source(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def volume(self) -> int | None: ...
    @property
    def read_at(self) -> datetime: ...
    @property
    def flag(self) -> str: ...
    @property
    def facts(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True)
class Settlement:
    """A settled figure.

    `volume` is in shares, None for no usable report; `reason` says why in words; `readings` are
    those that it rests on. `barred`: there may be sales, but the game's rules do not let them count
    (`rng.market`, `rng.floor`).
    """

    volume: int | None
    reason: str
    readings: tuple[ReadingLike, ...]
    barred: bool = False


@dataclass(frozen=True)
class PendingFigure:
    """A figure that is not settled; a new reading is due at `next_look`, which may have passed.

    `needs` says why only the gamesmaster can settle it now, with their own figure; no source is
    asked again then.
    """

    next_look: datetime
    reason: str
    needs: str = ""


def settle(
    readings: Iterable[ReadingLike], session: Session, policy: Policy
) -> Settlement | PendingFigure:
    """Settle the readings of one stock in one session.

    The rules (`rng.settle`):

    - Only a figure above zero counts: a missing, empty or zero one never gives a digit.
    - Two equal figures `agree_after` apart settle it. A figure that changes starts the count again;
      the reason mentions one that goes down, which sales never do. Without `agree_after` the first
      figure settles it.
    - A figure with a split on or after that day settles nothing: publishers restate old sales after
      a split, each at their own time, and the figure does not show whether this one has been
      restated. It waits for the gamesmaster's own figure.
    - "No entry", "no sales" and "unknown" mean no usable report only from the give-up time on. An
      unknown symbol has none as soon as it was unknown twice, far enough apart that one fault of
      the source cannot explain both, if the source knew a leading stock (`probe`) both times: a
      source that answers 404 for everything says nothing about the stock. A symbol that the service
      itself had found on the market before the session (`listed`) waits for the give-up time: the
      fault is the source's.
    - A symbol that the facts of two readings so far apart do not place on `policy.market` has no
      usable report (`rng.market`).
    - A figure below `policy.floor`, or with a median below `policy.floor_median`, settles as no
      usable report (`rng.floor`).
    - A policy without a market, from a phase before markets were checked, ignores facts.
    - No answer never counts, not even at the give-up time: a source that cannot be reached says
      nothing about the stock.
    - A figure that the gamesmaster typed in settles it at once, unless it is below `policy.floor`.
    """
    due = first_reading_time(policy, session)
    give_up = None if policy.give_up_after is None else due + policy.give_up_after
    apart = _least_gap(policy)
    answers: list[ReadingLike] = []
    run: list[ReadingLike] = []  # equal figures, up to the newest
    useless: list[ReadingLike] = []  # answers of an unknown or foreign symbol, up to the newest
    last: ReadingLike | None = None
    split: ReadingLike | None = None
    fell = ""
    for reading in sorted(readings, key=lambda r: r.read_at):
        kind = _kind(reading, policy)
        if reading.source == NEWSPAPER:
            return _settle_typed(reading, kind, policy)
        if reading.read_at < due:
            continue
        last = reading
        if kind == OK and reading.flag == SPLIT:
            split = split or reading
        if kind == LATER or split:
            continue
        answers.append(reading)
        same = bool(useless) and _kind(useless[0], policy) == kind
        useless = (
            [*(useless if same else []), reading]
            if _is_decided_early(reading, kind, policy)
            else []
        )
        if kind == OK:
            changed = bool(run) and run[0].volume != reading.volume
            if changed and (reading.volume or 0) < (run[0].volume or 0):
                fell = (
                    f"; the figure had gone down from {run[0].volume:,} to {reading.volume:,}"
                    " shares"
                )
            run = [reading] if changed else [*run, reading]
            if policy.agree_after is None:
                return _figure(
                    (reading,), f"the first reading, {_time_words(reading)}; provisional", policy
                )
            if reading.read_at - run[0].read_at >= policy.agree_after:
                sentence = (
                    f"two readings agree, {_time_words(run[0])} and {_time_words(reading)}{fell}"
                )
                return _figure((run[0], reading), sentence, policy)
            if changed and _is_past(give_up, reading):
                return _no_report(
                    f"no two readings {span(policy.agree_after)} apart agreed", policy, answers
                )
            continue
        if useless and reading.read_at - useless[0].read_at >= apart:
            times = f"{_time_words(useless[0])} and {_time_words(reading)}"
            reason = f"no usable report: {_WHY[kind]}, asked {times}"
            return Settlement(None, reason, (useless[0], reading), barred=kind == ELSEWHERE)
        if _is_past(give_up, reading) and reading.read_at - answers[0].read_at >= apart:
            return _no_report(_WHY[kind], policy, answers)
    if split is not None and last is not None:
        sentence = (
            f"it shows {split.volume:,} shares {_time_words(split)}, and a split on or after that"
            " day; such figures are restated"
        )
        return PendingFigure(
            last.read_at + policy.retry,
            sentence,
            needs=f"{sentence}. Enter the figure as it was printed",
        )
    return _wait(due, last, run, policy, fell)


def compare(
    first: Settlement | PendingFigure,
    second: Settlement | PendingFigure,
    names: tuple[str, str],
    *,
    over: bool,
) -> Settlement | PendingFigure:
    """Return what two sources settle together, the game's own first.

    If their digits differ, nothing settles: the gamesmaster sees both figures and rules. A settled
    source waits for the other, but no longer than to the give-up time (`over`). A missing report
    does not contradict a figure, because it says nothing about the sales: the other source's figure
    counts. A figure that the game's rules bar at either source is barred.
    """
    if isinstance(first, Settlement) and any(
        reading.source == NEWSPAPER for reading in first.readings
    ):
        return first
    if barred := [
        verdict for verdict in (first, second) if isinstance(verdict, Settlement) and verdict.barred
    ]:
        return barred[0]
    waiting = [verdict for verdict in (first, second) if isinstance(verdict, PendingFigure)]
    if needed := [verdict for verdict in waiting if verdict.needs]:
        return needed[0]
    settled = [verdict for verdict in (first, second) if isinstance(verdict, Settlement)]
    if len(settled) == 2:
        return _compare_figures(settled[0], settled[1], names)
    if len(settled) == 1:
        if over and settled[0].volume is not None:
            other = names[0] if settled[0] is second else names[1]
            return Settlement(
                settled[0].volume,
                f"{settled[0].reason}; {other} gave no figure in time",
                settled[0].readings,
            )
        settled_name, missing_name = names if settled[0] is first else names[::-1]
        return PendingFigure(
            waiting[0].next_look,
            f"{settled_name} has settled; {missing_name} has not: {waiting[0].reason}",
        )
    return min(waiting, key=lambda verdict: verdict.next_look)


def _compare_figures(
    first: Settlement, second: Settlement, names: tuple[str, str]
) -> Settlement | PendingFigure:
    if first.volume is None or second.volume is None:
        return first if second.volume is None else second
    readings = (*first.readings, *second.readings)
    digits = digit_of_shares(first.volume), digit_of_shares(second.volume)
    if digits[0] == digits[1]:
        return Settlement(
            first.volume,
            f"{first.reason}; {names[1]} has the same digit ({second.volume:,} shares)",
            readings,
        )
    newest = max(reading.read_at for reading in readings)
    sentence = (
        f"the sources disagree: {names[0]} has {first.volume:,} shares (digit {digits[0]}), "
        f"{names[1]} {second.volume:,} (digit {digits[1]})"
    )
    return PendingFigure(newest, sentence, needs=f"{sentence}. Enter the figure that counts")


def _least_gap(policy: Policy) -> timedelta:
    """Return how far apart two answers must be so that one fault of the source cannot explain both.

    It is one hour where no agreement is required, and less where the give-up time is earlier, as on
    the demonstration exchange.
    """
    if policy.agree_after is not None:
        return policy.agree_after
    hour = timedelta(hours=1)
    return hour if policy.give_up_after is None else min(hour, policy.give_up_after)


def is_listed(facts: Mapping[str, Any], market: str) -> bool:
    """Return whether a publisher's facts list a symbol on a market as an ordinary share or fund.

    `market` is an id of `MARKETS` (`rng.market`).
    """
    required = MARKETS[market]
    return (
        facts.get("code") in required.codes
        and facts.get("zone") == required.zone
        and facts.get("instrument") in INSTRUMENTS
    )


def _kind(reading: ReadingLike, policy: Policy) -> str:
    """Return the kind of a reading as `settle` treats it.

    A "figure" from any source that is missing or not above zero counts as no sales. A
    symbol whose facts do not place it on the game's market is `ELSEWHERE`, even without a figure.
    """
    known = reading.kind == OK or (reading.kind in (NO_BAR, NO_SALES) and "code" in reading.facts)
    if (
        known
        and policy.market
        and reading.source != NEWSPAPER
        and not is_listed(reading.facts, policy.market)
    ):
        return ELSEWHERE
    if reading.kind == OK and (reading.volume is None or reading.volume <= 0):
        return NO_SALES
    return reading.kind


def _is_decided_early(reading: ReadingLike, kind: str, policy: Policy) -> bool:
    """Return whether two such answers mean no usable report before the give-up time."""
    if kind != UNKNOWN or not policy.market:
        return kind in (UNKNOWN, ELSEWHERE)
    listed = reading.facts.get("listed")
    was_listed = isinstance(listed, Mapping) and is_listed(listed, policy.market)
    return bool(reading.facts.get("probe")) and not was_listed


def _figure(readings: tuple[ReadingLike, ...], how: str, policy: Policy) -> Settlement:
    """Settle the figure of these readings; below the floor, as no usable report (`rng.floor`)."""
    volume = readings[-1].volume
    assert volume is not None
    if too_few := below_floor(volume, readings[-1].facts.get("median"), policy):
        times = " and ".join(_time_words(reading) for reading in readings)
        return Settlement(None, f"no usable report: {too_few}, {times}", readings, barred=True)
    return Settlement(volume, how, readings)


def below_floor(volume: int, median: int | None, policy: Policy) -> str:
    """Return why sales are too few to count; "" if they are enough. An unknown median is 0."""
    if volume < policy.floor:
        return f"{volume:,} shares, fewer than {policy.floor:,}"
    if (median or 0) < policy.floor_median:
        return f"a median of {median or 0:,} shares over 20 sessions, below {policy.floor_median:,}"
    return ""


def _settle_typed(reading: ReadingLike, kind: str, policy: Policy) -> Settlement:
    """Settle a typed figure. The median of earlier sessions is not printed beside it."""
    if kind == OK:
        how = f"typed in by the gamesmaster {_time_words(reading)}"
        return _figure((reading,), how, replace(policy, floor_median=0))
    return Settlement(None, f"{ENTERED_NONE} {_time_words(reading)}", (reading,))


def _no_report(why: str, policy: Policy, answers: list[ReadingLike]) -> Settlement:
    waited = span(policy.give_up_after) if policy.give_up_after else ""
    reason = f"no usable report: {why}" + (
        f", {waited} after the first reading time" if waited else ""
    )
    return Settlement(None, reason, tuple(answers[-2:]))


def _is_past(limit: datetime | None, reading: ReadingLike) -> bool:
    return limit is not None and reading.read_at >= limit


def _wait(
    due: datetime, last: ReadingLike | None, run: list[ReadingLike], policy: Policy, fell: str
) -> PendingFigure:
    if last is None:
        return PendingFigure(due, f"the first reading that counts is due {_clock(due)}")
    again = last.read_at + policy.retry
    if not run or policy.agree_after is None:
        return PendingFigure(
            again,
            f"{_WHY[_kind(last, policy)]}, asked {_time_words(last)}; asked again {_clock(again)}",
        )
    # There is one figure. Its second reading is due at a known time, which only a reading without a
    # figure postpones.
    second = run[0].read_at + policy.agree_after
    if last is not run[-1]:
        second = max(second, again)
    return PendingFigure(
        second,
        f"one reading so far, {run[0].volume:,} shares {_time_words(run[0])}; it counts if the one"
        f" {_clock(second)} agrees{fell}",
    )


def _time_words(reading: ReadingLike) -> str:
    return _clock(reading.read_at)


def _clock(moment: datetime) -> str:
    return f"at {moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
