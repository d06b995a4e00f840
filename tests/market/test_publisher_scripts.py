"""No publisher script makes a wrong or already public figure settle (promise 3).

A wrong figure is one that the publisher does not stand by. A script is what a publisher shows for
one symbol, minute by minute after the close: rows of every shape, faults, other metadata, splits,
404s, restatements. The reader asks when `settle` says so, but its machine may be down for hours,
its clock a little wrong, and a person may type a figure in. Yahoo's chart goes through
`yahoo.judge`, its reports through `settle`; the session comes from `session_after`, with days on
which the exchange was closed.

Assumptions about the publisher (foundations.md 1.3):

  1. It has no row of a session before the session opens. So a figure of the game's own market
     cannot be known at the lock.
  2. Whenever it shows a row with a usable figure for a symbol of another market, it says truly
     where the symbol is listed. (It may wrongly say that a symbol of this market is listed
     elsewhere; then there is no figure, and so no wrong one.)
  3. Until 14 hours after the close a figure may be anything. Afterwards each wrong figure is shown,
     from its first minute to its last, for less than two hours if its row has the form of a settled
     one: the only row of its day, daily, with prices, stamped in the session's hours, a whole
     number, not the sales of the day before. A row of another form may be shown forever.
  4. A split is in its answers as soon as it restates sales because of it.

Assumption about the reader: its clock is right to five minutes.

The last tests show where the guarantee ends: a publisher that shows one wrong figure 14 and 16
hours after the close or restates a figure days later, or a clock that is corrected by two hours
between two readings. The later readings of a figure (`later_readings`) show such a restatement, but
the figure stands until a gamesmaster rules.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from games.market.report import PRICES, Report, days_before
from games.market.yahoo import judge
from games.market.yahoo_wire import Answer
from games.rules.markets import MARKETS, Market
from games.rules.sessions import Session, session_after, session_on
from games.rules.settling import NEWSPAPER, PendingFigure, Policy, Settlement, settle
from tests.support.examples import examples

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
#: The largest error of the reader's clock, and the longest that a wrong figure of the right
# form may be shown without effect.
CLOCK_ERROR = 5 * MINUTE
WRONG_FOR = 2 * HOUR - 2 * CLOCK_ERROR - MINUTE
FINAL, YESTERDAY = 5_412_300, 4_616_400
#: Shapes of rows that have not settled. They may be shown forever, with any figure.
SHAPES = (
    *("true", "float", "text", "huge", "null", "zero", "negative", "repeated"),
    *("two rows", "running", "hourly", "no prices", "other form"),
)
#: Answers without a row.
FAULTS = (
    "down",
    "busy page",
    "404 for all",
    "404",
    "no bar",
    "renamed",
    "split",
    "listed elsewhere",
)
FIGURES = ("final", "final at midnight UTC")


@dataclass(frozen=True)
class Showing:
    """What the publisher shows for some minutes; "wrong" has a figure of the right form."""

    what: str
    minutes: int
    figure: int


@dataclass(frozen=True)
class Script:
    """One stock of a game: `before` starts at the close, `after` at the first reading."""

    market: Market
    lock: datetime
    strict_evening: bool
    closed: frozenset[date]
    elsewhere: str  # where the symbol is really listed; "": on the game's market
    final: int
    median: int
    before: tuple[Showing, ...]
    after: tuple[Showing, ...]
    delays: tuple[
        int, ...
    ]  # minutes by which a reading is late, or early because another game asks
    errors: tuple[int, ...]  # seconds by which the clock is wrong at each reading
    typed: (
        tuple[int, int | None] | None
    )  # minutes after the close, and the figure; None for "no report"

    @property
    def session(self) -> Session:
        return session_after(
            self.market, self.lock, strict_evening=self.strict_evening, closed=self.closed
        )

    @property
    def policy(self) -> Policy:
        return Policy(
            14 * HOUR, 2 * HOUR, 72 * HOUR, timedelta(minutes=15), self.market.id, 10_000, 100_000
        )

    def shown(self, session: Session, moment: datetime) -> Showing:
        """Return what the publisher shows at an instant: by default the final figure."""
        first, showings = session.closes + 14 * HOUR - CLOCK_ERROR, self.after
        if moment < first:
            first, showings = session.closes, self.before
        for showing in showings:
            first += showing.minutes * MINUTE
            if moment < first:
                return showing
        return Showing("final", 0, 0)


@dataclass(frozen=True)
class Seen:
    """A reading as in the record."""

    source: str
    kind: str
    volume: int | None
    read_at: datetime
    flag: str = ""
    facts: dict[str, Any] = field(default_factory=dict)


OTHERS = {
    "Mumbai": ("NSI", "Asia/Kolkata", "EQUITY"),
    "a coin": ("CCC", "UTC", "CRYPTOCURRENCY"),
    "over the counter": ("PNK", "", "EQUITY"),
    "an index": ("", "", "INDEX"),
}


def chart(script: Script, session: Session, showing: Showing) -> dict[str, Any]:
    """Return `chart.result[0]` as the publisher sends it."""
    what, elsewhere = (
        showing.what,
        script.elsewhere or ("Mumbai" if showing.what == "listed elsewhere" else ""),
    )
    code, zone, instrument = OTHERS.get(elsewhere, ("", "", ""))
    days = days_before(session.exchange, session.day)
    stamps = [int(opens.timestamp()) for day in days if (opens := _opens(session.exchange, day))]
    volumes: list[Any] = [*([script.median] * (len(stamps) - 1)), YESTERDAY]
    figure: Any = (
        showing.figure if what == "wrong" or what in SHAPES or what == "split" else script.final
    )
    figure = {
        "true": True,
        "float": float(figure),
        "text": str(figure),
        "huge": 10**12 + figure,
        "null": None,
        "zero": 0,
    }.get(what, figure)
    figure = (
        {"negative": -figure, "repeated": YESTERDAY}.get(what, figure)
        if isinstance(figure, int)
        else figure
    )
    stamp = int(session.opens.timestamp())
    if what == "final at midnight UTC" or elsewhere == "a coin":
        stamp = int(datetime.combine(session.day, datetime.min.time(), UTC).timestamp())
    if what == "running":
        stamp = int(session.closes.timestamp()) + showing.minutes
    if what != "no bar":
        stamps, volumes = [*stamps, stamp], [*volumes, figure]
    if what == "two rows":
        stamps, volumes = [*stamps, stamp + 60], [*volumes, figure - 100]
    prices: list[float | None] = [30.0 + n / 100 for n in range(len(stamps))]
    if what == "no prices":
        prices[-1] = None
    quote = dict.fromkeys(PRICES, prices)
    meta = {
        "symbol": "META" if what == "renamed" else "FB",
        "exchangeName": code or script.market.codes[0],
        "exchangeTimezoneName": zone or script.market.zone,
        "instrumentType": instrument or "EQUITY",
        "dataGranularity": "1h" if what == "hourly" else "1d",
    }
    events = {"events": {"splits": {str(stamp): {"splitRatio": "30:1"}}}} if what == "split" else {}
    if what == "other form":
        stamps = stamps[:-1]
    return {
        "meta": meta,
        "timestamp": stamps,
        "indicators": {"quote": [{**quote, "volume": volumes}]},
        **events,
    }


def _opens(exchange: str, day: date) -> datetime | None:
    session = session_on(exchange, day)
    return session.opens if session else None


def report(script: Script, session: Session, showing: Showing) -> Report:
    """Return the source's report of an answer. `test_yahoo` covers answers without a chart."""
    match showing.what:
        case "down":
            return Report("later", down=True)
        case "404 for all":
            return Report("unknown")
        case "404":
            return Report("unknown", facts={"probe": "KO"})
        case "busy page":
            body = "<html>Will be right back...</html>"
        case _:
            body = json.dumps(
                {"chart": {"result": [chart(script, session, showing)], "error": None}}
            )
    tree = Answer(200, body).tree()
    return judge("FB", tree["result"][0], session, {}) if tree else Report("later", down=True)


def play(script: Script, looks: int = 60) -> tuple[Session, list[Seen], Settlement | PendingFigure]:
    """Read whenever a reading is due until the stock settles, at most `looks` times."""
    session, readings = script.session, list[Seen]()
    if script.typed is not None:
        minutes, figure = script.typed
        kind = "ok" if figure else "no_bar"
        readings.append(Seen(NEWSPAPER, kind, figure, session.closes + minutes * MINUTE))
    typed = list(readings)
    read: list[Seen] = []
    last = session.closes
    for number in range(looks):
        verdict = settle(read, session, script.policy)
        if isinstance(verdict, Settlement):
            return session, read, verdict
        # `next_look` is a time on the reader's clock, which has an error. The machine may be down
        # for hours, and another game may take a reading before, which counts for all.
        moment = last = max(
            verdict.next_look + script.delays[number % len(script.delays)] * MINUTE, last + MINUTE
        )
        error = timedelta(seconds=script.errors[number % len(script.errors)])
        if typed and typed[0].read_at <= moment:
            read.append(typed.pop())
            continue
        answer = report(script, session, script.shown(session, moment - error))
        read.append(Seen("yahoo", answer.kind, answer.volume, moment, answer.flag, answer.facts))
    return session, read, settle(read, session, script.policy)


#: Mostly long enough for two readings.
minutes = st.one_of(st.integers(125, 600), st.integers(1, 40 * 60))
figures = st.integers(10_000, 10**7).filter(lambda figure: figure not in (FINAL, YESTERDAY))
harmless = st.builds(Showing, st.sampled_from((*SHAPES, *FAULTS, *FIGURES)), minutes, figures)
anything = st.one_of(harmless, st.builds(Showing, st.just("wrong"), minutes, figures))
wrong = st.builds(Showing, st.just("wrong"), st.integers(1, WRONG_FOR // MINUTE), figures)


def by_figure(showing: Showing) -> object:
    """Return the figure, so that each wrong figure is shown once."""
    return showing.figure


scripts = st.builds(
    Script,
    market=st.sampled_from(
        [MARKETS[name] for name in ("new_york", "london", "tokyo", "sydney", "toronto")]
    ),
    lock=st.integers(0, 310 * 24 * 60).map(
        lambda number: datetime(2026, 2, 20, tzinfo=UTC) + number * MINUTE
    ),
    strict_evening=st.booleans(),
    closed=st.frozensets(
        st.integers(0, 310).map(lambda number: date(2026, 2, 20) + timedelta(days=number)),
        max_size=10,
    ),
    elsewhere=st.sampled_from((*[""] * 16, *OTHERS)),
    final=st.sampled_from((*[FINAL] * 8, 37, 9_999)),
    median=st.sampled_from((*[3_000_000] * 8, 99_999)),
    before=st.lists(anything, max_size=4).map(tuple),
    after=st.lists(st.one_of(harmless, wrong), max_size=6, unique_by=by_figure).map(tuple),
    delays=st.lists(
        st.one_of(st.just(0), st.integers(-119, 0), st.integers(0, 9 * 60)), min_size=1, max_size=5
    ).map(tuple),
    errors=st.lists(st.integers(-299, 299), min_size=1, max_size=5).map(tuple),
    typed=st.one_of(
        *[st.none()] * 4, st.tuples(st.integers(0, 90 * 60), st.one_of(st.none(), figures))
    ),
)


@settings(deadline=None, max_examples=examples(4000, daily=300))
@given(scripts)
def test_script_settles_only_the_final_unpublished_figure(
    script: Script,
) -> None:
    """Promise 3; rules.md 0.1, `rng.market`, `rng.floor`, `rng.settle`."""
    session, _, verdict = play(script)
    # Nothing of the session is public at the lock.
    assert session.opens > script.lock
    assert session.day not in script.closed
    if script.strict_evening:
        assert session.opens - script.market.overnight > script.lock
    if isinstance(verdict, PendingFigure):
        event("waits")
        return
    if verdict.volume is None:
        event("no usable report")
        return
    if any(reading.source == NEWSPAPER for reading in verdict.readings):
        event("typed in")
        assert script.typed is not None
        assert verdict.volume == script.typed[1]
        return
    event("settled")
    assert not script.elsewhere, "a symbol of another market, whose sales were public"
    assert verdict.volume == script.final
    assert verdict.volume >= 10_000
    assert script.median >= 100_000
    assert all(reading.read_at >= session.closes + 14 * HOUR for reading in verdict.readings)
    first, second = verdict.readings
    assert second.read_at - first.read_at >= 2 * HOUR


def plain(**changes: Any) -> Script:
    """Return a New York stock whose final figure the publisher shows from the close on."""
    lock = datetime(2026, 11, 24, 13, 55, tzinfo=UTC)
    usual = {
        "market": MARKETS["new_york"],
        "lock": lock,
        "strict_evening": False,
        "closed": frozenset(),
        "elsewhere": "",
        "final": FINAL,
    }
    reads = {
        "median": 3_000_000,
        "before": (),
        "after": (),
        "delays": (0,),
        "errors": (0,),
        "typed": None,
    }
    return Script(**{**usual, **reads, **changes})


@pytest.mark.parametrize("market", MARKETS)
@pytest.mark.parametrize("what", FIGURES)
def test_faultless_publisher_settles_on_every_market(market: str, what: str) -> None:
    """Shows that the property above is not empty."""
    script = plain(market=MARKETS[market], after=(Showing(what, 600, 0),))
    _, _, verdict = play(script)
    assert isinstance(verdict, Settlement)
    assert (verdict.volume, len(verdict.readings)) == (FINAL, 2)


@pytest.mark.parametrize("shape", SHAPES)
def test_row_of_another_form_is_never_a_figure(shape: str) -> None:
    _, readings, verdict = play(plain(after=(Showing(shape, 10**6, 7_654_300),)), looks=400)
    assert not any(reading.kind == "ok" for reading in readings)
    assert isinstance(verdict, PendingFigure) or verdict.volume is None


@pytest.mark.parametrize("elsewhere", OTHERS)
def test_symbol_of_another_market_is_skipped_within_two_hours(elsewhere: str) -> None:
    """The reproduced attack: TCS.NS, named at 08:55 in New York, already has its sales."""
    session, _, verdict = play(plain(elsewhere=elsewhere))
    assert isinstance(verdict, Settlement)
    assert (verdict.volume, verdict.barred) == (None, True)
    assert verdict.readings[-1].read_at == session.closes + 16 * HOUR


# --- where the guarantee ends ---


def test_wrong_figure_shown_for_two_hours_settles() -> None:
    """Beyond assumption 3: it stays until a gamesmaster rules."""
    script = plain(after=(Showing("wrong", 130, 7_654_300),))
    session, readings, verdict = play(script)
    assert isinstance(verdict, Settlement)
    assert verdict.volume == 7_654_300
    witness = report(script, session, script.shown(session, session.closes + 24 * HOUR))
    assert (witness.kind, witness.volume) == ("ok", FINAL)
    more = [
        *readings,
        *(
            Seen("yahoo", "ok", FINAL, session.closes + hours * HOUR, "", witness.facts)
            for hours in (24, 72)
        ),
    ]
    assert settle(more, session, script.policy) == verdict, "what comes later changes nothing"


def test_figure_restated_after_settling_stands() -> None:
    """Beyond assumption 3: the figure was shown for two hours, and settled."""
    days = Showing("wrong", 48 * 60, 7_654_300)
    _, _, verdict = play(plain(after=(days,)))
    assert isinstance(verdict, Settlement)
    assert verdict.volume == 7_654_300


def test_clock_correction_of_two_hours_settles_a_wrong_figure() -> None:
    """Beyond the reader's clock: wrong at the first reading, right five minutes later."""
    session = plain().session
    facts = {"code": "NYQ", "zone": "America/New_York", "instrument": "EQUITY", "median": 3_000_000}
    readings = [
        Seen("yahoo", "ok", 7_654_300, session.closes + hours * HOUR, "", facts)
        for hours in (14, 16 + 1 / 12)
    ]
    verdict = settle(readings, session, plain().policy)
    assert isinstance(verdict, Settlement)
    assert verdict.volume == 7_654_300
