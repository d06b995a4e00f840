"""Suspicious readings: each shape is recognized and reported once (issue 3, readings)."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from games.evidence import export
from games.letters import rendering
from games.market import Report, enter_figure
from games.models import Figure, Person, Phase
from games.rules.settling import PendingFigure, Settlement
from games.rules.verification import verify
from tests.support import loopback_yahoo
from tests.support.campaign import Campaign
from tests.support.letters import letter_text
from tests.support.loopback_yahoo import LoopbackYahoo

from .conftest import FIRST, Ticker, observe
from .test_settle import Look, figure, verdict
from .test_yahoo import read

HOUR = timedelta(hours=1)


def changed(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    """Let `change` alter each chart of the loopback Yahoo before it goes out."""
    plain = loopback_yahoo._result

    def result(*asked: Any) -> Any:
        tree = plain(*asked)
        change(tree)
        return tree

    monkeypatch.setattr(loopback_yahoo, "_result", result)


def split_at(tree: dict[str, Any], stamp: int) -> None:
    splits = {
        str(stamp): {"date": stamp, "numerator": 30.0, "denominator": 1.0, "splitRatio": "30:1"}
    }
    tree["events"] = {"splits": splits}


def test_split_on_the_day_is_flagged(yahoo: LoopbackYahoo, monkeypatch: pytest.MonkeyPatch) -> None:
    """foundations.md 1.3: Yahoo restates old sales after a split; such a figure is flagged."""
    changed(
        monkeypatch,
        lambda tree: split_at(tree, tree["timestamp"][-1]) if "timestamp" in tree else None,
    )
    report = read("BYND")
    assert (report.kind, report.flag) == ("ok", "split")
    assert [split["splitRatio"] for split in report.raw["splits"].values()] == ["30:1"]


def test_split_after_the_day_is_flagged(
    yahoo: LoopbackYahoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """foundations.md 1.3: on or after the day. The range up to the day would not show it."""
    next_day = 1795617000  # 2026-11-25 09:30 in New York

    def change(tree: dict[str, Any]) -> None:
        if next_day in tree.get("timestamp", []):
            split_at(tree, next_day)

    changed(monkeypatch, change)
    report = read("BYND")
    assert (report.kind, report.flag) == ("ok", "split")
    assert report.raw["later_splits"]


def test_without_a_split_no_figure_is_flagged(yahoo: LoopbackYahoo) -> None:
    report = read("GE")
    assert (report.kind, report.flag, report.raw["later_splits"]) == ("ok", "", {})


def test_row_that_repeats_the_day_before_is_read_again(
    yahoo: LoopbackYahoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stale row: it looks like the day's figure, but is the publisher's last one."""

    def change(tree: dict[str, Any]) -> None:
        quote = tree["indicators"]["quote"][0]
        if not quote:
            return
        for key, price in (("open", 31.0), ("high", 33.0), ("low", 30.0), ("close", 32.0)):
            quote[key] = [price] * len(quote[key])
        quote["volume"] = [4_616_400] * len(quote["volume"])

    changed(monkeypatch, change)
    report = read("TGT")
    assert (report.kind, report.volume) == ("later", None)
    assert "session before once more" in report.detail


def test_symbol_renamed_twice_has_no_usable_report(
    yahoo: LoopbackYahoo,
) -> None:
    """rules.md 0.1: unusable; the record says that the answer was about another symbol."""
    yahoo.modes["FB"] = "other symbol"
    report = read("FB")
    assert (report.kind, report.flag) == ("unknown", "renamed")
    assert "another symbol" in report.detail
    assert figure(Look(0, "unknown", flag="renamed"), Look(2, "unknown", flag="renamed")) is None


def test_delisted_symbol_has_no_figure_after_two_answers(yahoo: LoopbackYahoo) -> None:
    """Yahoo's own words, two hours apart: no single fault explains both."""
    yahoo.modes["TWTR"] = "404"
    assert (read("TWTR").kind, "delisted" in read("TWTR").detail) == ("unknown", True)
    assert isinstance(verdict(Look(0, "unknown"), Look(1, "unknown")), PendingFigure)
    assert figure(Look(0, "unknown"), Look(2, "unknown")) is None


def test_falling_figure_restarts_the_count_and_is_noted() -> None:
    """foundations.md 1.3, pandas-datareader #816: sales cannot fall."""
    waiting = verdict(Look(0, 4_616_400), Look(2, 4_441_207))
    assert isinstance(waiting, PendingFigure)
    assert "gone down from 4,616,400 to 4,441,207" in waiting.reason
    settled = verdict(Look(0, 4_616_400), Look(2, 4_441_207), Look(4, 4_441_207))
    assert isinstance(settled, Settlement)
    assert settled.volume == 4_441_207
    assert "gone down from 4,616,400 to 4,441,207" in settled.reason
    grown = verdict(Look(0, 4_441_207), Look(2, 4_616_400), Look(4, 4_616_400))
    assert isinstance(grown, Settlement)
    assert "down" not in grown.reason


@pytest.mark.parametrize(
    "looks",
    [
        [Look(0, 900, flag="split"), Look(2, 900, flag="split"), Look(80, 900)],
        [Look(0, 900), Look(2, 900, flag="split")],
    ],
)
def test_split_waits_for_a_typed_figure(looks: list[Look]) -> None:
    """It waits for the gamesmaster, beyond the give-up time, too."""
    waiting = verdict(*looks)
    assert isinstance(waiting, PendingFigure)
    assert "split" in waiting.needs
    typed = verdict(*looks, Look(90, 2_700, source="newspaper"))
    assert isinstance(typed, Settlement)
    assert typed.volume == 2_700


def test_split_stock_is_not_read_again(phase: Phase, ticker: Ticker, ada: Person) -> None:
    ticker.says["BYND"] = Report("ok", 900, "A split.", flag="split")
    for hours in (0, 2, 30, 80):
        result = observe(phase, ["BYND", "GE"], FIRST + hours * HOUR)
    assert (set(result.needs), result.settled) == ({"BYND"}, {"GE": 1_000_000})
    assert [symbol for symbol, _ in ticker.asked].count("BYND") == 1
    enter_figure(phase, "BYND", 27_000, ada, FIRST + 81 * HOUR)
    assert observe(phase, ["BYND"], FIRST + 81 * HOUR).settled == {"BYND": 27_000}


def drawing(**options: str) -> Campaign:
    campaign = Campaign.begin(market="yahoo", options={"rng.settle": "agreed_readings", **options})
    campaign.attack_in_poland("ATTACK Poland: France STOCK BYND")
    campaign.wait_until(campaign.phase.deadline)
    return campaign


def first_reading(campaign: Campaign) -> Any:
    at = campaign.phase.first_reading_at
    assert at is not None
    return at


@pytest.mark.django_db
def test_gamesmaster_is_notified_of_a_split_once(ticker: Ticker) -> None:
    """Issue 3: the gamesmaster gets one letter, players get none."""
    campaign = drawing()
    ticker.says["BYND"] = Report("ok", 900, "A split.", flag="split")
    start = first_reading(campaign)
    for quarters in range(12):
        campaign.wait_until(start + quarters * timedelta(minutes=15))
    (letter,) = campaign.letters("overdue")
    assert letter.address == "ada@example.org"
    text = letter_text(letter)
    assert "BYND: it shows 900 shares" in text
    assert "split on or after that day" in text
    assert campaign.phase.status == Phase.Status.DRAWING


@pytest.mark.django_db
def test_gamesmaster_is_notified_once_after_the_give_up_time(
    ticker: Ticker,
) -> None:
    """foundations.md 1.3: after 72 hours. The phase recovers when the source does."""
    campaign = drawing()
    ticker.says["BYND"] = Report("later", detail="No answer.", down=True)
    start = first_reading(campaign)
    for hours in (0, 30, 71):
        campaign.wait_until(start + hours * HOUR)
    assert campaign.letters("overdue") == []
    for hours in (72, 73, 74, 90):
        campaign.wait_until(start + hours * HOUR)
    (letter,) = campaign.letters("overdue")
    assert "waiting for figures" in rendering.render(letter).subject
    phase = campaign.phase
    del ticker.says["BYND"]
    campaign.wait_until(start + 91 * HOUR)
    campaign.wait_until(start + 94 * HOUR)
    phase.refresh_from_db()
    assert phase.status == Phase.Status.RESOLVED


@pytest.mark.django_db
def test_gamesmaster_is_asked_for_newspaper_figures_after_the_session() -> None:
    campaign = Campaign.begin(market="newspaper")
    campaign.attack_in_poland()
    campaign.wait_until(campaign.phase.deadline)
    assert campaign.letters("overdue") == []
    campaign.wait_until(first_reading(campaign))
    (letter,) = campaign.letters("overdue")
    assert "GE: enter its sales from your newspaper" in rendering.render(letter).text


@pytest.mark.django_db
def test_verify_detects_a_figure_that_rests_on_a_split(ticker: Ticker) -> None:
    """contract.md 5: the flag is recorded; such a figure does not settle by itself."""
    campaign = drawing()
    campaign.wait_until(first_reading(campaign))
    campaign.wait_until(first_reading(campaign) + 2 * HOUR)
    tree = export.record(campaign.game, private=True)
    assert verify.check(tree) == []
    tree["phases"][1]["readings"][0]["flag"] = "split"
    assert any("restated after a split" in str(difference) for difference in verify.check(tree))


# --- telephone tempo ---


@pytest.mark.django_db
def test_a_first_reading_is_marked_provisional_in_report_page_and_record(
    ticker: Ticker, client: Any
) -> None:
    """rng.settle = first_reading."""
    campaign = drawing(**{"rng.settle": "first_reading"})
    phase = campaign.phase
    assert phase.session_closes is not None
    assert phase.first_reading_at == phase.session_closes + timedelta(minutes=20)
    campaign.pass_deadline()
    letter = rendering.render(campaign.letters("board", "gustav")[-1]).text
    text = " ".join(letter.split())
    assert re.search(r"\(the first reading, \d+ Nov, \d\d:\d\d UTC\)", text)
    assert (
        "provisional" in client.get(f"{campaign.game.get_absolute_url()}phases/2/").content.decode()
    )
    (figure_row,) = export.record(campaign.game, private=True)["phases"][1]["figures"]
    assert "provisional" in figure_row["reason"]
    ticker.says["BYND"] = Report("ok", 7)
    assert Figure.objects.get().volume == 1_000_000


@pytest.mark.django_db
def test_first_reading_game_plays_two_phases_a_day(ticker: Ticker) -> None:
    """Issue 3: placement at night, attacks before the opening, the digit after the close."""
    new_york = ZoneInfo("America/New_York")
    begin = datetime(2026, 11, 16, 1, 0, tzinfo=new_york)
    campaign = Campaign.begin(begin, market="yahoo", schedule={"every": "minutes", "minutes": 240})
    resolved = []
    for _ in range(4):
        kind = campaign.phase.kind
        if kind == "placement":
            campaign.order("Germany", "PLACE 2 Poland")
            campaign.order("France", "PLACE 1 Poland")
        else:
            campaign.order("Germany", "ATTACK Poland: France STOCK GE")
        phase = campaign.pass_deadline()
        assert phase.status == Phase.Status.RESOLVED
        resolved.append((phase.kind, campaign.now.astimezone(new_york).date()))
    monday, tuesday = date(2026, 11, 16), date(2026, 11, 17)
    assert resolved == [
        ("placement", monday),
        ("attacks", monday),
        ("placement", monday),
        ("attacks", tuesday),
    ]
