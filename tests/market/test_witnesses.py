"""Witness readings: later readings, shared by all games, that decide nothing.

They are shown and reported where they differ (issue 19, item 10).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from games import desk, tasks
from games.evidence import export
from games.market import Report, enter_no_report, fix_session, session_of, witnesses
from games.models import Figure, Game, Phase, Reading, Resolution
from games.records import archive
from games.rules.verification import verify
from games.turns import witnessing
from tests.support.campaign import Campaign
from tests.support.letters import letter_text
from tests.support.ticks import tick_in_process

from .conftest import TUESDAY, Ticker

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def drawing(market: str = "yahoo", stock: str = "GE", **given: Any) -> Campaign:
    """Begin a game whose attack waits for the sales of one stock."""
    options = {"rng.settle": "agreed_readings", **given.pop("options", {})}
    campaign = Campaign.begin(market=market, options=options, **given)
    campaign.attack_in_poland(f"ATTACK Poland: France STOCK {stock}")
    campaign.wait_until(campaign.phase.deadline)
    return campaign


def close(phase: Phase) -> datetime:
    return session_of(phase).closes


def at(campaign: Campaign, phase: Phase, hours: float) -> Phase:
    """Advance to `hours` after the close of the phase's session."""
    campaign.wait_until(close(phase) + hours * HOUR)
    phase.refresh_from_db()
    return phase


def settled(campaign: Campaign, ticker: Ticker) -> Phase:
    """Resolve the game's phase on 1,000,000 shares, 16 hours after the close."""
    phase = campaign.phase
    for hours in (1, 14, 16):
        at(campaign, phase, hours)
    assert phase.status == Phase.Status.RESOLVED
    assert Figure.objects.get(phase=phase).volume == 1_000_000
    return phase


def read_at(phase: Phase) -> list[float]:
    """Return the reading times of the phase's session, in hours after the close."""
    rows = Reading.objects.filter(session=phase.session, game=None).order_by("read_at", "pk")
    return [(row.read_at - close(phase)) / HOUR for row in rows]


# --- reading times ---


@pytest.mark.both_databases
def test_witness_readings_are_taken_1_24_and_72_hours_after_the_close(ticker: Ticker) -> None:
    """Issue 19, item 10: ordinary readings of the game's own source, and none afterward."""
    campaign = drawing()
    phase = campaign.phase
    assert phase.witness_at == close(phase) + HOUR
    settled(campaign, ticker)
    for hours in (20, 24, 24.1, 50, 72, 73, 100):
        at(campaign, phase, hours)
    assert read_at(phase) == [1, 14, 16, 24, 72]
    assert campaign.phase.witness_at is None
    assert {row.source for row in Reading.objects.all()} == {"yahoo"}
    assert Figure.objects.filter(phase=phase).count() == 1


def test_evening_reading_does_not_settle_a_figure(ticker: Ticker) -> None:
    """rng.settle: a figure of the evening decides nothing."""
    campaign = drawing()
    phase = campaign.phase
    ticker.says["GE"] = Report("ok", 900_000)
    at(campaign, phase, 1)
    del ticker.says["GE"]
    for hours in (14, 16):
        at(campaign, phase, hours)
    figure = Figure.objects.get(phase=phase)
    assert figure.volume == 1_000_000
    assert [(row.read_at - close(phase)) / HOUR for row in figure.readings.order_by("read_at")] == [
        14,
        16,
    ]


@pytest.mark.parametrize(
    "status", [Game.Status.PAUSED, Game.Status.FINISHED, Game.Status.ABANDONED]
)
def test_witness_readings_continue_for_stopped_games(ticker: Ticker, status: str) -> None:
    """Issue 19, item 10: after the end of the game and while it is paused."""
    campaign = drawing()
    phase = settled(campaign, ticker)
    Game.objects.filter(pk=campaign.game.pk).update(status=status)
    for hours in (24, 72):
        at(campaign, phase, hours)
    assert read_at(phase) == [1, 14, 16, 24, 72]


def test_witness_reading_is_shared_by_games(ticker: Ticker) -> None:
    """Each symbol once per source, session and time."""
    first, other = drawing(title="One"), drawing(title="The other")
    phases = [first.phase, other.phase]
    for hours in (1, 14, 16, 24, 72):
        for phase in phases:
            at(first, phase, hours)
    assert read_at(phases[0]) == [1, 14, 16, 24, 72]
    assert [phase.witness_at for phase in phases] == [None, None]
    assert [len(export.readings_and_later(phase)[1]) for phase in phases] == [2, 2]


def test_simultaneous_ticks_take_each_witness_reading_once(ticker: Ticker) -> None:
    """One conditional update: the second tick has nothing to do, even during a reading."""
    campaign = drawing()
    phase = campaign.phase
    now = close(phase) + HOUR
    seconds: list[Any] = []
    ticker.on_read = lambda: seconds.append(witnessing.claim(now))
    until, mine = witnessing.claim(now)
    assert mine == [phase.pk]
    assert witnessing.claim(now) == ("", [])
    witnessing.take(mine, until, now)
    assert seconds == [("", [])]
    witnessing.take(mine, until, now)  # the queue delivers it again
    assert read_at(phase) == [1]


def test_witness_reading_of_a_dead_worker_is_taken_over(ticker: Ticker, settings: Any) -> None:
    """The claim is a lease; when it expires the reading is due again."""
    phase = drawing().phase
    now = close(phase) + HOUR
    assert witnessing.claim(now)[1] == [phase.pk]
    later = now + timedelta(seconds=settings.LEASE_SECONDS + 1)
    until, mine = witnessing.claim(later)
    witnessing.take(mine, until, later)
    assert len(ticker.asked) == 1


def test_witness_claim_is_released_if_it_cannot_be_queued(
    ticker: Ticker, time_machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    phase = drawing().phase
    now = close(phase) + HOUR
    tick_in_process(monkeypatch)
    time_machine.move_to(now, tick=False)
    tasks.tick()
    assert ticker.asked == []
    assert witnessing.claim(now)[1] == [phase.pk]


def test_task_takes_the_witness_readings_queued_by_a_tick(
    ticker: Ticker, time_machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    phase = drawing().phase
    now = close(phase) + HOUR
    time_machine.move_to(now, tick=False)
    tick_in_process(monkeypatch, "witnesses")
    tasks.tick()
    assert [symbol for symbol, _ in ticker.asked] == ["GE"]


def test_source_that_is_down_delays_witness_readings_by_hours(ticker: Ticker) -> None:
    """It is read again every hour; the phase and its other readings are not affected."""
    campaign = drawing()
    phase = settled(campaign, ticker)
    ticker.says["GE"] = Report("later", detail="No answer.", down=True)
    for hours in (24, 24.5, 25, 25.5):
        at(campaign, phase, hours)
    assert read_at(phase)[3:] == [24, 25]
    del ticker.says["GE"]
    for hours in (26, 27, 28):
        at(campaign, phase, hours)
    assert read_at(phase)[3:] == [24, 25, 26]
    assert phase.witness_at == close(phase) + 72 * HOUR


def test_witness_readings_end_a_day_after_the_last_one_was_due(
    ticker: Ticker,
) -> None:
    campaign = drawing()
    phase = settled(campaign, ticker)
    ticker.says["GE"] = Report("later", detail="No answer.", down=True)
    for hours in (72, 80, 95, 96):
        at(campaign, phase, hours)
    assert phase.witness_at is None


def test_one_witness_reading_is_taken_after_an_outage(ticker: Ticker) -> None:
    """One reading replaces several missed ones: the publisher's present figure."""
    campaign = drawing()
    phase = settled(campaign, ticker)
    at(campaign, phase, 200)
    assert read_at(phase)[3:] == [200]
    assert phase.witness_at is None


@pytest.mark.parametrize("market", ["demo", "recorded", "newspaper"])
def test_a_game_without_a_publisher_has_no_witness_readings(market: str) -> None:
    assert witnesses.first(Game(market=market), TUESDAY) is None


def test_new_session_has_its_own_witness_readings(phase: Phase) -> None:
    """games.desk.session_changes calls the same function."""
    fix_session(phase, TUESDAY)
    assert phase.witness_at == TUESDAY.closes + HOUR


def test_witness_times_follow_the_regular_close() -> None:
    """An entered early close makes no reading earlier."""
    early = type(TUESDAY)(TUESDAY.exchange, TUESDAY.label, TUESDAY.opens, TUESDAY.opens + HOUR)
    assert witnesses.times(early) == witnesses.times(TUESDAY)


def test_unsettled_stock_gets_no_witness_reading(ticker: Ticker) -> None:
    """Witness readings decide nothing, so none comes between differing readings."""
    campaign = drawing()
    phase = campaign.phase
    at(campaign, phase, 1)
    for hours, volume in ((14, 1_000), (16, 2_000)):
        ticker.says["GE"] = Report("ok", volume)
        at(campaign, phase, hours)
    Phase.objects.filter(pk=phase.pk).update(due_at=close(phase) + 30 * HOUR)
    at(campaign, phase, 24)
    assert read_at(phase) == [1, 14, 16]


# --- no effect on results ---


def test_witness_readings_change_no_figure_digit_or_result(ticker: Ticker) -> None:
    """rules.md 0.1: later corrections change nothing. The checker ignores them, too."""
    campaign = drawing()
    phase = settled(campaign, ticker)
    before = export.record(campaign.game, private=True)["phases"][1]
    for hours, volume in ((24, 5_413_100), (72, 7)):
        ticker.says["GE"] = Report("ok", volume)
        at(campaign, phase, hours)
    tree = export.record(campaign.game, private=True)
    after = tree["phases"][1]
    assert {**after, "later_readings": []} == before
    assert [(row["volume"], row["number"]) for row in after["later_readings"]] == [
        (5_413_100, 4),
        (7, 5),
    ]
    assert verify.check(tree) == []
    assert Resolution.objects.filter(phase=phase).count() == 1


def test_later_readings_survive_a_copy(ticker: Ticker) -> None:
    campaign = drawing()
    phase = settled(campaign, ticker)
    ticker.says["GE"] = Report("ok", 5_413_100)
    at(campaign, phase, 24)
    tree = export.record(campaign.game, private=True)
    copy = archive.restore(tree, campaign.ada)
    again = export.record(copy, private=True)["phases"][1]
    assert again["later_readings"] == tree["phases"][1]["later_readings"]
    assert "Later, Yahoo reported 5,413,100 shares" in str(
        witnessing.restatements(copy.phases.get(number=2))["GE"]
    )


# --- letters and pages ---


@pytest.fixture
def restated(ticker: Ticker) -> tuple[Campaign, Phase]:
    campaign = drawing()
    phase = settled(campaign, ticker)
    ticker.says["GE"] = Report("ok", 5_413_100)
    at(campaign, phase, 24)
    return campaign, phase


def test_gamesmaster_is_notified_once_of_a_restated_figure(
    restated: tuple[Campaign, Phase],
) -> None:
    campaign, phase = restated
    at(campaign, phase, 72)
    (letter,) = campaign.letters("restated")
    assert letter.address == "ada@example.org"
    text = letter_text(letter)
    assert "GE in the session of Tue 17 Nov settled at 1,000,000 shares." in text
    assert "Yahoo has since reported 5,413,100 shares (Wed 18 Nov, 21:00 UTC)." in text
    assert "The settled figure gives the digit 0; the new one would give 1." in text
    assert "does not change" in text
    assert f"/games/{campaign.game.pk}/desk/rulings/phases/{phase.number}/" in text


def test_pages_show_a_restatement_beside_the_figure(
    restated: tuple[Campaign, Phase], client: Any
) -> None:
    campaign, phase = restated
    for page in (f"phases/{phase.number}/", f"phases/{phase.number}/proof/"):
        text = client.get(f"{campaign.game.get_absolute_url()}{page}").content.decode()
        assert "1,000,000" in text
        assert "Later, Yahoo reported 5,413,100 shares (18 Nov, 21:00 UTC)." in text
    assert "These readings decide nothing." in text


def test_confirmed_figure_is_not_reported(ticker: Ticker, client: Any) -> None:
    campaign = drawing()
    phase = settled(campaign, ticker)
    for hours in (24, 72):
        at(campaign, phase, hours)
    assert campaign.letters("restated") == []
    text = client.get(f"{campaign.game.get_absolute_url()}phases/{phase.number}/").content.decode()
    assert "Later, Yahoo" not in text


def test_evening_figure_is_no_restatement(ticker: Ticker) -> None:
    """It is older than the figure, and always differs (foundations.md 1.3)."""
    campaign = drawing()
    phase = campaign.phase
    ticker.says["GE"] = Report("ok", 900_000)
    at(campaign, phase, 1)
    del ticker.says["GE"]
    for hours in (14, 16, 24):
        at(campaign, phase, hours)
    assert campaign.letters("restated") == []
    assert witnessing.restatements(phase) == {}


def test_readings_are_not_shown_before_the_result(ticker: Ticker, client: Any) -> None:
    """An earlier figure, even the evening's, would be taken for the result."""
    campaign = drawing()
    phase = campaign.phase
    ticker.says["GE"] = Report("ok", 912_345)
    at(campaign, phase, 1)
    assert export.record(campaign.game, private=False)["phases"][1]["later_readings"] == []
    client.force_login(campaign.players["Germany"])
    for page in ("", f"phases/{phase.number}/", f"phases/{phase.number}/proof/"):
        assert (
            "912,345"
            not in client.get(f"{campaign.game.get_absolute_url()}{page}").content.decode()
        )


# --- typed figures ---


def resolve_on_typed_figure(
    ticker: Ticker, hours: float = 5, volume: int | None = 5_000_000
) -> tuple[Campaign, Phase]:
    """Resolve a phase on a figure typed `hours` after the close."""
    campaign = drawing()
    phase = campaign.phase
    ticker.says["GE"] = Report("ok", 5_412_700)
    for earlier in (1, 14):
        if earlier < hours:
            at(campaign, phase, earlier)
    when = close(phase) + hours * HOUR
    if volume is None:
        enter_no_report(phase, "GE", campaign.ada, when)
        Phase.objects.filter(pk=phase.pk).update(due_at=when)
    else:
        desk.enter_figure(phase, "GE", volume, campaign.ada, when)
    at(campaign, phase, hours)
    return campaign, phase


def test_a_typed_figure_does_not_stop_the_readings(ticker: Ticker) -> None:
    """Issue 19, item 10: they go on as witness readings and decide nothing."""
    campaign, phase = resolve_on_typed_figure(ticker)
    assert phase.status == Phase.Status.RESOLVED
    for hours in (14, 24, 72):
        at(campaign, phase, hours)
    assert read_at(phase) == [1, 14, 24, 72]
    assert Figure.objects.get(phase=phase).volume == 5_000_000
    assert verify.check(export.record(campaign.game, private=True)) == []


def test_pages_and_letter_show_source_differences_from_entered_figures(
    ticker: Ticker, client: Any
) -> None:
    campaign, phase = resolve_on_typed_figure(ticker)
    at(campaign, phase, 14)
    words = (
        "The gamesmaster entered 5,000,000 shares; Yahoo reported 5,412,700 shares (18 Nov, 11:00"
        " UTC)."
    )
    for page in (f"phases/{phase.number}/", f"phases/{phase.number}/proof/"):
        assert words in client.get(f"{campaign.game.get_absolute_url()}{page}").content.decode()
    (letter,) = campaign.letters("restated")
    assert (
        "A gamesmaster entered 5,000,000 shares for GE in the session of Tue 17 Nov."
        in letter_text(letter)
    )


def test_report_shows_source_differences_from_entered_figures(ticker: Ticker) -> None:
    """A reading taken after the report is never in it."""
    campaign, phase = resolve_on_typed_figure(ticker, 15)
    ticker.says["GE"] = Report("ok", 9)
    at(campaign, phase, 24)
    (letter,) = [
        report for report in campaign.letters("board", "gustav") if report.phase_id == phase.pk
    ]
    text = letter_text(letter)
    assert (
        "The gamesmaster entered 5,000,000 shares; Yahoo reported 5,412,700 shares (18 Nov, 11:00"
        " UTC)." in text
    )
    assert "reported 9 shares" not in text


def test_confirmed_typed_figure_is_not_reported(ticker: Ticker) -> None:
    campaign, phase = resolve_on_typed_figure(ticker, volume=5_412_700)
    at(campaign, phase, 14)
    assert (witnessing.restatements(phase), campaign.letters("restated")) == ({}, [])


def test_source_figure_for_a_stock_entered_without_a_report_is_reported(ticker: Ticker) -> None:
    campaign, phase = resolve_on_typed_figure(ticker, volume=None)
    at(campaign, phase, 14)
    sentence = str(witnessing.restatements(phase)["GE"])
    assert sentence.startswith(
        "The gamesmaster entered that there is no usable report; Yahoo reported 5,412,700 shares"
    )


def test_second_reading_below_the_floor_is_no_restatement(make_phase: Any, ticker: Ticker) -> None:
    """It is "no usable report" although there was a figure (rng.floor)."""
    phase = make_phase(**{"rng.source": "stocks"})
    row = {
        "source": "yahoo",
        "exchange": phase.exchange,
        "session": phase.session,
        "symbol": "TINY",
        "kind": "ok",
    }
    first = Reading.objects.create(**row, volume=37, read_at=TUESDAY.closes + 16 * HOUR)
    figure = Figure.objects.create(
        phase=phase, symbol="TINY", volume=None, reason="too few", settled_at=first.read_at
    )
    figure.readings.set([first])
    Reading.objects.create(**row, volume=38, read_at=TUESDAY.closes + 24 * HOUR)
    assert witnessing.restatements(phase) == {}
