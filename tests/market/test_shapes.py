"""Readings that must not be taken as they come: each shape recognised, with the gamesmaster told
once (issue 3, readings)."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from games.evidence import export
from games.letters import rendering
from games.market import Report, enter_figure, observe
from games.models import Figure, Person, Phase
from games.rules.settling import Settled, Waiting
from games.rules.verification import verify
from tests.support import loopback_yahoo
from tests.support.campaign import Campaign
from tests.support.loopback_yahoo import LoopbackYahoo

from .conftest import FIRST, Ticker
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


def test_a_split_on_the_day_is_seen_in_yahoos_answer(
    yahoo: LoopbackYahoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """foundations.md 1.3: Yahoo restates old sales after a split; such a figure is flagged."""
    changed(
        monkeypatch,
        lambda tree: split_at(tree, tree["timestamp"][-1]) if "timestamp" in tree else None,
    )
    report = read("BYND")
    assert (report.kind, report.flag) == ("ok", "split")
    assert [split["splitRatio"] for split in report.raw["splits"].values()] == ["30:1"]


def test_a_split_after_the_day_is_looked_for_besides(
    yahoo: LoopbackYahoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """foundations.md 1.3: on or after the day. The range up to the day alone would not show it."""
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


def test_a_row_that_only_repeats_the_day_before_is_asked_for_again(
    yahoo: LoopbackYahoo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stale row: what looks like the day's figure is the last one that the publisher had."""

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


def test_a_renamed_symbol_is_no_usable_report_once_it_was_found_renamed_twice(
    yahoo: LoopbackYahoo,
) -> None:
    """rules.md 0.1: unusable, and the record says that the answer was about another."""
    yahoo.modes["FB"] = "other symbol"
    report = read("FB")
    assert (report.kind, report.flag) == ("unknown", "renamed")
    assert "another symbol" in report.detail
    assert figure(Look(0, "unknown", flag="renamed"), Look(2, "unknown", flag="renamed")) is None


def test_a_delisted_symbol_gives_way_to_the_next_stock(yahoo: LoopbackYahoo) -> None:
    """Yahoo's own words, two hours apart: no one fault explains both."""
    yahoo.modes["TWTR"] = "404"
    assert (read("TWTR").kind, "delisted" in read("TWTR").detail) == ("unknown", True)
    assert isinstance(verdict(Look(0, "unknown"), Look(1, "unknown")), Waiting)
    assert figure(Look(0, "unknown"), Look(2, "unknown")) is None


def test_a_figure_that_goes_down_starts_the_count_anew_and_is_told() -> None:
    """foundations.md 1.3, pandas-datareader #816: sales are not taken back."""
    waiting = verdict(Look(0, 4_616_400), Look(2, 4_441_207))
    assert isinstance(waiting, Waiting)
    assert "gone down from 4,616,400 to 4,441,207" in waiting.reason
    settled = verdict(Look(0, 4_616_400), Look(2, 4_441_207), Look(4, 4_441_207))
    assert isinstance(settled, Settled)
    assert settled.volume == 4_441_207
    assert "gone down from 4,616,400 to 4,441,207" in settled.reason
    grown = verdict(Look(0, 4_441_207), Look(2, 4_616_400), Look(4, 4_616_400))
    assert isinstance(grown, Settled)
    assert "down" not in grown.reason


@pytest.mark.parametrize(
    "looks",
    [
        [Look(0, 900, flag="split"), Look(2, 900, flag="split"), Look(80, 900)],
        [Look(0, 900), Look(2, 900, flag="split")],
    ],
)
def test_a_split_settles_nothing_by_itself_whatever_agrees(looks: list[Look]) -> None:
    """It waits, beyond the give-up time too, until a person has looked."""
    waiting = verdict(*looks)
    assert isinstance(waiting, Waiting)
    assert "split" in waiting.needs
    typed = verdict(*looks, Look(90, 2_700, source="newspaper"))
    assert isinstance(typed, Settled)
    assert typed.volume == 2_700


def test_a_stock_that_has_split_waits_for_the_gamesmaster_and_is_not_asked_for_again(
    phase: Phase, ticker: Ticker, ada: Person
) -> None:
    ticker.says["BYND"] = Report("ok", 900, "A split.", flag="split")
    for hours in (0, 2, 30, 80):
        seen = observe(phase, ["BYND", "GE"], FIRST + hours * HOUR)
    assert (set(seen.needs), seen.settled) == ({"BYND"}, {"GE": 1_000_000})
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
def test_the_gamesmaster_is_told_of_a_split_once_and_not_every_minute(ticker: Ticker) -> None:
    """Issue 3: the gamesmaster is told once; a player is not told at all."""
    campaign = drawing()
    ticker.says["BYND"] = Report("ok", 900, "A split.", flag="split")
    start = first_reading(campaign)
    for quarters in range(12):
        campaign.wait_until(start + quarters * timedelta(minutes=15))
    (letter,) = campaign.letters("overdue")
    assert letter.address == "ada@example.org"
    said = " ".join(rendering.render(letter).text.split())
    assert "BYND: it shows 900 shares" in said
    assert "split on or after that day" in said
    assert campaign.phase.status == Phase.Status.DRAWING


@pytest.mark.django_db
def test_the_gamesmaster_is_told_once_when_the_give_up_time_passes_without_an_answer(
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
def test_a_gamesmaster_with_a_newspaper_is_asked_for_it_when_the_session_is_over() -> None:
    campaign = Campaign.begin(market="newspaper")
    campaign.attack_in_poland()
    campaign.wait_until(campaign.phase.deadline)
    assert campaign.letters("overdue") == []
    campaign.wait_until(first_reading(campaign))
    (letter,) = campaign.letters("overdue")
    assert "GE: type in its sales from your newspaper" in rendering.render(letter).text


@pytest.mark.django_db
def test_verify_knows_a_figure_that_rests_on_a_reading_with_a_split(ticker: Ticker) -> None:
    """contract.md 5: the flag is recorded; nobody settles on such a figure unseen."""
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
    """rng.settle = first_reading counts the first reading after the close, and says so."""
    campaign = drawing(**{"rng.settle": "first_reading"})
    phase = campaign.phase
    assert phase.session_closes is not None
    assert phase.first_reading_at == phase.session_closes + timedelta(minutes=20)
    campaign.pass_deadline()
    letter = rendering.render(campaign.letters("board", "gustav")[-1]).text
    assert "(the first reading, at " in " ".join(letter.split())
    assert (
        "provisional" in client.get(f"{campaign.game.get_absolute_url()}phases/2/").content.decode()
    )
    (kept,) = export.record(campaign.game, private=True)["phases"][1]["figures"]
    assert "provisional" in kept["reason"]
    ticker.says["BYND"] = Report("ok", 7)
    assert Figure.objects.get().volume == 1_000_000


@pytest.mark.django_db
def test_two_phases_a_day_can_be_played_by_telephone(ticker: Ticker) -> None:
    """Issue 3: placement at night, attacks before the bell, the digit after the close."""
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
